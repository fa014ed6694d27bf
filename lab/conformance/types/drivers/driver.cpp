// Driver for generated C++, LCM's or ours. `types.hpp` is made by the suite: it includes the generated headers, has a
// function `dump` for every type, and the list TYPES.
#include "lines.h"

#include <string>
#include <vector>

static inline void put_string(out_t *o, const std::string &text)
{
    put_chars(o, text.data(), text.size());
}

#include "types.hpp"

template <class T>
static int round_trip(const uint8_t *buffer, int size, out_t *answer)
{
    // Every message is decoded into a new object, and into one that has seen all messages before: both must say the same.
    static T kept;
    T fresh;
    int used = fresh.decode(buffer, 1, size);
    int used_again = kept.decode(buffer, 1, size);
    if (used < 0 && used_again < 0) {
        return -1;
    }
    dump(answer, &fresh);
    size_t length = answer->length;
    dump(answer, &kept);
    bool same = used == used_again && answer->length == 2 * length &&
                memcmp(answer->text, answer->text + length, length) == 0;
    answer->length = length;
    put(answer, " ", 1);
    std::vector<uint8_t> bytes(static_cast<size_t>(fresh.getEncodedSize()));
    int wrote = fresh.encode(bytes.data(), 0, static_cast<int>(bytes.size()));
    if (!same) {
        put_text(answer, "another-in-used-storage");
    } else if (wrote < 0 || static_cast<size_t>(wrote) != bytes.size()) {
        put(answer, "-", 1);
    } else {
        put_hex(answer, bytes.data(), bytes.size());
    }
    return 0;
}

#define ROW(NAME, TYPE) {NAME, round_trip<TYPE>},
static const row_t rows[] = {TYPES(ROW) {nullptr, nullptr}};

int main()
{
    return answer_lines(rows);
}
