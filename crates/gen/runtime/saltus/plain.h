/*
 * What the plain layout of `saltus gen` stands on: structs that are built and read where they lie, without encoding.
 *
 * A message is the hash of its layout (8 bytes, in the machine's order) and then the struct.
 *
 * In a view of a channel (saltus_channel_view() of <saltus.h>) the publisher may overwrite a message at any instant while it is
 * read. Copy out what is needed, once, and believe it, and that the layout was right, only after saltus_channel_validate() has
 * returned SALTUS_OK. What was received into a buffer of one's own (saltus_channel_receive()) stays as it is.
 */
#ifndef SALTUS_PLAIN_H
#define SALTUS_PLAIN_H

#include "numbers.h"

/** Whether received bytes are of the layout that a program was compiled with. */
enum saltus_plain {
    /** They are. */
    SALTUS_PLAIN_OK = 0,
    /** There are too few for it. */
    SALTUS_PLAIN_TOO_SHORT = 1,
    /** They start with the hash of another layout: another type, another version of it, or another kind of machine. */
    SALTUS_PLAIN_OTHER_LAYOUT = 2,
    /** They do not lie at an address that the layout can be read at. */
    SALTUS_PLAIN_MISALIGNED = 3
};

/** Looks at the hash in front of a message, its length and its place. */
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
/** Writes the hash; returns where the struct is to lie, or NULL if the room is too small or misaligned. */
static inline void *saltus_plain_begin(void *room, size_t len, uint64_t hash, size_t size, size_t align) {
    if (room == NULL || len < sizeof hash || len - sizeof hash < size || ((uintptr_t)room + sizeof hash) % align != 0) {
        return NULL;
    }
    SALTUS_MEMCPY(room, &hash, sizeof hash);
    return (uint8_t *)room + sizeof hash;
}
/** The same, with zeros where the struct lies. */
static inline void *saltus_plain_place(void *room, size_t len, uint64_t hash, size_t size, size_t align) {
    void *at = saltus_plain_begin(room, len, hash, size, align);
    if (at != NULL) {
        SALTUS_MEMSET(at, 0, size);
    }
    return at;
}

#endif /* SALTUS_PLAIN_H */
