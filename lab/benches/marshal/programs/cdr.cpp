// CDR, by Fast-CDR, in the machine's own byte order: nothing has to be swapped. The messages come from our C++, and go
// back to it to be verified.
#include "measure.h"

#include "bench/cloud_t.hpp"
#include "bench/image_t.hpp"
#include "bench/joints_t.hpp"
#include "bench/laser_t.hpp"
#include "bench/path_t.hpp"

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;

// What DDS generators make of the same types: sizes are part of sequences.
struct laser_msg {
    int64_t utime;
    std::vector<float> ranges, intensities;
    float rad0, radstep;

    template <class F> void each(F &&f) { f(utime), f(ranges), f(intensities), f(rad0), f(radstep); }
    void take(const bench::laser_t &from)
    {
        *this = {from.utime, from.ranges, from.intensities, from.rad0, from.radstep};
    }
    void give(bench::laser_t &to) const
    {
        to.utime = utime, to.ranges = ranges, to.intensities = intensities, to.rad0 = rad0, to.radstep = radstep;
        to.nranges = static_cast<int32_t>(ranges.size());
        to.nintensities = static_cast<int32_t>(intensities.size());
    }
};

struct joints_msg {
    int64_t utime;
    std::vector<double> position, velocity, effort;

    template <class F> void each(F &&f) { f(utime), f(position), f(velocity), f(effort); }
    void take(const bench::joints_t &from) { *this = {from.utime, from.position, from.velocity, from.effort}; }
    void give(bench::joints_t &to) const
    {
        to.utime = utime, to.position = position, to.velocity = velocity, to.effort = effort;
        to.n = static_cast<int32_t>(position.size());
    }
};

struct image_msg {
    int64_t utime;
    int32_t width, height;
    std::vector<uint8_t> data;

    template <class F> void each(F &&f) { f(utime), f(width), f(height), f(data); }
    void take(const bench::image_t &from) { *this = {from.utime, from.width, from.height, from.data}; }
    void give(bench::image_t &to) const
    {
        to.utime = utime, to.width = width, to.height = height, to.data = data;
        to.size = static_cast<int32_t>(data.size());
    }
};

struct cloud_msg {
    int64_t utime;
    std::vector<std::array<float, 3>> xyz;

    template <class F> void each(F &&f) { f(utime), f(xyz); }
    void take(const bench::cloud_t &from)
    {
        utime = from.utime;
        xyz.clear();
        for (const auto &row : from.xyz) {
            xyz.push_back({row[0], row[1], row[2]});
        }
    }
    void give(bench::cloud_t &to) const
    {
        to.utime = utime;
        to.n = static_cast<int32_t>(xyz.size());
        to.xyz.resize(xyz.size());
        for (size_t i = 0; i < xyz.size(); i++) {
            to.xyz[i].resize(3);
            std::copy(xyz[i].begin(), xyz[i].end(), to.xyz[i].begin());
        }
    }
};

struct waypoint_msg {
    std::string name;
    std::array<double, 3> position;
    std::array<double, 4> orientation;

    void serialize(Cdr &cdr) const { cdr << name << position << orientation; }
    void deserialize(Cdr &cdr) { cdr >> name >> position >> orientation; }
};

struct path_msg {
    int64_t utime;
    std::vector<waypoint_msg> points;

    template <class F> void each(F &&f) { f(utime), f(points); }
    void take(const bench::path_t &from)
    {
        utime = from.utime;
        points.resize(from.points.size());
        for (size_t i = 0; i < points.size(); i++) {
            points[i].name = from.points[i].name;
            std::copy(from.points[i].position, from.points[i].position + 3, points[i].position.begin());
            std::copy(from.points[i].orientation, from.points[i].orientation + 4, points[i].orientation.begin());
        }
    }
    void give(bench::path_t &to) const
    {
        to.utime = utime;
        to.n = static_cast<int32_t>(points.size());
        to.points.resize(points.size());
        for (size_t i = 0; i < points.size(); i++) {
            to.points[i].name = points[i].name;
            std::copy(points[i].position.begin(), points[i].position.end(), to.points[i].position);
            std::copy(points[i].orientation.begin(), points[i].orientation.end(), to.points[i].orientation);
        }
    }
};

// The operations on one type.
template <class T, class Msg>
struct work {
    static inline bytes_t bytes;
    static inline char *copied;
    static inline std::vector<char> room;
    static inline Msg message;
    static inline Msg kept;

    static void encode(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            touch(&message);
            FastBuffer buffer(room.data(), room.size());
            Cdr cdr(buffer);
            message.each([&cdr](const auto &field) { cdr << field; });
            touch(room.data());
        }
    }
    static void decode_into(Msg &to)
    {
        touch(room.data());
        FastBuffer buffer(room.data(), room.size());
        Cdr cdr(buffer);
        to.each([&cdr](auto &field) { cdr >> field; });
        touch(&to);
    }
    static void decode(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            Msg fresh;
            decode_into(fresh);
        }
    }
    static void reuse(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            decode_into(kept);
        }
    }
    static void copy(size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            touch(bytes.data);
            memcpy(copied, bytes.data, bytes.size);
            touch(copied);
        }
    }
    static void verify()
    {
        reuse(2);
        T back;
        kept.give(back);
        std::vector<uint8_t> again(bytes.size);
        back.encode(again.data(), 0, static_cast<int>(again.size()));
        print_hex(again.data(), again.size());
    }
    static void prepare(const char *directory, const char *name)
    {
        bytes = read_message(directory, name);
        copied = static_cast<char *>(malloc(bytes.size));
        room.resize(2 * bytes.size + 64);
        T decoded;
        if (decoded.decode(bytes.data, 0, static_cast<int>(bytes.size)) < 0) {
            give_up("does not decode", name);
        }
        message.take(decoded);
        encode(1);
    }
    static case_t row(const char *name) { return {name, encode, decode, reuse, copy, verify}; }
};

using scan = work<bench::laser_t, laser_msg>;
using joints = work<bench::joints_t, joints_msg>;
using image = work<bench::image_t, image_msg>;
using cloud = work<bench::cloud_t, cloud_msg>;
using path = work<bench::path_t, path_msg>;

int main(int argc, char **argv)
{
    if (argc != 2) {
        give_up("usage", "cdr DIRECTORY");
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
