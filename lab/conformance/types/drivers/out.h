/* A text that grows, and the pieces of JSON that the drivers answer with. C99 and C++.
 *
 * Numbers are written so that nothing is lost: integers in decimal, floats as the digits of their bits, strings as the
 * digits of their bytes. */
#ifndef CONFORMANCE_OUT_H
#define CONFORMANCE_OUT_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct out_t {
    char *text;
    size_t length;
    size_t room;
} out_t;

static inline void put(out_t *o, const char *text, size_t n)
{
    if (o->room - o->length < n) {
        size_t room = 2 * (o->length + n);
        char *text_now = (char *)realloc(o->text, room);
        if (!text_now) {
            fputs("driver: no memory for an answer\n", stderr);
            exit(3);
        }
        o->text = text_now;
        o->room = room;
    }
    memcpy(o->text + o->length, text, n);
    o->length += n;
}

static inline void put_text(out_t *o, const char *text)
{
    put(o, text, strlen(text));
}

static inline void put_hex(out_t *o, const void *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *from = (const uint8_t *)bytes;
    for (size_t i = 0; i < n; i++) {
        char two[2] = {digits[from[i] >> 4], digits[from[i] & 15]};
        put(o, two, 2);
    }
}

/* Begins the next member of a list or an object. */
static inline void put_next(out_t *o)
{
    char last = o->length ? o->text[o->length - 1] : '\0';
    if (last != '[' && last != '{') {
        put(o, ",", 1);
    }
}

static inline void put_key(out_t *o, const char *name)
{
    put_next(o);
    put(o, "\"", 1);
    put_text(o, name);
    put(o, "\":", 2);
}

static inline void put_int64_t(out_t *o, int64_t x)
{
    char digits[24];
    put(o, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, x));
}
static inline void put_int8_t(out_t *o, int8_t x) { put_int64_t(o, x); }
static inline void put_int16_t(out_t *o, int16_t x) { put_int64_t(o, x); }
static inline void put_int32_t(out_t *o, int32_t x) { put_int64_t(o, x); }
static inline void put_byte(out_t *o, uint8_t x) { put_int64_t(o, x); }
static inline void put_boolean(out_t *o, int8_t x) { put_int64_t(o, x); }

static inline void put_float(out_t *o, float x)
{
    uint32_t bits;
    char digits[16];
    memcpy(&bits, &x, sizeof bits);
    put(o, digits, (size_t)snprintf(digits, sizeof digits, "\"%08" PRIx32 "\"", bits));
}

static inline void put_double(out_t *o, double x)
{
    uint64_t bits;
    char digits[24];
    memcpy(&bits, &x, sizeof bits);
    put(o, digits, (size_t)snprintf(digits, sizeof digits, "\"%016" PRIx64 "\"", bits));
}

static inline void put_chars(out_t *o, const char *chars, size_t n)
{
    put(o, "\"", 1);
    put_hex(o, chars, n);
    put(o, "\"", 1);
}

#endif
