/* What a program sees of LCM's interface, on standard output: run with LCM's library and with ours, it must print the same.
 *
 *   differential calls URL           subscriptions, queues, descriptors, return values
 *   differential handlers URL        what handlers do: end subscriptions, subscribe, publish, handle
 *   differential random URL SEED N   N random calls. With an even seed handlers end subscriptions, with an odd one they handle messages:
 *                                    with both, LCM 1.5.3 calls handlers twice or crashes
 *   differential play URL            a log as a network
 *   differential urls URL...         which URLs open
 *   differential log FILE...         events of logs, sound or not
 *   differential seek FILE TIME...   the first event from these times on
 *   differential write FILE MODE     writes a log
 *   differential send URL CHANNEL N SIZE, differential receive URL PATTERN N
 *                                    for two processes; `receive` prints `ready` for a message on PROBE, which is not counted
 */
#include <inttypes.h>
#include <lcm/lcm.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 64

static lcm_t *lcm;
/* Messages of this channel show that all before them have arrived. NULL: arrival is immediate. */
static lcm_subscription_t *barrier;
static int quiet;

static void print_barrier(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)user;
    if (!quiet)
        printf("  barrier %s %u\n", channel, rbuf->data_size);
}

static void nap(void) {
    const struct timespec time = {0, 200000};
    nanosleep(&time, NULL);
}

static void settle(void) {
    int before, i;
    if (!barrier)
        return;
    before = lcm_subscription_get_queue_size(barrier);
    if (lcm_publish(lcm, "BARRIER", "", 0) != 0)
        printf("cannot publish the barrier\n");
    for (i = 0; i < 100000 && lcm_subscription_get_queue_size(barrier) == before; i++)
        nap();
    if (i == 100000)
        printf("a message of this process did not arrive\n");
}

static int readable(void) {
    struct pollfd poll_fd;
    poll_fd.fd = lcm_get_fileno(lcm);
    poll_fd.events = POLLIN;
    return poll(&poll_fd, 1, 0);
}

static void open_lcm(const char *url) {
    lcm = lcm_create(url);
    if (!lcm) {
        printf("NULL\n");
        exit(1);
    }
    if (strncmp(url, "memq", 4) != 0) {
        barrier = lcm_subscribe(lcm, "BARRIER", print_barrier, NULL);
        printf("barrier %d\n", barrier != NULL);
        lcm_subscription_set_queue_capacity(barrier, 0);
    }
}

static uint32_t sum(const void *data, uint32_t size) {
    uint32_t i, sum = size;
    for (i = 0; i < size; i++)
        sum = sum * 31 + ((const uint8_t *)data)[i];
    return sum;
}

/* A subscription that does something when it is called. */
struct one {
    int number;
    char pattern[16];
    lcm_subscription_t *subs;
    int action;
    int calls;
};
static struct one all[MOST];

static void publish(const char *channel, uint32_t size, uint32_t seed) {
    uint8_t *data = (uint8_t *)malloc(size + 1);
    uint32_t i;
    for (i = 0; i < size; i++)
        data[i] = (uint8_t)(seed + i * 7);
    printf("publish %s %u: %d\n", channel, size, lcm_publish(lcm, channel, data, size));
    free(data);
    settle();
}

static void called(const lcm_recv_buf_t *rbuf, const char *channel, void *user);

static void subscribe(int i, const char *pattern, int action) {
    all[i].number = i;
    strcpy(all[i].pattern, pattern);
    all[i].action = action;
    all[i].calls = 0;
    all[i].subs = lcm_subscribe(lcm, pattern, called, &all[i]);
    printf("subscribe %d to %s: %d\n", i, pattern, all[i].subs != NULL);
}

static void unsubscribe(int i) {
    lcm_subscription_t *subs = all[i].subs;
    if (subs) {
        all[i].subs = NULL;
        printf("unsubscribe %d: %d\n", i, lcm_unsubscribe(lcm, subs));
    }
}

