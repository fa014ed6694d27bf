/* What a signal does to a thread that waits: `signals URL`. With LCM's library and with ours, it must print the same. */
#include <errno.h>
#include <lcm/lcm.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int handled;

static void on_signal(int signal) {
    (void)signal;
    handled++;
}

static void received(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)user;
    printf("%s %u\n", channel, rbuf->data_size);
}

static void signal_after(int ms) {
    struct itimerval time;
    memset(&time, 0, sizeof time);
    time.it_value.tv_usec = ms * 1000;
    setitimer(ITIMER_REAL, &time, NULL);
}

int main(int argc, char **argv) {
    const char *url = argc > 1 ? argv[1] : NULL;
    struct sigaction action;
    lcm_t *lcm;
    int result;
    pid_t child = fork();
    if (child == 0) {
        int i;
        usleep(1500000);
        lcm = lcm_create(url);
        for (i = 0; i < 10; i++) {
            lcm_publish(lcm, "A", "xyz", 3);
            usleep(20000);
        }
        lcm_destroy(lcm);
        _exit(0);
    }
    setvbuf(stdout, NULL, _IOLBF, 1 << 16);
    lcm = lcm_create(url);
    lcm_subscribe(lcm, "A", received, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;

    sigaction(SIGALRM, &action, NULL);
    signal_after(100);
    result = lcm_handle_timeout(lcm, 10000);
    printf("handle_timeout %d %d, signals %d\n", result, errno == EINTR, handled);
    signal_after(100);
    result = lcm_handle(lcm);
    printf("handle %d %d, signals %d\n", result, errno == EINTR, handled);

    /* signal() of the C library asks for this. */
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    signal_after(100);
    result = lcm_handle_timeout(lcm, 10000);
    printf("handle_timeout %d %d, signals %d\n", result, errno == EINTR, handled);
    signal_after(100);
    result = lcm_handle(lcm);
    printf("handle %d, signals %d\n", result, handled);
    waitpid(child, NULL, 0);
    lcm_destroy(lcm);
    return 0;
}
