/* Domains: publish and subscribe by URL, in shared memory or on a network, and callbacks. */
#ifndef SALTUS_DOMAIN_HPP
#define SALTUS_DOMAIN_HPP

#include "result.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

namespace saltus {

template <class T>
class publisher_of;
template <class T>
class subscriber_of;

/** The result of a callback. */
enum class then : int {
    go_on = SALTUS_GO_ON,             /**< Call me again. */
    stop = SALTUS_STOP,               /**< Let the dispatcher return. */
    unsubscribe = SALTUS_UNSUBSCRIBE, /**< Do not call me again. */
    unsubscribe_and_stop = SALTUS_STOP | SALTUS_UNSUBSCRIBE
};

/** A message, in memory of its subscriber until the next call with the subscriber. */
class message {
public:
    explicit message(const saltus_message &is) noexcept : is_(&is) {}
    bytes data() const noexcept { return {is_->data, is_->len}; }
    std::string_view text() const noexcept { return data().text(); }
    /** The name of its channel. */
    std::string_view channel() const noexcept { return {is_->channel, is_->channel_len}; }
    /** The time it was published, in ns of boot time; none if the transport does not provide it. */
    std::optional<std::chrono::nanoseconds> published() const noexcept {
        if (is_->published_ns == SALTUS_UNKNOWN) {
            return std::nullopt;
        }
        return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(is_->published_ns));
    }
    /** The time it arrived on this machine, in ns of boot time. */
    std::chrono::nanoseconds arrived() const noexcept {
        return std::chrono::nanoseconds(static_cast<std::chrono::nanoseconds::rep>(is_->arrived_ns));
    }
    /** Messages missed since the last one received; none if unknown. */
    std::optional<std::uint64_t> missed() const noexcept { return known(is_->missed); }
    /** Messages dropped in this process, because the subscriber was slow or receives only the newest. */
    std::uint64_t dropped() const noexcept { return is_->dropped; }
    /** A number that identifies its sender. */
    std::optional<std::uint64_t> sender() const noexcept { return known(is_->sender); }
    /** Its sequence number among the sender's messages. */
    std::optional<std::uint64_t> sequence() const noexcept { return known(is_->sequence); }
    /** The message as a structure of <saltus.h>. */
    const saltus_message &raw() const noexcept { return *is_; }

private:
    static std::optional<std::uint64_t> known(std::uint64_t n) noexcept {
        return n == SALTUS_UNKNOWN ? std::nullopt : std::optional<std::uint64_t>(n);
    }
    const saltus_message *is_;
};

/** The channels of a subscriber: one by name, those that a regular expression matches, or all. NULL is all, as in <saltus.h>. */
class channels {
public:
    channels(const char *name) : text_(name ? std::optional<std::string>(name) : std::nullopt) {}
    channels(std::string name) : text_(std::move(name)) {}
    static channels matching(channels pattern) {
        pattern.by_ = SALTUS_BY_PATTERN;
        return pattern;
    }
    static channels all() { return nullptr; }
    /** The string for <saltus.h>. */
    const char *text() const noexcept { return text_ ? text_->c_str() : nullptr; }
    std::uint32_t by() const noexcept { return by_; }

private:
    std::optional<std::string> text_;
    std::uint32_t by_ = SALTUS_BY_NAME;
};

/** Which messages to receive, and where to start. */
class mode {
public:
    /** The newest message of each receive. */
    static constexpr mode newest() noexcept { return mode(SALTUS_NEWEST_ONLY); }
    /** All messages in order, unless more than `depth` of a channel are waiting. */
    static constexpr mode next(std::uint64_t depth) noexcept { return mode(depth == 0 ? 1 : depth); }
    /** Starts with the messages published from now on. */
    constexpr mode from_now() const noexcept { return mode(depth_, SALTUS_START_NOW); }
    /** Starts with the oldest message kept. */
    constexpr mode from_oldest() const noexcept { return mode(depth_, SALTUS_START_OLDEST); }

    /** The options for <saltus.h>. */
    saltus_domain_options raw(const channels &of, const saltus_type *expected) const noexcept {
        saltus_domain_options options{};
        (void)saltus_domain_options_init(&options, sizeof options);
        options.depth = depth_;
        options.start = start_;
        options.by = of.by();
        options.expected = expected;
        return options;
    }

private:
    constexpr explicit mode(std::uint64_t depth, std::uint32_t start = SALTUS_START_NEWEST) noexcept
        : depth_(depth), start_(start) {}
    std::uint64_t depth_;
    std::uint32_t start_;
};

