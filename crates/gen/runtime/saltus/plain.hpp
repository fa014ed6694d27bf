/*
 * The plain layout of `saltus gen` for C++: structs that are built and read where they lie, without encoding.
 *
 * A message is the hash of its layout (8 bytes, in the machine's order) and then the struct.
 */
#ifndef SALTUS_PLAIN_HPP
#define SALTUS_PLAIN_HPP

#include "plain.h"

#include <cstddef>
#include <cstdint>

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
    return static_cast<T *>(saltus_plain_place(room, len, layout<T>::hash, sizeof(T), alignof(T)));
}

/** Whether received bytes have this layout, and if not, why. */
template <class T>
saltus_plain check(const void *message, std::size_t len) {
    return saltus_plain_check(message, len, layout<T>::hash, sizeof(T), alignof(T));
}

/** The struct in received bytes, where it lies, or nullptr if `check` does not find them right. */
template <class T>
const T *look(const void *message, std::size_t len) {
    if (check<T>(message, len) != SALTUS_PLAIN_OK) {
        return nullptr;
    }
    const void *at = static_cast<const std::uint8_t *>(message) + sizeof(std::uint64_t);
    return static_cast<const T *>(at);
}

} // namespace saltus::plain

#endif // SALTUS_PLAIN_HPP
