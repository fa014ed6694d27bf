/* Results, times, bytes and handles, for the rest of <saltus.hpp>. */
#ifndef SALTUS_RESULT_HPP
#define SALTUS_RESULT_HPP

#if __cplusplus < 201703L
#error "<saltus.hpp> needs C++17 or later: compile with -std=c++17"
#include "nothing more: see the error before" // stops the compiler here, before it reports errors that follow from this one
#endif

#include <saltus.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define SALTUS_EXCEPTIONS 1
#else
#define SALTUS_EXCEPTIONS 0
#endif

namespace saltus {

/** SALTUS_OK, SALTUS_NOTHING, or an error. The numbers are the same in every language. */
using code = saltus_error;

/** Thrown by `.value()`. */
class exception : public std::runtime_error {
public:
    exception(saltus::code error, const std::string &what) : std::runtime_error(what), code_(error) {}
    /** The error, such as SALTUS_NOT_FOUND. */
    saltus::code code() const noexcept { return code_; }

private:
    saltus::code code_;
};

namespace detail {

/** The message of an error: `own`, if it occurred in C++; else that of this thread's last call that failed. */
inline std::string words(code c, const char *own) {
    return own ? own : c > SALTUS_OK ? saltus_last_error() : saltus_strerror(c);
}

[[noreturn]] inline void fail(code c, const char *own) {
#if SALTUS_EXCEPTIONS
    throw exception(c, words(c, own));
#else
    std::fprintf(stderr, "saltus: %s\n", words(c, own).c_str());
    std::abort();
#endif
}

} // namespace detail

/**
 * A `T`, or the error instead. Like std::expected, except that `what()` has the message of this thread's last error: call it
 * before the next failure. Only `what()` allocates.
 */
template <class T = void>
class [[nodiscard]] result {
public:
    result(T value) : value_(std::move(value)), code_(SALTUS_OK) {}
    /** Without a value: `error` is not SALTUS_OK. `own`: a string literal to use instead of the last error's message. */
    static result failed(saltus::code error, const char *own = nullptr) { return result(nullptr, error, own); }

    /** Whether there is a value. */
    bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    /** Whether there was no message in time, which is not an error. */
    bool nothing() const noexcept { return code_ == SALTUS_NOTHING; }
    /** The error; SALTUS_OK if there is a value. */
    saltus::code error() const noexcept { return code_; }
    /** The same. */
    saltus::code code() const noexcept { return code_; }
    /** The error's message. */
    std::string what() const { return detail::words(code_, own_); }

