/*
 * The runtime of the C++ code of `saltus gen`: "saltus/wire.h" for strings, vectors and classes. Programs do not
 * call it directly. C++17 and later; no exception leaves it.
 */
#ifndef SALTUS_WIRE_HPP
#define SALTUS_WIRE_HPP

#include "standard.hpp"
#include "wire.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace saltus::wire {

/** Whether it is copied as a number. */
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
struct vector_of {
    static constexpr bool value = false;
    using element = T;
};
template <class T>
struct vector_of<std::vector<T>> {
    static constexpr bool value = true;
    using element = typename vector_of<T>::element;
};

/** Least number of bytes of a value on the wire. */
template <class T>
constexpr std::uint64_t least() {
    if constexpr (std::is_same_v<T, std::string>) {
        return 5;
    } else if constexpr (is_number<T>) {
        return sizeof(T);
    } else {
        return T::_least;
    }
}

/** Whether it is a generated class that allocates, and so could use bytes that its neighbors need. */
template <class T>
constexpr bool allocates() {
    if constexpr (is_number<T> || std::is_same_v<T, std::string>) {
        return false;
    } else {
        return !T::_fixed;
    }
}

/** Rows and elements that every value has and that have zero size on the wire. */
template <class T>
constexpr std::uint64_t free_elements() {
    if constexpr (is_number<T> || std::is_same_v<T, std::string>) {
        return 0;
    } else {
        return T::_free;
    }
}

/** First element of an array of any number of dimensions, or the value itself. */
template <class T>
auto *first(T &value) {
    if constexpr (std::is_array_v<T>) {
        return first(value[0]);
    } else {
        return &value;
    }
}

/** The number of elements of an array in all its dimensions. */
template <class T>
inline constexpr std::size_t count = sizeof(T) / sizeof(std::remove_all_extents_t<T>);

/* ---- Reading ---- */

/** `n` numbers of `Width` bytes. */
template <std::size_t Width>
inline bool read_numbers(saltus_reader &in, void *to, std::size_t n) {
    if constexpr (Width == 1) {
        return saltus_read_array_8(&in, to, n);
    } else if constexpr (Width == 2) {
        return saltus_read_array_16(&in, to, n);
    } else if constexpr (Width == 4) {
        return saltus_read_array_32(&in, to, n);
    } else {
        return saltus_read_array_64(&in, to, n);
    }
}

inline bool read_string(saltus_reader &in, std::string &to) {
    std::size_t len = 0;
    const std::uint8_t *text = saltus_take_string(&in, &len);
    if (text == nullptr) {
        return false;
    }
    to.assign(reinterpret_cast<const char *>(text), len - 1);
    return true;
}

/** `n` consecutive elements. */
template <class T>
inline bool read_each(saltus_reader &in, T *to, std::size_t n) {
    if (n == 0) {
        return true;
    }
    if constexpr (is_number<T>) {
        return read_numbers<sizeof(T)>(in, to, n);
    } else if constexpr (std::is_same_v<T, std::string>) {
        for (std::size_t i = 0; i < n; i++) {
            if (!read_string(in, to[i])) {
                return false;
            }
        }
        return true;
    } else if constexpr (T::_width > 0) {
        // Numbers of the same width without padding.
        if (in.levels < T::_height) {
            return false;
        }
        return read_numbers<T::_width>(in, to, n * (T::_least / T::_width));
    } else {
        if (!saltus_enter(&in.levels)) {
            return false;
        }
        for (std::size_t i = 0; i < n; i++) {
            if constexpr (!T::_fixed) {
                in.promised -= T::_least;
            }
            if (!to[i]._read(in)) {
                return false;
            }
        }
        in.levels++;
        return true;
    }
}

/** A string, a struct, or an array of fixed size. */
template <class T>
bool read(saltus_reader &in, T &value) {
    using element = std::remove_all_extents_t<T>;
    if constexpr (allocates<element>()) {
        if (!saltus_promise_size(&in, count<T>, least<element>())) {
            return false;
        }
    }
    return read_each(in, first(value), count<T>);
}

template <class T>
bool read_rows(saltus_reader &in, std::vector<T> &rows, const std::int64_t *size) {
    rows.resize(static_cast<std::size_t>(*size));
    if constexpr (vector_of<T>::value) {
        for (auto &row : rows) {
            if (!read_rows(in, row, size + 1)) {
                return false;
            }
        }
        return true;
    } else {
        return read_each(in, rows.data(), rows.size());
    }
}

