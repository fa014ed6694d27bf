/* What each call returns in each state of a channel, as Ach documents and does it. */
#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"

static int line;
static const char *doing;

#define IS(call, status)                                                                                          \
    do {                                                                                                          \
        enum ach_status is_ = (enum ach_status)(call);                                                            \
        line = __LINE__, doing = #call;                                                                           \
        if (is_ != (status)) {                                                                                    \
            fprintf(stderr, "line %d: %s is %s (%s), expected %s\n", line, doing, ach_result_to_string(is_),       \
                    ach_errstr() ? ach_errstr() : "", ach_result_to_string(status));                              \
            exit(1);                                                                                              \
        }                                                                                                         \
    } while (0)

static char buf[100000];
static size_t len;

/* Gets one byte, the number of a message. */
static enum ach_status get(ach_channel_t *chan, int options) {
    len = 4711;
    buf[0] = 'x';
    return ach_get(chan, buf, sizeof buf, &len, NULL, options);
}
static enum ach_status put(ach_channel_t *chan, char number) { return ach_put(chan, &number, 1); }

static struct timespec in(long ms, clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
static long since(struct timespec t) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - t.tv_sec) * 1000 + (now.tv_nsec - t.tv_nsec) / 1000000;
}

static void names(void) {
    char name[66] = {0};
    memset(name, 'a', 65);
    IS(ach_create(NULL, 1, 1, NULL), ACH_EINVAL);
    TRUE(strstr(ach_errstr(), "NULL"));
    IS(ach_create(name, 1, 1, NULL), ACH_INVALID_NAME);
    name[64] = 0;
    IS(ach_create(name, 1, 1, NULL), ACH_INVALID_NAME);
    IS(ach_create(".a", 1, 1, NULL), ACH_INVALID_NAME);
    IS(ach_create("a/b", 1, 1, NULL), ACH_INVALID_NAME);
    IS(ach_create("", 1, 1, NULL), ACH_INVALID_NAME);
    IS(ach_unlink("a b"), ACH_INVALID_NAME);
    IS(ach_unlink(NULL), ACH_EINVAL);
    IS(ach_unlink("nothing"), ACH_ENOENT);
    TRUE(errno == ENOENT && strstr(ach_errstr(), "nothing"));
    name[63] = 0;
    IS(ach_create(name, 1, 1, NULL), ACH_OK);
    IS(ach_unlink(name), ACH_OK);
    IS(ach_create("a.b-c_D9", 0, 0, NULL), ACH_OK);
    IS(ach_create("a.b-c_D9", 0, 0, NULL), ACH_EEXIST);
    IS(ach_unlink("a.b-c_D9"), ACH_OK);
}

