/*
 * Numbers in big endian, one or many at a time: part of "saltus/wire.h".
 *
 * On x86-64 with AVX2, which is detected at run time, many are swapped by byte shuffles of 32 bytes at a time, so they
 * are as fast at -O2 as at -O3. Elsewhere, or with SALTUS_ONE_BY_ONE defined, they are swapped one by one.
 */
#ifndef SALTUS_NUMBERS_H
#define SALTUS_NUMBERS_H

/* C++ with -Wold-style-cast would warn of C's casts. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With -ffreestanding the compiler knows memcpy and memset only by these names. */
#if defined(__GNUC__)
#define SALTUS_MEMCPY __builtin_memcpy
#define SALTUS_MEMSET __builtin_memset
#else
#include <string.h>
#define SALTUS_MEMCPY memcpy
#define SALTUS_MEMSET memset
#endif

/* Constants of type files without a literal: in <math.h> they are floats, and C++ does not accept a division by zero. */
#if defined(__GNUC__)
#define SALTUS_NAN __builtin_nan("")
#define SALTUS_NANF __builtin_nanf("")
#define SALTUS_INFINITY __builtin_inf()
#define SALTUS_INFINITYF __builtin_inff()
#else
#include <math.h>
#define SALTUS_NAN ((double)NAN)
#define SALTUS_NANF NAN
#define SALTUS_INFINITY ((double)INFINITY)
#define SALTUS_INFINITYF INFINITY
#endif

/** Refuses to compile if `condition` is false; `name` is an identifier for the error. */
#if defined(__cplusplus)
#define SALTUS_ASSERT(name, condition) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SALTUS_ASSERT(name, condition) _Static_assert(condition, #name)
#else
#define SALTUS_ASSERT(name, condition) typedef char saltus_assert_##name[(condition) ? 1 : -1]
#endif

/* ---- Single numbers, where the bounds were checked ---- */

static inline uint16_t saltus_get_16(const uint8_t *at) {
    return (uint16_t)((uint32_t)at[0] << 8 | (uint32_t)at[1]);
}
static inline uint32_t saltus_get_32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}
static inline uint64_t saltus_get_64(const uint8_t *at) {
    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 | (uint64_t)at[3] << 32 |
           (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 | (uint64_t)at[6] << 8 | (uint64_t)at[7];
}
static inline void saltus_put_16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}
static inline void saltus_put_32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}
static inline void saltus_put_64(uint8_t *at, uint64_t value) {
    at[0] = (uint8_t)(value >> 56);
    at[1] = (uint8_t)(value >> 48);
    at[2] = (uint8_t)(value >> 40);
    at[3] = (uint8_t)(value >> 32);
    at[4] = (uint8_t)(value >> 24);
    at[5] = (uint8_t)(value >> 16);
    at[6] = (uint8_t)(value >> 8);
    at[7] = (uint8_t)value;
}

static inline int8_t saltus_get_int8(const uint8_t *at) { return (int8_t)at[0]; }
static inline uint8_t saltus_get_byte(const uint8_t *at) { return at[0]; }
static inline int16_t saltus_get_int16(const uint8_t *at) { return (int16_t)saltus_get_16(at); }
static inline int32_t saltus_get_int32(const uint8_t *at) { return (int32_t)saltus_get_32(at); }
static inline int64_t saltus_get_int64(const uint8_t *at) { return (int64_t)saltus_get_64(at); }
static inline float saltus_get_float(const uint8_t *at) {
    const uint32_t bits = saltus_get_32(at);
    float value;
    SALTUS_MEMCPY(&value, &bits, sizeof value);
    return value;
}
static inline double saltus_get_double(const uint8_t *at) {
    const uint64_t bits = saltus_get_64(at);
    double value;
    SALTUS_MEMCPY(&value, &bits, sizeof value);
    return value;
}
static inline void saltus_put_int8(uint8_t *at, int8_t value) { at[0] = (uint8_t)value; }
static inline void saltus_put_byte(uint8_t *at, uint8_t value) { at[0] = value; }
static inline void saltus_put_int16(uint8_t *at, int16_t value) { saltus_put_16(at, (uint16_t)value); }
static inline void saltus_put_int32(uint8_t *at, int32_t value) { saltus_put_32(at, (uint32_t)value); }
static inline void saltus_put_int64(uint8_t *at, int64_t value) { saltus_put_64(at, (uint64_t)value); }
static inline void saltus_put_float(uint8_t *at, float value) {
    uint32_t bits;
    SALTUS_MEMCPY(&bits, &value, sizeof bits);
    saltus_put_32(at, bits);
}
static inline void saltus_put_double(uint8_t *at, double value) {
    uint64_t bits;
    SALTUS_MEMCPY(&bits, &value, sizeof bits);
    saltus_put_64(at, bits);
}

