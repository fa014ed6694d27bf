/* The event loop: handlers for messages, the periodic function, and its end. */
#include <ach/experimental.h>
#include <pthread.h>

#include "check.h"

enum { CHANNELS = 3, EACH = 50 };
static ach_channel_t chans[CHANNELS], writers[CHANNELS];
static int got[CHANNELS], periods, inputs;

static enum ach_status drain(void *context, struct ach_channel *chan) {
    enum ach_status result = ACH_STALE_FRAMES;
    for (;;) {
        int value;
        size_t len;
        enum ach_status r = ach_get(chan, &value, sizeof value, &len, NULL, 0);
        if (r == ACH_STALE_FRAMES) return result;
        if (r != ACH_OK) return r;
        TRUE(value == __atomic_fetch_add((int *)context, 1, __ATOMIC_SEQ_CST));
        result = ACH_OK;
    }
}
static enum ach_status count(void *context) {
    ++*(int *)context;
    return ACH_OK;
}
static enum ach_status ten(void *context) { return ++*(int *)context == 10 ? ACH_CLOSED : ACH_OK; }

static void *puts_(void *arg) {
    for (int i = 0; i < EACH; i++) {
        for (int c = 0; c < CHANNELS; c++) TRUE(ach_put(&writers[c], &i, sizeof i) == ACH_OK);
        usleep(1000);
    }
    for (int c = 0; c < CHANNELS; c++) {
        while (__atomic_load_n(&got[c], __ATOMIC_SEQ_CST) < EACH) usleep(1000);
    }
    TRUE(ach_cancel(&chans[1], NULL) == ACH_OK);
    return arg;
}

/* Waits with a handle until it is canceled. */
static void *waits(void *arg) {
    int value;
    size_t len;
    TRUE(ach_get(&chans[0], &value, sizeof value, &len, NULL, ACH_O_WAIT) == ACH_CANCELED);
    return arg;
}

int main(void) {
    struct ach_evhandler handlers[CHANNELS];
    const char *names[CHANNELS] = {"e0", "e1", "e2"};
    for (int c = 0; c < CHANNELS; c++) {
        TRUE(ach_create(names[c], EACH, 4, NULL) == ACH_OK);
        TRUE(ach_open(&chans[c], names[c], NULL) == ACH_OK && ach_open(&writers[c], names[c], NULL) == ACH_OK);
        handlers[c] = (struct ach_evhandler){&chans[c], &got[c], drain};
    }
    /* Without a message, the period alone. */
    struct timespec period = {0, 5000000}, begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    TRUE(ach_evhandle(handlers, CHANNELS, &period, ten, &periods, ACH_EV_O_PERIODIC_TIMEOUT) == ACH_CLOSED);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double took = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    TRUE(periods == 10 && took >= 0.049 && took < 20);
    /* A channel with several handlers. */
    struct ach_evhandler same[2] = {handlers[0], handlers[0]};
    periods = 0;
    TRUE(ach_evhandle(same, 2, &period, ten, &periods, ACH_EV_O_PERIODIC_TIMEOUT) == ACH_CLOSED);
    /* A thread that waits with the same handle does not end the loop. */
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    while (ach_flush(&chans[0]) != ACH_EAGAIN) usleep(1000); /* until it waits */
    periods = 0;
    TRUE(ach_evhandle(handlers, CHANNELS, &period, ten, &periods, ACH_EV_O_PERIODIC_TIMEOUT) == ACH_CLOSED);
    TRUE(ach_cancel(&chans[0], NULL) == ACH_OK);
    pthread_join(thread, NULL);
    chans[0].cancel = 0;
    /* Without a period, until a cancellation. */
    pthread_create(&thread, NULL, puts_, NULL);
    TRUE(ach_evhandle(handlers, CHANNELS, NULL, count, &inputs, ACH_EV_O_PERIODIC_INPUT) == ACH_CANCELED);
    pthread_join(thread, NULL);
    TRUE(inputs > 0 && got[0] == EACH && got[1] == EACH && got[2] == EACH);
    /* What is wrong. */
    TRUE(ach_evhandle(NULL, 1, NULL, NULL, NULL, 0) == ACH_EINVAL);
    TRUE(ach_evhandle(handlers, 0, NULL, NULL, NULL, 0) == ACH_EINVAL);
    TRUE(ach_evhandle(handlers, 1000, NULL, NULL, NULL, 0) == ACH_ENOTSUP);
    TRUE(ach_evhandle(handlers, CHANNELS, NULL, ten, &periods, ACH_EV_O_PERIODIC_TIMEOUT) == ACH_EINVAL);
    TRUE(ach_evhandle(handlers, CHANNELS, &period, NULL, NULL, ACH_EV_O_PERIODIC_TIMEOUT) == ACH_EINVAL);
    for (int c = 0; c < CHANNELS; c++) {
        TRUE(ach_close(&chans[c]) == ACH_OK && ach_close(&writers[c]) == ACH_OK && ach_unlink(names[c]) == ACH_OK);
    }
    TRUE(ach_evhandle(handlers, CHANNELS, NULL, NULL, NULL, 0) == ACH_EINVAL);
    puts("done");
    return 0;
}
