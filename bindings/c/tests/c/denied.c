/* denied: as another user than the one who made them (if it may change to one): opens channel "private", which it
 * may not, subscribes to "public", which it may, and tries to publish there, which it may not. */
#define _DEFAULT_SOURCE
#include <saltus.h>
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

static void say(const char *what, int code)
{
    printf("%s: %s%s%s\n", what, saltus_strerror(code), code > 0 ? ": " : "", code > 0 ? saltus_last_error() : "");
}

int main(void)
{
    enum { NOBODY = 65534 };
    saltus_channel channel = SALTUS_HANDLE_INIT;
    saltus_channel_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_channel_subscriber subscriber = SALTUS_HANDLE_INIT;
    saltus_message_info info;
    char text[64];

    if (geteuid() == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
        return 1;
    say("open", saltus_channel_open(NULL, "private", &channel));
    if (channel.id != 0)
        return 1;
    say("open", saltus_channel_open(NULL, "public", &channel));
    say("publisher", saltus_channel_publisher_open(channel, &publisher));
    if (publisher.id != 0)
        return 1;
    say("subscriber", saltus_channel_subscriber_open(channel, NULL, &subscriber));
    say("receive", saltus_channel_receive(subscriber, SALTUS_NEWEST, SALTUS_AFTER(1000000000), text, sizeof text, &info));
    say("unlink", saltus_channel_unlink(NULL, "public"));
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_close(channel);
    return 0;
}
