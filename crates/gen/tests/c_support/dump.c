// Encodes the message of the guide and prints it in hexadecimal.
#include "t_all_all_t.h"

#include <stdio.h>

int main(void) {
    int16_t arr[] = {1, 2, 3};
    int32_t rows[2][2] = {{10, 11}, {20, 21}};
    int32_t *md[] = {rows[0], rows[1]};
    char x[] = "x", none[] = "", a[] = "a", bc[] = "bc", h[] = "h\303\251";
    char *strs[] = {a, bc};
    int8_t bs[] = {1, 0};
    t_all_all_t m = {
        .a = -2,
        .b = -300,
        .c = -70000,
        .d = 0x0102030405060708,
        .e = 254,
        .f = 1.5f,
        .g = -2.25,
        .h = h,
        .i = 1,
        .n = 3,
        .arr = arr,
        .inn = {{.s = 7, .name = x}, {.s = 8, .name = none}},
        .m = 2,
        .md = md,
        .blob = {1, 2, 255},
        .strs = strs,
        .bs = bs,
    };
    unsigned char bytes[200];
    int size = t_all_all_t_encode(bytes, 0, sizeof bytes, &m);
    if (size != t_all_all_t_encoded_size(&m)) {
        return 1;
    }
    for (int i = 0; i < size; i++) {
        printf("%02x", (unsigned int)bytes[i]);
    }
    printf("\n");
    // What cannot be encoded is refused.
    m.m = -1;
    if (t_all_all_t_encode(bytes, 0, sizeof bytes, &m) >= 0 || t_all_all_t_encoded_size(&m) >= 0) {
        return 2;
    }
    m.m = 2;
    m.strs = NULL;
    if (t_all_all_t_encode(bytes, 0, sizeof bytes, &m) >= 0) {
        return 3;
    }
    return 0;
}
