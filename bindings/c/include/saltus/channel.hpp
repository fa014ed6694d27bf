/* Channels in shared memory, with all that they can do, for control loops. */
#ifndef SALTUS_CHANNEL_HPP
#define SALTUS_CHANNEL_HPP

#include "result.hpp"

#include <functional>
#include <initializer_list>

namespace saltus {

/** Which message is received. */
enum class which : int {
    newest = SALTUS_NEWEST, /**< The newest, if it has not been seen. */
    next = SALTUS_NEXT,     /**< The oldest that has not been seen. */
    again = SALTUS_AGAIN    /**< The newest, seen or not. */
};

/** What a channel is created with: set what shall be different. */
struct attributes : saltus_attributes {
    attributes() noexcept : saltus_attributes() { (void)saltus_attributes_init(this, sizeof(saltus_attributes)); }
};

/** How a subscriber joins a channel: set what shall be different. */
struct channel_options : saltus_channel_options {
    channel_options() noexcept : saltus_channel_options() { (void)saltus_channel_options_init(this, sizeof(saltus_channel_options)); }
};

/** What became of a published message: its number and its stamp. */
using published = saltus_published;
/** What is known of a received message. */
using sample = saltus_sample;

/** Room for a message, borrowed from a publisher, which publishes and lends nothing else meanwhile. Given back unused if it is not published. */
class loan {
public:
    loan(loan &&other) noexcept
        : publisher_(std::exchange(other.publisher_, nullptr)), room_(other.room_), size_(other.size_) {}
    loan &operator=(loan &&other) noexcept {
        if (this != &other) {
            abandon();
            publisher_ = std::exchange(other.publisher_, nullptr);
            room_ = other.room_;
            size_ = other.size_;
        }
        return *this;
    }
    ~loan() { abandon(); }

    /** The room, 64-byte aligned. It holds old bytes. */
    void *data() noexcept { return room_; }
    /** How many bytes were asked for. */
    std::size_t size() const noexcept { return size_; }
    /** Publishes the first `size` bytes. The loan is over, whatever this returns. */
    result<published> publish(std::size_t size) noexcept {
        published done{};
        const code c = saltus_channel_loan_publish(std::exchange(publisher_, nullptr), size, &done);
        return c == SALTUS_OK ? result<published>(done) : result<published>::failed(c);
    }
    /** Publishes all of it. */
    result<published> publish() noexcept { return publish(size_); }
    /** Gives it back unused. */
    void abandon() noexcept {
        if (publisher_ != nullptr) {
            (void)saltus_channel_loan_abandon(std::exchange(publisher_, nullptr));
        }
    }

private:
    friend class publisher;
    loan(saltus_channel_publisher *publisher, void *room, std::size_t size) noexcept
        : publisher_(publisher), room_(room), size_(size) {}
    saltus_channel_publisher *publisher_;
    void *room_;
    std::size_t size_;
};

/** Publishes into one lane of a channel. */
class publisher {
public:
    /** Publishes a copy. */
    result<published> publish(bytes message) noexcept {
        published done{};
        const code c = saltus_channel_publish(handle_.get(), message.data(), message.raw_size(), &done);
        return c == SALTUS_OK ? result<published>(done) : result<published>::failed(c);
    }
    /** Borrows room for a message of up to `size` bytes, to build it in place. */
    result<loan> borrow(std::size_t size) noexcept {
        void *room = nullptr;
        const code c = saltus_channel_loan(handle_.get(), size, &room);
        return c == SALTUS_OK ? result<loan>(loan(handle_.get(), room, size)) : result<loan>::failed(c);
    }
    /** Leaves with the channel what its messages are. */
    result<> describe(const char *name, std::uint64_t fingerprint, const char *schema) noexcept {
        return saltus_channel_describe(handle_.get(), name, fingerprint, schema);
    }
    /** For the functions of <saltus.h>. */
    saltus_channel_publisher *get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    publisher() = default;
    detail::handle<saltus_channel_publisher, saltus_channel_publisher_close> handle_;
};

/** A message that is looked at where it lies. Nothing computed from it may be believed before `validate` says so. */
struct view {
    bytes data;
};

/** Receives from a channel. */
class subscriber {
public:
    /** Receives a copy into a buffer. SALTUS_TOO_SMALL keeps the place; `needed()` is then the size to have. */
    result<sample> receive(which which, until until, void *buffer, std::size_t size) noexcept {
        sample got{};
        const code c = saltus_channel_receive(handle_.get(), static_cast<int>(which), until.raw(), buffer, size, &got);
        needed_ = got.len;
        return c == SALTUS_OK ? result<sample>(got) : result<sample>::failed(c);
    }
    /** The size of the last message, received or too long for its buffer. */
    std::size_t needed() const noexcept { return needed_; }
    /** Looks at a message where it lies. Then compute, copying out each byte once, and `validate`. */
    result<view> look(which which, until until) noexcept {
        const void *message = nullptr;
        std::size_t len = 0;
        const code c = saltus_channel_view(handle_.get(), static_cast<int>(which), until.raw(), &message, &len);
        return c == SALTUS_OK ? result<view>(view{bytes(message, len)}) : result<view>::failed(c);
    }
    /** Ends a look, and says whether the message was whole all the while; SALTUS_OVERRUN if not. */
    result<sample> validate() noexcept {
        sample got{};
        const code c = saltus_channel_validate(handle_.get(), &got);
        return c == SALTUS_OK ? result<sample>(got) : result<sample>::failed(c);
    }
    /** Skips to now. */
    result<> flush() noexcept { return saltus_channel_flush(handle_.get()); }
    /** Goes back to the oldest message kept. */
    result<> seek_oldest() noexcept { return saltus_channel_seek_oldest(handle_.get()); }
    /** A descriptor for an event loop, which the subscriber keeps. */
    result<int> event_fd() noexcept {
        int fd = -1;
        const code c = saltus_channel_event_fd(handle_.get(), &fd);
        return c == SALTUS_OK ? result<int>(fd) : result<int>::failed(c);
    }
    /** Calls off waits, from any thread or a signal handler. */
    void cancel() noexcept { (void)saltus_channel_cancel(handle_.get()); }
    /** Lets waits wait again. */
    void cancel_reset() noexcept { (void)saltus_channel_cancel_reset(handle_.get()); }
    /** For the functions of <saltus.h>. */
    saltus_channel_subscriber *get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    subscriber() = default;
    detail::handle<saltus_channel_subscriber, saltus_channel_subscriber_close> handle_;
    std::size_t needed_ = 0;
};

/** A channel. `domain` is a URL of shared memory; none is $SALTUS_DOMAIN, or else "shm://". */
class channel {
public:
    static result<channel> create(const char *name, const saltus::attributes &with = {}, const char *domain = nullptr) {
        return detail::open<channel>([&](auto place) { return saltus_channel_create(domain, name, &with, place); });
    }
    static result<channel> open_or_create(const char *name, const saltus::attributes &with = {}, const char *domain = nullptr) {
        return detail::open<channel>([&](auto place) { return saltus_channel_open_or_create(domain, name, &with, place); });
    }
    static result<channel> replace(const char *name, const saltus::attributes &with = {}, const char *domain = nullptr) {
        return detail::open<channel>([&](auto place) { return saltus_channel_replace(domain, name, &with, place); });
    }
    static result<channel> open(const char *name, const char *domain = nullptr) {
        return detail::open<channel>([&](auto place) { return saltus_channel_open(domain, name, place); });
    }
    /** Opens it as soon as it exists. */
    static result<channel> wait_for(const char *name, until until, const char *domain = nullptr) {
        return detail::open<channel>([&](auto place) { return saltus_channel_wait_for(domain, name, until.raw(), place); });
    }
    /** Removes a channel. */
    static result<> unlink(const char *name, const char *domain = nullptr) { return saltus_channel_unlink(domain, name); }

