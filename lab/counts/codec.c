/* Generated C code, with one message of each type. */
#include "bench_laser_t.h"
#include "bench_path_t.h"
#include <stdint.h>

#define CODEC(NAME, TYPE)                                                   \
    static TYPE NAME##_message;                                             \
    int NAME##_keep(const uint8_t *bytes, int size)                         \
    {                                                                       \
        return TYPE##_decode(bytes, 0, size, &NAME##_message);              \
    }                                                                       \
    int NAME##_encode(uint8_t *bytes, int size)                             \
    {                                                                       \
        return TYPE##_encode(bytes, 0, size, &NAME##_message);              \
    }                                                                       \
    int NAME##_decode(const uint8_t *bytes, int size)                       \
    {                                                                       \
        TYPE message;                                                       \
        int used = TYPE##_decode(bytes, 0, size, &message);                 \
        if (used >= 0) {                                                    \
            TYPE##_decode_cleanup(&message);                                \
        }                                                                   \
        return used;                                                        \
    }

CODEC(scan, bench_laser_t)
CODEC(path, bench_path_t)
