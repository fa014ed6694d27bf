// Decodes, encodes and copies messages of all types with the generated C code: right ones, each cut and each byte of
// them changed, with memory and without. "types.h" is made by the test: the includes, and TYPES(T).
#include "messages.h"
#include "types.h"

#include <string.h>

// Memory: counted, and refused when a test wants that. The linker puts these before malloc and calloc.
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
static size_t allocated, calls, refused_call;

static int refuses(size_t size) {
    allocated += size;
    return ++calls == refused_call;
}
void *__wrap_malloc(size_t size) { return refuses(size) ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size) { return refuses(n * size) ? NULL : __real_calloc(n, size); }

typedef struct type {
    const char *name;
    size_t size;
    int (*encode)(void *buf, int offset, int maxlen, const void *p);
    int (*decode)(const void *buf, int offset, int maxlen, void *p);
    int (*cleanup)(void *p);
    int (*encoded_size)(const void *p);
    void *(*copy)(const void *p);
    void (*destroy)(void *p);
} type;

#define WRAP(T)                                                                                                        \
    static int T##_e(void *b, int o, int m, const void *p) { return T##_encode(b, o, m, p); }                          \
    static int T##_d(const void *b, int o, int m, void *p) { return T##_decode(b, o, m, p); }                          \
    static int T##_f(void *p) { return T##_decode_cleanup(p); }                                                        \
    static int T##_s(const void *p) { return T##_encoded_size(p); }                                                    \
    static void *T##_c(const void *p) { return T##_copy(p); }                                                          \
    static void T##_x(void *p) { T##_destroy(p); }
#define ENTRY(T) {#T, sizeof(T), T##_e, T##_d, T##_f, T##_s, T##_c, T##_x},
TYPES(WRAP)
static const type types[] = {TYPES(ENTRY)};

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s: line %d: %s\n", ty->name, __LINE__, #condition);                                      \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// Bytes in memory of exactly their length, so that a read past the end is found.
static unsigned char *exactly(const unsigned char *bytes, size_t len) {
    unsigned char *copy = __real_malloc(len > 0 ? len : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, len);
    return copy;
}

// What was decoded must be encodable, and what that makes must be decodable.
static void again(const type *ty, const void *message) {
    int size = ty->encoded_size(message);
    CHECK(size >= 0);
    unsigned char *out = exactly((const unsigned char *)"", 0);
    out = realloc(out, (size_t)size);
    CHECK(out != NULL);
    CHECK(ty->encode(out, 0, size, message) == size);
    CHECK(ty->encode(out, 0, size - 1, message) < 0);
    void *other = __real_malloc(ty->size);
    CHECK(other != NULL);
    CHECK(ty->decode(out, 0, size, other) == size);
    CHECK(ty->cleanup(other) == 0);
    free(other);
    free(out);
}

// Decodes bytes that may be anything. Returns what the decoder returned.
static int attempt(const type *ty, const unsigned char *bytes, size_t len) {
    unsigned char *input = exactly(bytes, len);
    void *message = __real_malloc(ty->size);
    CHECK(message != NULL);
    memset(message, 0xa5, ty->size);
    allocated = 0;
    int took = ty->decode(input, 0, (int)len, message);
    // 32 bytes and more of memory can belong to one byte of a message, but not more with each depth.
    CHECK(allocated <= 128 * len + 65536);
    if (took >= 0) {
        CHECK((size_t)took <= len);
        again(ty, message);
        CHECK(ty->cleanup(message) == 0);
        CHECK(ty->cleanup(message) == 0);
    }
    free(message);
    free(input);
    return took;
}

