/* A publisher that is forked: the child leases a lane of its own, and may not publish what its parent borrowed. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int failed(int code)
{
    if (code != SALTUS_OK)
        fprintf(stderr, "fork: %s: %s\n", saltus_strerror(code), saltus_last_error());
    return code != SALTUS_OK;
}

/* In the child: its status says what went wrong, if anything. */
static int child(saltus_channel_publisher publisher)
{
    if (saltus_channel_loan_publish(publisher, 5, NULL) != SALTUS_INVALID)
        return 2;
    return failed(saltus_channel_publish(publisher, "child", 5, NULL));
}

int main(void)
{
    saltus_channel channel;
    saltus_channel_publisher publisher;
    saltus_channel_subscriber subscriber;
    saltus_message_info info;
    char text[64];
    void *room;
    int status = 1, i;
    pid_t pid;

    if (failed(saltus_channel_create(NULL, "fork", NULL, &channel)) || failed(saltus_channel_publisher_open(channel, &publisher))
        || failed(saltus_channel_subscriber_open(channel, NULL, &subscriber))
        || failed(saltus_channel_publish(publisher, "parent", 6, NULL)) || failed(saltus_channel_loan(publisher, 5, &room)))
        return 1;
    pid = fork();
    if (pid == 0)
        _exit(child(publisher));
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "fork: the child ended with %d\n", status);
        return 1;
    }
    if (failed(saltus_channel_loan_abandon(publisher)) || failed(saltus_channel_publish(publisher, "parent", 6, NULL)))
        return 1;
    for (i = 0; i < 3; i++) {
        if (failed(saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_POLL, text, sizeof text, &info)))
            return 1;
        printf("%.*s in lane %d, message %d\n", (int)info.len, text, (int)info.lane, (int)info.seq);
    }
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    return failed(saltus_channel_unlink(NULL, "fork"));
}
