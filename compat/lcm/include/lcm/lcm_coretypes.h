/* What code made by LCM's generator, or by `saltus gen --style lcm`, uses: the encoding of primitive types.
 *
 * All numbers are big endian. Each function returns the number of bytes that it wrote or read, or -1 if they do not fit. Unlike LCM's, the
 * decoders refuse negative numbers of elements and strings without an end. */
#ifndef LCM_CORETYPES_H
#define LCM_CORETYPES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The types whose fingerprints are being computed, to stop at a type that contains itself. */
typedef struct ___lcm_hash_ptr __lcm_hash_ptr;
struct ___lcm_hash_ptr {
    const __lcm_hash_ptr *parent;
    int64_t (*v)(void);
};

/** Memory of a decoded message; NULL for 0 bytes. */
static inline void *lcm_malloc(size_t size) {
    return size ? malloc(size) : NULL;
}

/* Whether `elements` of `size` bytes fit into `maxlen`; if so the functions below go on. */
static inline int __lcm_fits(int maxlen, int elements, int size) {
    return elements >= 0 && (int64_t)elements * size <= (int64_t)maxlen;
}

/* Unsigned numbers, one way and back. Compilers make one instruction of each. */
static inline void __lcm_put16(uint8_t *to, uint16_t v) {
    to[0] = (uint8_t)(v >> 8);
    to[1] = (uint8_t)v;
}
static inline void __lcm_put32(uint8_t *to, uint32_t v) {
    __lcm_put16(to, (uint16_t)(v >> 16));
    __lcm_put16(to + 2, (uint16_t)v);
}
static inline void __lcm_put64(uint8_t *to, uint64_t v) {
    __lcm_put32(to, (uint32_t)(v >> 32));
    __lcm_put32(to + 4, (uint32_t)v);
}
static inline uint16_t __lcm_get16(const uint8_t *at) {
    return (uint16_t)((uint16_t)at[0] << 8 | at[1]);
}
static inline uint32_t __lcm_get32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static inline uint64_t __lcm_get64(const uint8_t *at) {
    return (uint64_t)__lcm_get32(at) << 32 | __lcm_get32(at + 4);
}

/* The functions of one type: `type` in memory, moved as `bits` of `size` bytes. */
#define __LCM_FUNCTIONS(name, type, bits, size, put, get)                                                                \
    static inline int __##name##_encoded_array_size(const type *p, int elements) {                                       \
        (void)p;                                                                                                         \
        return (int)((unsigned)(size) * (unsigned)elements);                                                             \
    }                                                                                                                    \
    static inline int __##name##_encode_array(void *_buf, int offset, int maxlen, const type *p, int elements) {         \
        uint8_t *to = (uint8_t *)_buf + offset;                                                                          \
        int i;                                                                                                           \
        if (!__lcm_fits(maxlen, elements, size))                                                                         \
            return -1;                                                                                                   \
        for (i = 0; i < elements; i++) {                                                                                 \
            bits v;                                                                                                      \
            memcpy(&v, &p[i], sizeof(v));                                                                                \
            put(to + (size_t)i * (size), v);                                                                             \
        }                                                                                                                \
        return elements * (size);                                                                                        \
    }                                                                                                                    \
    static inline int __##name##_decode_array(const void *_buf, int offset, int maxlen, type *p, int elements) {         \
        const uint8_t *at = (const uint8_t *)_buf + offset;                                                              \
        int i;                                                                                                           \
        if (!__lcm_fits(maxlen, elements, size))                                                                         \
            return -1;                                                                                                   \
        for (i = 0; i < elements; i++) {                                                                                 \
            const bits v = get(at + (size_t)i * (size));                                                                 \
            memcpy(&p[i], &v, sizeof(v));                                                                                \
        }                                                                                                                \
        return elements * (size);                                                                                        \
    }                                                                                                                    \
    static inline int __##name##_clone_array(const type *p, type *q, int elements) {                                     \
        if (elements > 0)                                                                                                \
            memcpy(q, p, (size_t)elements * sizeof(type));                                                               \
        return 0;                                                                                                        \
    }

