// Generated C++, LCM's or ours: both have the same names.
#include "measure.h"

#include "bench/cloud_t.hpp"
#include "bench/image_t.hpp"
#include "bench/joints_t.hpp"
#include "bench/laser_t.hpp"
#include "bench/path_t.hpp"

// The operations on one type.
template <class T>
struct work {
    static inline bytes_t bytes;
    static inline uint8_t *buffer;
    static inline T message;
    static inline T kept;

    static int size() { return static_cast<int>(bytes.size); }

    static void prepare(const char *directory, const char *name)
    {
        bytes = read_message(directory, name);
        buffer = static_cast<uint8_t *>(malloc(bytes.size));
        if (message.decode(bytes.data, 0, size()) < 0) {
            give_up("does not decode", name);
        }
    }
    static void encode(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            touch(&message);
            message.encode(buffer, 0, size());
            touch(buffer);
        }
    }
    static void decode(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            T fresh;
            touch(bytes.data);
            fresh.decode(bytes.data, 0, size());
            touch(&fresh);
        }
    }
    static void reuse(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            touch(bytes.data);
            kept.decode(bytes.data, 0, size());
            touch(&kept);
        }
    }
    static void copy(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            touch(bytes.data);
            memcpy(buffer, bytes.data, bytes.size);
            touch(buffer);
        }
    }
    static void verify()
    {
        memset(buffer, 0, bytes.size);
        reuse(1);
        kept.encode(buffer, 0, size());
        print_hex(buffer, bytes.size);
    }
    static case_t row(const char *name) { return {name, encode, decode, reuse, copy, verify}; }
};

using scan = work<bench::laser_t>;
using joints = work<bench::joints_t>;
using image = work<bench::image_t>;
using cloud = work<bench::cloud_t>;
using path = work<bench::path_t>;

int main(int argc, char **argv)
{
    if (argc != 2) {
        give_up("usage", "lcm DIRECTORY");
    }
    scan::prepare(argv[1], "scan");
    joints::prepare(argv[1], "joints");
    image::prepare(argv[1], "image");
    cloud::prepare(argv[1], "cloud");
    path::prepare(argv[1], "path");
    const case_t cases[] = {scan::row("scan"),   joints::row("joints"), image::row("image"),
                            cloud::row("cloud"), path::row("path"),     {}};
    return answer(cases);
}
