// A pose that is built in the room where it is published, and looked at where it lies: nothing is encoded.
//
//   ../../bindings/c/install.sh PREFIX
//   PKG_CONFIG_PATH=PREFIX/lib/pkgconfig cmake -B build && cmake --build build && build/shared
#include "geometry/pose_t.hpp"
#include "geometry/pose_t_plain.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <saltus.h>

using pose_t = geometry::pose_t_plain;

template <class T, void (*Close)(T *)>
struct closer {
    void operator()(T *handle) const { Close(handle); }
};
template <class T, void (*Close)(T *)>
using owned = std::unique_ptr<T, closer<T, Close>>;
using owned_channel = owned<saltus_channel, saltus_channel_close>;
using owned_publisher = owned<saltus_channel_publisher, saltus_channel_publisher_close>;
using owned_subscriber = owned<saltus_channel_subscriber, saltus_channel_subscriber_close>;

static bool publish(saltus_channel_publisher *publisher, double x) {
    constexpr std::size_t size = saltus::plain::message_size<pose_t>;
    void *room = nullptr;
    if (saltus_channel_loan(publisher, size, &room) != SALTUS_OK) {
        return false;
    }
    pose_t *pose = saltus::plain::place<pose_t>(room, size);
    if (pose == nullptr) {
        saltus_channel_loan_abandon(publisher);
        return false;
    }
    pose->x = x;
    pose->heading = 0.5;
    return saltus_channel_loan_publish(publisher, size, nullptr) == SALTUS_OK;
}

// The publisher may overwrite the pose at any instant, so it is copied out, and believed only after it is validated.
static std::optional<pose_t> look(saltus_channel_subscriber *subscriber) {
    for (;;) {
        const void *message = nullptr;
        std::size_t len = 0;
        int code = saltus_channel_view(subscriber, SALTUS_NEWEST, SALTUS_AFTER(1000000000), &message, &len);
        if (code == SALTUS_OVERRUN) {
            continue;
        }
        if (code != SALTUS_OK) {
            return std::nullopt;
        }
        std::optional<pose_t> copy;
        if (const pose_t *seen = saltus::plain::look<pose_t>(message, len)) {
            copy = *seen;
        }
        saltus_sample sample;
        code = saltus_channel_validate(subscriber, &sample);
        if (code == SALTUS_OVERRUN) {
            continue; // overwritten meanwhile: look at the newest again
        }
        return code == SALTUS_OK ? copy : std::nullopt;
    }
}

int main() {
    saltus_channel *channel = nullptr;
    saltus_channel_publisher *publisher = nullptr;
    saltus_channel_subscriber *subscriber = nullptr;
    // What the messages are, so that tools can read them (`saltus echo`).
    const auto hash = saltus::plain::layout<pose_t>::hash;
    const bool open = saltus_channel_open_or_create(nullptr, "pose", nullptr, &channel) == SALTUS_OK &&
                      saltus_channel_publisher_open(channel, &publisher) == SALTUS_OK &&
                      saltus_channel_describe(publisher, geometry::pose_t::FULL_NAME, hash, geometry::pose_t::SCHEMA) == SALTUS_OK &&
                      saltus_channel_subscriber_open(channel, nullptr, &subscriber) == SALTUS_OK;
    const owned_channel owns_channel(channel);
    const owned_publisher owns_publisher(publisher);
    const owned_subscriber owns_subscriber(subscriber);
    const auto pose = open && publish(publisher, 3.0) ? look(subscriber) : std::nullopt;
    if (!pose) {
        std::fprintf(stderr, "shared: %s\n", saltus_last_error());
        return 1;
    }
    std::printf("in place: x is %.1f, heading is %.1f\n", pose->x, pose->heading);
    return 0;
}
