/* Canceling from a signal handler and from a thread: it stays, it makes no child, and the program can end it. */
#include <ach.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

static ach_channel_t chan;
static char buf[64];
static size_t len;
static volatile sig_atomic_t handled, cancels;

static void handler(int number) {
    (void)number;
    handled++;
    errno = 77;
    if (cancels) ach_cancel(&chan, NULL);
    if (errno != 77) _exit(9);
}

static enum ach_status wait_for(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    return ach_get(&chan, buf, sizeof buf, &len, &t, ACH_O_WAIT | ACH_O_RELTIME);
}

static void *other(void *arg) {
    ach_cancel_attr_t attr;
    ach_cancel_attr_init(&attr);
    attr.async_unsafe = 1;
    usleep(20000);
    TRUE(ach_cancel(&chan, &attr) == ACH_OK);
    return arg;
}

/* Signals the main thread, ten times as it waits. */
static void *signaller(void *arg) {
    for (int i = 0; i < 10; i++) {
        usleep(10000);
        pthread_kill(*(pthread_t *)arg, SIGUSR1);
    }
    return NULL;
}

int main(void) {
    TRUE(ach_create("cancel", 4, 8, NULL) == ACH_OK && ach_open(&chan, "cancel", NULL) == ACH_OK);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    pthread_t thread, self = pthread_self();
    /* A signal does not end a wait. */
    pthread_create(&thread, NULL, signaller, &self);
    TRUE(wait_for(300) == ACH_TIMEOUT && handled > 0);
    pthread_join(thread, NULL);
    for (int round = 0; round < 20; round++) {
        /* From a handler. */
        cancels = 1;
        ualarm(10000, 0);
        TRUE(wait_for(60000) == ACH_CANCELED && chan.cancel);
        /* It stays, for all but put. */
        TRUE(wait_for(60000) == ACH_CANCELED);
        TRUE(ach_get(&chan, buf, sizeof buf, &len, NULL, 0) == ACH_CANCELED);
        TRUE(ach_get(&chan, buf, sizeof buf, &len, NULL, ACH_O_COPY) == ACH_CANCELED);
        TRUE(ach_flush(&chan) == ACH_CANCELED);
        TRUE(ach_put(&chan, "x", 1) == ACH_OK);
        /* Until the program ends it. */
        chan.cancel = 0;
        TRUE(wait_for(60000) == ACH_OK && buf[0] == 'x');
        TRUE(wait_for(1) == ACH_TIMEOUT);
        /* From a thread. */
        pthread_create(&thread, NULL, other, NULL);
        TRUE(wait_for(60000) == ACH_CANCELED);
        pthread_join(thread, NULL);
        chan.cancel = 0;
    }
    /* Ach forks a child for each cancel, which the program has to wait for. */
    TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    /* A handle that is opened again is not canceled. */
    TRUE(ach_cancel(&chan, NULL) == ACH_OK && ach_close(&chan) == ACH_OK);
    TRUE(ach_open(&chan, "cancel", NULL) == ACH_OK && wait_for(1000) == ACH_MISSED_FRAME);
    TRUE(ach_close(&chan) == ACH_OK && ach_unlink("cancel") == ACH_OK);
    puts("done");
    return 0;
}
