/* How long a message takes through LCM's interface: `pingpong URL N SIZE` sends messages to a child process, which sends each back, and
 * prints half of the median and of the 99th percentile of the time there and back, in us, and the processor time per message. */
#include <lcm/lcm.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int returned;

static void back(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)channel;
    lcm_publish(rbuf->lcm, (const char *)user, rbuf->data, rbuf->data_size);
}

static void home(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
    (void)rbuf;
    (void)channel;
    (void)user;
    returned = 1;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double used(int whose) {
    struct rusage usage;
    getrusage(whose, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv) {
    const char *url = argc > 3 ? argv[1] : "";
    const int n = argc > 3 ? atoi(argv[2]) : 0, size = argc > 3 ? atoi(argv[3]) : 0;
    const int warm = 200;
    double *times = (double *)calloc((size_t)n + 1, sizeof(double));
    char *data = (char *)calloc(1, (size_t)size + 1);
    pid_t child = fork();
    lcm_t *lcm;
    int i;
    if (child == 0) {
        lcm = lcm_create(url);
        lcm_subscribe(lcm, "THERE", back, (void *)"BACK");
        for (i = 0; i < n + warm; i++)
            lcm_handle(lcm);
        lcm_destroy(lcm);
        _exit(0);
    }
    lcm = lcm_create(url);
    lcm_subscribe(lcm, "BACK", home, NULL);
    usleep(300000);
    for (i = -warm; i < n; i++) {
        const double start = now();
        const int patience = 5000;
        returned = 0;
        lcm_publish(lcm, "THERE", data, (unsigned)size);
        while (!returned)
            if (lcm_handle_timeout(lcm, patience) <= 0) {
                printf("a message was lost\n");
                kill(child, SIGKILL);
                return 1;
            }
        if (i >= 0)
            times[i] = now() - start;
    }
    lcm_destroy(lcm);
    waitpid(child, NULL, 0);
    qsort(times, (size_t)n, sizeof(double), compare);
    printf("p50 %.1f us, p99 %.1f us, %.1f us of processors per message\n", times[n / 2] / 2, times[(int)(n * 0.99)] / 2,
           (used(RUSAGE_SELF) + used(RUSAGE_CHILDREN)) / (2.0 * n));
    return 0;
}
