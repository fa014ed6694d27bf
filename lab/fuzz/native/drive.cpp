// Decodes with the generated C++ code and encodes again, for a fuzz target in Rust.
#include "cpp_headers.inc"

#include <cstdlib>
#include <memory>

namespace {

template <class T>
int again(const std::uint8_t *bytes, int len, std::uint8_t *out, int room, int *made) {
    const auto value = std::make_unique<T>();
    const int read = value->decode(bytes, 0, len);
    if (read >= 0) {
        // A message that is used says the same.
        if (value->decode(bytes, 0, len) != read) {
            std::abort();
        }
        *made = value->encode(out, 0, room);
        if (*made >= 0 && *made != value->getEncodedSize()) {
            std::abort();
        }
    }
    return read;
}

using again_f = int (*)(const std::uint8_t *, int, std::uint8_t *, int, int *);
#define TYPE(T) again<T>,
const again_f ALL[] = {
#include "cpp_types.inc"
};

} // namespace

// Decodes `len` bytes as the type of this number. Returns how many it took, or a negative number; encodes into `out` what it
// found, as `*made` bytes.
extern "C" int saltus_again(std::size_t type, const std::uint8_t *bytes, int len, std::uint8_t *out, int room, int *made) {
    return ALL[type](bytes, len, out, room, made);
}

// What is freed is soon given away again, so that memory means something; no message of the fuzzer's is worth 32 MB.
extern "C" const char *__asan_default_options() {
    return "quarantine_size_mb=4:max_allocation_size_mb=32";
}
