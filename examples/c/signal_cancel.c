/* Waits without a timeout and ends properly on Ctrl-C: the signal handler cancels the wait. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static saltus_channel_subscriber subscriber;

/* The cancel also affects later waits, so a signal just before the wait is not lost. */
static void stop(int signal)
{
    (void)signal;
    saltus_channel_cancel(subscriber);
}

int main(void)
{
    saltus_channel channel = SALTUS_HANDLE_INIT;
    struct sigaction action;
    char text[512];
    saltus_message_info info;
    int code = saltus_channel_open_or_create(NULL, "orders", NULL, &channel);

    if (code == SALTUS_OK)
        code = saltus_channel_subscriber_open(channel, NULL, &subscriber);
    if (code == SALTUS_OK) {
        memset(&action, 0, sizeof action);
        action.sa_handler = stop;
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        printf("waiting for orders; end with Ctrl-C\n");
        fflush(stdout);
        while ((code = saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_FOREVER, text, sizeof text, &info))
            == SALTUS_OK) {
            printf("order %d: %.*s\n", (int)info.seq, (int)info.len, text);
            fflush(stdout);
        }
        signal(SIGINT, SIG_DFL); /* before the handler's subscriber is closed */
        signal(SIGTERM, SIG_DFL);
    }
    printf("%s\n", code == SALTUS_CANCELED ? "ended properly" : saltus_last_error());
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_close(channel);
    return code != SALTUS_CANCELED;
}