static void misuse(void) {
    ach_channel_t chan, zero, garbage;
    memset(&zero, 0, sizeof zero);
    memset(&garbage, 0xA5, sizeof garbage);
    IS(ach_open(&chan, "nothing", NULL), ACH_ENOENT);
    TRUE(strstr(ach_errstr(), "nothing"));
    IS(ach_open(NULL, "nothing", NULL), ACH_EINVAL);
    TRUE(strstr(ach_errstr(), "the handle is NULL"));
    IS(ach_open(&chan, NULL, NULL), ACH_EINVAL);
    TRUE(strstr(ach_errstr(), "the name of the channel is NULL"));
    ach_channel_t *all[] = {NULL, &zero, &garbage, &chan};
    int fd;
    clockid_t clock;
    enum ach_map map;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        IS(get(all[i], 0), ACH_EINVAL);
        IS(put(all[i], 1), ACH_EINVAL);
        IS(ach_flush(all[i]), ACH_EINVAL);
        IS(ach_cancel(all[i], NULL), ACH_EINVAL);
        IS(ach_chmod(all[i], 0600), ACH_EINVAL);
        TRUE(strstr(ach_errstr(), "not open"));
        IS(ach_channel_fd(all[i], &fd), ACH_EINVAL);
        IS(ach_channel_clock(all[i], &clock), ACH_EINVAL);
        IS(ach_channel_map(all[i], &map), ACH_EINVAL);
        IS(ach_close(all[i]), ACH_EINVAL);
    }
    ach_dump(NULL);
    ach_dump((struct ach_header *)&zero);
    IS(ach_create("misuse", 4, 8, NULL), ACH_OK);
    IS(ach_open(&chan, "misuse", NULL), ACH_OK);
    TRUE(chan.shm && !chan.cancel && chan.seq_num == 0 && chan.clock == CLOCK_MONOTONIC);
    ach_channel_t copy = chan;
    IS(ach_channel_fd(&chan, NULL), ACH_EINVAL);
    IS(ach_channel_clock(&chan, NULL), ACH_EINVAL);
    IS(ach_channel_map(&chan, NULL), ACH_EINVAL);
    IS(ach_put(&chan, NULL, 1), ACH_EINVAL);
    IS(ach_put(&chan, buf, 0), ACH_EINVAL);
    IS(ach_put(&chan, buf, 33), ACH_OVERFLOW);
    IS(ach_put(&chan, buf, (size_t)-1), ACH_OVERFLOW);
    IS(ach_close(&chan), ACH_OK);
    TRUE(!chan.shm);
    IS(ach_close(&chan), ACH_EINVAL);
    IS(get(&copy, 0), ACH_EINVAL); /* a copy of a closed handle */
    IS(ach_open(&chan, "misuse", NULL), ACH_OK);
    IS(get(&copy, 0), ACH_EINVAL); /* even if its memory is used again */
    IS(ach_close(&copy), ACH_EINVAL);
    IS(ach_close(&chan), ACH_OK);
    IS(ach_unlink("misuse"), ACH_OK);
    IS(ach_attr_set_shm(NULL, NULL), ACH_EINVAL);
    IS(ach_create_attr_set_clock(NULL, 0), ACH_EINVAL);
    ach_attr_init(NULL);
    ach_create_attr_init(NULL);
    ach_cancel_attr_init(NULL);
    TRUE(0 == strcmp("ACH_OK", ach_result_to_string(ACH_OK)));
    TRUE(0 == strcmp("ACH_EAGAIN", ach_result_to_string(ACH_STALE_FRAMES)));
    TRUE(0 == strcmp("ACH_ENOTSUP", ach_result_to_string(ACH_ENOTSUP)));
    TRUE(ach_result_to_string((enum ach_status)99));
}

