// A pose built in the memory of the channel and read in place: nothing is encoded.
//
//   ../../bindings/c/install.sh PREFIX
//   PKG_CONFIG_PATH=PREFIX/lib/pkgconfig cmake -B build && cmake --build build && build/shared
#include "geometry/pose_t.hpp"
#include "geometry/pose_t_plain.hpp"

#include <cstdio>
#include <optional>
#include <saltus.hpp>

using pose_t = geometry::pose_t_plain;
using namespace std::chrono_literals;

static void publish(saltus::channel_publisher &publisher, double x) {
    constexpr std::size_t size = saltus::plain::message_size<pose_t>;
    saltus::loan loan = publisher.loan(size).value();
    if (pose_t *pose = saltus::plain::place<pose_t>(loan.data(), size)) {
        pose->x = x;
        pose->heading = 0.5;
        loan.publish().value();
    }
}

// The publisher may overwrite the pose at any moment, so this copies it, and returns the copy only after validating it.
static std::optional<pose_t> look(saltus::channel_subscriber &subscriber) {
    for (;;) {
        const auto view = subscriber.view(saltus::which::newest, 1s);
        std::optional<pose_t> copy;
        if (view) {
            if (const pose_t *seen = saltus::plain::look<pose_t>(view->data.data(), view->data.size())) {
                copy = *seen;
            }
        }
        const saltus::code done = view ? subscriber.validate().error() : view.error();
        if (done != SALTUS_OVERRUN) { // else it was overwritten: view the newest again
            return done == SALTUS_OK ? copy : std::nullopt;
        }
    }
}

int main() {
    try {
        const auto channel = saltus::channel::open_or_create("pose").value();
        auto publisher = channel.publisher().value();
        auto subscriber = channel.subscriber().value();
        // The type of the messages, so that tools can read them (`saltus echo`).
        const auto hash = saltus::plain::layout<pose_t>::hash;
        publisher.describe(geometry::pose_t::FULL_NAME, hash, geometry::pose_t::SCHEMA).value();
        publish(publisher, 3.0);
        const auto pose = look(subscriber);
        std::printf("in place: x is %.1f, heading is %.1f\n", pose.value().x, pose->heading);
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "shared: %s\n", e.what());
        return 1;
    }
}
