/*
 * The plain layout of `saltus gen` for C++: structs that are built and read in place, without encoding.
 *
 * A message is the hash of its layout (8 bytes, in the machine's order) and then the struct. A message in a view of a
 * channel may be overwritten while it is read: see "saltus/plain.h".
 */
#ifndef SALTUS_PLAIN_HPP
#define SALTUS_PLAIN_HPP

#include "plain.h"
#include "standard.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace saltus::plain {

/** Hash of the layout of `T`; generated code defines it for each struct. */
template <class T>
struct layout;

/** Bytes of a message: the hash and the struct. Loan this many. */
template <class T>
inline constexpr std::size_t message_size = sizeof(std::uint64_t) + sizeof(T);

/**
 * Begins a message in a buffer of `len` bytes, such as a loan: writes the hash, and zeros after it. Returns the struct to
 * fill in, or nullptr if the buffer is too small or not aligned to 8.
 */
template <class T>
T *place(void *room, std::size_t len) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);
    void *at = saltus_plain_begin(room, len, layout<T>::hash, sizeof(T), alignof(T));
    // This creates a `T`, all zeros.
    return at == nullptr ? nullptr : ::new (at) T();
}

/** Whether received bytes have this layout, and if not, why not. */
template <class T>
saltus_plain check(const void *message, std::size_t len) {
    return saltus_plain_check(message, len, layout<T>::hash, sizeof(T), alignof(T));
}

/**
 * The struct in received bytes, in place, or nullptr if `check` fails. In a view, copy the data you
 * need, and trust it only once the view is validated.
 */
template <class T>
const T *look(const void *message, std::size_t len) {
    if (check<T>(message, len) != SALTUS_PLAIN_OK) {
        return nullptr;
    }
    const void *at = static_cast<const std::uint8_t *>(message) + sizeof(std::uint64_t);
    // Another process created it, so this one's compiler does not know of a `T` there.
    return std::launder(static_cast<const T *>(at));
}

} // namespace saltus::plain

#endif // SALTUS_PLAIN_HPP