static void gets_(void) {
    ach_channel_t chan, other;
    IS(ach_create("get", 4, 8, NULL), ACH_OK);
    IS(ach_open(&chan, "get", NULL), ACH_OK);
    /* Nothing was ever put. */
    for (int options = 0; options < 16; options += 2) {
        IS(get(&chan, options), ACH_STALE_FRAMES);
        TRUE(len == 4711 && buf[0] == 'x');
    }
    IS(get(&chan, ACH_O_COPY), ACH_STALE_FRAMES);
    IS(ach_get(&chan, NULL, 0, NULL, NULL, 0), ACH_STALE_FRAMES);
    IS(put(&chan, 1), ACH_OK);
    IS(get(&chan, 0), ACH_OK);
    TRUE(len == 1 && buf[0] == 1 && chan.seq_num == 1);
    IS(get(&chan, 0), ACH_STALE_FRAMES);
    IS(get(&chan, ACH_O_LAST), ACH_STALE_FRAMES);
    TRUE(len == 4711 && buf[0] == 'x');
    IS(get(&chan, ACH_O_COPY), ACH_OK);
    TRUE(len == 1 && buf[0] == 1 && chan.seq_num == 1);
    IS(get(&chan, ACH_O_COPY | ACH_O_LAST), ACH_OK);
    TRUE(buf[0] == 1);
    /* In order, the newest, the newest again, and with unseen ones. */
    for (char i = 2; i <= 4; i++) IS(put(&chan, i), ACH_OK);
    IS(get(&chan, ACH_O_COPY), ACH_OK);
    TRUE(buf[0] == 2);
    IS(get(&chan, ACH_O_COPY | ACH_O_LAST), ACH_MISSED_FRAME);
    TRUE(buf[0] == 4 && chan.seq_num == 4);
    IS(get(&chan, ACH_O_LAST), ACH_STALE_FRAMES);
    /* Lapped: the oldest that is kept. */
    for (char i = 5; i <= 10; i++) IS(put(&chan, i), ACH_OK);
    IS(get(&chan, 0), ACH_MISSED_FRAME);
    TRUE(buf[0] == 7 && chan.seq_num == 7);
    IS(get(&chan, 0), ACH_OK);
    TRUE(buf[0] == 8);
    IS(get(&chan, ACH_O_LAST), ACH_MISSED_FRAME);
    TRUE(buf[0] == 10);
    /* A new handle has seen nothing. */
    IS(ach_open(&other, "get", NULL), ACH_OK);
    IS(get(&other, ACH_O_LAST), ACH_MISSED_FRAME);
    TRUE(buf[0] == 10 && other.seq_num == 10);
    IS(ach_close(&other), ACH_OK);
    IS(ach_open(&other, "get", NULL), ACH_OK);
    IS(get(&other, 0), ACH_MISSED_FRAME);
    TRUE(buf[0] == 7);
    IS(ach_flush(&other), ACH_OK);
    TRUE(other.seq_num == 10);
    IS(get(&other, 0), ACH_STALE_FRAMES);
    IS(put(&chan, 11), ACH_OK);
    IS(get(&other, 0), ACH_OK); /* what was flushed is not missed */
    TRUE(buf[0] == 11 && other.seq_num == 11);
    /* Buffers. */
    IS(ach_put(&chan, "four", 4), ACH_OK);
    len = 0;
    IS(ach_get(&other, buf, 3, &len, NULL, 0), ACH_OVERFLOW);
    TRUE(len == 4);
    len = 0;
    IS(ach_get(&other, NULL, 0, &len, NULL, 0), ACH_OVERFLOW); /* asks for the size */
    TRUE(len == 4);
    IS(ach_get(&other, NULL, 4, &len, NULL, 0), ACH_EINVAL);
    IS(ach_get(&other, buf, 4, NULL, NULL, 0), ACH_EINVAL);
    IS(ach_get(&other, buf, 4, &len, NULL, 0x7ff0), ACH_OK); /* unknown bits */
    TRUE(len == 4 && 0 == memcmp(buf, "four", 4));
    len = 0;
    IS(ach_get(&other, buf, 3, &len, NULL, ACH_O_COPY), ACH_OVERFLOW);
    TRUE(len == 4);
    IS(ach_get(&other, buf, 4, &len, NULL, ACH_O_COPY), ACH_OK);
    /* As long as all frames together. */
    IS(ach_put(&chan, buf, 32), ACH_OK);
    IS(get(&other, 0), ACH_OK);
    TRUE(len == 32);
    IS(ach_close(&other), ACH_OK);
    IS(ach_close(&chan), ACH_OK);
    IS(ach_unlink("get"), ACH_OK);
}

