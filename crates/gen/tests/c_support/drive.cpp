// Decodes and encodes messages of all types with the generated C++ code: right ones, each cut and each byte of them
// changed, with memory and without. "types.hpp" is made by the test: the includes, and TYPES(T).
#include "messages.h"
#include "types.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace {
std::size_t allocated, calls, refused_call;
bool counting;
} // namespace

// Memory: counted, and refused when a test wants that.
void *operator new(std::size_t size) {
    if (counting) {
        allocated += size;
        if (++calls == refused_call) {
            throw std::bad_alloc();
        }
    }
    void *p = std::malloc(size > 0 ? size : 1);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    return p;
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }

namespace {

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s: line %d: %s\n", T::getTypeName(), __LINE__, #condition);                         \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

using bytes = std::vector<unsigned char>;

// Bytes in memory of exactly their length, so that a read past the end is found.
struct exactly {
    std::unique_ptr<unsigned char[]> memory;
    explicit exactly(const unsigned char *from, std::size_t len) : memory(new unsigned char[len]) {
        if (len > 0) {
            std::memcpy(memory.get(), from, len);
        }
    }
};

template <class T>
void again(T &message) {
    const int size = message.getEncodedSize();
    CHECK(size >= 0);
    exactly out(bytes(static_cast<std::size_t>(size)).data(), static_cast<std::size_t>(size));
    const int made = message.encode(out.memory.get(), 0, size);
    // A string with a NUL inside is decoded, but not encoded.
    CHECK(made == size || made == -1);
    CHECK(message.encode(out.memory.get(), 0, size - 1) == -1);
    if (made >= 0) {
        T other;
        CHECK(message.encode(out.memory.get(), 0, size) == size);
        CHECK(other.decode(out.memory.get(), 0, size) == size);
    }
    message.set_sizes();
    CHECK(message.getEncodedSize() == size);
}

template <class T>
int attempt(const unsigned char *from, std::size_t len, T &message) {
    exactly input(from, len);
    allocated = 0;
    counting = true;
    const int took = message.decode(input.memory.get(), 0, static_cast<int>(len));
    counting = false;
    CHECK(allocated <= 256 * len + 65536);
    if (took >= 0) {
        CHECK(static_cast<std::size_t>(took) <= len);
        again(message);
    }
    return took;
}

template <class T>
void right(const unsigned char *from, std::size_t size) {
    const int len = static_cast<int>(size);
    T message;
    exactly input(from, size);
    bytes out(size + 1);
    for (int round = 0; round < 2; round++) {
        // The second time into what holds a message already.
        CHECK(message.decode(input.memory.get(), 0, len) == len);
        CHECK(message.getEncodedSize() == len);
        CHECK(message.encode(out.data(), 1, len) == len);
        CHECK(std::memcmp(out.data() + 1, from, size) == 0);
    }
    for (std::size_t room = 0; room < size; room++) {
        exactly small(from, room);
        CHECK(message.encode(small.memory.get(), 0, static_cast<int>(room)) == -1);
    }
    CHECK(message._getEncodedSizeNoHash() == len - 8);
    CHECK(message._encodeNoHash(out.data(), 0, len - 8) == len - 8);
    CHECK(message._decodeNoHash(out.data(), 0, len) == len - 8);
    message.set_sizes();
    CHECK(message.encode(out.data(), 0, len) == len);
    CHECK(std::memcmp(out.data(), from, size) == 0);
    counting = true;
    calls = refused_call = 0;
    {
        T fresh;
        CHECK(fresh.decode(input.memory.get(), 0, len) == len);
    }
    const std::size_t needed = calls;
    for (std::size_t i = 1; i <= needed; i++) {
        T fresh;
        calls = 0;
        refused_call = i;
        CHECK(fresh.decode(input.memory.get(), 0, len) == -1);
    }
    refused_call = 0;
    counting = false;
}

unsigned long long random_state = 88172645463325252ULL;
unsigned long long random_number() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

template <class T>
void hostile(const unsigned char *from, std::size_t len, std::size_t rounds) {
    static const unsigned char words[][4] = {
        {0xff, 0xff, 0xff, 0xff}, {0x80, 0, 0, 0}, {0x7f, 0xff, 0xff, 0xff}, {0, 0, 0, 0}, {0, 0, 0, 200}, {0, 1, 0, 0}};
    T message; // used again and again
    for (std::size_t cut = 0; cut < len; cut++) {
        CHECK(attempt(from, cut, message) == -1);
    }
    bytes changed(from, from + len);
    for (std::size_t at = 0; at < len; at++) {
        for (const int mask : {0xff, 0x80, 0x01}) {
            changed[at] = static_cast<unsigned char>(from[at] ^ mask);
            const int took = attempt(changed.data(), len, message);
            CHECK(at >= 8 || took == -1);
        }
        changed[at] = from[at];
    }
    for (std::size_t round = 0; round < rounds && len > 12; round++) {
        changed.assign(from, from + len);
        for (auto n = 1 + random_number() % 4; n > 0; n--) {
            const auto at = 8 + static_cast<std::size_t>(random_number() % (len - 8));
            if (random_number() % 2 == 0 && at + 4 <= len) {
                std::memcpy(changed.data() + at, words[random_number() % 6], 4);
            } else {
                changed[at] = static_cast<unsigned char>(random_number());
            }
        }
        attempt(changed.data(), 8 + static_cast<std::size_t>(random_number() % (len - 7)), message);
    }
}

template <class T>
void all(const unsigned char *from, std::size_t len, std::size_t expect, std::size_t rounds) {
    T message;
    const int took = attempt(from, len, message);
    CHECK(expect == 2 || (expect == 0 || expect == 3) == (took >= 0));
    if (expect == 0 && len < 2000) {
        right<T>(from, len);
        hostile<T>(from, len, rounds);
    }
}

#define ENTRY(T) all<T>,
void (*const types[])(const unsigned char *, std::size_t, std::size_t, std::size_t) = {TYPES(ENTRY)};

} // namespace

int main(int argc, char **argv) {
    std::FILE *file = open_messages(argc, argv, 2);
    const std::size_t rounds = std::strtoul(argv[2], nullptr, 10);
    std::size_t messages = 0;
    message next;
    while (next_message(file, &next)) {
        types[next.type](next.bytes, next.len, next.expect, rounds);
        std::free(next.bytes);
        messages++;
    }
    std::fclose(file);
    std::printf("%zu messages\n", messages);
    return 0;
}