static void called(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    struct one *one = (struct one *)user;
    printf("  %d: %s %u %08x %d\n", one->number, channel, rbuf->data_size, sum(rbuf->data, rbuf->data_size), rbuf->lcm == lcm);
    if (one->subs)
        printf("  left %d\n", lcm_subscription_get_queue_size(one->subs));
    one->calls++;
    switch (one->action) {
    case 1:
        unsubscribe(one->number);
        break;
    case 2: /* the one after this one */
        unsubscribe((one->number + 1) % MOST);
        break;
    case 3:
        if (one->calls < 3)
            publish("A", 3, (uint32_t)one->calls);
        break;
    case 4:
        if (!all[(one->number + 8) % MOST].subs)
            subscribe((one->number + 8) % MOST, "A.*", 0);
        break;
    case 5: {
        int handled;
        one->action = 0;
        handled = lcm_handle_timeout(lcm, 0);
        printf("  nested %d\n", handled);
        one->action = 5;
        break;
    }
    case 6: /* the one before this one */
        unsubscribe((one->number + MOST - 1) % MOST);
        break;
    }
}

static void sizes(void) {
    int i;
    printf("queues");
    for (i = 0; i < MOST; i++)
        if (all[i].subs)
            printf(" %d:%d", i, lcm_subscription_get_queue_size(all[i].subs));
    printf(" readable %d\n", readable());
}

static void handle_all(void) {
    int handled;
    do {
        handled = lcm_handle_timeout(lcm, 0);
        printf("handled %d\n", handled);
    } while (handled > 0);
    sizes();
}

static void calls(void) {
    char name[80];
    int i;
    printf("timeout %d\n", lcm_handle_timeout(lcm, 1));
    printf("negative %d\n", lcm_handle_timeout(lcm, -1));
    publish("A", 1, 0); /* nobody */
    sizes();
    subscribe(0, "A", 0);
    subscribe(1, "A.*", 0);
    printf("capacity %d\n", lcm_subscription_set_queue_capacity(all[1].subs, 3));
    for (i = 0; i < 6; i++)
        publish("A", (uint32_t)i, 1);
    sizes();
    subscribe(2, "A", 0); /* late: it gets an older one */
    publish("A", 100, 2);
    sizes();
    handle_all();
    /* The default capacity, and none. */
    for (i = 0; i < 100; i++)
        publish("A", 1, (uint32_t)i);
    sizes();
    handle_all();
    lcm_subscription_set_queue_capacity(all[0].subs, 0);
    lcm_subscription_set_queue_capacity(all[1].subs, -5);
    for (i = 0; i < 100; i++)
        publish("A", 1, (uint32_t)i);
    sizes();
    /* Fewer than there are. */
    lcm_subscription_set_queue_capacity(all[0].subs, 1);
    publish("A", 2, 3);
    sizes();
    handle_all();
    /* Ended while messages wait. */
    publish("A", 1, 0);
    publish("B", 1, 0);
    publish("A", 1, 0);
    unsubscribe(0);
    sizes();
    handle_all();
    publish("A", 1, 0);
    unsubscribe(1);
    unsubscribe(2);
    sizes();
    handle_all();
    /* Names and sizes. */
    subscribe(3, ".*", 0);
    memset(name, 'n', sizeof name);
    name[63] = 0;
    publish(name, 5, 5);
    publish("/a/b c", 0, 0);
    publish("BIG", 65499 - 4, 6);
    publish("BIG", 65499 - 3, 7);
    publish("BIG", 200000, 8);
    handle_all();
    unsubscribe(3);
    /* Patterns. */
    subscribe(4, "A|B", 0);
    subscribe(5, "A\\.B", 0);
    subscribe(6, "(?!A).*", 0);
    subscribe(7, "[AB][0-9]{2}", 0);
    subscribe(8, "A.B", 0);
    publish("A", 1, 0);
    publish("Axx", 1, 1);
    publish("xxB", 1, 2);
    publish("xAx", 1, 3);
    publish("A.B", 1, 4);
    publish("A-B", 1, 5);
    publish("B12", 1, 6);
    publish("B\n", 1, 7);
    handle_all();
    printf("bad %d %d %d\n", lcm_subscribe(lcm, "(", called, NULL) != NULL, lcm_subscribe(lcm, "[z-a]", called, NULL) != NULL,
           lcm_subscribe(lcm, "*", called, NULL) != NULL);
    printf("null %d\n", lcm_unsubscribe(lcm, NULL));
    publish("A", 1, 0);
    printf("handle %d\n", lcm_handle(lcm));
}