/* The same for bytes, which are copied as they are. */
#define __LCM_BYTES(name, type)                                                                                          \
    static inline int __##name##_encoded_array_size(const type *p, int elements) {                                       \
        (void)p;                                                                                                         \
        return elements;                                                                                                 \
    }                                                                                                                    \
    static inline int __##name##_encode_array(void *_buf, int offset, int maxlen, const type *p, int elements) {         \
        if (!__lcm_fits(maxlen, elements, 1))                                                                            \
            return -1;                                                                                                   \
        if (elements)                                                                                                    \
            memcpy((uint8_t *)_buf + offset, p, (size_t)elements);                                                       \
        return elements;                                                                                                 \
    }                                                                                                                    \
    static inline int __##name##_decode_array(const void *_buf, int offset, int maxlen, type *p, int elements) {         \
        if (!__lcm_fits(maxlen, elements, 1))                                                                            \
            return -1;                                                                                                   \
        if (elements)                                                                                                    \
            memcpy(p, (const uint8_t *)_buf + offset, (size_t)elements);                                                 \
        return elements;                                                                                                 \
    }                                                                                                                    \
    static inline int __##name##_clone_array(const type *p, type *q, int elements) {                                     \
        if (elements > 0)                                                                                                \
            memcpy(q, p, (size_t)elements);                                                                              \
        return 0;                                                                                                        \
    }

__LCM_BYTES(byte, uint8_t)
__LCM_BYTES(int8_t, int8_t)
__LCM_FUNCTIONS(int16_t, int16_t, uint16_t, 2, __lcm_put16, __lcm_get16)
__LCM_FUNCTIONS(int32_t, int32_t, uint32_t, 4, __lcm_put32, __lcm_get32)
__LCM_FUNCTIONS(int64_t, int64_t, uint64_t, 8, __lcm_put64, __lcm_get64)
__LCM_FUNCTIONS(float, float, uint32_t, 4, __lcm_put32, __lcm_get32)
__LCM_FUNCTIONS(double, double, uint64_t, 8, __lcm_put64, __lcm_get64)

/* A primitive type adds nothing to a fingerprint, and nothing of it is freed. */
#define __byte_hash_recursive(p) 0
#define __int8_t_hash_recursive(p) 0
#define __int16_t_hash_recursive(p) 0
#define __int32_t_hash_recursive(p) 0
#define __int64_t_hash_recursive(p) 0
#define __float_hash_recursive(p) 0
#define __double_hash_recursive(p) 0
#define __string_hash_recursive(p) 0

#define __byte_decode_array_cleanup(p, sz) {}
#define __int8_t_decode_array_cleanup(p, sz) {}
#define __int16_t_decode_array_cleanup(p, sz) {}
#define __int32_t_decode_array_cleanup(p, sz) {}
#define __int64_t_decode_array_cleanup(p, sz) {}
#define __float_decode_array_cleanup(p, sz) {}
#define __double_decode_array_cleanup(p, sz) {}

/* A boolean is an int8_t. */
#define __boolean_hash_recursive __int8_t_hash_recursive
#define __boolean_decode_array_cleanup __int8_t_decode_array_cleanup
#define __boolean_encoded_array_size __int8_t_encoded_array_size
#define __boolean_encode_array __int8_t_encode_array
#define __boolean_decode_array __int8_t_decode_array
#define __boolean_clone_array __int8_t_clone_array

/* Sizes with a fingerprint. */
#define byte_encoded_size(p) (sizeof(int64_t) + sizeof(uint8_t))
#define int8_t_encoded_size(p) (sizeof(int64_t) + sizeof(int8_t))
#define int16_t_encoded_size(p) (sizeof(int64_t) + sizeof(int16_t))
#define int32_t_encoded_size(p) (sizeof(int64_t) + sizeof(int32_t))
#define int64_t_encoded_size(p) (sizeof(int64_t) + sizeof(int64_t))
#define float_encoded_size(p) (sizeof(int64_t) + sizeof(float))
#define double_encoded_size(p) (sizeof(int64_t) + sizeof(double))
#define boolean_encoded_size int8_t_encoded_size

/* A string: its length with the final zero byte, as an int32_t, and its bytes. */
static inline int __string_decode_array_cleanup(char **s, int elements) {
    int i;
    for (i = 0; i < elements; i++)
        free(s[i]);
    return 0;
}

static inline int __string_encoded_array_size(char *const *s, int elements) {
    size_t size = 0;
    int i;
    for (i = 0; i < elements; i++)
        size += 4 + strlen(s[i]) + 1;
    return (int)size;
}

static inline int __string_encoded_size(char *const *s) {
    return (int)sizeof(int64_t) + __string_encoded_array_size(s, 1);
}