    /** The value. Throws `exception` if there is none, also after `nothing()`. */
    T &value() & { return check(), *value_; }
    const T &value() const & { return check(), *value_; }
    T value() && { return check(), std::move(*value_); }
    /** The value, which must exist. */
    T &operator*() & { return *value_; }
    const T &operator*() const & { return *value_; }
    T operator*() && { return std::move(*value_); }
    T *operator->() { return &*value_; }
    const T *operator->() const { return &*value_; }
    /** The value, or `other` if there is none. */
    template <class U>
    T value_or(U &&other) const & {
        return value_ ? *value_ : static_cast<T>(std::forward<U>(other));
    }
    template <class U>
    T value_or(U &&other) && {
        return value_ ? std::move(*value_) : static_cast<T>(std::forward<U>(other));
    }

private:
    result(std::nullptr_t, saltus::code error, const char *own) : value_(std::nullopt), code_(error), own_(own) {}
    void check() const {
        if (!value_) {
            detail::fail(code_, own_);
        }
    }
    std::optional<T> value_;
    saltus::code code_;
    const char *own_ = nullptr;
};

/** Success, or an error. */
template <>
class [[nodiscard]] result<void> {
public:
    result(saltus::code error, const char *own = nullptr) noexcept : code_(error), own_(own) {}
    /** Whether the call succeeded. */
    bool has_value() const noexcept { return code_ == SALTUS_OK; }
    explicit operator bool() const noexcept { return has_value(); }
    bool nothing() const noexcept { return code_ == SALTUS_NOTHING; }
    /** The error, or SALTUS_OK. */
    saltus::code error() const noexcept { return code_; }
    /** The same. */
    saltus::code code() const noexcept { return code_; }
    /** The error's message. */
    std::string what() const { return detail::words(code_, own_); }
    /** Throws `exception` if the call failed. */
    void value() const {
        if (code_ != SALTUS_OK) {
            detail::fail(code_, own_);
        }
    }

private:
    saltus::code code_;
    const char *own_;
};

namespace detail {

/** The result of a call that returned `c` and filled `value`. */
template <class T>
result<T> given(code c, T value) {
    return c == SALTUS_OK ? result<T>(std::move(value)) : result<T>::failed(c);
}

} // namespace detail

/** How long a call waits: `saltus::poll`, `saltus::forever`, a duration from now, or a time of std::chrono::steady_clock. */
class until {
public:
    constexpr explicit until(std::uint64_t raw) noexcept : raw_(raw) {}
    template <class Rep, class Period>
    constexpr until(std::chrono::duration<Rep, Period> time) noexcept : raw_(relative(time)) {}
    template <class Duration>
    constexpr until(std::chrono::time_point<std::chrono::steady_clock, Duration> time) noexcept
        : raw_(absolute(time.time_since_epoch())) {}
    /** The number for <saltus.h>. */
    constexpr std::uint64_t raw() const noexcept { return raw_; }

private:
    template <class Rep, class Period>
    static constexpr std::uint64_t relative(std::chrono::duration<Rep, Period> time) noexcept {
        using std::chrono::duration;
        // More than 280 years mean forever; a time in the past is a poll.
        if (duration<double>(time) > duration<double>(9e9)) {
            return SALTUS_FOREVER;
        }
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
        return ns <= 0 ? std::uint64_t{SALTUS_POLL} : SALTUS_AFTER(ns);
    }
    template <class Duration>
    static constexpr std::uint64_t absolute(Duration time) noexcept {
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
        return ns <= 0 ? 1 : static_cast<std::uint64_t>(ns);
    }
    std::uint64_t raw_;
};

/** Does not wait. */
inline constexpr until poll{SALTUS_POLL};
/** Waits without limit. */
inline constexpr until forever{SALTUS_FOREVER};

/** A type of messages: its full name, its fingerprint, and its definition. */
struct description {
    std::string name;
    std::uint64_t fingerprint;
    std::string schema;
};

namespace detail {

/** Collects the values that <saltus.h> passes to a callback. It keeps an exception until the C code has returned. */
template <class T>
class told {
public:
    /** Adds a `T` made of these parts; returns what the callback must return. */
    template <class... Parts>
    int add(const Parts &...parts) {
#if SALTUS_EXCEPTIONS
        try {
            all_.push_back(T{parts...});
        } catch (...) {
            thrown_ = std::current_exception();
            return 1;
        }
#else
        all_.push_back(T{parts...});
#endif
        return 0;
    }
    /** All of them, after a call that returned `c`. */
    result<std::vector<T>> of(code c) {
#if SALTUS_EXCEPTIONS
        if (thrown_) {
            std::rethrow_exception(thrown_);
        }
#endif
        return given(c, std::move(all_));
    }

private:
    std::vector<T> all_;
#if SALTUS_EXCEPTIONS
    std::exception_ptr thrown_;
#endif
};

/** The callback for descriptions: `context` is a `told<description>`. */
inline int add_description(const saltus_type *type, void *context) {
    return static_cast<told<description> *>(context)->add(type->name, type->fingerprint, type->schema);
}

} // namespace detail

/**
 * A pointer and a length, like std::span. Made from text, from arrays of plain values, or from a pointer and a length. A NULL text has
 * no bytes; publishing or writing it fails with SALTUS_INVALID.
 */
class bytes {
public:
    constexpr bytes() noexcept = default;
    constexpr bytes(const void *data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr bytes(std::string_view text) noexcept : data_(text.data()), size_(text.size()) {}
    bytes(const char *text) noexcept : data_(text), size_(text ? std::strlen(text) : 1) {}
    /** The bytes of a vector, an array or a string: of any object with `data()` and `size()`. */
    template <class C, class E = std::remove_pointer_t<decltype(std::declval<const C &>().data())>,
              class = std::enable_if_t<std::is_trivially_copyable_v<E> && !std::is_same_v<C, bytes>>>
    constexpr bytes(const C &values) noexcept : data_(values.data()), size_(values.size() * sizeof(E)) {}

    const unsigned char *data() const noexcept { return static_cast<const unsigned char *>(data_); }
    constexpr std::size_t size() const noexcept { return data_ ? size_ : 0; }
    /** The size for <saltus.h>: not 0 for a NULL text. */
    constexpr std::size_t raw_size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size() == 0; }
    const unsigned char *begin() const noexcept { return data(); }
    const unsigned char *end() const noexcept { return data() + size(); }
    unsigned char operator[](std::size_t i) const noexcept { return data()[i]; }
    /** The bytes as text. */
    std::string_view text() const noexcept { return {static_cast<const char *>(data_), size()}; }
    /** A copy of the bytes as a `T`, if they have its size. */
    template <class T>
    std::optional<T> as() const noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "T must be trivially copyable");
        if (size() != sizeof(T)) {
            return std::nullopt;
        }
        T value;
        std::memcpy(&value, data_, sizeof value);
        return value;
    }
#if defined(__cpp_lib_span)
    operator std::span<const std::byte>() const noexcept { return {static_cast<const std::byte *>(data_), size()}; }
#endif

private:
    const void *data_ = nullptr;
    std::size_t size_ = 0;
};

/** The bytes of a trivially copyable value. */
template <class T>
bytes bytes_of(const T &value) noexcept {
    static_assert(std::is_trivially_copyable_v<T>, "T must be trivially copyable");
    return {&value, sizeof value};
}

namespace detail {

/** Owns a handle of <saltus.h>. */
template <class T, saltus_error (*Close)(T)>
class handle {
public:
    handle() noexcept = default;
    handle(handle &&other) noexcept : raw_(std::exchange(other.raw_, T{})) {}
    handle &operator=(handle &&other) noexcept {
        if (this != &other) {
            Close(std::exchange(raw_, std::exchange(other.raw_, T{})));
        }
        return *this;
    }
    ~handle() { Close(raw_); }
    /** The handle, which this object keeps; its id is 0 after a move. */
    T get() const noexcept { return raw_; }
    /** Where <saltus.h> stores a new handle. */
    T *place() noexcept { return &raw_; }

private:
    T raw_{};
};

/** An object that owns the handle that `open` opens. */
template <class Object, class Open>
result<Object> open(Open &&open) {
    Object object{};
    const code c = open(object.handle_.place());
    if (c != SALTUS_OK) {
        return result<Object>::failed(c);
    }
    return result<Object>(std::move(object));
}

} // namespace detail
} // namespace saltus

#endif // SALTUS_RESULT_HPP