static void right(const type *ty, const unsigned char *bytes, size_t len) {
    unsigned char *input = exactly(bytes, len);
    unsigned char *output = exactly(bytes, len);
    void *message = __real_malloc(ty->size);
    CHECK(message != NULL);
    CHECK(ty->decode(input, 0, (int)len, message) == (int)len);
    CHECK(ty->encoded_size(message) == (int)len);
    memset(output, 0, len);
    CHECK(ty->encode(output, 0, (int)len, message) == (int)len);
    CHECK(memcmp(input, output, len) == 0);
    for (size_t room = 0; room < len; room++) {
        unsigned char *small = exactly(bytes, room);
        CHECK(ty->encode(small, 0, (int)room, message) < 0);
        free(small);
    }
    void *copy = ty->copy(message);
    CHECK(copy != NULL);
    CHECK(ty->cleanup(message) == 0);
    memset(output, 0, len);
    CHECK(ty->encode(output, 0, (int)len, copy) == (int)len);
    CHECK(memcmp(input, output, len) == 0);
    ty->destroy(copy);
    // At an offset, with more bytes behind it.
    unsigned char *wide = calloc(1, len + 12);
    CHECK(wide != NULL);
    memcpy(wide + 5, bytes, len);
    CHECK(ty->decode(wide, 5, (int)len + 7, message) == (int)len);
    CHECK(ty->cleanup(message) == 0);
    CHECK(ty->decode(wide, -1, (int)len, message) < 0);
    CHECK(ty->decode(wide, 0, -1, message) < 0);
    free(wide);
    // Each allocation refused in its turn: an error, and nothing is lost.
    calls = refused_call = 0;
    CHECK(ty->decode(input, 0, (int)len, message) == (int)len);
    size_t needed = calls;
    CHECK(ty->cleanup(message) == 0);
    for (size_t i = 1; i <= needed; i++) {
        calls = 0;
        refused_call = i;
        CHECK(ty->decode(input, 0, (int)len, message) < 0);
    }
    refused_call = 0;
    free(message);
    free(output);
    free(input);
}

static unsigned long long random_state = 88172645463325252ULL;
static unsigned long long random_number(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void hostile(const type *ty, const unsigned char *bytes, size_t len, size_t rounds) {
    static const unsigned char masks[] = {0xff, 0x80, 0x01};
    static const unsigned char words[][4] = {
        {0xff, 0xff, 0xff, 0xff}, {0x80, 0, 0, 0}, {0x7f, 0xff, 0xff, 0xff}, {0, 0, 0, 0}, {0, 0, 0, 200}, {0, 1, 0, 0}};
    for (size_t cut = 0; cut < len; cut++) {
        CHECK(attempt(ty, bytes, cut) < 0);
    }
    unsigned char *changed = exactly(bytes, len);
    for (size_t at = 0; at < len; at++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            changed[at] = (unsigned char)(bytes[at] ^ masks[m]);
            int took = attempt(ty, changed, len);
            CHECK(at >= 8 || took < 0);
        }
        changed[at] = bytes[at];
    }
    for (size_t round = 0; round < rounds && len > 12; round++) {
        memcpy(changed, bytes, len);
        for (unsigned long long n = 1 + random_number() % 4; n > 0; n--) {
            size_t at = 8 + (size_t)(random_number() % (len - 8));
            if (random_number() % 2 == 0 && at + 4 <= len) {
                memcpy(changed + at, words[random_number() % 6], 4);
            } else {
                changed[at] = (unsigned char)random_number();
            }
        }
        attempt(ty, changed, 8 + (size_t)(random_number() % (len - 7)));
    }
    free(changed);
}

int main(int argc, char **argv) {
    FILE *file = open_messages(argc, argv, 2);
    size_t rounds = strtoul(argv[2], NULL, 10);
    size_t messages = 0;
    message next;
    while (next_message(file, &next)) {
        const type *ty = &types[next.type];
        int took = attempt(ty, next.bytes, next.len);
        CHECK(next.expect == 2 || (next.expect == 0 || next.expect == 3) == (took >= 0));
        if (next.expect == 0 && next.len < 2000) {
            right(ty, next.bytes, next.len);
            hostile(ty, next.bytes, next.len, rounds);
        }
        free(next.bytes);
        messages++;
    }
    fclose(file);
    printf("%zu messages\n", messages);
    return 0;
}
