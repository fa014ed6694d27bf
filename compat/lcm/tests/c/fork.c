/* What works after fork: `fork URL`. The parent and its children print nothing unless something is wrong. */
#include <lcm/lcm.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(what)                                             \
    if (!(what)) {                                              \
        fprintf(stderr, "line %d, %s: %s\n", __LINE__, who, #what); \
        exit(1);                                                \
    }

static const char *who = "the parent";
static int received;

static void count(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)rbuf;
    (void)channel;
    (void)user;
    received++;
}

static lcm_subscription_t *subscription;
static pid_t forked = -1;

/* Forks, and uses what the child has inherited. */
static void divide(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)channel;
    (void)user;
    forked = fork();
    if (forked == 0) {
        who = "the child of a handler";
        CHECK(lcm_publish(rbuf->lcm, "C", "y", 1) == 0);
    }
}

static lcm_subscription_t *later;

/* Forks, and ends the subscription that would be called next in the child. */
static void divide_and_end(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)channel;
    (void)user;
    forked = fork();
    if (forked == 0) {
        who = "the child that ends a subscription";
        CHECK(lcm_unsubscribe(rbuf->lcm, later) == 0);
    }
}

/* Its `user` is gone in the child. */
static void count_in_parent(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)rbuf;
    (void)channel;
    (void)user;
    CHECK(forked != 0);
    received++;
}

static void end_of(pid_t child) {
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

int main(int argc, char **argv) {
    const char *url = argc > 1 ? argv[1] : NULL;
    lcm_t *lcm = lcm_create(url);
    pid_t child;
    CHECK(lcm);

    /* As daemons do: create, fork, then subscribe. The child receives. */
    child = fork();
    if (child == 0) {
        who = "the daemon";
        CHECK(lcm_subscribe(lcm, "A", count, NULL));
        CHECK(lcm_publish(lcm, "A", "x", 1) == 0);
        CHECK(lcm_handle_timeout(lcm, 20000) > 0);
        CHECK(received == 1);
        lcm_destroy(lcm);
        _exit(0);
    }
    end_of(child);

    /* A child of a subscribed parent publishes, to the parent too, and receives. Another one only destroys what it inherited. */
    CHECK(lcm_subscribe(lcm, "A", count, NULL));
    CHECK(lcm_publish(lcm, "A", "x", 1) == 0);
    CHECK(lcm_handle_timeout(lcm, 20000) > 0);
    child = fork();
    if (child == 0) {
        who = "the child";
        CHECK(lcm_publish(lcm, "C", "y", 1) == 0);
        CHECK(lcm_handle_timeout(lcm, 100) == 0);
        received = 0;
        CHECK(lcm_publish(lcm, "A", "y", 1) == 0);
        CHECK(lcm_handle_timeout(lcm, 20000) > 0);
        CHECK(received == 1);
        lcm_destroy(lcm);
        _exit(0);
    }
    end_of(child);
    child = fork();
    if (child == 0) {
        lcm_destroy(lcm);
        _exit(0);
    }
    end_of(child);
    /* The parent is as before. */
    CHECK(lcm_handle_timeout(lcm, 20000) > 0);
    CHECK(lcm_handle_timeout(lcm, 100) == 0);
    CHECK(received == 2);
    CHECK(lcm_publish(lcm, "A", "z", 1) == 0);
    CHECK(lcm_handle_timeout(lcm, 20000) > 0);
    CHECK(received == 3);

    /* A child creates its own. */
    child = fork();
    if (child == 0) {
        lcm_t *own = lcm_create(url);
        who = "the child with its own";
        CHECK(own && lcm_subscribe(own, "B", count, NULL));
        CHECK(lcm_publish(own, "B", "y", 1) == 0);
        CHECK(lcm_handle_timeout(own, 20000) > 0);
        lcm_destroy(own);
        _exit(0);
    }
    end_of(child);

    /* A handler forks. In the child the subscription is as it was, and can be ended. */
    subscription = lcm_subscribe(lcm, "F", divide, NULL);
    CHECK(lcm_publish(lcm, "F", "x", 1) == 0);
    CHECK(lcm_handle_timeout(lcm, 20000) > 0);
    if (forked == 0) {
        CHECK(lcm_unsubscribe(lcm, subscription) == 0);
        CHECK(lcm_publish(lcm, "F", "y", 1) == 0);
        CHECK(lcm_handle_timeout(lcm, 200) == 0);
        lcm_destroy(lcm);
        _exit(0);
    }
    end_of(forked);
    /* What the child has published has arrived here, too. */
    CHECK(lcm_unsubscribe(lcm, subscription) == 0);
    while (lcm_handle_timeout(lcm, 200) > 0) {
    }

    /* One that a handler ends in the child it forks is not called there any more. */
    CHECK(lcm_subscribe(lcm, "G", divide_and_end, NULL));
    later = lcm_subscribe(lcm, "G", count_in_parent, NULL);
    received = 0;
    CHECK(lcm_publish(lcm, "G", "x", 1) == 0);
    CHECK(lcm_handle_timeout(lcm, 20000) > 0);
    if (forked == 0) {
        lcm_destroy(lcm);
        _exit(0);
    }
    end_of(forked);
    CHECK(received == 1);
    lcm_destroy(lcm);
    return 0;
}
