/* receive NAME COUNT: opens channel NAME when it exists, says in NAME.ready that it has subscribed, receives until
 * COUNT messages are received or missed, and prints each: sequence number, missed, text. */
#include <saltus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const char *what, int code)
{
    if (code != SALTUS_OK)
        fprintf(stderr, "receive: %s: %s: %s\n", what, saltus_strerror(code), saltus_last_error());
    return code != SALTUS_OK;
}

int main(int argc, char **argv)
{
    saltus_channel channel, ready;
    saltus_channel_subscriber subscriber;
    saltus_channel_publisher word;
    saltus_attributes attributes;
    saltus_message_info info;
    char *text, name[64];
    uint64_t received = 0, missed = 0, count = argc == 3 ? (uint64_t)atoi(argv[2]) : 0;

    if (count < 1 || strlen(argv[1]) > 56)
        return 2;
    sprintf(name, "%s.ready", argv[1]);
    if (failed("wait for the channel", saltus_channel_wait_for(NULL, argv[1], SALTUS_AFTER(10000000000), &channel))
        || failed("subscribe", saltus_channel_subscriber_open(channel, NULL, &subscriber))
        || failed("open the word's channel", saltus_channel_open_or_create(NULL, name, NULL, &ready))
        || failed("open a publisher", saltus_channel_publisher_open(ready, &word))
        || failed("ask for the size", saltus_channel_attributes(channel, &attributes, sizeof attributes))
        || failed("say the word", saltus_channel_publish(word, NULL, 0, NULL)))
        return 1;
    text = malloc(attributes.max_message_size);
    while (text != NULL && received + missed < count) {
        if (failed("receive", saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_AFTER(10000000000), text, attributes.max_message_size, &info))
            || failed("count", saltus_channel_counts(subscriber, &received, &missed)))
            return 1;
        printf("%lu %lu %.*s\n", (unsigned long)info.seq, (unsigned long)info.missed, (int)info.len, text);
    }
    free(text);
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(word);
    saltus_channel_close(channel);
    saltus_channel_close(ready);
    return received + missed == count ? 0 : 1;
}
