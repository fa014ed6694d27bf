/* The loop, the clock and the protocol of the contenders in C and C++.
 *
 * Started with the directory of the messages as its argument, a contender answers lines on its standard input:
 *
 *     OPERATION CASE COUNT     does it COUNT times, and answers how many nanoseconds that took; `-` if it cannot
 *     verify CASE              answers the message, decoded and encoded again, as hexadecimal digits
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is measured of one message. Each does its work `count` times. */
typedef struct case_t {
    const char *name;
    void (*encode)(size_t count);
    void (*decode)(size_t count);
    void (*reuse)(size_t count); /* NULL where a contender cannot decode into used storage */
    void (*copy)(size_t count);
    void (*verify)(void);
} case_t;

/* The bytes of a message as they came from the runner. */
typedef struct bytes_t {
    uint8_t *data;
    size_t size;
} bytes_t;

/* Makes the compiler believe that all memory has been read and written. */
static inline void touch(const void *what)
{
    __asm__ volatile("" : : "r"(what) : "memory");
}

static inline void give_up(const char *what, const char *about)
{
    fprintf(stderr, "%s: %s\n", what, about);
    exit(1);
}

static inline bytes_t read_message(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        give_up("cannot be read", path);
    }
    fseek(file, 0, SEEK_END);
    bytes_t bytes;
    bytes.size = (size_t)ftell(file);
    bytes.data = (uint8_t *)malloc(bytes.size);
    rewind(file);
    if (!bytes.data || fread(bytes.data, 1, bytes.size, file) != bytes.size) {
        give_up("cannot be read", path);
    }
    fclose(file);
    return bytes;
}

static inline void print_hex(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        printf("%02x", data[i]);
    }
    printf("\n");
}

static inline long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void (*operation_of(const case_t *c, const char *name))(size_t)
{
    return strcmp(name, "encode") == 0 ? c->encode
           : strcmp(name, "decode") == 0 ? c->decode
           : strcmp(name, "reuse") == 0 ? c->reuse
           : strcmp(name, "copy") == 0 ? c->copy
                                       : NULL;
}

static inline int answer(const case_t *cases)
{
    char operation[16];
    char name[16];
    while (scanf("%15s %15s", operation, name) == 2) {
        const case_t *c = cases;
        while (c->name && strcmp(c->name, name) != 0) {
            c++;
        }
        if (!c->name) {
            give_up("there is no case", name);
        }
        if (strcmp(operation, "verify") == 0) {
            c->verify();
        } else {
            size_t count;
            if (scanf("%zu", &count) != 1) {
                give_up("no count", operation);
            }
            void (*run)(size_t) = operation_of(c, operation);
            if (run) {
                long long start = now();
                run(count);
                printf("%lld\n", now() - start);
            } else {
                printf("-\n");
            }
        }
        fflush(stdout);
    }
    return 0;
}

#endif
