/* Channels in shared memory, for control loops. */
#ifndef SALTUS_CHANNEL_HPP
#define SALTUS_CHANNEL_HPP

#include "result.hpp"

#include <functional>
#include <initializer_list>

namespace saltus {

/** Which message to receive. */
enum class which : int {
    newest = SALTUS_NEWEST, /**< The newest, if it is new. */
    next = SALTUS_NEXT,     /**< The oldest that was not yet received. */
    current = SALTUS_CURRENT    /**< The newest, even if it was already received. */
};

/** The configuration of a new channel. Set the fields you want to change. */
struct attributes : saltus_attributes {
    attributes() noexcept : saltus_attributes() { (void)saltus_attributes_init(this, sizeof(saltus_attributes)); }
};

/** How a subscriber of a channel starts and waits. Set the fields you want to change. */
struct channel_options : saltus_channel_options {
    channel_options() noexcept : saltus_channel_options() { (void)saltus_channel_options_init(this, sizeof(saltus_channel_options)); }
};

/** The sequence number and timestamp of a published message. */
using published = saltus_published;
/** The metadata of a received message. */
using message_info = saltus_message_info;

/**
 * Memory of the channel to build a message in. Until the loan ends, its publisher publishes and lends nothing else. A loan that is
 * destroyed without being published is abandoned.
 */
class loan {
public:
    loan(loan &&other) noexcept
        : publisher_(std::exchange(other.publisher_, {})), room_(other.room_), size_(other.size_) {}
    loan &operator=(loan &&other) noexcept {
        if (this != &other) {
            abandon();
            publisher_ = std::exchange(other.publisher_, {});
            room_ = other.room_;
            size_ = other.size_;
        }
        return *this;
    }
    ~loan() { abandon(); }

    /** The memory, 64-byte aligned. It holds old bytes. */
    void *data() noexcept { return room_; }
    /** The number of bytes requested. */
    std::size_t size() const noexcept { return size_; }
    /** Publishes the first `size` bytes. The loan ends, whatever this returns. */
    result<published> publish(std::size_t size) noexcept {
        published done{};
        const code c = saltus_channel_loan_publish(std::exchange(publisher_, {}), size, &done);
        return detail::given(c, done);
    }
    /** Publishes all of it. */
    result<published> publish() noexcept { return publish(size_); }
    /** Ends the loan without publishing. */
    void abandon() noexcept {
        if (publisher_.id != 0) {
            (void)saltus_channel_loan_abandon(std::exchange(publisher_, {}));
        }
    }

private:
    friend class channel_publisher;
    loan(saltus_channel_publisher publisher, void *room, std::size_t size) noexcept
        : publisher_(publisher), room_(room), size_(size) {}
    saltus_channel_publisher publisher_;
    void *room_;
    std::size_t size_;
};

/** A publisher in a channel. */
class channel_publisher {
public:
    /** Publishes a copy. */
    result<published> publish(bytes message) noexcept {
        published done{};
        const code c = saltus_channel_publish(handle_.get(), message.data(), message.raw_size(), &done);
        return detail::given(c, done);
    }
    /** Borrows memory for a message of up to `size` bytes, to build it in place. */
    result<saltus::loan> loan(std::size_t size) noexcept {
        void *room = nullptr;
        const code c = saltus_channel_loan(handle_.get(), size, &room);
        using lent = saltus::loan;
        return c == SALTUS_OK ? result<lent>(lent(handle_.get(), room, size)) : result<lent>::failed(c);
    }
    /** Registers the type of its messages with the channel. */
    result<> describe(const char *name, std::uint64_t fingerprint, const char *schema) noexcept {
        const saltus_type type{name, fingerprint, schema};
        return saltus_channel_describe(handle_.get(), &type);
    }
    /** For the functions of <saltus.h>. */
    saltus_channel_publisher get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    channel_publisher() = default;
    detail::handle<saltus_channel_publisher, saltus_channel_publisher_close> handle_;
};

/** A message in place. Do not act on anything computed from it before `validate` succeeds. */
struct view {
    bytes data;
};

/** A subscriber of a channel. */
class channel_subscriber {
public:
    /** Receives a copy into a buffer. With SALTUS_TOO_SMALL the message stays unreceived, and `needed()` is the size it needs. */
    result<message_info> receive(which which, until until, void *buffer, std::size_t size) noexcept {
        message_info got{};
        const code c = saltus_channel_receive(handle_.get(), static_cast<int>(which), until.raw(), buffer, size, &got);
        needed_ = got.len;
        return detail::given(c, got);
    }
    /** The size of the last message, received or too long for the buffer. */
    std::size_t needed() const noexcept { return needed_; }
    /** Views a message in place. Then compute, reading each byte once, and `validate`. */
    result<saltus::view> view(which which, until until) noexcept {
        const void *message = nullptr;
        std::size_t len = 0;
        const code c = saltus_channel_view(handle_.get(), static_cast<int>(which), until.raw(), &message, &len);
        return detail::given(c, saltus::view{bytes(message, len)});
    }
    /** Ends a view and checks that the message was not overwritten since; SALTUS_OVERRUN if it was. */
    result<message_info> validate() noexcept {
        message_info got{};
        const code c = saltus_channel_validate(handle_.get(), &got);
        return detail::given(c, got);
    }
    /** Moves behind the newest message. */
    result<> flush() noexcept { return saltus_channel_flush(handle_.get()); }
    /** Moves back to the oldest message kept. */
    result<> seek_oldest() noexcept { return saltus_channel_seek_oldest(handle_.get()); }
    /** A descriptor for an event loop, which the subscriber owns. */
    result<int> event_fd() noexcept {
        int fd = -1;
        const code c = saltus_channel_event_fd(handle_.get(), &fd);
        return detail::given(c, fd);
    }
    /** Cancels waits, from any thread or a signal handler. */
    void cancel() noexcept { (void)saltus_channel_cancel(handle_.get()); }
    /** Lets later waits wait again. */
    void cancel_reset() noexcept { (void)saltus_channel_cancel_reset(handle_.get()); }
    /** For the functions of <saltus.h>. */
    saltus_channel_subscriber get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    channel_subscriber() = default;
    detail::handle<saltus_channel_subscriber, saltus_channel_subscriber_close> handle_;
    std::size_t needed_ = 0;
};

/** A channel. `domain` is a URL of shared memory; NULL is $SALTUS_DOMAIN, else "shm://". */
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
    /** Waits until it exists and opens it. */
    static result<channel> wait_for(const char *name, until until, const char *domain = nullptr) {
        return detail::open<channel>([&](auto place) { return saltus_channel_wait_for(domain, name, until.raw(), place); });
    }
    /** Removes a channel. */
    static result<> unlink(const char *name, const char *domain = nullptr) { return saltus_channel_unlink(domain, name); }

