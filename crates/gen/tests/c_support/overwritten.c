// The plain layout through a channel whose publisher overwrites what is being looked at: the view says so, and the next
// look has a whole message.
#include "check.h"
#include "geometry_pose_t_plain.h"

#include <saltus.h>
#include <string.h>

static void publish(saltus_channel_publisher publisher, double x) {
    void *room;
    CHECK(saltus_channel_loan(publisher, GEOMETRY_POSE_T_PLAIN_SIZE, &room) == SALTUS_OK);
    geometry_pose_t_plain *pose = geometry_pose_t_plain_place(room, GEOMETRY_POSE_T_PLAIN_SIZE);
    CHECK(pose != NULL && pose->x == 0.0 && pose->y == 0.0 && pose->heading == 0.0);
    pose->x = x;
    pose->y = -x;
    pose->heading = x;
    CHECK(saltus_channel_loan_publish(publisher, GEOMETRY_POSE_T_PLAIN_SIZE, NULL) == SALTUS_OK);
}

int main(void) {
    saltus_channel channel;
    saltus_channel_publisher publisher;
    saltus_channel_subscriber subscriber;
    saltus_attributes attributes;
    CHECK(saltus_attributes_init(&attributes, sizeof attributes) == SALTUS_OK);
    attributes.depth = 2;
    attributes.max_message_size = GEOMETRY_POSE_T_PLAIN_SIZE;
    CHECK(saltus_channel_create(NULL, "overwritten", &attributes, &channel) == SALTUS_OK);
    CHECK(saltus_channel_publisher_open(channel, &publisher) == SALTUS_OK);
    CHECK(saltus_channel_subscriber_open(channel, NULL, &subscriber) == SALTUS_OK);

    const void *message;
    size_t len;
    saltus_message_info sample;
    publish(publisher, 1.0);
    CHECK(saltus_channel_view(subscriber, SALTUS_NEWEST, SALTUS_POLL, &message, &len) == SALTUS_OK);
    const geometry_pose_t_plain *seen = geometry_pose_t_plain_look(message, len);
    CHECK(seen != NULL && (const char *)seen == (const char *)message + 8 && seen->x == 1.0);
    // A channel keeps at least its depth; this is more than any page holds.
    for (int i = 2; i <= 1000; i++) {
        publish(publisher, i);
    }
    // Another message is there now.
    CHECK(((const volatile geometry_pose_t_plain *)seen)->x != 1.0);
    CHECK(saltus_channel_validate(subscriber, &sample) == SALTUS_OVERRUN);

    geometry_pose_t_plain pose;
    CHECK(saltus_channel_view(subscriber, SALTUS_NEWEST, SALTUS_POLL, &message, &len) == SALTUS_OK);
    seen = geometry_pose_t_plain_look(message, len);
    CHECK(seen != NULL);
    memcpy(&pose, seen, sizeof pose);
    CHECK(saltus_channel_validate(subscriber, &sample) == SALTUS_OK);
    CHECK(pose.x == 1000.0 && pose.y == -1000.0 && pose.heading == 1000.0);

    // Bytes of another layout are detected.
    CHECK(saltus_channel_publish(publisher, "this is no pose at all", 22, NULL) == SALTUS_OK);
    CHECK(saltus_channel_view(subscriber, SALTUS_NEWEST, SALTUS_POLL, &message, &len) == SALTUS_OK);
    CHECK(geometry_pose_t_plain_check(message, len) == SALTUS_PLAIN_OTHER_LAYOUT);
    CHECK(saltus_channel_validate(subscriber, &sample) == SALTUS_OK);

    saltus_channel_subscriber_close(subscriber);
    saltus_channel_publisher_close(publisher);
    saltus_channel_close(channel);
    CHECK(saltus_channel_unlink(NULL, "overwritten") == SALTUS_OK);
    puts("done");
    return 0;
}
