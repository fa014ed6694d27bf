// What the harness loads of a library that only C++ can use: eight functions with C's calling convention. One file beside this one
// implements them for each such library; `src/contenders/net/adapter.rs` compiles and calls them.
//
// A member is what a process has of the library; it owns the senders and receivers that are made of it. Every function is called by
// one thread. What fails gives null or -2, and `adapter_error` says why.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

extern "C" {
/// What the last call that failed had to say. Lives until the next one.
const char *adapter_error();
/// Joins network `number`, or the one at `place`, for messages of at most `longest` bytes, of which `depth` are kept.
void *adapter_join(const char *place, uint64_t number, size_t longest, size_t depth);
/// Leaves it; senders and receivers of the member are gone.
void adapter_leave(void *member);
/// A sender on a topic.
void *adapter_sender(void *member, const char *topic);
/// A receiver on a topic.
void *adapter_receiver(void *member, const char *topic);
/// Sends a message; 0, or -2.
int adapter_send(void *sender, const uint8_t *bytes, size_t length);
/// Takes the next message, up to `room` bytes of it: its length, -1 where there is none, or -2. Does not block.
int64_t adapter_poll(void *receiver, uint8_t *to, size_t room);
/// The same, asleep until there is one; -1 where it was woken for nothing, or after a second.
int64_t adapter_wait(void *receiver, uint8_t *to, size_t room);
}

constexpr int64_t NONE = -1;
constexpr int64_t FAILED = -2;

/// The message: `struct Bytes { sequence<octet> data; }` of OMG IDL, `uint8[] data` of ROS. A sender points to what is the caller's; a
/// receiver has bytes of its own.
struct Bytes {
    const uint8_t *data = nullptr;
    uint32_t length = 0;
    std::vector<uint8_t> own;
};

/// Copies what there is room for; gives the length of the whole.
inline int64_t copy(const Bytes &message, uint8_t *to, size_t room) {
    std::copy_n(message.own.data(), std::min(room, message.own.size()), to);
    return static_cast<int64_t>(message.own.size());
}

inline std::string &what_failed() {
    static std::string text;
    return text;
}

/// Lets no exception out into C.
template <typename Result, typename Body>
Result guarded(Result failed, Body body) noexcept {
    try {
        return body();
    } catch (const std::exception &error) {
        what_failed() = error.what();
    } catch (...) {
        what_failed() = "an exception that is no std::exception";
    }
    return failed;
}

/// Ends a member.
template <typename Member>
void leave(void *member) noexcept {
    guarded(0, [&] {
        delete static_cast<Member *>(member);
        return 0;
    });
}
