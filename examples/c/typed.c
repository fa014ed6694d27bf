/* Publishes and receives a pose, with the code that `saltus gen --lang c` generates from types/pose.lcm. */
#include "robot_pose_t.h"

#include <saltus.h>
#include <stdio.h>

static int publish(saltus_domain_publisher publisher, const robot_pose_t *pose)
{
    unsigned char bytes[256];
    int len = robot_pose_t_encode(bytes, 0, sizeof bytes, pose);
    return len < 0 ? SALTUS_ENCODE_FAILED : saltus_domain_publish(publisher, bytes, (size_t)len);
}

static int receive(saltus_domain_subscriber subscriber, robot_pose_t *pose)
{
    const saltus_message *message;
    int code = saltus_domain_receive(subscriber, SALTUS_AFTER(10000000000), &message);
    if (code == SALTUS_OK && robot_pose_t_decode(message->data, 0, (int)message->len, pose) < 0)
        code = SALTUS_DECODE_FAILED;
    return code;
}

int main(void)
{
    char frame[] = "map";
    const robot_pose_t here = {1.0, 2.0, 0.5, frame};
    const saltus_type type = {ROBOT_POSE_T_TYPE_NAME, ROBOT_POSE_T_FINGERPRINT, robot_pose_t_schema};
    robot_pose_t pose;
    saltus_domain domain = SALTUS_HANDLE_INIT;
    saltus_domain_publisher publisher = SALTUS_HANDLE_INIT;
    saltus_domain_subscriber subscriber = SALTUS_HANDLE_INIT;
    saltus_domain_options options;
    int code;

    saltus_domain_options_init(&options, sizeof options);
    options.expected = &type; /* other types are reported as SALTUS_WRONG_TYPE */
    code = saltus_domain_open(NULL, &domain);
    if (code == SALTUS_OK)
        code = saltus_domain_publisher_open(domain, "pose", &type, &publisher);
    if (code == SALTUS_OK)
        code = saltus_domain_subscriber_open(domain, "pose", &options, &subscriber);
    if (code == SALTUS_OK)
        code = publish(publisher, &here);
    if (code == SALTUS_OK)
        code = receive(subscriber, &pose);
    if (code == SALTUS_OK) {
        printf("x is %.1f, heading is %.1f in %s\n", pose.x, pose.heading, pose.frame);
        robot_pose_t_decode_cleanup(&pose);
    } else {
        fprintf(stderr, "typed: %s: %s\n", saltus_strerror(code), saltus_last_error());
    }
    saltus_domain_subscriber_close(subscriber);
    saltus_domain_publisher_close(publisher);
    saltus_domain_close(domain);
    return code != SALTUS_OK;
}
