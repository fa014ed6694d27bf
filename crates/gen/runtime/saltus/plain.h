/*
 * The runtime of the plain layout of `saltus gen`: structs that are built and read in place, without encoding.
 *
 * A message is the hash of its layout (8 bytes, in the machine's order) and then the struct.
 *
 * In a view of a channel (saltus_channel_view() of <saltus.h>) the publisher may overwrite a message at any instant while it is
 * read. Copy the data you need, once, and trust it and the layout check only after saltus_channel_validate() has
 * returned SALTUS_OK. A message received into your own buffer (saltus_channel_receive()) does not change.
 */
#ifndef SALTUS_PLAIN_H
#define SALTUS_PLAIN_H

/* C++ with -Wold-style-cast would warn of C's casts. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#include "numbers.h"

/** Whether received bytes have the layout that a program was compiled with. */
enum saltus_plain {
    /** They have it. */
    SALTUS_PLAIN_OK = 0,
    /** There are too few for it. */
    SALTUS_PLAIN_TOO_SHORT = 1,
    /** They start with the hash of another layout: another type, another version of it, or another architecture. */
    SALTUS_PLAIN_OTHER_LAYOUT = 2,
    /** Their address is not aligned for the layout. */
    SALTUS_PLAIN_MISALIGNED = 3
};

/** Checks the hash before a message, its length and its alignment. */
static inline enum saltus_plain saltus_plain_check(const void *message, size_t len, uint64_t hash, size_t size, size_t align) {
    uint64_t found;
    if (message == NULL || len < sizeof found) {
        return SALTUS_PLAIN_TOO_SHORT;
    }
    SALTUS_MEMCPY(&found, message, sizeof found);
    if (found != hash) {
        return SALTUS_PLAIN_OTHER_LAYOUT;
    }
    if (len - sizeof found < size) {
        return SALTUS_PLAIN_TOO_SHORT;
    }
    return ((uintptr_t)message + sizeof found) % align == 0 ? SALTUS_PLAIN_OK : SALTUS_PLAIN_MISALIGNED;
}
/** Writes the hash; returns the address of the struct, or NULL if the buffer is too small or misaligned. */
static inline void *saltus_plain_begin(void *room, size_t len, uint64_t hash, size_t size, size_t align) {
    if (room == NULL || len < sizeof hash || len - sizeof hash < size || ((uintptr_t)room + sizeof hash) % align != 0) {
        return NULL;
    }
    SALTUS_MEMCPY(room, &hash, sizeof hash);
    return (uint8_t *)room + sizeof hash;
}
/** The same, with the struct set to zeros. */
static inline void *saltus_plain_place(void *room, size_t len, uint64_t hash, size_t size, size_t align) {
    void *at = saltus_plain_begin(room, len, hash, size, align);
    if (at != NULL) {
        SALTUS_MEMSET(at, 0, size);
    }
    return at;
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif /* SALTUS_PLAIN_H */