static void timeouts(clockid_t clock) {
    ach_channel_t chan;
    ach_create_attr_t attr;
    ach_create_attr_init(&attr);
    IS(ach_create_attr_set_clock(&attr, clock), ACH_OK);
    IS(ach_create("time", 4, 8, &attr), ACH_OK);
    IS(ach_open(&chan, "time", NULL), ACH_OK);
    clockid_t is;
    IS(ach_channel_clock(&chan, &is), ACH_OK);
    TRUE(is == clock && chan.clock == clock);
    struct timespec begin = in(0, CLOCK_MONOTONIC), t = in(150, clock);
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT), ACH_TIMEOUT);
    TRUE(since(begin) >= 149 && since(begin) < 20000);
    t = (struct timespec){0, 150000000};
    begin = in(0, CLOCK_MONOTONIC);
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_RELTIME | ACH_O_COPY), ACH_TIMEOUT);
    TRUE(since(begin) >= 149 && since(begin) < 20000);
    t = (struct timespec){0, 0};
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT), ACH_TIMEOUT);
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_RELTIME), ACH_TIMEOUT);
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, 0), ACH_STALE_FRAMES); /* ignored without WAIT */
    t.tv_nsec = 1000000000;
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT), ACH_FAILED_SYSCALL);
    TRUE(errno == EINVAL);
    IS(put(&chan, 1), ACH_OK);
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT), ACH_OK); /* data first */
    IS(put(&chan, 2), ACH_OK);
    IS(put(&chan, 3), ACH_OK);
    t = (struct timespec){1, 0};
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_LAST), ACH_MISSED_FRAME);
    /* WAIT with COPY waits for a new message. */
    IS(ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_COPY), ACH_TIMEOUT);
    IS(ach_close(&chan), ACH_OK);
    IS(ach_unlink("time"), ACH_OK);
}

static void attributes(void) {
    ach_create_attr_t create;
    ach_attr_t attr, lock;
    ach_channel_t chan, second;
    struct ach_header *shm;
    memset(&create, 0xA5, sizeof create);
    ach_create_attr_init(&create);
    TRUE(create.map == ACH_MAP_USER && !create.truncate && !create.set_clock);
    IS(ach_create_attr_get_shm(&create, &shm), ACH_EINVAL);
    IS(ach_create_attr_set_map(&create, (enum ach_map)7), ACH_EINVAL);
    IS(ach_create_attr_set_map(&create, ACH_MAP_ANON), ACH_OK);
    IS(ach_create_attr_set_map(&create, ACH_MAP_KERNEL), ACH_OK);
    IS(ach_create_attr_set_clock(&create, CLOCK_PROCESS_CPUTIME_ID), ACH_OK);
    IS(ach_create("attr", 4, 8, &create), ACH_EINVAL);
    IS(ach_create_attr_set_clock(&create, CLOCK_MONOTONIC), ACH_OK);
    IS(ach_create("attr", (size_t)-1, 8, &create), ACH_EINVAL);
    IS(ach_create("attr", 4, 8, &create), ACH_OK);
    memset(&attr, 0xA5, sizeof attr);
    IS(ach_open(&chan, "attr", &attr), ACH_EINVAL); /* not initialized */
    ach_attr_init(&attr);
    IS(ach_open(&chan, "attr", &attr), ACH_OK);
    enum ach_map map;
    IS(ach_channel_map(&chan, &map), ACH_OK);
    TRUE(map == ACH_MAP_USER);
    IS(put(&chan, 1), ACH_OK);
    IS(get(&chan, 0), ACH_OK);
    /* Truncated, it is empty, and open handles continue. */
    IS(ach_create("attr", 4, 8, &create), ACH_EEXIST);
    IS(ach_create_attr_set_truncate(&create, 5), ACH_OK);
    IS(ach_create("attr", 8, 16, &create), ACH_OK);
    IS(get(&chan, ACH_O_COPY), ACH_STALE_FRAMES);
    IS(ach_put(&chan, buf, 128), ACH_OK);
    IS(get(&chan, 0), ACH_OK);
    TRUE(len == 128 && chan.seq_num == 2);
    /* One source at a time. */
    ach_attr_init(&lock);
    IS(ach_attr_set_lock_source(&lock, 1), ACH_OK);
    lock.map = ACH_MAP_KERNEL;
    ach_channel_t source;
    IS(ach_open(&source, "attr", &lock), ACH_OK);
    IS(ach_channel_map(&source, &map), ACH_OK);
    TRUE(map == ACH_MAP_KERNEL);
    IS(ach_open(&second, "attr", &lock), ACH_LOCKED);
    IS(ach_put(&second, buf, 1), ACH_EINVAL);
    IS(ach_close(&source), ACH_OK);
    IS(ach_open(&second, "attr", &lock), ACH_OK);
    IS(ach_close(&second), ACH_OK);
    /* Permissions. */
    IS(ach_chmod(&chan, 0), ACH_EINVAL);
    IS(ach_chmod(&chan, 0777), ACH_OK);
    ach_dump(chan.shm);
    /* To a full disk: it prints nothing, and leaves the handle as it was. */
    int saved = dup(2), full = open("/dev/full", O_WRONLY);
    TRUE(saved >= 0 && full >= 0 && dup2(full, 2) == 2);
    for (int i = 0; i < 100; i++) ach_dump(chan.shm);
    TRUE(dup2(saved, 2) == 2 && close(saved) == 0 && close(full) == 0);
    IS(ach_channel_map(&chan, &map), ACH_OK);
    /* A descriptor to poll. */
    int fd = -1;
    IS(ach_channel_fd(&chan, &fd), ACH_OK);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    TRUE(fd >= 0 && poll(&wait, 1, 20) == 0);
    IS(put(&chan, 3), ACH_OK);
    TRUE(poll(&wait, 1, 20000) == 1);
    IS(get(&chan, 0), ACH_OK);
    IS(get(&chan, 0), ACH_STALE_FRAMES);
    TRUE(poll(&wait, 1, 20) == 0);
    IS(ach_create("attr", 8, 16, &create), ACH_OK); /* replaced: the descriptor stays */
    for (int i = 0; i < 100 && get(&chan, 0) != ACH_OK; i++) {
        IS(put(&chan, 4), ACH_OK);
        usleep(1000);
    }
    TRUE(buf[0] == 4);
    IS(put(&chan, 5), ACH_OK);
    TRUE(poll(&wait, 1, 20000) == 1);
    IS(ach_close(&chan), ACH_OK);
    IS(ach_unlink("attr"), ACH_OK);
    int port;
    IS(ach_srv_search("attr", "local", buf, sizeof buf, &port), ACH_ENOTSUP);
    IS(ach_attr_set_shm(&attr, NULL), ACH_OK);
    IS(ach_open(&chan, "attr", &attr), ACH_EINVAL);
    IS(ach_attr_set_shm(&attr, (struct ach_header *)&attr), ACH_OK);
    IS(ach_open(&chan, "attr", &attr), ACH_EINVAL);
}