/** A publisher in one channel of a domain. */
class domain_publisher {
public:
    /** Publishes a copy. */
    result<> publish(bytes message) noexcept {
        return saltus_domain_publish(handle_.get(), message.data(), message.raw_size());
    }
    /** Publishes with a timestamp of your choice; returns the timestamp that the message got. */
    result<std::int64_t> publish_with_timestamp(bytes message, std::int64_t timestamp) noexcept {
        std::int64_t given = 0;
        const code c = saltus_domain_publish_with_timestamp(handle_.get(), message.data(), message.raw_size(), timestamp, &given);
        return detail::given(c, given);
    }
    /** For the functions of <saltus.h>. */
    saltus_domain_publisher get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    domain_publisher() = default;
    detail::handle<saltus_domain_publisher, saltus_domain_publisher_close> handle_;
};

/** A subscriber of one or many channels of a domain. */
class domain_subscriber {
public:
    /** Receives as its mode says; the message is valid until the next call. */
    result<message> receive(until until) noexcept { return receive_by(saltus_domain_receive, until); }
    /** Receives the newest message, even if it was already received. */
    result<message> current(until until) noexcept { return receive_by(saltus_domain_current, until); }
    /** A descriptor for an event loop, which the subscriber owns. */
    result<int> event_fd() noexcept {
        int fd = -1;
        const code c = saltus_domain_event_fd(handle_.get(), &fd);
        return detail::given(c, fd);
    }
    /** The types that publishers registered for one of its channels. */
    result<std::vector<description>> descriptions(const char *channel) {
        detail::told<description> all;
        return all.of(saltus_domain_descriptions(handle_.get(), channel, detail::add_description, &all));
    }
    /** Cancels waits, from any thread or a signal handler. */
    void cancel() noexcept { (void)saltus_domain_cancel(handle_.get()); }
    /** Lets later waits wait again. */
    void cancel_reset() noexcept { (void)saltus_domain_cancel_reset(handle_.get()); }
    /** For the functions of <saltus.h>. */
    saltus_domain_subscriber get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    domain_subscriber() = default;
    template <class How>
    result<message> receive_by(How how, until until) noexcept {
        const saltus_message *got = nullptr;
        const code c = how(handle_.get(), until.raw(), &got);
        return c == SALTUS_OK ? result<message>(message(*got)) : result<message>::failed(c);
    }
    detail::handle<saltus_domain_subscriber, saltus_domain_subscriber_close> handle_;
};

