// ROS 1's roscpp: publishers and subscribers of `uint8[] data` over TCPROS, with the requested queue lengths. The
// calling thread handles messages, from a callback queue that each receiver has for itself.
#include "adapter.hpp"

#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <memory>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <stdexcept>

// The code that `genmsg` would generate for `Bytes`.
namespace ros {
namespace message_traits {
template <>
struct MD5Sum<Bytes> {
    /// The MD5 of the text `uint8[] data`.
    static const char *value() { return "f43a8e1b362b75baa741461b46adc7e0"; }
    static const char *value(const Bytes &) { return value(); }
};
template <>
struct DataType<Bytes> {
    static const char *value() { return "saltus_bench/Bytes"; }
    static const char *value(const Bytes &) { return value(); }
};
template <>
struct Definition<Bytes> {
    static const char *value() { return "uint8[] data\n"; }
    static const char *value(const Bytes &) { return value(); }
};
}  // namespace message_traits
namespace serialization {
template <>
struct Serializer<Bytes> {
    template <typename Stream>
    static void write(Stream &stream, const Bytes &message) {
        stream.next(message.length);
        std::memcpy(stream.advance(message.length), message.data, message.length);
    }
    template <typename Stream>
    static void read(Stream &stream, Bytes &message) {
        stream.next(message.own);
    }
    static uint32_t serializedLength(const Bytes &message) { return 4 + message.length; }
};
}  // namespace serialization
}  // namespace ros

namespace {

struct Receiver {
    ros::CallbackQueue queue;
    ros::Subscriber subscriber;
    boost::shared_ptr<const Bytes> message;

    /// Handles one message; waits for it at most the given time.
    int64_t take(double seconds, uint8_t *to, size_t room) {
        queue.callOne(ros::WallDuration(seconds));
        if (message == nullptr) {
            return NONE;
        }
        const int64_t length = copy(*message, to, room);
        message.reset();
        return length;
    }
};

/// The last member of a process shuts the node down.
struct Member {
    ros::NodeHandle node;
    uint32_t depth;
    std::vector<std::unique_ptr<ros::Publisher>> senders;
    std::vector<std::unique_ptr<Receiver>> receivers;
};

/// Initializes the node of this process: without signal handlers, without a log file and without /rosout.
void begin(const char *master) {
    if (!ros::isInitialized()) {
        const ros::M_string words = {{"__master", master}, {"__ip", "127.0.0.1"}, {"__log", "/dev/null"}};
        using namespace ros::init_options;
        ros::init(words, "saltus_bench", NoSigintHandler | AnonymousName | NoRosout);
    }
    if (!ros::master::check()) {
        throw std::runtime_error(std::string("no ROS master at ") + master);
    }
}

}  // namespace

const char *adapter_error() { return what_failed().c_str(); }

void *adapter_join(const char *place, uint64_t, size_t, size_t depth) {
    return guarded<void *>(nullptr, [&] {
        begin(place);
        auto member = std::make_unique<Member>();
        member->depth = static_cast<uint32_t>(depth);
        return member.release();
    });
}

void adapter_leave(void *member) { leave<Member>(member); }

void *adapter_sender(void *of, const char *topic) {
    return guarded<void *>(nullptr, [&] {
        auto &member = *static_cast<Member *>(of);
        const auto publisher = member.node.advertise<Bytes>(topic, member.depth);
        member.senders.push_back(std::make_unique<ros::Publisher>(publisher));
        return member.senders.back().get();
    });
}

void *adapter_receiver(void *of, const char *topic) {
    return guarded<void *>(nullptr, [&] {
        auto &member = *static_cast<Member *>(of);
        auto receiver = std::make_unique<Receiver>();
        auto *inbox = receiver.get();
        const auto keep = [inbox](const boost::shared_ptr<const Bytes> &message) { inbox->message = message; };
        auto options = ros::SubscribeOptions::create<Bytes>(topic, member.depth, keep, ros::VoidPtr(), &inbox->queue);
        receiver->subscriber = member.node.subscribe(options);
        member.receivers.push_back(std::move(receiver));
        return inbox;
    });
}

int adapter_send(void *sender, const uint8_t *bytes, size_t length) {
    return guarded(static_cast<int>(FAILED), [&] {
        Bytes message;
        message.data = bytes;
        message.length = static_cast<uint32_t>(length);
        static_cast<ros::Publisher *>(sender)->publish(message);
        return 0;
    });
}

int64_t adapter_poll(void *receiver, uint8_t *to, size_t room) {
    return guarded(FAILED, [&] { return static_cast<Receiver *>(receiver)->take(0, to, room); });
}

int64_t adapter_wait(void *receiver, uint8_t *to, size_t room) {
    return guarded(FAILED, [&] { return static_cast<Receiver *>(receiver)->take(1, to, room); });
}