static inline int __string_encode_array(void *_buf, int offset, int maxlen, char *const *p, int elements) {
    uint8_t *to = (uint8_t *)_buf + offset;
    int64_t pos = 0;
    int i;
    for (i = 0; i < elements; i++) {
        const size_t length = strlen(p[i]) + 1;
        if (pos + 4 + (int64_t)length > maxlen)
            return -1;
        __lcm_put32(to + pos, (uint32_t)length);
        memcpy(to + pos + 4, p[i], length);
        pos += 4 + (int64_t)length;
    }
    return (int)pos;
}

static inline int __string_decode_array(const void *_buf, int offset, int maxlen, char **p, int elements) {
    const uint8_t *at = (const uint8_t *)_buf + offset;
    int64_t pos = 0;
    int i;
    /* A string takes at least five bytes. `p` is NULL if the caller could not allocate it. */
    if (!__lcm_fits(maxlen, elements, 5) || (elements && !p))
        return -1;
    for (i = 0; i < elements; i++) {
        uint32_t length;
        p[i] = NULL;
        if (pos + 4 > maxlen)
            break;
        length = __lcm_get32(at + pos);
        /* A string has at least its end. */
        if (length < 1 || (int64_t)length > maxlen - pos - 4 || at[pos + 4 + length - 1] != 0)
            break;
        p[i] = (char *)malloc(length);
        if (!p[i])
            break;
        memcpy(p[i], at + pos + 4, length);
        pos += 4 + (int64_t)length;
    }
    if (i == elements)
        return (int)pos;
    /* Generated code may or may not clean up after an error: nothing is left to free, and freeing it does no harm. */
    while (i > 0)
        free(p[--i]);
    for (i = 0; i < elements; i++)
        p[i] = NULL;
    return -1;
}

static inline int __string_clone_array(char *const *p, char **q, int elements) {
    int i;
    for (i = 0; i < elements; i++) {
        const size_t length = strlen(p[i]) + 1;
        q[i] = (char *)malloc(length);
        if (q[i])
            memcpy(q[i], p[i], length);
    }
    return 0;
}

/* Descriptions of types, which `lcm-gen --c-typeinfo` makes. */

/** The type of a field. */
typedef enum {
    LCM_FIELD_INT8_T,
    LCM_FIELD_INT16_T,
    LCM_FIELD_INT32_T,
    LCM_FIELD_INT64_T,
    LCM_FIELD_BYTE,
    LCM_FIELD_FLOAT,
    LCM_FIELD_DOUBLE,
    LCM_FIELD_STRING,
    LCM_FIELD_BOOLEAN,
    LCM_FIELD_USER_TYPE
} lcm_field_type_t;

#define LCM_TYPE_FIELD_MAX_DIM 50

/** A field of a message. */
typedef struct _lcm_field_t lcm_field_t;
struct _lcm_field_t {
    const char *name;
    lcm_field_type_t type;
    /** The name of its type. */
    const char *typestr;
    /** Dimensions of an array; 0: it is not one. */
    int num_dim;
    int32_t dim_size[LCM_TYPE_FIELD_MAX_DIM];
    int8_t dim_is_variable[LCM_TYPE_FIELD_MAX_DIM];
    /** Where it is in the message. */
    void *data;
};

typedef int (*lcm_encode_t)(void *buf, int offset, int maxlen, const void *p);
typedef int (*lcm_decode_t)(const void *buf, int offset, int maxlen, void *p);
typedef int (*lcm_decode_cleanup_t)(void *p);
typedef int (*lcm_encoded_size_t)(const void *p);
typedef int (*lcm_struct_size_t)(void);
typedef int (*lcm_num_fields_t)(void);
typedef int (*lcm_get_field_t)(const void *p, int i, lcm_field_t *f);
typedef int64_t (*lcm_get_hash_t)(void);

/** The functions of a type. */
typedef struct _lcm_type_info_t lcm_type_info_t;
struct _lcm_type_info_t {
    lcm_encode_t encode;
    lcm_decode_t decode;
    lcm_decode_cleanup_t decode_cleanup;
    lcm_encoded_size_t encoded_size;
    lcm_struct_size_t struct_size;
    lcm_num_fields_t num_fields;
    lcm_get_field_t get_field;
    lcm_get_hash_t get_hash;
};

#ifdef __cplusplus
}
#endif

#endif
