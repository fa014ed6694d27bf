// A program as people write it for LCM: publishes a scan and receives it.
#include <inttypes.h>
#include <lcm/lcm.h>
#include <stdio.h>
#include <string.h>

#include "t_all_inner_t.h"
#include "t_all_scan_t.h"

static void on_scan(const lcm_recv_buf_t *rbuf, const char *channel, const t_all_scan_t *msg, void *user) {
    (void)rbuf;
    int *received = user;
    if (strcmp(channel, "SCAN") == 0 && msg->utime == 1234567 && msg->ranges[179] > 178.5f) {
        *received += msg->nranges;
    }
}

static void on_inner(const lcm_recv_buf_t *rbuf, const char *channel, const t_all_inner_t *msg, void *user) {
    (void)rbuf;
    (void)channel;
    (void)user;
    printf("inner: %" PRId16 " %s\n", msg->s, msg->name);
}

int main(void) {
    lcm_t *lcm = lcm_create("memq://");
    if (!lcm) {
        return 1;
    }
    int received = 0;
    float ranges[180];
    for (int i = 0; i < 180; i++) {
        ranges[i] = (float)i;
    }
    t_all_scan_t scan = {.utime = 1234567, .nranges = 180, .ranges = ranges, .rad0 = -1.57f, .radstep = 0.0174f};
    t_all_scan_t_subscription_t *scans = t_all_scan_t_subscribe(lcm, "SCAN", &on_scan, &received);
    t_all_inner_t_subscription_t *inners = t_all_inner_t_subscribe(lcm, "INN.*", &on_inner, NULL);
    if (!scans || !inners || t_all_scan_t_subscription_set_queue_capacity(scans, 10) != 0) {
        return 2;
    }
    char name[] = "no name";
    t_all_inner_t inner = {.s = 7, .name = name};
    if (t_all_scan_t_publish(lcm, "SCAN", &scan) != 0 || t_all_inner_t_publish(lcm, "INNER", &inner) != 0) {
        return 3;
    }
    lcm_handle(lcm);
    lcm_handle(lcm);
    // A message of another type is told and dropped.
    t_all_inner_t_publish(lcm, "SCAN", &inner);
    lcm_handle(lcm);
    t_all_scan_t *copy = t_all_scan_t_copy(&scan);
    if (copy == NULL || copy->ranges == scan.ranges || copy->ranges[5] < 4.5f) {
        return 4;
    }
    t_all_scan_t_destroy(copy);
    if (t_all_scan_t_unsubscribe(lcm, scans) != 0) {
        return 5;
    }
    t_all_scan_t_publish(lcm, "SCAN", &scan);
    const int more = lcm_handle_timeout(lcm, 0);
    t_all_inner_t_unsubscribe(lcm, inners);
    lcm_destroy(lcm);
    printf("received scan with %d ranges, then %s\n", received, more > 0 ? "more" : "nothing");
    return 0;
}
