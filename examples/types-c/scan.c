// Encodes a laser scan and decodes it again.
//
//   cmake -B build && cmake --build build && build/scan
#include "geometry_pose_t_plain.h"
#include "laser_scan_t.h"

#include <stdio.h>

int main(void) {
    float ranges[] = {1.5f, 1.6f, 1.8f};
    char scanner[] = "front";
    const laser_scan_t scan = {
        .utime = 1700000000000000,
        .pose = {.x = 1.0, .y = 2.0, .heading = 0.5},
        .nranges = 3,
        .ranges = ranges,
        .rad0 = -1.57f,
        .radstep = 0.0087f,
        .scanner = scanner,
    };
    unsigned char message[256];
    const int size = laser_scan_t_encode(message, 0, sizeof message, &scan);
    if (size < 0) {
        return 1;
    }

    // Bytes from outside may be anything. Decoding checks all of them, and returns -1 if they are not such a message.
    laser_scan_t received;
    if (laser_scan_t_decode(message, 0, size, &received) < 0) {
        return 1;
    }
    printf("%d bytes: %s saw %d ranges, the last at %.1f m\n", size, received.scanner, (int)received.nranges,
           (double)received.ranges[received.nranges - 1]);
    laser_scan_t_decode_cleanup(&received);

    // A pose has a fixed size, so you can also build it in place: in a loan of a channel or, as here, in a buffer.
    union {
        double aligned;
        unsigned char bytes[GEOMETRY_POSE_T_PLAIN_SIZE];
    } room;
    geometry_pose_t_plain *pose = geometry_pose_t_plain_place(&room, sizeof room);
    if (pose == NULL) {
        return 1;
    }
    pose->x = 3.0;
    const geometry_pose_t_plain *seen = geometry_pose_t_plain_look(&room, sizeof room);
    printf("in place: x is %.1f\n", seen == NULL ? 0.0 : seen->x);
    return 0;
}
