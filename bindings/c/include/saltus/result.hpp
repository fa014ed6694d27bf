/* Results, times, bytes and handles: what the rest of <saltus.hpp> is made of. */
#ifndef SALTUS_RESULT_HPP
#define SALTUS_RESULT_HPP

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

/** What the codes mean: SALTUS_OK, SALTUS_NOTHING, or an error. The numbers are those of every language. */
using code = int;

/** What `.value()` throws. */
class exception : public std::runtime_error {
public:
    exception(saltus::code code, const std::string &what) : std::runtime_error(what), code_(code) {}
    /** The code, such as SALTUS_NOT_FOUND. */
    saltus::code code() const noexcept { return code_; }

private:
    saltus::code code_;
};

namespace detail {

/** In words: `own` of what failed in C++ alone; else, for an error, those of this thread's last call that failed. */
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
 * A `T`, or the code why there is none. It allocates nothing; `what()` does, and has the words of this thread's last error, so ask at
 * once.
 */
template <class T = void>
class [[nodiscard]] result {
public:
    result(T value) : value_(std::move(value)), code_(SALTUS_OK) {}
    /** Without a value: `code` is not SALTUS_OK. `own`: words that live for ever, instead of those of the last error. */
    static result failed(saltus::code code, const char *own = nullptr) { return result(nullptr, code, own); }

    /** Whether there is a value. */
    explicit operator bool() const noexcept { return value_.has_value(); }
    /** Whether there was nothing until the time was up, which is no error. */
    bool nothing() const noexcept { return code_ == SALTUS_NOTHING; }
    saltus::code code() const noexcept { return code_; }
    std::string what() const { return detail::words(code_, own_); }

    /** The value. Throws `exception` if there is none, also if that is only because there was nothing. */
    T &value() & { return check(), *value_; }
    const T &value() const & { return check(), *value_; }
    T value() && { return check(), std::move(*value_); }
    /** The value, which must be there. */
    T &operator*() & { return *value_; }
    const T &operator*() const & { return *value_; }
    T operator*() && { return std::move(*value_); }
    T *operator->() { return &*value_; }
    const T *operator->() const { return &*value_; }

private:
    result(std::nullptr_t, saltus::code code, const char *own) : value_(std::nullopt), code_(code), own_(own) {}
    void check() const {
        if (!value_) {
            detail::fail(code_, own_);
        }
    }
    std::optional<T> value_;
    saltus::code code_;
    const char *own_ = nullptr;
};

/** Whether it was done, or why not. */
template <>
class [[nodiscard]] result<void> {
public:
    result(saltus::code code, const char *own = nullptr) noexcept : code_(code), own_(own) {}
    explicit operator bool() const noexcept { return code_ == SALTUS_OK; }
    bool nothing() const noexcept { return code_ == SALTUS_NOTHING; }
    saltus::code code() const noexcept { return code_; }
    std::string what() const { return detail::words(code_, own_); }
    /** Throws `exception` if it was not done. */
    void value() const {
        if (code_ != SALTUS_OK) {
            detail::fail(code_, own_);
        }
    }

private:
    saltus::code code_;
    const char *own_;
};

/** Until when a call waits: `saltus::poll`, `saltus::forever`, a duration from now, or a time of std::chrono::steady_clock. */
class until {
public:
    constexpr explicit until(std::uint64_t raw) noexcept : raw_(raw) {}
    template <class Rep, class Period>
    constexpr until(std::chrono::duration<Rep, Period> time) noexcept : raw_(relative(time)) {}
    template <class Duration>
    constexpr until(std::chrono::time_point<std::chrono::steady_clock, Duration> time) noexcept
        : raw_(absolute(time.time_since_epoch())) {}
    /** As <saltus.h> has it. */
    constexpr std::uint64_t raw() const noexcept { return raw_; }

private:
    template <class Rep, class Period>
    static constexpr std::uint64_t relative(std::chrono::duration<Rep, Period> time) noexcept {
        using std::chrono::duration;
        // More than 280 years are for ever; what is past is a poll.
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
/** Waits for ever. */
inline constexpr until forever{SALTUS_FOREVER};

/** What the messages of a channel are: a type's full name, its fingerprint, and the type itself. */
struct description {
    std::string name;
    std::uint64_t fingerprint;
    std::string schema;
};

namespace detail {

/** What <saltus.h> calls back with. No exception crosses the C code: it waits here until that has returned. */
template <class T>
class told {
public:
    /** Adds a `T` of these parts; what a callback returns. */
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
        using many = result<std::vector<T>>;
        return c == SALTUS_OK ? many(std::move(all_)) : many::failed(c);
    }

private:
    std::vector<T> all_;
#if SALTUS_EXCEPTIONS
    std::exception_ptr thrown_;
#endif
};

/** The callback for descriptions: `context` is a `told<description>`. */
inline int add_description(const saltus_type *what, void *context) {
    return static_cast<told<description> *>(context)->add(what->name, what->fingerprint, what->schema);
}

} // namespace detail

/**
 * Bytes that lie somewhere: a pointer and a length, as std::span. Made of text, of arrays of plain values, or of a pointer and a length.
 * Of text that is NULL they are none, and whoever shall publish or write them says SALTUS_INVALID.
 */
class bytes {
public:
    constexpr bytes() noexcept = default;
    constexpr bytes(const void *data, std::size_t size) noexcept : data_(data), size_(size) {}
    constexpr bytes(std::string_view text) noexcept : data_(text.data()), size_(text.size()) {}
    bytes(const char *text) noexcept : data_(text), size_(text ? std::strlen(text) : 1) {}
    /** Of a vector, an array or a string: whatever has `data()` and `size()`. */
    template <class C, class E = std::remove_pointer_t<decltype(std::declval<const C &>().data())>,
              class = std::enable_if_t<std::is_trivially_copyable_v<E> && !std::is_same_v<C, bytes>>>
    constexpr bytes(const C &values) noexcept : data_(values.data()), size_(values.size() * sizeof(E)) {}

