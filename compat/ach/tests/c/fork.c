/* Handles that were opened before fork work in parent and children, each with its own position; ipcbench and achbench rely on it. */
#include <ach.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

enum { CHILDREN = 8, EACH = 200 };

static ach_channel_t chan, back, waited;

static enum ach_status get(ach_channel_t *c, int *value, int options) {
    size_t len = 0;
    struct timespec t = {60, 0};
    return ach_get(c, value, sizeof *value, &len, &t, options | ACH_O_RELTIME);
}

static void *waits(void *arg) {
    int value = 0;
    TRUE(get(&waited, &value, ACH_O_WAIT) == ACH_OK && value == 5);
    return arg;
}

static int ends_well(pid_t child) {
    int status = 1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void) {
    int value = 0, i;
    TRUE(ach_create("fork", 2 * EACH, 8, NULL) == ACH_OK && ach_create("back", CHILDREN * EACH, 8, NULL) == ACH_OK);
    TRUE(ach_open(&chan, "fork", NULL) == ACH_OK && ach_open(&back, "back", NULL) == ACH_OK);
    for (i = 1; i <= 3; i++) TRUE(ach_put(&chan, &i, sizeof i) == ACH_OK);
    TRUE(get(&chan, &value, 0) == ACH_OK && value == 1);
    pid_t children[CHILDREN];
    for (int c = 0; c < CHILDREN; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            /* From the position at the fork, and all that the parent puts later. */
            for (i = 2; i <= EACH; i++) TRUE(get(&chan, &value, ACH_O_WAIT) == ACH_OK && value == i);
            for (i = 0; i < EACH; i++) {
                int mine = c * EACH + i;
                TRUE(ach_put(&back, &mine, sizeof mine) == ACH_OK);
            }
            TRUE(ach_close(&chan) == ACH_OK && ach_close(&back) == ACH_OK);
            _exit(0);
        }
    }
    for (i = 4; i <= EACH; i++) TRUE(ach_put(&chan, &i, sizeof i) == ACH_OK);
    for (i = 2; i <= EACH; i++) TRUE(get(&chan, &value, 0) == ACH_OK && value == i);
    /* Each child's in order, and all of them. */
    int next[CHILDREN] = {0};
    for (i = 0; i < CHILDREN * EACH; i++) {
        TRUE(get(&back, &value, ACH_O_WAIT) == ACH_OK);
        TRUE(value % EACH == next[value / EACH]++);
    }
    for (int c = 0; c < CHILDREN; c++) TRUE(ends_well(children[c]));
    /* A child of a parent with a thread that waits with the handle. */
    TRUE(ach_create("waited", 4, 8, NULL) == ACH_OK && ach_open(&waited, "waited", NULL) == ACH_OK);
    i = 4;
    TRUE(ach_put(&waited, &i, sizeof i) == ACH_OK && get(&waited, &value, 0) == ACH_OK);
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    while (ach_flush(&waited) != ACH_EAGAIN) usleep(1000); /* until it waits */
    pid_t child = fork();
    if (child == 0) {
        TRUE(get(&waited, &value, ACH_O_WAIT) == ACH_OK && value == 5);
        TRUE(waited.seq_num == 2);
        TRUE(get(&waited, &value, 0) == ACH_STALE_FRAMES);
        _exit(0);
    }
    i = 5;
    TRUE(ach_put(&waited, &i, sizeof i) == ACH_OK);
    pthread_join(thread, NULL);
    TRUE(ends_well(child));
    TRUE(ach_close(&waited) == ACH_OK && ach_close(&chan) == ACH_OK && ach_close(&back) == ACH_OK);
    TRUE(ach_unlink("waited") == ACH_OK && ach_unlink("fork") == ACH_OK && ach_unlink("back") == ACH_OK);
    puts("done");
    return 0;
}
