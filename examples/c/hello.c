#include <saltus.h>
#include <stdio.h>

int main(void)
{
    saltus_channel channel = SALTUS_HANDLE_INIT;
    saltus_channel_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_channel_subscriber subscriber = SALTUS_HANDLE_INIT;
    saltus_message_info info;
    char text[512];
    int failed = saltus_channel_open_or_create(NULL, "hello", NULL, &channel)
        || saltus_channel_publisher_open(channel, &publisher)
        || saltus_channel_subscriber_open(channel, NULL, &subscriber)
        || saltus_channel_publish(publisher, "Hello, robot", 12, NULL)
        || saltus_channel_receive(subscriber, SALTUS_NEWEST, SALTUS_POLL, text, sizeof text, &info);
    if (failed)
        fprintf(stderr, "hello: %s\n", saltus_last_error());
    else
        printf("%.*s\n", (int)info.len, text);
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    return failed;
}