/** The channels that one URL reaches. Several threads may use it at the same time. */
class domain {
public:
    /** Opens the domain at `url`; NULL is $SALTUS_DOMAIN, else "shm://". */
    static result<domain> open(const char *url = nullptr) {
        return detail::open<domain>([&](auto place) { return saltus_domain_open(url, place); });
    }
    /** Opens a publisher of bytes. */
    result<domain_publisher> publisher(const char *channel) const {
        return detail::open<domain_publisher>(
            [&](auto place) { return saltus_domain_publisher_open(handle_.get(), channel, nullptr, place); });
    }
    /** Opens a subscriber of bytes; of the newest message, unless `mode` says otherwise. */
    result<domain_subscriber> subscriber(const channels &which, mode mode = mode::newest()) const {
        const saltus_domain_options with = mode.raw(which, nullptr);
        return detail::open<domain_subscriber>(
            [&](auto place) { return saltus_domain_subscriber_open(handle_.get(), which.text(), &with, place); });
    }
    /** Opens a publisher of messages of a generated type. Include <saltus.hpp>. */
    template <class T>
    result<publisher_of<T>> publisher(const char *channel) const;
    /** Opens a subscriber of messages of a generated type. */
    template <class T>
    result<subscriber_of<T>> subscriber(const channels &which, mode mode = mode::newest()) const;
    /** The names of its channels. */
    result<std::vector<std::string>> names() const {
        detail::told<std::string> names;
        const auto add = [](const char *name, void *to) { return static_cast<detail::told<std::string> *>(to)->add(name); };
        return names.of(saltus_domain_channels(handle_.get(), add, &names));
    }
    /** For the functions of <saltus.h>. */
    saltus_domain get() const noexcept { return handle_.get(); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    domain() = default;
    detail::handle<saltus_domain, saltus_domain_close> handle_;
};

/** Waits until one of several subscribers has a new message; returns its index. Then receive from it with `saltus::poll`. */
inline result<std::size_t> wait_any(std::initializer_list<std::reference_wrapper<domain_subscriber>> all, until until) {
    std::vector<saltus_domain_subscriber> handles;
    for (const domain_subscriber &one : all) {
        handles.push_back(one.get());
    }
    std::size_t index = 0;
    const code c = saltus_domain_wait_any(handles.data(), handles.size(), until.raw(), &index);
    return detail::given(c, index);
}

/**
 * Calls back for messages of many subscriptions, in the thread that calls `run` or `handle`. An exception that leaves a callback stops
 * the dispatcher, and leaves `run` or `handle`.
 */
class dispatcher {
public:
    static result<dispatcher> open() {
        return detail::open<dispatcher>([](auto place) { return saltus_dispatcher_open(place); });
    }
    /**
     * Calls `callback` for each message. It accepts a `saltus::message` and returns a `saltus::then` or nothing. Returns a number for
     * `unsubscribe`.
     */
    template <class F>
    result<std::uint64_t> on(const domain &of, const channels &which, mode mode, F callback) {
        if (!functions_) { // it was moved from; the call below reports that
            *this = dispatcher();
        }
        functions_->push_back(std::make_unique<function_of<F>>(std::move(callback)));
        const saltus_domain_options with = mode.raw(which, nullptr);
        std::uint64_t id = 0;
        const code c = saltus_dispatcher_subscribe(handle_.get(), of.get(), which.text(), &with, call,
                                                   functions_->back().get(), &id);
        if (c != SALTUS_OK) {
            functions_->pop_back();
            return result<std::uint64_t>::failed(c);
        }
        functions_->back()->id = id;
        return id;
    }
    /** Ends a subscription and destroys its callback. A callback returns `then::unsubscribe` instead. */
    result<> unsubscribe(std::uint64_t id) noexcept {
        const code c = saltus_dispatcher_unsubscribe(handle_.get(), id);
        if (c == SALTUS_OK) {
            forget([id](const function &one) { return one.id == id; });
        }
        return c;
    }
    /** Waits until there are messages, and calls back for at most one of each subscription; returns their number. */
    result<std::size_t> handle(until until) {
        std::size_t handled = 0;
        const code c = saltus_dispatcher_handle(handle_.get(), until.raw(), &handled);
        settle();
        return detail::given(c, handled);
    }
    /** Handles messages until a callback stops it, it is canceled, or no subscription is left. */
    result<> run() {
        const code c = saltus_dispatcher_run(handle_.get());
        settle();
        return c;
    }
    /** A descriptor that is readable when `handle` may have something to do. */
    result<int> fd() noexcept {
        int fd = -1;
        const code c = saltus_dispatcher_fd(handle_.get(), &fd);
        return detail::given(c, fd);
    }
    /** Lets `run` and `handle` return, from any thread, a callback or a signal handler. */
    void cancel() noexcept { (void)saltus_dispatcher_cancel(handle_.get()); }
    /** Lets them wait again. */
    void cancel_reset() noexcept { (void)saltus_dispatcher_cancel_reset(handle_.get()); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    dispatcher() : functions_(std::make_unique<std::vector<std::unique_ptr<function>>>()) {}

    struct function {
        virtual ~function() = default;
        virtual then call(message m) = 0;
        int answer(message m) {
            const int then = static_cast<int>(call(m));
            over = over || (then & SALTUS_UNSUBSCRIBE) != 0;
            return then;
        }
        std::exception_ptr thrown;
        std::uint64_t id = 0;
        bool over = false;
    };
    template <class F>
    struct function_of final : function {
        explicit function_of(F is) : callback(std::move(is)) {}
        then call(message m) override {
            if constexpr (std::is_void_v<std::invoke_result_t<F &, message>>) {
                callback(m);
                return then::go_on;
            } else {
                return callback(m);
            }
        }
        F callback;
    };
    static int call(const saltus_message *m, void *context) {
        auto &function = *static_cast<dispatcher::function *>(context);
#if SALTUS_EXCEPTIONS
        try {
            return function.answer(message(*m));
        } catch (...) {
            function.thrown = std::current_exception();
            return SALTUS_STOP;
        }
#else
        return function.answer(message(*m));
#endif
    }
    template <class Is>
    void forget(Is is) noexcept {
        const auto one = [&is](const std::unique_ptr<function> &of) { return is(*of); };
        functions_->erase(std::remove_if(functions_->begin(), functions_->end(), one), functions_->end());
    }
    /** After a call that may have called back. */
    void settle() {
        if (!functions_) {
            return; // it was moved from
        }
        forget([](const function &one) { return one.over; });
#if SALTUS_EXCEPTIONS
        for (const auto &one : *functions_) {
            if (one->thrown) {
                std::rethrow_exception(std::exchange(one->thrown, nullptr));
            }
        }
#endif
    }

    // Declared before the handle, so that it is destroyed after the handle is closed.
    std::unique_ptr<std::vector<std::unique_ptr<function>>> functions_;
    detail::handle<saltus_dispatcher, saltus_dispatcher_close> handle_;
};

} // namespace saltus

#endif // SALTUS_DOMAIN_HPP
