/* A thread publishes, another receives: received + missed = published, each message whole. Then the one calls off
 * the other's wait. Prints what was received and missed. Link with -pthread. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { MESSAGES = 200000, WORDS = 9 };

static saltus_channel channel;
static saltus_channel_subscriber subscriber;

/* Publishes messages whose words are all the same. */
static void *publish(void *unused)
{
    saltus_channel_publisher publisher;
    static char code_text[] = "publish failed";
    uint64_t i, word;

    (void)unused;
    if (saltus_channel_publisher_open(channel, &publisher) != SALTUS_OK)
        return code_text;
    for (i = 1; i <= MESSAGES; i++) {
        uint64_t words[WORDS];
        for (word = 0; word < WORDS; word++)
            words[word] = i;
        if (saltus_channel_publish(publisher, words, sizeof words, NULL) != SALTUS_OK)
            return code_text;
    }
    saltus_channel_publisher_close(publisher);
    return NULL;
}

static void *call_off(void *unused)
{
    struct timespec pause = {0, 20000000};

    (void)unused;
    nanosleep(&pause, NULL);
    saltus_channel_cancel(subscriber);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    uint64_t received = 0, missed = 0, last = 0, word;
    saltus_message_info info;
    void *failure = NULL;
    uint64_t words[WORDS];

    if (saltus_channel_create(NULL, "threads", NULL, &channel) || saltus_channel_subscriber_open(channel, NULL, &subscriber)
        || pthread_create(&thread, NULL, publish, NULL))
        return 1;
    while (received + missed < MESSAGES) {
        int code = saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_AFTER(10000000000), words, sizeof words, &info);
        if (code == SALTUS_OVERRUN)
            continue; /* the place is kept */
        if (code != SALTUS_OK) {
            fprintf(stderr, "receive: %s: %s\n", saltus_strerror(code), saltus_last_error());
            return 1;
        }
        for (word = 0; word < WORDS; word++) {
            if (words[word] != info.seq) {
                fprintf(stderr, "message %lu is torn\n", (unsigned long)info.seq);
                return 1;
            }
        }
        if (info.seq != last + info.missed + 1 || saltus_channel_counts(subscriber, &received, &missed)) {
            fprintf(stderr, "message %lu came after %lu\n", (unsigned long)info.seq, (unsigned long)last);
            return 1;
        }
        last = info.seq;
    }
    pthread_join(thread, &failure);
    if (failure != NULL)
        return 1;
    printf("received %lu missed %lu of %d\n", (unsigned long)received, (unsigned long)missed, MESSAGES);

    if (pthread_create(&thread, NULL, call_off, NULL))
        return 1;
    printf("%s\n", saltus_strerror(saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_FOREVER, words, sizeof words, &info)));
    pthread_join(thread, NULL);
    saltus_channel_cancel_reset(subscriber);
    printf("%s\n", saltus_strerror(saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_AFTER(1000), words, sizeof words, &info)));
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_close(channel);
    return saltus_channel_unlink(NULL, "threads");
}
