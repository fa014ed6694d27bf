/* Driver for generated C, LCM's or ours. `types.h` is made by the suite: it includes the generated headers, has a
 * function `dump_T` for every type, and the list TYPES. */
#define _GNU_SOURCE
#include "lines.h"

static inline void put_string(out_t *o, const char *text)
{
    if (text) {
        put_chars(o, text, strlen(text));
    } else {
        put_text(o, "null");
    }
}

#include "types.h"

#define ROUND_TRIP(NAME, TYPE)                                                     \
    static int round_trip_##TYPE(const uint8_t *buffer, int size, out_t *answer)   \
    {                                                                              \
        TYPE message;                                                              \
        if (TYPE##_decode(buffer, 1, size, &message) < 0) {                        \
            return -1;                                                             \
        }                                                                          \
        dump_##TYPE(answer, &message);                                             \
        put(answer, " ", 1);                                                       \
        int room = TYPE##_encoded_size(&message);                                  \
        uint8_t *bytes = (uint8_t *)malloc(room > 0 ? (size_t)room : 1);           \
        int wrote = bytes ? TYPE##_encode(bytes, 0, room, &message) : -1;          \
        if (wrote < 0 || wrote != room) {                                          \
            put(answer, "-", 1);                                                   \
        } else {                                                                   \
            put_hex(answer, bytes, (size_t)wrote);                                 \
        }                                                                          \
        free(bytes);                                                               \
        TYPE##_decode_cleanup(&message);                                           \
        return 0;                                                                  \
    }
TYPES(ROUND_TRIP)

#define ROW(NAME, TYPE) {NAME, round_trip_##TYPE},
static const row_t rows[] = {TYPES(ROW) {NULL, NULL}};

int main(void)
{
    return answer_lines(rows);
}
