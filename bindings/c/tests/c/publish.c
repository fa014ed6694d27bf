/* publish NAME COUNT: waits for a subscriber's word in NAME.go, then publishes COUNT messages in channel NAME:
 * message i says "message i" and has i % 100 dots behind; odd ones by copy, even ones by loan. */
#include <saltus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const char *what, int code)
{
    if (code != SALTUS_OK)
        fprintf(stderr, "publish: %s: %s: %s\n", what, saltus_strerror(code), saltus_last_error());
    return code != SALTUS_OK;
}

static size_t write_message(char *at, int i)
{
    size_t len = (size_t)sprintf(at, "message %d", i);
    memset(at + len, '.', (size_t)(i % 100));
    return len + (size_t)(i % 100);
}

int main(int argc, char **argv)
{
    saltus_channel channel, go;
    saltus_channel_publisher publisher;
    saltus_channel_subscriber word;
    saltus_published published;
    saltus_message_info info;
    char text[512], name[64];
    const saltus_type type = {"p.text_t", 0x1122334455667788u, "struct text_t { }"};
    int i, count = argc == 3 ? atoi(argv[2]) : 0;

    if (count < 1 || strlen(argv[1]) > 60)
        return 2;
    sprintf(name, "%s.go", argv[1]);
    if (failed("wait for the channel", saltus_channel_wait_for(NULL, argv[1], SALTUS_AFTER(10000000000), &channel))
        || failed("wait for the word's channel", saltus_channel_wait_for(NULL, name, SALTUS_AFTER(10000000000), &go))
        || failed("open a publisher", saltus_channel_publisher_open(channel, &publisher))
        || failed("describe the messages", saltus_channel_describe(publisher, &type))
        || failed("open a subscriber", saltus_channel_subscriber_open(go, NULL, &word))
        || failed("wait for the word", saltus_channel_receive(word, SALTUS_NEWEST, SALTUS_AFTER(10000000000), text, sizeof text, &info)))
        return 1;
    for (i = 1; i <= count; i++) {
        size_t len = write_message(text, i);
        void *room;
        if (i % 2 == 1) {
            if (failed("publish", saltus_channel_publish(publisher, text, len, &published)))
                return 1;
        } else {
            if (failed("borrow", saltus_channel_loan(publisher, sizeof text, &room)))
                return 1;
            memcpy(room, text, len);
            if (failed("publish a loan", saltus_channel_loan_publish(publisher, len, &published)))
                return 1;
        }
        if (published.seq != (uint64_t)i || published.timestamp_ns == 0) {
            fprintf(stderr, "message %d is number %lu\n", i, (unsigned long)published.seq);
            return 1;
        }
    }
    saltus_channel_subscriber_close(word);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    saltus_channel_close(go);
    return 0;
}
