/*
 * The runtime of the C and C++ code of `saltus gen`: LCM's wire encoding. Programs do not call it directly.
 *
 * A message is its type's fingerprint (8 bytes) and then its fields in the order of their declaration, big endian,
 * without padding or tags:
 *
 *   int8_t, byte, boolean   1 byte          int32_t, float, enum   4 bytes       string   length with its NUL (int32_t),
 *   int16_t                 2 bytes         int64_t, double        8 bytes                bytes, NUL
 *   struct                  its fields, without a fingerprint of their own
 *   array                   its elements, the last dimension fastest; its size is an earlier field
 *
 * Decoding trusts nothing: every read is checked, an array is allocated only if the rest of the message could
 * fill it, and structs are nested at most SALTUS_MAX_DEPTH deep.
 *
 * C99 and later, C++17 and later. With -ffreestanding it needs only memcpy and memset from a library, and types with
 * strings or arrays of variable size cannot be used.
 */
#ifndef SALTUS_WIRE_H
#define SALTUS_WIRE_H

/* C++ with -Wold-style-cast would warn of C's casts. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#include "numbers.h"

#include <limits.h>

#if __STDC_HOSTED__
#include <stdlib.h>
#include <string.h>
#endif

/** Incremented when generated code of earlier versions no longer fits this file. */
#define SALTUS_WIRE_VERSION 1

/** Most levels of nested structs in one message; the outermost is at depth 0. */
#define SALTUS_MAX_DEPTH 128

/** Most rows and elements of zero size in a message, beyond one for each of its bytes. */
#define SALTUS_FREE_ELEMENTS 1024

/* ---- Reading ---- */

/** A position in the bytes of an untrusted message. */
typedef struct saltus_reader {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    /** Least number of bytes that allocated structs still need. Others must not count on them. */
    size_t promised;
    /** Rows and elements of zero size that may still follow; generated code adds those that a type always has. */
    uint64_t free_elements;
    /** Levels of structs that may still be entered. */
    unsigned levels;
} saltus_reader;

/** Starts at `buf + offset`, with `maxlen` bytes. Invalid arguments give an empty message. */
static inline saltus_reader saltus_reader_of(const void *buf, int offset, int maxlen) {
    const bool possible = buf != NULL && offset >= 0 && maxlen > 0;
    const size_t len = possible ? (size_t)maxlen : 0;
    saltus_reader in;
    in.start = possible ? (const uint8_t *)buf + offset : (const uint8_t *)"";
    in.at = in.start;
    in.end = in.start + len;
    in.promised = 0;
    in.free_elements = (uint64_t)len + SALTUS_FREE_ELEMENTS;
    in.levels = SALTUS_MAX_DEPTH + 1;
    return in;
}
/** The number of bytes read. */
static inline int saltus_consumed(const saltus_reader *in) {
    return (int)(in->at - in->start);
}
/** The number of bytes left. */
static inline size_t saltus_left(const saltus_reader *in) {
    return (size_t)(in->end - in->at);
}
/** The next `n` bytes, or NULL if fewer are left. */
static inline const uint8_t *saltus_take(saltus_reader *in, size_t n) {
    const uint8_t *at = in->at;
    if (n > saltus_left(in)) {
        return NULL;
    }
    in->at += n;
    return at;
}
/** Enters a struct; false if they are nested too deep. */
static inline bool saltus_enter(unsigned *levels) {
    if (*levels == 0) {
        return false;
    }
    --*levels;
    return true;
}
/** Whether the message starts with this fingerprint. */
static inline bool saltus_read_fingerprint(saltus_reader *in, uint64_t fingerprint) {
    const uint8_t *at = saltus_take(in, 8);
    return at != NULL && saltus_get_64(at) == fingerprint;
}

/** Counts `n` rows or elements of zero size, which no bytes limit; false if a message may not have so many. */
static inline bool saltus_count_free(saltus_reader *in, uint64_t n) {
    if (n > in->free_elements) {
        return false;
    }
    in->free_elements -= n;
    return true;
}
/** Whether `n` structs may follow that always have `each` rows and elements: each takes a byte, or is counted. */
static inline bool saltus_check_free(const saltus_reader *in, uint64_t n, uint64_t each) {
    return n <= (in->free_elements + saltus_left(in)) / each;
}
/**
 * Whether an array of these sizes, whose elements take at least `min` bytes each, fits into the rest. Then it may be
 * allocated. Level by level, from the outermost: the size of rows is compared with the bytes left, and rows
 * of zero size are counted for the whole message. After a size of 0 there is nothing more to count.
 */