    const unsigned char *data() const noexcept { return static_cast<const unsigned char *>(data_); }
    constexpr std::size_t size() const noexcept { return data_ ? size_ : 0; }
    /** As <saltus.h> wants it: not 0 for text that is NULL. */
    constexpr std::size_t raw_size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size() == 0; }
    const unsigned char *begin() const noexcept { return data(); }
    const unsigned char *end() const noexcept { return data() + size(); }
    unsigned char operator[](std::size_t i) const noexcept { return data()[i]; }
    /** The bytes as text. */
    std::string_view text() const noexcept { return {static_cast<const char *>(data_), size()}; }
    /** A copy of the `T` that the bytes are, if they have its size. */
    template <class T>
    std::optional<T> as() const noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "only what may be copied byte by byte");
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

/** The bytes of a value that may be copied byte by byte. */
template <class T>
bytes bytes_of(const T &value) noexcept {
    static_assert(std::is_trivially_copyable_v<T>, "only what may be copied byte by byte");
    return {&value, sizeof value};
}

namespace detail {

/** Owns a handle of C. */
template <class T, void (*Close)(T *)>
class handle {
public:
    handle() noexcept = default;
    explicit handle(T *raw) noexcept : raw_(raw) {}
    handle(handle &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    handle &operator=(handle &&other) noexcept {
        if (this != &other) {
            Close(std::exchange(raw_, std::exchange(other.raw_, nullptr)));
        }
        return *this;
    }
    ~handle() { Close(raw_); }
    /** The handle, which stays this object's; NULL once it was moved from. */
    T *get() const noexcept { return raw_; }
    /** Where C puts a new handle. */
    T **place() noexcept { return &raw_; }

private:
    T *raw_ = nullptr;
};

/** An object around a new handle, if C made one. */
template <class Object, class Open>
result<Object> open(Open &&open) {
    Object object{};
    const code c = open(object.handle_.place());
    if (c != SALTUS_OK) {
        return result<Object>::failed(c);
    }
    return result<Object>(std::move(object));
}

/** A string that may be missing, for C. */
inline const char *text(const std::optional<std::string> &text) { return text ? text->c_str() : nullptr; }

} // namespace detail
} // namespace saltus

#endif // SALTUS_RESULT_HPP
