/*
 * The plain layout of `saltus gen` for C++: structs that are built and read where they lie, without encoding.
 *
 * A message is the hash of its layout (8 bytes, in the machine's order) and then the struct. What is read in a view of a
 * channel may be overwritten meanwhile: see "saltus/plain.h".
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

/** Hash of the layout of `T`; generated code says it for each struct. */
template <class T>
struct layout;

/** Bytes of a message: the hash and the struct. So much is to be borrowed. */
template <class T>
inline constexpr std::size_t message_size = sizeof(std::uint64_t) + sizeof(T);

/**
 * Begins a message in room of `len` bytes, such as a loan: writes the hash, and zeros behind it. Returns the struct to be
 * filled in, or nullptr if there is too little room or it does not lie at a multiple of 8.
 */
template <class T>
T *place(void *room, std::size_t len) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);
    void *at = saltus_plain_begin(room, len, layout<T>::hash, sizeof(T), alignof(T));
    // From here on there is a `T`, all zeros.
    return at == nullptr ? nullptr : ::new (at) T();
}

/** Whether received bytes have this layout, and if not, why. */
template <class T>
saltus_plain check(const void *message, std::size_t len) {
    return saltus_plain_check(message, len, layout<T>::hash, sizeof(T), alignof(T));
}

/**
 * The struct in received bytes, where it lies, or nullptr if `check` does not find them right. In a view: copy out what is
 * needed, and believe it only once the view is validated.
 */
template <class T>
const T *look(const void *message, std::size_t len) {
    if (check<T>(message, len) != SALTUS_PLAIN_OK) {
        return nullptr;
    }
    const void *at = static_cast<const std::uint8_t *>(message) + sizeof(std::uint64_t);
    // Another process made it, so this one's compiler knows of no `T` there.
    return std::launder(static_cast<const T *>(at));
}

} // namespace saltus::plain

#endif // SALTUS_PLAIN_HPP