/* A channel without a name, as achcat and Ach's tests use it. */
static void anonymous(void) {
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_channel_t writer, reader;
    struct ach_header *shm = NULL;
    ach_create_attr_init(&create);
    IS(ach_create_attr_set_map(&create, ACH_MAP_ANON), ACH_OK);
    IS(ach_create(NULL, 4, 8, &create), ACH_OK);
    IS(ach_create_attr_get_shm(&create, &shm), ACH_OK);
    TRUE(shm != NULL);
    ach_attr_init(&attr);
    IS(ach_attr_set_shm(&attr, shm), ACH_OK);
    IS(ach_open(&writer, NULL, &attr), ACH_OK);
    IS(ach_open(&reader, NULL, &attr), ACH_OK);
    enum ach_map map;
    IS(ach_channel_map(&reader, &map), ACH_OK);
    TRUE(map == ACH_MAP_ANON);
    for (char i = 1; i <= 3; i++) IS(put(&writer, i), ACH_OK);
    IS(get(&reader, 0), ACH_OK);
    TRUE(buf[0] == 1);
    IS(get(&reader, ACH_O_LAST), ACH_MISSED_FRAME);
    TRUE(buf[0] == 3);
    struct timespec t = {0, 150000000};
    IS(ach_get(&reader, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_RELTIME), ACH_TIMEOUT);
    IS(put(&reader, 4), ACH_OK); /* each handle both ways */
    IS(ach_get(&reader, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_RELTIME), ACH_OK);
    IS(ach_put(&writer, buf, 33), ACH_OVERFLOW);
    IS(ach_close(&reader), ACH_OK);
    IS(ach_open(&reader, NULL, &attr), ACH_OK); /* it lives on */
    IS(get(&reader, 0), ACH_OK);
    IS(ach_close(&reader), ACH_OK);
    IS(ach_close(&writer), ACH_OK);
}

