/* One thread waits for two channels at once; another publishes in both. Link with -pthread. */
#define _POSIX_C_SOURCE 200809L
#include <saltus.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { IMU, SCAN, CHANNELS, IMUS = 20, SCANS = 4 };

static const char *const names[CHANNELS] = {"imu", "scan"};
static saltus_channel channels[CHANNELS];

/* Publishes an IMU reading every 2 ms, and a scan with every fifth reading. */
static void *publish(void *unused)
{
    saltus_channel_publisher publishers[CHANNELS] = {SALTUS_HANDLE_INIT, SALTUS_HANDLE_INIT};
    int i, failed = 0;

    (void)unused;
    for (i = 0; i < CHANNELS; i++)
        failed |= saltus_channel_publisher_open(channels[i], &publishers[i]);
    for (i = 0; i < IMUS && !failed; i++) {
        struct timespec pause = {0, 2000000};
        failed |= saltus_channel_publish(publishers[IMU], &i, sizeof i, NULL);
        if (i % (IMUS / SCANS) == 0)
            failed |= saltus_channel_publish(publishers[SCAN], &i, sizeof i, NULL);
        nanosleep(&pause, NULL);
    }
    if (failed)
        fprintf(stderr, "wait_any: publish: %s\n", saltus_last_error());
    for (i = 0; i < CHANNELS; i++)
        saltus_channel_publisher_close(publishers[i]);
    return NULL;
}

int main(void)
{
    saltus_channel_subscriber subscribers[CHANNELS] = {SALTUS_HANDLE_INIT, SALTUS_HANDLE_INIT};
    saltus_attributes attributes;
    pthread_t thread;
    size_t which, seen[CHANNELS] = {0, 0};
    int i, code = SALTUS_OK;

    saltus_attributes_init(&attributes, sizeof attributes);
    attributes.depth = 64;
    for (i = 0; i < CHANNELS && code == SALTUS_OK; i++) {
        code = saltus_channel_replace(NULL, names[i], &attributes, &channels[i]);
        if (code == SALTUS_OK)
            code = saltus_channel_subscriber_open(channels[i], NULL, &subscribers[i]);
    }
    if (code == SALTUS_OK && pthread_create(&thread, NULL, publish, NULL) == 0) {
        while (code == SALTUS_OK && (seen[IMU] < IMUS || seen[SCAN] < SCANS)) {
            saltus_message_info info;
            int value;
            /* Wait for a message in either channel. Five seconds without one are an error. */
            code = saltus_channel_wait_any(subscribers, CHANNELS, SALTUS_AFTER(5000000000), &which);
            if (code != SALTUS_OK)
                break;
            while ((code = saltus_channel_receive(subscribers[which], SALTUS_NEXT, SALTUS_POLL, &value, sizeof value, &info))
                == SALTUS_OK)
                seen[which]++;
            if (code == SALTUS_NOTHING)
                code = SALTUS_OK; /* all messages received */
        }
        pthread_join(thread, NULL);
    }
    if (code != SALTUS_OK)
        fprintf(stderr, "wait_any: %s: %s\n", saltus_strerror(code), saltus_last_error());
    for (i = 0; i < CHANNELS; i++) {
        printf("%s: %d received\n", names[i], (int)seen[i]);
        saltus_channel_subscriber_close(subscribers[i]);
        saltus_channel_close(channels[i]);
        saltus_channel_unlink(NULL, names[i]);
    }
    return code != SALTUS_OK;
}
