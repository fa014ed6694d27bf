/* Threads that put with one handle while another gets with it; Ach's users do, though Ach does not promise it. */
#include <ach.h>
#include <pthread.h>

#include "check.h"

enum { THREADS = 6, EACH = 2000, ROUNDS = 20 };
static ach_channel_t chan;
static pthread_barrier_t begin_;

static void *puts_(void *arg) {
    int value = (int)(long)arg * EACH;
    pthread_barrier_wait(&begin_);
    for (int i = 0; i < EACH; i++, value++) TRUE(ach_put(&chan, &value, sizeof value) == ACH_OK);
    return NULL;
}

/* Asks what the handle is, in one thread of several. */
static void *asks(void *arg) {
    enum ach_map map;
    for (int i = 0; i < 20000; i++) TRUE(ach_channel_map(&chan, &map) == ACH_OK && map == ACH_MAP_USER);
    return arg;
}

static void in_threads(void *(*function)(void *)) {
    pthread_t threads[THREADS];
    for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, function, (void *)t);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
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
    while (ach_flush(&chan) != ACH_EAGAIN) usleep(1000); /* until it waits */
    struct timespec t = {0, 100000000}, begin, end;
    TRUE(ach_get(&chan, &value, sizeof value, &len, NULL, 0) == ACH_EAGAIN);
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
    pthread_barrier_init(&begin_, NULL, THREADS);
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
    in_threads(asks);
    /* Once the name is gone, no publisher can be opened: the threads use the one that there is in turn. */
    TRUE(ach_close(&chan) == ACH_OK && ach_open(&chan, "threads", NULL) == ACH_OK && ach_flush(&chan) == ACH_OK);
    TRUE(ach_unlink("threads") == ACH_OK);
    uint64_t before = chan.seq_num;
    for (int i = 0; i < ROUNDS; i++) in_threads(puts_);
    TRUE(ach_flush(&chan) == ACH_OK && chan.seq_num == before + ROUNDS * THREADS * EACH);
    TRUE(ach_close(&chan) == ACH_OK);
    /* The same without a name from the start. */
    ach_create_attr_t create;
    ach_create_attr_init(&create);
    ach_attr_t attr;
    ach_attr_init(&attr);
    struct ach_header *shm;
    TRUE(ach_create_attr_set_map(&create, ACH_MAP_ANON) == ACH_OK && ach_create(NULL, 16, 4, &create) == ACH_OK);
    TRUE(ach_create_attr_get_shm(&create, &shm) == ACH_OK && ach_attr_set_shm(&attr, shm) == ACH_OK);
    TRUE(ach_open(&chan, NULL, &attr) == ACH_OK);
    for (int i = 0; i < ROUNDS; i++) in_threads(puts_);
    TRUE(ach_flush(&chan) == ACH_OK && chan.seq_num == ROUNDS * THREADS * EACH);
    TRUE(ach_close(&chan) == ACH_OK);
    puts("done");
    return 0;
}
