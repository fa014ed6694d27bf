// A pose built in the memory of the channel and read in place: nothing is encoded.
//
//   ../../bindings/c/install.sh PREFIX
//   PKG_CONFIG_PATH=PREFIX/lib/pkgconfig cmake -B build && cmake --build build && build/shared
#include "geometry_pose_t.h"
#include "geometry_pose_t_plain.h"

#include <saltus.h>
#include <stdio.h>
#include <string.h>

static int publish(saltus_channel_publisher publisher, double x) {
    void *room;
    if (saltus_channel_loan(publisher, GEOMETRY_POSE_T_PLAIN_SIZE, &room) != SALTUS_OK) {
        return 1;
    }
    geometry_pose_t_plain *pose = geometry_pose_t_plain_place(room, GEOMETRY_POSE_T_PLAIN_SIZE);
    if (pose == NULL) {
        return saltus_channel_loan_abandon(publisher), 1;
    }
    pose->x = x;
    pose->heading = 0.5;
    return saltus_channel_loan_publish(publisher, GEOMETRY_POSE_T_PLAIN_SIZE, NULL);
}

// The publisher may overwrite the pose at any moment, so this copies it, and uses the copy only after validating it.
static int look(saltus_channel_subscriber subscriber, geometry_pose_t_plain *pose) {
    for (;;) {
        const void *message;
        size_t len;
        int code = saltus_channel_view(subscriber, SALTUS_NEWEST, SALTUS_AFTER(1000000000), &message, &len);
        if (code == SALTUS_OVERRUN) {
            continue;
        }
        if (code != SALTUS_OK) {
            return code;
        }
        const geometry_pose_t_plain *seen = geometry_pose_t_plain_look(message, len);
        if (seen != NULL) {
            memcpy(pose, seen, sizeof *pose);
        }
        saltus_message_info info;
        code = saltus_channel_validate(subscriber, &info);
        if (code == SALTUS_OVERRUN) {
            continue; // overwritten in the meantime: view the newest again
        }
        if (code == SALTUS_OK && seen == NULL) {
            fprintf(stderr, "shared: this is no pose, or one of another layout\n");
            return 1;
        }
        return code;
    }
}

int main(void) {
    saltus_channel channel = SALTUS_HANDLE_INIT;
    saltus_channel_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_channel_subscriber subscriber = SALTUS_HANDLE_INIT;
    geometry_pose_t_plain pose;
    // The type of the messages, so that tools can read them (`saltus echo`).
    const saltus_type type = {GEOMETRY_POSE_T_TYPE_NAME, GEOMETRY_POSE_T_PLAIN_HASH, geometry_pose_t_schema};
    const int failed = saltus_channel_open_or_create(NULL, "pose", NULL, &channel) || saltus_channel_publisher_open(channel, &publisher) ||
                       saltus_channel_describe(publisher, &type) ||
                       saltus_channel_subscriber_open(channel, NULL, &subscriber) || publish(publisher, 3.0) ||
                       look(subscriber, &pose);
    if (failed) {
        fprintf(stderr, "shared: %s\n", saltus_last_error());
    } else {
        printf("in place: x is %.1f, heading is %.1f\n", pose.x, pose.heading);
    }
    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    return failed;
}
