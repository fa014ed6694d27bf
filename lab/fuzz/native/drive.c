// Decodes with the generated C code and encodes again, for a fuzz target in Rust.
#include "c_headers.inc"

#include <stdlib.h>

typedef int (*again_f)(const uint8_t *bytes, int len, uint8_t *out, int room, int *made);

#define TYPE(T)                                                                                          \
    static int again_##T(const uint8_t *bytes, int len, uint8_t *out, int room, int *made) {            \
        T *value = malloc(sizeof *value > 0 ? sizeof *value : 1);                                        \
        int read = value == NULL ? -1 : T##_decode(bytes, 0, len, value);                                \
        if (read >= 0) {                                                                                 \
            *made = T##_encode(out, 0, room, value);                                                     \
            if (*made >= 0 && *made != T##_encoded_size(value)) {                                        \
                abort();                                                                                 \
            }                                                                                            \
            T##_decode_cleanup(value);                                                                   \
        }                                                                                                \
        free(value);                                                                                     \
        return read;                                                                                     \
    }
#include "c_types.inc"
#undef TYPE

#define TYPE(T) again_##T,
static const again_f ALL[] = {
#include "c_types.inc"
};

// Decodes `len` bytes as the type of this number. Returns how many it took, or a negative number; encodes into `out` what it
// found, as `*made` bytes.
int saltus_again(size_t type, const uint8_t *bytes, int len, uint8_t *out, int room, int *made) {
    return ALL[type](bytes, len, out, room, made);
}

// What is freed is soon given away again, so that memory means something; no message of the fuzzer's is worth 32 MB.
const char *__asan_default_options(void) {
    return "quarantine_size_mb=4:max_allocation_size_mb=32";
}