static inline bool saltus_check_sizes(saltus_reader *in, const int64_t *sizes, size_t dims, uint64_t min) {
    const size_t left = saltus_left(in);
    bool none = min == 0;
    for (size_t i = 0; i < dims; i++) {
        if (sizes[i] < 0) {
            return false;
        }
        none = none || sizes[i] == 0;
    }
    if (!none) {
        // Each row takes bytes, so enough for all elements is enough for each level.
        uint64_t may = (left > in->promised ? left - in->promised : 0) / min;
        for (size_t i = 0; i < dims; i++) {
            if ((uint64_t)sizes[i] > may) {
                return false;
            }
            may /= (uint64_t)sizes[i];
        }
        return true;
    }
    // Elements have zero size, or there are none: so the rows before the first size of 0 have zero size too.
    uint64_t count = 1;
    for (size_t i = 0; i < dims && sizes[i] > 0; i++) {
        if ((uint64_t)sizes[i] > in->free_elements / count) {
            return false;
        }
        count *= (uint64_t)sizes[i];
        in->free_elements -= count;
    }
    return true;
}
/** The same for one dimension. */
static inline bool saltus_check_size(saltus_reader *in, int64_t size, uint64_t min) {
    return saltus_check_sizes(in, &size, 1, min);
}
/**
 * The same for structs that may allocate, and reserves their bytes: their contents must not count on the bytes that
 * their neighbors need. So a message cannot make a program allocate for the same bytes at each depth.
 */
static inline bool saltus_promise_sizes(saltus_reader *in, const int64_t *sizes, size_t dims, uint64_t min) {
    if (!saltus_check_sizes(in, sizes, dims, min)) {
        return false;
    }
    size_t bytes = (size_t)min;
    for (size_t i = 0; i < dims; i++) {
        bytes *= (size_t)sizes[i];
    }
    in->promised += bytes;
    return true;
}
/** The same for one dimension. */
static inline bool saltus_promise_size(saltus_reader *in, int64_t size, uint64_t min) {
    return saltus_promise_sizes(in, &size, 1, min);
}

/** `n` numbers of one byte. */
static inline bool saltus_read_array_8(saltus_reader *in, void *to, size_t n) {
    const uint8_t *at = saltus_take(in, n);
    if (at == NULL) {
        return false;
    }
    if (n > 0) {
        SALTUS_MEMCPY(to, at, n);
    }
    return true;
}
/** `n` numbers of two bytes. */
static inline bool saltus_read_array_16(saltus_reader *in, void *to, size_t n) {
    if (n > saltus_left(in) / 2) {
        return false;
    }
    saltus_turn_16(to, in->at, n);
    in->at += n * 2;
    return true;
}
/** `n` numbers of four bytes. */
static inline bool saltus_read_array_32(saltus_reader *in, void *to, size_t n) {
    if (n > saltus_left(in) / 4) {
        return false;
    }
    saltus_turn_32(to, in->at, n);
    in->at += n * 4;
    return true;
}
/** `n` numbers of eight bytes. */
static inline bool saltus_read_array_64(saltus_reader *in, void *to, size_t n) {
    if (n > saltus_left(in) / 8) {
        return false;
    }
    saltus_turn_64(to, in->at, n);
    in->at += n * 8;
    return true;
}
/** The bytes of a string, `*len` of them with the NUL, which is the last; NULL if the string is invalid. */
static inline const uint8_t *saltus_take_string(saltus_reader *in, size_t *len) {
    const uint8_t *at = saltus_take(in, 4);
    const int32_t says = at == NULL ? 0 : saltus_get_int32(at);
    if (says < 1) {
        return NULL;
    }
    *len = (size_t)says;
    at = saltus_take(in, *len);
    return at == NULL || at[*len - 1] != 0 ? NULL : at;
}

/* ---- Writing ---- */

/** A position in a buffer for a message. */
typedef struct saltus_writer {
    uint8_t *start;
    uint8_t *at;
    uint8_t *end;
    /** Levels of structs that may still be entered. */
    unsigned levels;
} saltus_writer;

