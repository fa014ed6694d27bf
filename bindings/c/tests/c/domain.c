/* domain DIRECTORY: everything that domains and logs can do, from two threads, with checks. Link with -pthread. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 2000 };

static saltus_domain domain;

#define MUST(code) must(#code, (code), SALTUS_OK)

static int failures;

static void must(const char *what, int code, int wanted)
{
    if (code != wanted) {
        fprintf(stderr, "domain: %s: %d (%s), not %d: %s\n", what, code, saltus_strerror(code), wanted, saltus_last_error());
        failures++;
    }
}

static void *publish(void *channel)
{
    saltus_domain_publisher publisher = SALTUS_HANDLE_INIT;
    int i;
    MUST(saltus_domain_publisher_open(domain, channel, NULL, &publisher));
    for (i = 1; i <= MESSAGES; i++)
        MUST(saltus_domain_publish(publisher, &i, sizeof i));
    saltus_domain_publisher_close(publisher);
    return NULL;
}

static void receive_all(void)
{
    saltus_domain_subscriber subscriber = SALTUS_HANDLE_INIT;
    saltus_domain_options options;
    const saltus_message *message;
    pthread_t thread;
    struct pollfd ready = {-1, POLLIN, 0};
    int last = 0;

    MUST(saltus_domain_options_init(&options, sizeof options));
    options.depth = 2 * MESSAGES;
    options.by = SALTUS_BY_PATTERN;
    MUST(saltus_domain_subscriber_open(domain, "all.*", &options, &subscriber));
    MUST(saltus_domain_event_fd(subscriber, &ready.fd));
    if (pthread_create(&thread, NULL, publish, "all_of_it"))
        return;
    while (last < MESSAGES && failures == 0) {
        int code = saltus_domain_receive(subscriber, SALTUS_POLL, &message);
        if (code == SALTUS_NOTHING) {
            if (poll(&ready, 1, 10000) != 1)
                must("poll", -1, 1);
            continue;
        }
        MUST(code);
        if (code != SALTUS_OK)
            break;
        int now;
        memcpy(&now, message->data, sizeof now);
        last += 1 + (int)message->missed + (int)message->dropped;
        must("number", now, last);
        must("name", strcmp(message->channel, "all_of_it"), 0);
    }
    pthread_join(thread, NULL);
    saltus_domain_subscriber_close(subscriber);
}

static int add(const saltus_message *message, void *sum)
{
    int i;
    memcpy(&i, message->data, sizeof i);
    *(int *)sum += i;
    return i == MESSAGES ? SALTUS_STOP : SALTUS_GO_ON;
}

static void call_back(void)
{
    saltus_dispatcher dispatcher = SALTUS_HANDLE_INIT;
    saltus_domain_options options;
    pthread_t thread;
    int sum = 0;

    MUST(saltus_domain_options_init(&options, sizeof options));
    options.depth = 2 * MESSAGES;
    MUST(saltus_dispatcher_open(&dispatcher));
    MUST(saltus_dispatcher_subscribe(dispatcher, domain, "called", &options, add, &sum, NULL));
    if (pthread_create(&thread, NULL, publish, "called"))
        return;
    MUST(saltus_dispatcher_run(dispatcher));
    pthread_join(thread, NULL);
    must("sum", sum, MESSAGES * (MESSAGES + 1) / 2);
    saltus_dispatcher_close(dispatcher);
}

static void *call_off(void *dispatcher)
{
    MUST(saltus_dispatcher_cancel(*(saltus_dispatcher *)dispatcher));
    return NULL;
}

static void call_off_callbacks(void)
{
    saltus_dispatcher dispatcher = SALTUS_HANDLE_INIT;
    pthread_t thread;
    int sum = 0;
    MUST(saltus_dispatcher_open(&dispatcher));
    MUST(saltus_dispatcher_subscribe(dispatcher, domain, "nobody", NULL, add, &sum, NULL));
    if (pthread_create(&thread, NULL, call_off, &dispatcher))
        return;
    MUST(saltus_dispatcher_run(dispatcher));
    pthread_join(thread, NULL);
    saltus_dispatcher_close(dispatcher);
}

static int count(const char *name, void *names)
{
    *(int *)names += name[0] != 0;
    return 0;
}

static int see(const saltus_type *what, void *said)
{
    must("name of the type", strcmp(what->name, "p.number_t"), 0);
    must("schema", strcmp(what->schema, "package p; struct number_t { int8_t value; }"), 0);
    *(uint64_t *)said = what->fingerprint;
    return 0;
}

static void describe_and_timestamp(void)
{
    const saltus_type type = {"p.number_t", 5, "package p; struct number_t { int8_t value; }"};
    saltus_domain_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_domain_subscriber subscriber = SALTUS_HANDLE_INIT;
    const saltus_message *message = NULL;
    int64_t timestamp = (int64_t)saltus_now_ns(SALTUS_BOOTTIME) - 1000000, given = 0;
    uint64_t said = 0, mismatched = 7;

    MUST(saltus_domain_publisher_open(domain, "described", &type, &publisher));
    MUST(saltus_domain_publish_with_timestamp(publisher, "\0\0\0\0\0\0\0\5\7", 9, timestamp, &given));
    must("the timestamp", given == timestamp, 1);
    MUST(saltus_domain_subscriber_open(domain, "described", NULL, &subscriber));
    MUST(saltus_domain_receive(subscriber, SALTUS_POLL, &message));
    must("its timestamp", message != NULL && message->published_ns == (uint64_t)timestamp, 1);
    MUST(saltus_domain_descriptions(subscriber, "described", see, &said));
    must("fingerprint", (int)said, 5);
    said = 0;
    MUST(saltus_domain_descriptions(subscriber, "another", see, &said));
    must("of a channel that it has not joined", (int)said, 0);
    MUST(saltus_domain_mismatched(subscriber, &mismatched));
    must("mismatched", (int)mismatched, 0);
    MUST(saltus_domain_publish_with_timestamp(publisher, "x", 1, timestamp - 1, &given));
    must("timestamps never go back", given == timestamp, 1);
    saltus_domain_subscriber_close(subscriber);
    saltus_domain_publisher_close(publisher);
}

static void write_and_read(const char *directory)
{
    saltus_log_writer writer = SALTUS_HANDLE_INIT;
    saltus_log log = SALTUS_HANDLE_INIT;
    const saltus_event *event;
    const saltus_type type = {"p.number_t", 5, "package p; struct number_t { int8_t value; }"};
    char path[1024];
    int i;

    snprintf(path, sizeof path, "%s/c.mcap", directory);
    MUST(saltus_log_create(path, SALTUS_LOG_BY_NAME, &writer));
    MUST(saltus_log_describe(writer, &type));
    for (i = 0; i < 100; i++)
        MUST(saltus_log_write(writer, "n", &i, sizeof i, i));
    MUST(saltus_log_finish(writer));
    saltus_log_writer_close(writer);
    MUST(saltus_log_open(path, &log));
    MUST(saltus_log_seek(log, 50));
    for (i = 50; saltus_log_next(log, &event) == SALTUS_OK; i++)
        must("event", memcmp(event->data, &i, sizeof i), 0);
    must("events", i, 100);
    saltus_log_close(log);
}

int main(int argc, char **argv)
{
    int names = 0;
    if (argc != 2)
        return 2;
    MUST(saltus_domain_open(NULL, &domain));
    receive_all();
    call_back();
    call_off_callbacks();
    describe_and_timestamp();
    MUST(saltus_domain_channels(domain, count, &names));
    must("names", names, 3);
    write_and_read(argv[1]);
    saltus_domain_close(domain);
    if (failures == 0)
        printf("done\n");
    return failures != 0;
}
