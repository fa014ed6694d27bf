// Encodes a laser scan and decodes it again.
//
//   cmake -B build && cmake --build build && build/scan
#include "geometry/pose_t_plain.hpp"
#include "laser/scan_t.hpp"

#include <cstdio>
#include <vector>

int main() {
    laser::scan_t scan;
    scan.utime = 1700000000000000;
    scan.pose.x = 1.0;
    scan.ranges = {1.5f, 1.6f, 1.8f};
    scan.scanner = "front";
    scan.set_sizes(); // nranges is 3
    std::vector<unsigned char> message(static_cast<std::size_t>(scan.getEncodedSize()));
    const int size = scan.encode(message.data(), 0, static_cast<int>(message.size()));
    if (size < 0) {
        return 1;
    }

    // Bytes from outside may be anything. Decoding checks all of them, and returns -1 if they are not such a message. You can
    // decode the next message into the same object, which reuses its memory.
    laser::scan_t received;
    if (received.decode(message.data(), 0, size) < 0) {
        return 1;
    }
    std::printf("%d bytes: %s saw %d ranges, the last at %.1f m\n", size, received.scanner.c_str(), received.nranges,
                static_cast<double>(received.ranges.back()));

    // A pose has a fixed size, so you can also build it in place: in a loan of a channel or, as here, in a buffer.
    using pose_t = geometry::pose_t_plain;
    alignas(8) unsigned char room[saltus::plain::message_size<pose_t>];
    pose_t *pose = saltus::plain::place<pose_t>(room, sizeof room);
    if (pose == nullptr) {
        return 1;
    }
    pose->x = 3.0;
    const pose_t *seen = saltus::plain::look<pose_t>(room, sizeof room);
    std::printf("in place: x is %.1f\n", seen == nullptr ? 0.0 : seen->x);
    return 0;
}
