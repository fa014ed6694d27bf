/* Generated C, LCM's or ours: both have the same names. */
#define _POSIX_C_SOURCE 199309L
#include "measure.h"

#include "bench_cloud_t.h"
#include "bench_image_t.h"
#include "bench_joints_t.h"
#include "bench_laser_t.h"
#include "bench_path_t.h"

/* Decoding allocates in both, and cleaning up gives it back: there is no decoding into used storage. */
#define CASE(NAME, TYPE)                                                        \
    static bytes_t NAME##_bytes;                                                \
    static uint8_t *NAME##_buffer;                                              \
    static TYPE NAME##_message;                                                 \
    static void NAME##_prepare(const char *directory)                           \
    {                                                                           \
        NAME##_bytes = read_message(directory, #NAME);                          \
        NAME##_buffer = (uint8_t *)malloc(NAME##_bytes.size);                   \
        int size = (int)NAME##_bytes.size;                                      \
        if (TYPE##_decode(NAME##_bytes.data, 0, size, &NAME##_message) < 0) {   \
            give_up("does not decode", #NAME);                                  \
        }                                                                       \
    }                                                                           \
    static void NAME##_encode(size_t count)                                     \
    {                                                                           \
        for (size_t i = 0; i < count; i++) {                                    \
            touch(&NAME##_message);                                             \
            TYPE##_encode(NAME##_buffer, 0, (int)NAME##_bytes.size, &NAME##_message); \
            touch(NAME##_buffer);                                               \
        }                                                                       \
    }                                                                           \
    static void NAME##_decode(size_t count)                                     \
    {                                                                           \
        for (size_t i = 0; i < count; i++) {                                    \
            TYPE message;                                                       \
            touch(NAME##_bytes.data);                                           \
            TYPE##_decode(NAME##_bytes.data, 0, (int)NAME##_bytes.size, &message); \
            touch(&message);                                                    \
            TYPE##_decode_cleanup(&message);                                    \
        }                                                                       \
    }                                                                           \
    static void NAME##_copy(size_t count)                                       \
    {                                                                           \
        for (size_t i = 0; i < count; i++) {                                    \
            touch(NAME##_bytes.data);                                           \
            memcpy(NAME##_buffer, NAME##_bytes.data, NAME##_bytes.size);        \
            touch(NAME##_buffer);                                               \
        }                                                                       \
    }                                                                           \
    static void NAME##_verify(void)                                             \
    {                                                                           \
        memset(NAME##_buffer, 0, NAME##_bytes.size);                            \
        NAME##_encode(1);                                                       \
        print_hex(NAME##_buffer, NAME##_bytes.size);                            \
    }

#define CASES(X) \
    X(scan, bench_laser_t) X(joints, bench_joints_t) X(image, bench_image_t) X(cloud, bench_cloud_t) X(path, bench_path_t)

CASES(CASE)

#define PREPARE(NAME, TYPE) NAME##_prepare(argv[1]);
#define ROW(NAME, TYPE) {#NAME, NAME##_encode, NAME##_decode, NULL, NAME##_copy, NAME##_verify},

static const case_t cases[] = {CASES(ROW) {NULL, NULL, NULL, NULL, NULL, NULL}};

int main(int argc, char **argv)
{
    if (argc != 2) {
        give_up("usage", "lcm DIRECTORY");
    }
    CASES(PREPARE)
    return answer(cases);
}