/** Whether `n` elements may follow, as far as bytes do not limit them. */
template <class T>
bool may_come([[maybe_unused]] const saltus_reader &in, [[maybe_unused]] std::uint64_t n) {
    if constexpr (free_elements<T>() > 0) {
        return saltus_check_free(&in, n, free_elements<T>());
    } else {
        return true;
    }
}

/** An array of this size; its memory is reused. */
template <class T>
inline bool read(saltus_reader &in, std::vector<T> &elements, std::int64_t size) {
    const bool possible = allocates<T>() ? saltus_promise_size(&in, size, least<T>()) : saltus_check_size(&in, size, least<T>());
    if (!possible || !may_come<T>(in, static_cast<std::uint64_t>(size))) {
        return false;
    }
    if (elements.size() != static_cast<std::size_t>(size)) {
        elements.resize(static_cast<std::size_t>(size));
    }
    return read_each(in, elements.data(), elements.size());
}

/** An array of these sizes; its memory is reused. */
template <class T>
bool read(saltus_reader &in, std::vector<T> &rows, std::initializer_list<std::int64_t> sizes) {
    using element = typename vector_of<T>::element;
    const std::uint64_t min = least<element>();
    const bool possible = allocates<element>() ? saltus_promise_sizes(&in, sizes.begin(), sizes.size(), min)
                                               : saltus_check_sizes(&in, sizes.begin(), sizes.size(), min);
    std::uint64_t n = 1;
    for (const std::int64_t size : sizes) {
        n *= static_cast<std::uint64_t>(size);
    }
    return possible && may_come<element>(in, n) && read_rows(in, rows, sizes.begin());
}

/* ---- Writing ---- */

/** `n` numbers of `Width` bytes. */
template <std::size_t Width>
inline bool write_numbers(saltus_writer &out, const void *from, std::size_t n) {
    if constexpr (Width == 1) {
        return saltus_write_array_8(&out, from, n);
    } else if constexpr (Width == 2) {
        return saltus_write_array_16(&out, from, n);
    } else if constexpr (Width == 4) {
        return saltus_write_array_32(&out, from, n);
    } else {
        return saltus_write_array_64(&out, from, n);
    }
}

/** `n` consecutive elements. */
template <class T>
inline bool write_each(saltus_writer &out, const T *from, std::size_t n) {
    if (n == 0) {
        return true;
    }
    if constexpr (is_number<T>) {
        return write_numbers<sizeof(T)>(out, from, n);
    } else if constexpr (std::is_same_v<T, std::string>) {
        for (std::size_t i = 0; i < n; i++) {
            // On the wire, a NUL would end it.
            const bool whole = std::memchr(from[i].data(), 0, from[i].size()) == nullptr;
            if (!whole || !saltus_write_text(&out, from[i].data(), from[i].size())) {
                return false;
            }
        }
        return true;
    } else if constexpr (T::_width > 0) {
        return out.levels >= T::_height && write_numbers<T::_width>(out, from, n * (T::_least / T::_width));
    } else {
        if (!saltus_enter(&out.levels)) {
            return false;
        }
        for (std::size_t i = 0; i < n; i++) {
            if (!from[i]._write(out)) {
                return false;
            }
        }
        out.levels++;
        return true;
    }
}

/** A string, a struct, or an array of fixed size. */
template <class T>
bool write(saltus_writer &out, const T &value) {
    return write_each(out, first(value), count<T>);
}

template <class T>
bool write_rows(saltus_writer &out, const std::vector<T> &rows, const std::int64_t *size) {
    if (*size < 0 || static_cast<std::uint64_t>(*size) != rows.size()) {
        return false;
    }
    if constexpr (vector_of<T>::value) {
        for (const auto &row : rows) {
            if (!write_rows(out, row, size + 1)) {
                return false;
            }
        }
        return true;
    } else {
        return write_each(out, rows.data(), rows.size());
    }
}

/** An array, which must have this size. */
template <class T>
inline bool write(saltus_writer &out, const std::vector<T> &elements, std::int64_t size) {
    return size >= 0 && static_cast<std::uint64_t>(size) == elements.size() && write_each(out, elements.data(), elements.size());
}

