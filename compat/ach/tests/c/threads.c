/* Threads that put with one handle while another gets with it; Ach's users do, though Ach does not promise it. */
#include <ach.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TRUE(what)                                                                                                \
    do {                                                                                                          \
        if (!(what)) {                                                                                            \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #what);                                            \
            exit(1);                                                                                              \
        }                                                                                                         \
    } while (0)

enum { THREADS = 6, EACH = 2000 };
static ach_channel_t chan;

static void *puts_(void *arg) {
    int value = (int)(long)arg * EACH;
    for (int i = 0; i < EACH; i++, value++) TRUE(ach_put(&chan, &value, sizeof value) == ACH_OK);
    return NULL;
}

/* Waits with the handle until it is canceled. */
static void *waits(void *arg) {
    int value;
    size_t len;
    TRUE(ach_get(&chan, &value, sizeof value, &len, NULL, ACH_O_WAIT) == ACH_CANCELED);
    return arg;
}

/* What a second thread gets while the first waits with the same handle. */
static void two_that_get(void) {
    pthread_t first, second;
    int value = 7;
    size_t len;
    pthread_create(&first, NULL, waits, NULL);
    usleep(50000);
    struct timespec t = {0, 100000000}, begin, end;
    TRUE(ach_get(&chan, &value, sizeof value, &len, NULL, 0) == ACH_EAGAIN && ach_flush(&chan) == ACH_EAGAIN);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    TRUE(ach_get(&chan, &value, sizeof value, &len, &t, ACH_O_WAIT | ACH_O_RELTIME) == ACH_TIMEOUT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    TRUE(end.tv_sec - begin.tv_sec < 20);
    pthread_create(&second, NULL, waits, NULL);
    usleep(10000);
    TRUE(ach_cancel(&chan, NULL) == ACH_OK);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    chan.cancel = 0;
    TRUE(ach_get(&chan, &value, sizeof value, &len, NULL, 0) == ACH_STALE_FRAMES);
}

int main(void) {
    TRUE(ach_create("threads", THREADS * EACH, 4, NULL) == ACH_OK && ach_open(&chan, "threads", NULL) == ACH_OK);
    pthread_t threads[THREADS];
    for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, puts_, (void *)t);
    int next[THREADS] = {0};
    for (int i = 0; i < THREADS * EACH; i++) {
        int value = -1;
        size_t len;
        struct timespec t = {60, 0};
        TRUE(ach_get(&chan, &value, sizeof value, &len, &t, ACH_O_WAIT | ACH_O_RELTIME) == ACH_OK);
        TRUE(value % EACH == next[value / EACH]++);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    two_that_get();
    TRUE(ach_close(&chan) == ACH_OK && ach_unlink("threads") == ACH_OK);
    puts("done");
    return 0;
}