    /** Opens a publisher. */
    result<channel_publisher> publisher() const {
        return detail::open<channel_publisher>([&](auto place) { return saltus_channel_publisher_open(handle_.get(), place); });
    }
    /** Opens a subscriber. */
    result<channel_subscriber> subscriber(const channel_options &with = {}) const {
        return detail::open<channel_subscriber>(
            [&](auto place) { return saltus_channel_subscriber_open(handle_.get(), &with, place); });
    }
    /** The attributes it was created with. A buffer of `max_message_size` bytes fits every message. */
    saltus::attributes attributes() const noexcept {
        saltus::attributes is;
        (void)saltus_channel_attributes(handle_.get(), &is, sizeof(saltus_attributes));
        return is;
    }
    /** Its state at this moment: counts, publishers, subscribers. */
    result<saltus_info> info() const noexcept {
        saltus_info is{};
        const code c = saltus_channel_info(handle_.get(), &is, sizeof is);
        return detail::given(c, is);
    }
    /** The types that publishers registered for its messages. */
    result<std::vector<description>> descriptions() const {
        detail::told<description> all;
        return all.of(saltus_channel_descriptions(handle_.get(), detail::add_description, &all));
    }
    /** For the functions of <saltus.h>. */
    saltus_channel get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    channel() = default;
    detail::handle<saltus_channel, saltus_channel_close> handle_;
};

/** Waits until one of several subscribers of channels, at most 127, has a new message; returns its index. */
inline result<std::size_t> wait_any(std::initializer_list<std::reference_wrapper<channel_subscriber>> all, until until) {
    saltus_channel_subscriber handles[128] = {};
    std::size_t count = 0;
    for (channel_subscriber &one : all) {
        if (count < 128) {
            handles[count++] = one.get();
        }
    }
    std::size_t index = 0;
    const code c = saltus_channel_wait_any(handles, count, until.raw(), &index);
    return detail::given(c, index);
}

} // namespace saltus

#endif // SALTUS_CHANNEL_HPP
