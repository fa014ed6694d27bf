// The functions that the harness loads from a library with a C++ interface: eight, with C's calling convention. One
// file in this directory implements them for each such library; `src/contenders/net/adapter.rs` compiles and calls
// them.
//
// A member is a process's participant or node; it owns the senders and receivers created from it. One thread calls
// all functions. A failed function returns null or -2, and `adapter_error` returns the reason.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

extern "C" {
/// The error text of the last failed call. Valid until the next failure.
const char *adapter_error();
/// Joins network `number`, or the one at `place`, for messages of at most `longest` bytes, of which `depth` are kept.
void *adapter_join(const char *place, uint64_t number, size_t longest, size_t depth);
/// Leaves it and destroys the member's senders and receivers.
void adapter_leave(void *member);
/// A sender on a topic.
void *adapter_sender(void *member, const char *topic);
/// A receiver on a topic.
void *adapter_receiver(void *member, const char *topic);
/// Sends a message; returns 0, or -2 on failure.
int adapter_send(void *sender, const uint8_t *bytes, size_t length);
/// Takes the next message and copies up to `room` bytes of it; returns its length, -1 if none is waiting, or -2. Does
/// not block.
int64_t adapter_poll(void *receiver, uint8_t *to, size_t room);
/// The same, but blocks until there is a message; returns -1 after a spurious wake-up, or after a second.
int64_t adapter_wait(void *receiver, uint8_t *to, size_t room);
}

constexpr int64_t NONE = -1;
constexpr int64_t FAILED = -2;

/// The message: `struct Bytes { sequence<octet> data; }` of OMG IDL, `uint8[] data` of ROS. A sender points to the
/// caller's bytes; a receiver has a separate buffer.
struct Bytes {
    const uint8_t *data = nullptr;
    uint32_t length = 0;
    std::vector<uint8_t> own;
};

/// Copies as much as fits; returns the length of the whole message.
inline int64_t copy(const Bytes &message, uint8_t *to, size_t room) {
    std::copy_n(message.own.data(), std::min(room, message.own.size()), to);
    return static_cast<int64_t>(message.own.size());
}

inline std::string &what_failed() {
    static std::string text;
    return text;
}

/// Catches every exception, since none may pass into C.
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

/// Destroys a member.
template <typename Member>
void leave(void *member) noexcept {
    guarded(0, [&] {
        delete static_cast<Member *>(member);
        return 0;
    });
}
