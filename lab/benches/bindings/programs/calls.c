/* The contender in C: does what the standard input says, and says how long each time took, in ns. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* So many calls are timed together: less than a step of the clock is not seen. */
#define BATCH 64

static saltus_channel channel;
static saltus_channel_publisher publisher;
static saltus_channel_subscriber subscriber;
static saltus_domain domain;
static saltus_domain_publisher of_domain;
static saltus_domain_subscriber next, newest;

static void must(int code)
{
    if (code > 0) {
        printf("error %d: %s\n", code, saltus_last_error());
        exit(1);
    }
}

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void open_all(const char *url)
{
    char longer[128];
    saltus_attributes attributes;
    saltus_domain_options options;
    must(saltus_attributes_init(&attributes, sizeof attributes));
    attributes.depth = 256;
    must(saltus_channel_create(url, "channel", &attributes, &channel));
    must(saltus_channel_publisher_open(channel, &publisher));
    must(saltus_channel_subscriber_open(channel, NULL, &subscriber));
    snprintf(longer, sizeof longer, "%s?depth=256", url);
    must(saltus_domain_open(longer, &domain));
    must(saltus_domain_publisher_open(domain, "domain", NULL, &of_domain));
    must(saltus_domain_publish(of_domain, "first", 5));
    must(saltus_domain_options_init(&options, sizeof options));
    must(saltus_domain_subscriber_open(domain, "domain", &options, &newest));
    options.depth = 1000;
    must(saltus_domain_subscriber_open(domain, "domain", &options, &next));
}

static void close_all(const char *url)
{
    saltus_domain_subscriber_close(next);
    saltus_domain_subscriber_close(newest);
    saltus_domain_publisher_close(of_domain);
    saltus_domain_close(domain);
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    must(saltus_channel_unlink(url, "channel"));
    must(saltus_channel_unlink(url, "domain"));
    rmdir(url + strlen("shm://"));
}

#define TIMED(call)                           \
    do {                                      \
        long long start = now();              \
        for (int i = 0; i < BATCH; i++) {     \
            int code = (call);                \
            if (code > 0)                     \
                must(code);                   \
        }                                     \
        took = now() - start;                 \
    } while (0)

/* What is read goes here, one by one: fields that were just written are slow to load two at a time, as compilers like to. */
volatile uint64_t known;

static inline uint64_t or_0(uint64_t n)
{
    return n == SALTUS_UNKNOWN ? 0 : n;
}

/* Receives, and reads all that is known of the message, as Rust does: 0 where nobody tells. */
static inline int take(saltus_domain_subscriber from)
{
    const saltus_message *m;
    int code = saltus_domain_receive(from, SALTUS_POLL, &m);
    if (code == SALTUS_OK) {
        known = (uintptr_t)m->data;
        known = m->len;
        known = (uintptr_t)m->channel;
        known = m->channel_len;
        known = or_0(m->published_ns);
        known = m->arrived_ns;
        known = m->logged_us == SALTUS_NO_TIME ? 0 : (uint64_t)m->logged_us;
        known = or_0(m->sender);
        known = or_0(m->sequence);
        known = or_0(m->missed);
        known = m->dropped;
        known = m->missed_of_sender;
    }
    return code;
}

static long long batch(const char *what)
{
    static char message[64], buffer[512];
    saltus_message_info info;
    long long took = 0;
    if (strcmp(what, "publish") == 0) {
        TIMED(saltus_channel_publish(publisher, message, sizeof message, NULL));
    } else if (strcmp(what, "next") == 0) {
        must(saltus_channel_flush(subscriber));
        TIMED(saltus_channel_publish(publisher, message, sizeof message, NULL));
        TIMED(saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_POLL, buffer, sizeof buffer, &info));
    } else if (strcmp(what, "publish+newest") == 0) {
        TIMED(saltus_channel_publish(publisher, message, sizeof message, NULL)
              || saltus_channel_receive(subscriber, SALTUS_NEWEST, SALTUS_POLL, buffer, sizeof buffer, &info));
    } else if (strcmp(what, "poll") == 0) {
        TIMED(saltus_channel_receive(subscriber, SALTUS_NEWEST, SALTUS_POLL, buffer, sizeof buffer, &info));
    } else if (strcmp(what, "domain publish") == 0) {
        TIMED(saltus_domain_publish(of_domain, message, sizeof message));
    } else if (strcmp(what, "domain next") == 0) {
        while (take(next) == SALTUS_OK) { }
        TIMED(saltus_domain_publish(of_domain, message, sizeof message));
        TIMED(take(next));
    } else if (strcmp(what, "domain publish+newest") == 0) {
        TIMED(saltus_domain_publish(of_domain, message, sizeof message)
              || take(newest));
    } else if (strcmp(what, "domain poll") == 0) {
        TIMED(take(newest));
    }
    return took;
}

int main(void)
{
    char url[64], line[128];
    snprintf(url, sizeof url, "shm:///dev/shm/saltus-bench-bindings-%ld", (long)getpid());
    open_all(url);
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        char *what;
        long count = strtol(line, &what, 10);
        line[strcspn(line, "\n")] = 0;
        for (long i = 0; i < count; i++)
            printf("%.1f ", (double)batch(what + 1) / BATCH);
        puts("");
        fflush(stdout);
    }
    close_all(url);
    return 0;
}
