/* planted ERROR: makes an error that a sanitizer must find, to see that it does; of "nothing" and "handover" it must not say a word.
 * Link with -pthread. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 500 };

static saltus_domain domain;
static int count;
static const saltus_message *message;

static int failed(int code)
{
    if (code != SALTUS_OK)
        fprintf(stderr, "planted: %s: %s\n", saltus_strerror(code), saltus_last_error());
    return code != SALTUS_OK;
}

static int send(const char *channel, const void *data, size_t len)
{
    saltus_domain_publisher publisher = SALTUS_HANDLE_INIT;
    int code = saltus_domain_publisher_open(domain, channel, NULL, &publisher);
    if (code == SALTUS_OK)
        code = saltus_domain_publish(publisher, data, len);
    saltus_domain_publisher_close(publisher);
    return code;
}

/* Receives a message of channel "a" in a variable that all threads see; returns its subscriber, which is not open if that fails. */
static saltus_domain_subscriber receive(void)
{
    const saltus_domain_subscriber none = SALTUS_HANDLE_INIT;
    saltus_domain_subscriber subscriber;
    if (failed(saltus_domain_subscriber_open(domain, "a", NULL, &subscriber)) || failed(send("a", "12345678", 8))
        || failed(saltus_domain_receive(subscriber, SALTUS_FOREVER, &message)))
        return none;
    return subscriber;
}

static int called(const saltus_message *one, void *counter)
{
    *(int *)counter += (int)one->len;
    return SALTUS_STOP;
}

static void *count_in_a_callback(void *counter)
{
    saltus_dispatcher dispatcher = SALTUS_HANDLE_INIT;
    if (failed(saltus_dispatcher_open(&dispatcher))
        || failed(saltus_dispatcher_subscribe(dispatcher, domain, "a", NULL, called, counter, NULL))
        || failed(saltus_dispatcher_run(dispatcher)))
        return counter;
    saltus_dispatcher_close(dispatcher);
    return NULL;
}

static void *receive_in_a_thread(void *unused)
{
    saltus_domain_subscriber_close(receive());
    return unused;
}

/* Two threads take turns at `count`, which no lock guards: whose turn it is they tell each other by messages. */
static int take_turns(const char *mine, const char *theirs, int first)
{
    saltus_domain_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_domain_subscriber subscriber = SALTUS_HANDLE_INIT;
    const saltus_message *turn;
    int i, code = saltus_domain_publisher_open(domain, theirs, NULL, &publisher);
    if (code == SALTUS_OK)
        code = saltus_domain_subscriber_open(domain, mine, NULL, &subscriber);
    for (i = 0; i < ROUNDS && code == SALTUS_OK; i++) {
        if (i > 0 || !first)
            code = saltus_domain_receive(subscriber, SALTUS_FOREVER, &turn);
        if (code == SALTUS_OK) {
            count++;
            code = saltus_domain_publish(publisher, &i, sizeof i);
        }
    }
    saltus_domain_subscriber_close(subscriber);
    saltus_domain_publisher_close(publisher);
    return failed(code);
}

static void *second(void *unused)
{
    take_turns("second", "first", 0);
    return unused;
}

int main(int argc, char **argv)
{
    const char *error = argc == 2 ? argv[1] : "";
    pthread_t thread;
    int code = 1, sum = 0;

    if (failed(saltus_domain_open(NULL, &domain)))
        return 1;
    if (strcmp(error, "nothing") == 0) {
        saltus_domain_subscriber_close(receive());
        code = 0;
    } else if (strcmp(error, "leak") == 0) {
        code = receive().id == 0; /* never closed */
        message = NULL;          /* which would lead to it */
    } else if (strcmp(error, "freed") == 0) {
        saltus_domain_subscriber_close(receive());
        code = *(const char *)message->data != '1'; /* it lay with the subscriber */
    } else if (strcmp(error, "callback") == 0 && !failed(send("a", "12345678", 8))) {
        if (pthread_create(&thread, NULL, count_in_a_callback, &sum))
            return 1;
        sum++; /* at the same time as the callback */
        code = pthread_join(thread, NULL);
    } else if (strcmp(error, "written") == 0) {
        if (pthread_create(&thread, NULL, receive_in_a_thread, NULL))
            return 1;
        code = message == (const saltus_message *)&sum; /* the library may be writing it */
        pthread_join(thread, NULL);
    } else if (strcmp(error, "handover") == 0) {
        if (pthread_create(&thread, NULL, second, NULL))
            return 1;
        code = take_turns("first", "second", 1);
        pthread_join(thread, NULL);
        code = code || count != 2 * ROUNDS;
    }
    saltus_domain_close(domain);
    printf("%s: %s\n", error, code == 0 ? "done" : "failed");
    return code;
}