/** An array, which must have these sizes; without elements its outer dimensions may be missing. */
template <class T>
bool write(saltus_writer &out, const std::vector<T> &rows, std::initializer_list<std::int64_t> sizes) {
    bool none = false;
    for (const std::int64_t size : sizes) {
        if (size < 0) {
            return false;
        }
        none = none || size == 0;
    }
    return (none && rows.empty()) || write_rows(out, rows, sizes.begin());
}

/* ---- Counting bytes ---- */

/** Adds `n` elements. */
template <class T>
bool measure_each(saltus_size &size, const T *from, std::size_t n) {
    if (n == 0) {
        return true;
    }
    if constexpr (std::is_same_v<T, std::string>) {
        for (std::size_t i = 0; i < n; i++) {
            if (!saltus_add(&size, 1, 4 + static_cast<std::uint64_t>(from[i].size()) + 1)) {
                return false;
            }
        }
        return true;
    } else if constexpr (vector_of<T>::value) {
        for (std::size_t i = 0; i < n; i++) {
            if (!measure_each(size, from[i].data(), from[i].size())) {
                return false;
            }
        }
        return true;
    } else if constexpr (is_number<T>) {
        return saltus_add(&size, static_cast<std::int64_t>(n), sizeof(T));
    } else if constexpr (T::_fixed) {
        return saltus_add(&size, static_cast<std::int64_t>(n), T::_least);
    } else {
        if (!saltus_enter(&size.levels)) {
            return false;
        }
        for (std::size_t i = 0; i < n; i++) {
            if (!from[i]._measure(size)) {
                return false;
            }
        }
        size.levels++;
        return true;
    }
}

/** Adds a value. Arrays count with their own size. */
template <class T>
bool measure(saltus_size &size, const T &value) {
    return measure_each(size, first(value), count<T>);
}

/* ---- Size fields ---- */

/**
 * Sets a size field to the size of dimension `Level` of an array: that of its first row, if any. A number that does not
 * fit becomes the largest, with which encoding fails.
 */
template <std::size_t Level, class N, class T>
void set_size(N &size, const std::vector<T> &rows) {
    if constexpr (Level == 0) {
        constexpr N most = std::numeric_limits<N>::max();
        size = rows.size() > static_cast<std::uint64_t>(most) ? most : static_cast<N>(rows.size());
    } else {
        if (!rows.empty()) {
            set_size<Level - 1>(size, rows.front());
        }
    }
}

/** Sets the size fields of all structs in a value. */
template <class T>
void set_sizes(T &value) {
    if constexpr (std::is_array_v<T> || vector_of<T>::value) {
        for (auto &element : value) {
            set_sizes(element);
        }
    } else {
        value.set_sizes();
    }
}

/* ---- Whole messages ---- */

/** Writes a fingerprint, if there is one, and the fields. Returns the number of bytes, or -1. */
template <class T>
int encode(const T &message, const std::uint64_t *fingerprint, void *buf, int offset, int maxlen) {
    saltus_writer out = saltus_writer_of(buf, offset, maxlen);
    if ((fingerprint == nullptr || saltus_write_fingerprint(&out, *fingerprint)) && write(out, message)) {
        return saltus_written(&out);
    }
    if (fingerprint != nullptr && out.end - out.start >= 8) {
        // If it is sent in spite of the -1, receivers must not be able to decode it.
        std::memset(out.start, 0, 8);
    }
    return -1;
}

/** Reads a fingerprint, if there must be one, and the fields. Returns the number of bytes, or -1. */
template <class T>
int decode(T &message, const std::uint64_t *fingerprint, const void *buf, int offset, int maxlen) {
    saltus_reader in = saltus_reader_of(buf, offset, maxlen);
    in.free_elements += T::_free;
#if defined(__cpp_exceptions)
    try {
#endif
        if ((fingerprint == nullptr || saltus_read_fingerprint(&in, *fingerprint)) && read(in, message)) {
            return saltus_consumed(&in);
        }
#if defined(__cpp_exceptions)
    } catch (const std::exception &) {
        // There is not enough memory for the message.
    }
#endif
    return -1;
}

/** Bytes of the fields, and of a fingerprint if requested; -1 if a message cannot be that long. */
template <class T>
int encoded_size(const T &message, bool with_fingerprint) {
    saltus_size size = saltus_size_of_nothing();
    const bool possible = saltus_add(&size, with_fingerprint ? 8 : 0, 1) && measure(size, message);
    return possible ? static_cast<int>(size.bytes) : -1;
}

} // namespace saltus::wire

#endif // SALTUS_WIRE_HPP