static void handlers(void) {
    int action;
    for (action = 0; action <= 6; action++) {
        int i;
        printf("action %d\n", action);
        for (i = 0; i < 4; i++)
            subscribe(i, i % 2 ? "A.*" : "A", i == 1 ? action : 0);
        for (i = 0; i < 5; i++)
            publish(i % 2 ? "A" : "AB", (uint32_t)i, (uint32_t)i);
        handle_all();
        publish("A", 9, 9);
        handle_all();
        for (i = 0; i < MOST; i++)
            unsubscribe(i);
        handle_all();
    }
}

static uint64_t state;
static uint32_t below(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void random_calls(uint32_t seed, int n) {
    static const char *channels[] = {"A", "B", "AB", "ABC", "a.b", "C"};
    static const char *patterns[] = {"A", "A.*", ".*", "A|B", "B", "C", "AB?C?", "a\\.b"};
    static const int actions[2][5] = {{1, 2, 3, 4, 6}, {3, 4, 5, 5, 3}};
    int k;
    state = seed;
    for (k = 0; k < n; k++) {
        const int i = (int)below(MOST / 2);
        switch (below(12)) {
        case 0:
        case 1:
            if (!all[i].subs)
                subscribe(i, patterns[below(8)], below(3) ? 0 : actions[seed % 2][below(5)]);
            break;
        case 2:
            unsubscribe(i);
            break;
        case 3:
            if (all[i].subs) {
                const int capacity = (int)below(6) - 1;
                printf("capacity of %d %d: %d\n", i, capacity, lcm_subscription_set_queue_capacity(all[i].subs, capacity));
            }
            break;
        case 4:
        case 5:
        case 6:
        case 7:
        case 8:
            publish(channels[below(6)], below(20) ? below(100) : 66000 + below(100000), below(256));
            break;
        case 9:
            handle_all();
            break;
        default:
            printf("handled %d\n", lcm_handle_timeout(lcm, 0));
            sizes();
        }
    }
    handle_all();
}

static void play(const char *url) {
    int i, handled = 1;
    lcm = lcm_create(url);
    printf("open %d\n", lcm != NULL);
    if (!lcm)
        return;
    subscribe(0, "A", 0);
    lcm_subscription_set_queue_capacity(all[0].subs, 1);
    subscribe(1, ".*", 0);
    printf("publish %d\n", lcm_publish(lcm, "A", "", 0));
    for (i = 0; i < 30 && handled >= 0; i++) {
        handled = lcm_handle_timeout(lcm, 2000);
        printf("handled %d\n", handled);
    }
    sizes();
    printf("handle %d %d\n", lcm_handle(lcm), lcm_handle(lcm));
}

static void urls(int n, char **url) {
    int i;
    for (i = 0; i < n; i++) {
        lcm_t *one = lcm_create(url[i]);
        printf("%s: %d\n", url[i], one != NULL);
        if (one)
            lcm_destroy(one);
    }
}

static void print_event(const lcm_eventlog_event_t *e) {
    printf("%" PRId64 " %" PRId64 " %.*s %d %08x\n", e->eventnum, e->timestamp, e->channellen, e->channel, e->datalen,
           sum(e->data, (uint32_t)e->datalen));
}

static void read_log(const char *path) {
    lcm_eventlog_t *log = lcm_eventlog_create(path, "r");
    lcm_eventlog_event_t *event;
    int nothing = 0;
    printf("log %d\n", log != NULL);
    if (!log)
        return;
    printf("stream %d %" PRId64 "\n", log->f != NULL, log->eventcount);
    /* Damage is passed over by calling again. */
    while (nothing < 3) {
        event = lcm_eventlog_read_next_event(log);
        if (event) {
            print_event(event);
            lcm_eventlog_free_event(event);
        } else {
            nothing++;
            printf("NULL at %ld\n", ftell(log->f));
        }
    }
    lcm_eventlog_destroy(log);
}

static void seek(const char *path, int n, char **times) {
    lcm_eventlog_t *log = lcm_eventlog_create(path, "r");
    int i;
    for (i = 0; i < n; i++) {
        const int found = lcm_eventlog_seek_to_timestamp(log, atoll(times[i]));
        lcm_eventlog_event_t *event = found == 0 ? lcm_eventlog_read_next_event(log) : NULL;
        printf("at %s: %d %" PRId64 " %d\n", times[i], found, event ? event->timestamp : -1, event && event->eventnum == log->eventcount);
        if (event)
            lcm_eventlog_free_event(event);
    }
    lcm_eventlog_destroy(log);
}

static void write_log(const char *path, const char *mode) {
    lcm_eventlog_t *log = lcm_eventlog_create(path, mode);
    int i;
    printf("log %d\n", log != NULL);
    if (!log)
        return;
    for (i = 0; i < 20; i++) {
        char name[20], data[300];
        lcm_eventlog_event_t event;
        memset(data, i, sizeof data);
        event.eventnum = 77;
        event.timestamp = 1000 + 10 * i;
        event.channellen = sprintf(name, "CHANNEL_%d", i % 3);
        event.channel = name;
        event.datalen = i * i % 300;
        event.data = data;
        printf("write %d", lcm_eventlog_write_event(log, &event));
        printf(" %" PRId64 " %" PRId64 "\n", event.eventnum, log->eventcount);
    }
    lcm_eventlog_destroy(log);
}

static int received;
static void count(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    const int64_t now = (int64_t)time(NULL) * 1000000;
    (void)user;
    if (!strcmp(channel, "PROBE")) {
        printf("ready\n");
        return;
    }
    printf("%d: %s %u %08x at a good time %d\n", received++, channel, rbuf->data_size, sum(rbuf->data, rbuf->data_size),
           rbuf->recv_utime > now - 60000000 && rbuf->recv_utime < now + 60000000);
}

static void receive(const char *pattern, int n) {
    lcm_subscription_t *subs = lcm_subscribe(lcm, pattern, count, NULL);
    if (!subs) {
        printf("NULL\n");
        exit(1);
    }
    lcm_subscription_set_queue_capacity(subs, 0);
    printf("subscribed\n");
    while (received < n) {
        const int handled = lcm_handle_timeout(lcm, 10000);
        if (handled <= 0) {
            printf("handled %d after %d\n", handled, received);
            exit(1);
        }
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[1] : "";
    const char *url = argc > 2 ? argv[2] : "";
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    if (!strcmp(what, "calls") || !strcmp(what, "handlers") || !strcmp(what, "random")) {
        quiet = !strcmp(what, "random");
        open_lcm(url);
        if (!strcmp(what, "calls"))
            calls();
        else if (!strcmp(what, "handlers"))
            handlers();
        else
            random_calls((uint32_t)atoi(argv[3]), atoi(argv[4]));
        lcm_destroy(lcm);
    } else if (!strcmp(what, "play")) {
        play(url);
        if (lcm)
            lcm_destroy(lcm);
    } else if (!strcmp(what, "urls")) {
        urls(argc - 2, argv + 2);
    } else if (!strcmp(what, "log")) {
        int i;
        for (i = 2; i < argc; i++)
            read_log(argv[i]);
    } else if (!strcmp(what, "seek")) {
        seek(url, argc - 3, argv + 3);
    } else if (!strcmp(what, "write") && argc > 3) {
        write_log(url, argv[3]);
    } else if (!strcmp(what, "send") && argc > 5) {
        int i;
        lcm = lcm_create(url);
        for (i = 0; i < atoi(argv[4]); i++)
            publish(argv[3], (uint32_t)(atoi(argv[5]) + i), (uint32_t)i);
        if (lcm)
            lcm_destroy(lcm);
    } else if (!strcmp(what, "receive") && argc > 4) {
        lcm = lcm_create(url);
        if (!lcm)
            return 1;
        receive(argv[3], atoi(argv[4]));
        lcm_destroy(lcm);
    } else {
        fprintf(stderr, "see the top of differential.c\n");
        return 2;
    }
    return 0;
}
