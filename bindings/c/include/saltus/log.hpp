/* Logs: read and write. */
#ifndef SALTUS_LOG_HPP
#define SALTUS_LOG_HPP

#include "typed.hpp"

namespace saltus {

/** Times of logs: ns since 1970. */
using log_time = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

/** An event of a log, in memory of the log until the next call with the log. */
class event {
public:
    explicit event(const saltus_event &is) noexcept : is_(&is) {}
    bytes data() const noexcept { return {is_->data, is_->len}; }
    std::string_view text() const noexcept { return data().text(); }
    std::string_view channel() const noexcept { return {is_->channel, is_->channel_len}; }
    /** The time it was logged. */
    log_time time() const noexcept { return log_time(std::chrono::nanoseconds(is_->log_time_ns)); }
    /** The event as a structure of <saltus.h>. */
    const saltus_event &raw() const noexcept { return *is_; }

private:
    const saltus_event *is_;
};

/** A log that is read, with its events in order of time. */
class log {
public:
    static result<log> open(const char *path) {
        return detail::open<log>([&](auto place) { return saltus_log_open(path, place); });
    }
    static result<log> open(const std::string &path) { return open(path.c_str()); }
    /** The number of its events. */
    result<std::uint64_t> size() {
        std::uint64_t events = 0;
        const code c = saltus_log_range(handle_.get(), &events, nullptr, nullptr);
        return detail::given(c, events);
    }
    /** Reads the next event and moves forward; `nothing()` at the end. */
    result<event> next() { return read(saltus_log_next); }
    /** Reads the previous event and moves backward; `nothing()` at the beginning. */
    result<event> previous() { return read(saltus_log_previous); }
    /** Moves to a position; a position behind the last event is the end. */
    result<> seek(std::uint64_t position) { return saltus_log_seek(handle_.get(), position); }
    /** Moves to the first event at or after this time; returns its position. */
    result<std::uint64_t> seek(log_time time) {
        std::uint64_t position = 0;
        const code c = saltus_log_seek_time(handle_.get(), time.time_since_epoch().count(), &position);
        return detail::given(c, position);
    }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    log() = default;
    template <class How>
    result<event> read(How how) {
        const saltus_event *got = nullptr;
        const code c = how(handle_.get(), &got);
        return c == SALTUS_OK ? result<event>(event(*got)) : result<event>::failed(c);
    }
    detail::handle<saltus_log, saltus_log_close> handle_;
};

/** A writer of a log. Without `finish` the log stays in the state of the last flush. */
class log_writer {
public:
    /** Creates a log; never overwrites a file. `format`: SALTUS_LOG_BY_NAME, SALTUS_LOG_LCM or SALTUS_LOG_MCAP. */
    static result<log_writer> create(const char *path, std::uint32_t format = SALTUS_LOG_BY_NAME) {
        return detail::open<log_writer>([&](auto place) { return saltus_log_create(path, format, place); });
    }
    static result<log_writer> create(const std::string &path, std::uint32_t format = SALTUS_LOG_BY_NAME) {
        return create(path.c_str(), format);
    }
    /** Registers a generated type with the log, so that an MCAP log includes it. */
    template <class T>
    result<> describe() {
        static_assert(detail::is_ours<T>::value, "a log needs the schema of a type: use a class that `saltus gen --lang cpp` generates");
        const saltus_type type = detail::type_of<T>();
        return saltus_log_describe(handle_.get(), &type);
    }
    /** Appends a message. */
    result<> write(const char *channel, bytes message, log_time time) {
        return saltus_log_write(handle_.get(), channel, message.data(), message.raw_size(),
                                time.time_since_epoch().count());
    }
    /** Writes all buffered messages to the file. */
    result<> flush() { return saltus_log_flush(handle_.get()); }
    /** Completes the log. You cannot write to it afterwards. */
    result<> finish() { return saltus_log_finish(handle_.get()); }

private:
    template <class Object, class Open>
    friend result<Object> detail::open(Open &&open);
    log_writer() = default;
    detail::handle<saltus_log_writer, saltus_log_writer_close> handle_;
};

} // namespace saltus

#endif // SALTUS_LOG_HPP