/* ---- Many numbers: copied from or to big endian; the same function for both directions ---- */

#if defined(__GNUC__) && defined(__x86_64__) && __STDC_HOSTED__ && !defined(SALTUS_ONE_BY_ONE)

/* 32 bytes in a register. <immintrin.h> has it too, but takes longer to compile than all the rest. */
typedef char saltus_32_bytes __attribute__((vector_size(32)));

/* The shuffle masks for numbers of 2, 4 and 8 bytes; as constants, since computing them would cost more than it saves. */
static inline const uint8_t *saltus_order(unsigned log) {
    static const uint8_t orders[3][32] = {
        {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
        {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
        {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
    };
    return orders[log - 1];
}

/** Swaps numbers of `1 << log` bytes, 32 bytes at a time. `len` is at least 32 and a whole number of them. */
__attribute__((target("avx2"))) static inline void saltus_turn_avx2(uint8_t *to, const uint8_t *from, size_t len, unsigned log) {
    saltus_32_bytes order, a, b, c, d;
    size_t at = 0;
    SALTUS_MEMCPY(&order, saltus_order(log), 32);
    for (; at + 128 <= len; at += 128) {
        SALTUS_MEMCPY(&a, from + at, 32);
        SALTUS_MEMCPY(&b, from + at + 32, 32);
        SALTUS_MEMCPY(&c, from + at + 64, 32);
        SALTUS_MEMCPY(&d, from + at + 96, 32);
        a = __builtin_ia32_pshufb256(a, order);
        b = __builtin_ia32_pshufb256(b, order);
        c = __builtin_ia32_pshufb256(c, order);
        d = __builtin_ia32_pshufb256(d, order);
        SALTUS_MEMCPY(to + at, &a, 32);
        SALTUS_MEMCPY(to + at + 32, &b, 32);
        SALTUS_MEMCPY(to + at + 64, &c, 32);
        SALTUS_MEMCPY(to + at + 96, &d, 32);
    }
    for (; at + 32 <= len; at += 32) {
        SALTUS_MEMCPY(&a, from + at, 32);
        a = __builtin_ia32_pshufb256(a, order);
        SALTUS_MEMCPY(to + at, &a, 32);
    }
    if (at < len) {
        /* The last 32 bytes, some of them for a second time: the result is the same. */
        SALTUS_MEMCPY(&a, from + len - 32, 32);
        a = __builtin_ia32_pshufb256(a, order);
        SALTUS_MEMCPY(to + len - 32, &a, 32);
    }
}

/** Swaps them if that pays and the processor has AVX2, which the C library detects when the program starts. */
static inline bool saltus_turn_fast(void *to, const void *from, size_t len, unsigned log) {
    if (len < 32 || !__builtin_cpu_supports("avx2")) {
        return false;
    }
    saltus_turn_avx2((uint8_t *)to, (const uint8_t *)from, len, log);
    return true;
}
#else
static inline bool saltus_turn_fast(void *to, const void *from, size_t len, unsigned log) {
    (void)to;
    (void)from;
    (void)len;
    (void)log;
    return false;
}
#endif

static inline void saltus_turn_16(void *to, const void *from, size_t n) {
    if (!saltus_turn_fast(to, from, n * 2, 1)) {
        for (size_t i = 0; i < n; i++) {
            const uint16_t v = saltus_get_16((const uint8_t *)from + i * 2);
            SALTUS_MEMCPY((uint8_t *)to + i * 2, &v, sizeof v);
        }
    }
}
static inline void saltus_turn_32(void *to, const void *from, size_t n) {
    if (!saltus_turn_fast(to, from, n * 4, 2)) {
        for (size_t i = 0; i < n; i++) {
            const uint32_t v = saltus_get_32((const uint8_t *)from + i * 4);
            SALTUS_MEMCPY((uint8_t *)to + i * 4, &v, sizeof v);
        }
    }
}
static inline void saltus_turn_64(void *to, const void *from, size_t n) {
    if (!saltus_turn_fast(to, from, n * 8, 3)) {
        for (size_t i = 0; i < n; i++) {
            const uint64_t v = saltus_get_64((const uint8_t *)from + i * 8);
            SALTUS_MEMCPY((uint8_t *)to + i * 8, &v, sizeof v);
        }
    }
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif /* SALTUS_NUMBERS_H */