    /** A publisher in a lane of its own. */
    result<saltus::publisher> publisher() const {
        return detail::open<saltus::publisher>([&](auto place) { return saltus_channel_publisher_open(handle_.get(), place); });
    }
    /** A subscriber. */
    result<saltus::subscriber> subscriber(const channel_options &with = {}) const {
        return detail::open<saltus::subscriber>(
            [&](auto place) { return saltus_channel_subscriber_open(handle_.get(), &with, place); });
    }
    /** What it was created with. Its frame_size is the size of a buffer that every message fits into. */
    saltus::attributes attributes() const noexcept {
        saltus::attributes is;
        (void)saltus_channel_attributes(handle_.get(), &is, sizeof(saltus_attributes));
        return is;
    }
    /** What can be known of it at this moment: counts, publishers, subscribers. */
    result<saltus_info> info() const noexcept {
        saltus_info is{};
        const code c = saltus_channel_info(handle_.get(), &is, sizeof is);
        return c == SALTUS_OK ? result<saltus_info>(is) : result<saltus_info>::failed(c);
    }
    /** What publishers said that its messages are. */
    result<std::vector<description>> descriptions() const {
        detail::told<description> all;
        return all.of(saltus_channel_descriptions(handle_.get(), detail::add_description, &all));
    }
    /** For the functions of <saltus.h>. */
    saltus_channel *get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    channel() = default;
    detail::handle<saltus_channel, saltus_channel_close> handle_;
};

/** Waits until one of several subscribers of channels has something unseen, at most 127 of them, and says which. */
inline result<std::size_t> wait_any(std::initializer_list<std::reference_wrapper<subscriber>> all, until until) {
    saltus_channel_subscriber *handles[128] = {};
    std::size_t count = 0;
    for (subscriber &one : all) {
        if (count < 128) {
            handles[count++] = one.get();
        }
    }
    std::size_t index = 0;
    const code c = saltus_channel_wait_any(handles, count, until.raw(), &index);
    return c == SALTUS_OK ? result<std::size_t>(index) : result<std::size_t>::failed(c);
}

} // namespace saltus

#endif // SALTUS_CHANNEL_HPP
