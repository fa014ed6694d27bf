/* A robot like Hubo: nine channels, with the sizes that hubo-ach has, and the programs that use them. */
#ifndef HUBO_H
#define HUBO_H

#include <ach.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JOINTS 40
#define PERIOD_NS 5000000 /* 200 Hz */
#define CAN_FD 3          /* the daemon's end of the bus */

#define REF "hubo-ref"
#define REF_NECK "hubo-ref-neck"
#define STATE "hubo-state"
#define ENC "hubo-enc"
#define BOARD_CMD "hubo-board-cmd"
#define PWM_GAINS "hubo-pwm-gains"
#define BOARD_PARAM "hubo-board-param"
#define TO_SIM "hubo-virtual-to-sim"
#define FROM_SIM "hubo-virtual-from-sim"

/* What joints shall do. */
typedef struct __attribute__((packed)) {
    float joint[JOINTS];
    float phase; /* of the gait, in rad */
    uint32_t sum;
    uint8_t rest[294];
} hubo_ref_t;

/* What joints do; more than a nominal message of its channel. */
typedef struct __attribute__((packed)) {
    uint32_t life; /* the daemon's process */
    uint32_t cycle;
    float joint[JOINTS];
    float phase;
    float neck;
    uint32_t sum;
    uint8_t rest[3718];
} hubo_state_t;

typedef struct __attribute__((packed)) {
    float neck;
    uint8_t rest[332];
} hubo_enc_t;

typedef struct __attribute__((packed)) {
    uint32_t number;
    uint8_t rest[130];
} hubo_board_cmd_t;

typedef struct __attribute__((packed)) {
    float gain[JOINTS];
    uint8_t rest[890];
} hubo_pwm_gains_t;

/* A board's answer; more than two nominal messages. */
typedef struct __attribute__((packed)) {
    uint32_t number; /* of the command */
    uint32_t sum;
    uint8_t rest[6166];
} hubo_board_param_t;

typedef struct __attribute__((packed)) {
    uint64_t cycle;
} hubo_virtual_t;

_Static_assert(sizeof(hubo_ref_t) == 462, "as in hubo-ach");
_Static_assert(sizeof(hubo_state_t) == 3898, "as in hubo-ach");
_Static_assert(sizeof(hubo_enc_t) == 336, "as in hubo-ach");
_Static_assert(sizeof(hubo_board_cmd_t) == 134, "as in hubo-ach");
_Static_assert(sizeof(hubo_pwm_gains_t) == 1050, "as in hubo-ach");
_Static_assert(sizeof(hubo_board_param_t) == 6174, "as in hubo-ach");
_Static_assert(sizeof(hubo_virtual_t) == 8, "as in hubo-ach");

/* A frame of the bus, which stands in for CAN: a number, and two joints' values. */
typedef struct {
    uint32_t id; /* 0: the daemon's cycle is over, answer */
    float value[2];
} can_frame_t;

/* Ends the program with a sentence: what must not happen, happened. */
#define CHECK(what)                                                                       \
    do {                                                                                  \
        if (!(what)) {                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);            \
            exit(3);                                                                      \
        }                                                                                 \
    } while (0)

/* The bytes of a message, added up, but for the sum itself. */
static inline uint32_t sum_of(const void *message, size_t len, size_t sum_at) {
    uint32_t sum = 1;
    for (size_t i = 0; i < len; i++) {
        if (i < sum_at || i >= sum_at + 4) sum = sum * 31 + ((const uint8_t *)message)[i];
    }
    return sum;
}
#define SUM(message) sum_of(&(message), sizeof(message), offsetof(__typeof__(message), sum))

static inline ach_channel_t *channel(ach_channel_t *chan, const char *name) {
    int r = ach_open(chan, name, NULL);
    if (r != ACH_OK) {
        fprintf(stderr, "cannot open %s: %s: %s\n", name, ach_result_to_string((ach_status_t)r), ach_errstr());
        exit(3);
    }
    return chan;
}

/* 1: a message; 0: none. Everything else must not happen. */
static inline int get(ach_channel_t *chan, void *message, size_t size, const struct timespec *until, int options) {
    size_t len = 0;
    int r = ach_get(chan, message, size, &len, until, options);
    if (r == ACH_STALE_FRAMES || r == ACH_TIMEOUT) return 0;
    CHECK((r == ACH_OK || r == ACH_MISSED_FRAME) && len == size);
    return 1;
}

static inline struct timespec in(double seconds) {
    struct timespec t;
    clock_gettime(ACH_DEFAULT_CLOCK, &t);
    t.tv_sec += (time_t)seconds;
    t.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}
static inline double now(void) {
    struct timespec t = in(0);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Sleeps until the next cycle of a period. After a stop it starts over, instead of making up for what it missed. */
static inline void cycle(struct timespec *next, long period_ns) {
    next->tv_nsec += period_ns;
    while (next->tv_nsec >= 1000000000) next->tv_sec++, next->tv_nsec -= 1000000000;
    if ((double)next->tv_sec + (double)next->tv_nsec / 1e9 < now() - 0.05) *next = in(0);
    clock_nanosleep(ACH_DEFAULT_CLOCK, TIMER_ABSTIME, next, NULL);
}

/* Runs the program of this name, forever. */
void run_program(const char *name);

#endif