/* Ach's own tests and programs unlink a channel that they have open, and go on. */
static void unlinked(void) {
    ach_channel_t writer, reader, fresh;
    IS(ach_create("gone", 4, 8, NULL), ACH_OK);
    IS(ach_open(&writer, "gone", NULL), ACH_OK);
    IS(ach_open(&reader, "gone", NULL), ACH_OK);
    IS(ach_unlink("gone"), ACH_OK);
    IS(ach_open(&fresh, "gone", NULL), ACH_ENOENT);
    IS(put(&writer, 1), ACH_OK);
    IS(get(&reader, 0), ACH_OK);
    TRUE(buf[0] == 1);
    struct timespec t = {0, 250000000};
    IS(ach_get(&reader, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_RELTIME), ACH_TIMEOUT);
    /* Another one of the name is another one. */
    IS(ach_create("gone", 4, 8, NULL), ACH_OK);
    IS(ach_open(&fresh, "gone", NULL), ACH_OK);
    IS(put(&writer, 2), ACH_OK);
    IS(get(&fresh, 0), ACH_STALE_FRAMES);
    IS(ach_get(&reader, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_RELTIME), ACH_OK);
    TRUE(buf[0] == 2);
    IS(ach_chmod(&writer, 0600), ACH_ENOENT); /* nor does it change that one */
    IS(ach_close(&fresh), ACH_OK);
    IS(ach_close(&writer), ACH_OK);
    IS(ach_close(&reader), ACH_OK);
    /* With a descriptor, whose thread learns that the name is gone. */
    int fd;
    IS(ach_open(&writer, "gone", NULL), ACH_OK);
    IS(ach_open(&reader, "gone", NULL), ACH_OK);
    IS(ach_channel_fd(&reader, &fd), ACH_OK);
    IS(put(&writer, 3), ACH_OK);
    IS(get(&reader, 0), ACH_OK);
    IS(ach_unlink("gone"), ACH_OK);
    TRUE(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 20000) == 1);
    IS(get(&reader, 0), ACH_STALE_FRAMES);
    IS(get(&reader, ACH_O_COPY), ACH_OK);
    TRUE(buf[0] == 3);
    IS(ach_close(&writer), ACH_OK);
    IS(ach_close(&reader), ACH_OK);
    /* Replaced, then unlinked. */
    ach_create_attr_t truncate;
    ach_create_attr_init(&truncate);
    IS(ach_create_attr_set_truncate(&truncate, 1), ACH_OK);
    IS(ach_create("gone", 4, 8, NULL), ACH_OK);
    IS(ach_open(&writer, "gone", NULL), ACH_OK);
    IS(put(&writer, 4), ACH_OK);
    IS(ach_create("gone", 4, 8, &truncate), ACH_OK);
    IS(ach_open(&reader, "gone", NULL), ACH_OK);
    IS(ach_unlink("gone"), ACH_OK);
    IS(put(&writer, 5), ACH_OK);
    IS(get(&reader, 0), ACH_OK);
    TRUE(buf[0] == 5);
    IS(ach_close(&writer), ACH_OK);
    IS(ach_close(&reader), ACH_OK);
}

int main(void) {
    TRUE(ach_errstr() == NULL);
    names();
    misuse();
    gets_();
    timeouts(CLOCK_MONOTONIC);
    timeouts(CLOCK_REALTIME);
    attributes();
    unlinked();
    anonymous();
    puts("done");
    return 0;
}
