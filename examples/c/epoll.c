/* A channel in an event loop: one epoll waits for its descriptor and for a timer. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { TICKS = 10 };

/* Publishes the number of each tick. */
static int tick(int timer, saltus_channel_publisher publisher, int *number)
{
    uint64_t expired;

    if (read(timer, &expired, sizeof expired) != sizeof expired)
        return SALTUS_OK; /* the timer has not expired */
    ++*number;
    return saltus_channel_publish(publisher, number, sizeof *number, NULL);
}

/* Called when the channel is readable: receives until SALTUS_NOTHING, which lowers the descriptor until the next message. */
static int take(saltus_channel_subscriber subscriber, int *sum)
{
    saltus_message_info info;
    int number, code;

    while ((code = saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_POLL, &number, sizeof number, &info)) == SALTUS_OK)
        *sum += number;
    return code == SALTUS_NOTHING ? SALTUS_OK : code;
}

int main(void)
{
    saltus_channel channel = SALTUS_HANDLE_INIT;
    saltus_channel_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_channel_subscriber subscriber = SALTUS_HANDLE_INIT;
    struct epoll_event event = {EPOLLIN, {0}};
    struct itimerspec period = {{0, 5000000}, {0, 5000000}};
    int loop = epoll_create1(EPOLL_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int readable = -1, number = 0, sum = 0;
    int code = saltus_channel_replace(NULL, "ticks", NULL, &channel);

    if (code == SALTUS_OK)
        code = saltus_channel_publisher_open(channel, &publisher);
    if (code == SALTUS_OK)
        code = saltus_channel_subscriber_open(channel, NULL, &subscriber);
    if (code == SALTUS_OK)
        code = saltus_channel_event_fd(subscriber, &readable);
    event.data.fd = readable;
    epoll_ctl(loop, EPOLL_CTL_ADD, readable, &event);
    event.data.fd = timer;
    epoll_ctl(loop, EPOLL_CTL_ADD, timer, &event);
    timerfd_settime(timer, 0, &period, NULL);

    while (code == SALTUS_OK && sum < TICKS * (TICKS + 1) / 2) {
        if (epoll_wait(loop, &event, 1, 5000) < 1)
            break; /* no message for five seconds */
        if (event.data.fd == readable)
            code = take(subscriber, &sum);
        else if (number < TICKS)
            code = tick(timer, publisher, &number);
        else
            epoll_ctl(loop, EPOLL_CTL_DEL, timer, NULL); /* all are published; some are not received yet */
    }
    if (code != SALTUS_OK)
        fprintf(stderr, "epoll: %s\n", saltus_last_error());
    printf("%d ticks, sum %d\n", number, sum);
    close(loop);
    close(timer);
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    saltus_channel_unlink(NULL, "ticks");
    return sum != TICKS * (TICKS + 1) / 2;
}