/** Starts at `buf + offset`, with space for `maxlen` bytes. Invalid arguments give an empty buffer. */
static inline saltus_writer saltus_writer_of(void *buf, int offset, int maxlen) {
    static uint8_t nowhere;
    const bool possible = buf != NULL && offset >= 0 && maxlen > 0;
    saltus_writer out;
    out.start = possible ? (uint8_t *)buf + offset : &nowhere;
    out.at = out.start;
    out.end = possible ? out.start + maxlen : out.start;
    out.levels = SALTUS_MAX_DEPTH + 1;
    return out;
}
/** The number of bytes written. */
static inline int saltus_written(const saltus_writer *out) {
    return (int)(out->at - out->start);
}
/** The number of bytes left. */
static inline size_t saltus_room_left(const saltus_writer *out) {
    return (size_t)(out->end - out->at);
}
/** Space for the next `n` bytes, or NULL if fewer are left. */
static inline uint8_t *saltus_room(saltus_writer *out, size_t n) {
    uint8_t *at = out->at;
    if (n > saltus_room_left(out)) {
        return NULL;
    }
    out->at += n;
    return at;
}
/** The fingerprint that a message starts with. */
static inline bool saltus_write_fingerprint(saltus_writer *out, uint64_t fingerprint) {
    uint8_t *at = saltus_room(out, 8);
    if (at == NULL) {
        return false;
    }
    saltus_put_64(at, fingerprint);
    return true;
}
/** `n` numbers of one byte. */
static inline bool saltus_write_array_8(saltus_writer *out, const void *from, size_t n) {
    if (n == 0) {
        return true;
    }
    uint8_t *at = saltus_room(out, n);
    if (at == NULL || from == NULL) {
        return false;
    }
    SALTUS_MEMCPY(at, from, n);
    return true;
}
/** `n` numbers of two bytes. */
static inline bool saltus_write_array_16(saltus_writer *out, const void *from, size_t n) {
    if (n == 0) {
        return true;
    }
    if (n > saltus_room_left(out) / 2 || from == NULL) {
        return false;
    }
    saltus_turn_16(out->at, from, n);
    out->at += n * 2;
    return true;
}
/** `n` numbers of four bytes. */
static inline bool saltus_write_array_32(saltus_writer *out, const void *from, size_t n) {
    if (n == 0) {
        return true;
    }
    if (n > saltus_room_left(out) / 4 || from == NULL) {
        return false;
    }
    saltus_turn_32(out->at, from, n);
    out->at += n * 4;
    return true;
}
/** `n` numbers of eight bytes. */
static inline bool saltus_write_array_64(saltus_writer *out, const void *from, size_t n) {
    if (n == 0) {
        return true;
    }
    if (n > saltus_room_left(out) / 8 || from == NULL) {
        return false;
    }
    saltus_turn_64(out->at, from, n);
    out->at += n * 8;
    return true;
}
/** A string of `len` bytes, none of which is NUL. */
static inline bool saltus_write_text(saltus_writer *out, const char *text, size_t len) {
    if (len >= INT32_MAX) {
        return false;
    }
    uint8_t *at = saltus_room(out, 4 + len + 1);
    if (at == NULL) {
        return false;
    }
    saltus_put_32(at, (uint32_t)len + 1);
    if (len > 0) {
        SALTUS_MEMCPY(at + 4, text, len);
    }
    at[4 + len] = 0;
    return true;
}

/* ---- Counting the bytes of an encoded message ---- */

/** A sum of bytes. */
typedef struct saltus_size {
    uint64_t bytes;
    /** Levels of structs that may still be entered. */
    unsigned levels;
} saltus_size;

/** Starts at 0 bytes. */
static inline saltus_size saltus_size_of_nothing(void) {
    saltus_size size;
    size.bytes = 0;
    size.levels = SALTUS_MAX_DEPTH + 1;
    return size;
}
/** Adds `n` elements of `each` bytes; false if a message cannot be that long. */
static inline bool saltus_add(saltus_size *size, int64_t n, uint64_t each) {
    if (n < 0 || size->bytes > INT_MAX || (each > 0 && (uint64_t)n > (uint64_t)INT_MAX / each)) {
        return false;
    }
    size->bytes += (uint64_t)n * each;
    return size->bytes <= INT_MAX;
}
/** Adds an array of these sizes. */
static inline bool saltus_add_sizes(saltus_size *size, const int64_t *sizes, size_t dims, uint64_t each) {
    uint64_t count = 1;
    for (size_t i = 0; i < dims; i++) {
        if (sizes[i] < 0) {
            return false;
        }
        if (sizes[i] == 0) {
            count = 0;
        }
        if (count > 0) {
            if ((uint64_t)sizes[i] > (uint64_t)INT_MAX / count) {
                return false;
            }
            count *= (uint64_t)sizes[i];
        }
    }
    return saltus_add(size, (int64_t)count, each);
}

/* ---- Strings and arrays of variable size in C, which are allocated ---- */

#if __STDC_HOSTED__

/** A size field as a number of elements: negative ones count as none. */
static inline size_t saltus_count(int64_t size) {
    return size > 0 ? (size_t)size : 0;
}
/** `n` strings, each allocated. `to` contains NULLs before; after a failure some of them may still be NULL. */
static inline bool saltus_read_strings(saltus_reader *in, char **to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t len;
        const uint8_t *text = saltus_take_string(in, &len);
        if (text == NULL) {
            return false;
        }
        to[i] = (char *)malloc(len);
        if (to[i] == NULL) {
            return false;
        }
        SALTUS_MEMCPY(to[i], text, len);
    }
    return true;
}
/** `n` strings, each up to its first NUL. A NULL is written as an empty string. */
static inline bool saltus_write_strings(saltus_writer *out, char *const *from, size_t n) {
    if (n > 0 && from == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const char *text = from[i] == NULL ? "" : from[i];
        if (!saltus_write_text(out, text, strlen(text))) {
            return false;
        }
    }
    return true;
}
/** Adds `n` strings. */
static inline bool saltus_add_strings(saltus_size *size, char *const *from, size_t n) {
    if (n > 0 && from == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!saltus_add(size, 1, 4 + (from[i] == NULL ? 0 : (uint64_t)strlen(from[i])) + 1)) {
            return false;
        }
    }
    return true;
}
/** Frees `n` strings, if there are any. */
static inline void saltus_free_strings(char **strings, size_t n) {
    for (size_t i = 0; strings != NULL && i < n; i++) {
        free(strings[i]);
        strings[i] = NULL;
    }
}

#endif /* __STDC_HOSTED__ */

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif /* SALTUS_WIRE_H */
