/* Decodes messages that were cut, and with bytes changed at random, by LCM's generated code over our helpers. */
#include "message.h"
#include <stdio.h>

int main(void) {
    const int size = p_all_t_encoded_size(&all);
    unsigned state = 1, refused = 0;
    int k;
    for (k = 0; k < 20000; k++) {
        /* On the heap, of exactly its size: an access behind it is found. */
        const int n = k < size ? k : size;
        uint8_t *bytes = (uint8_t *)malloc((size_t)size), *cut;
        p_all_t decoded;
        p_all_t_encode(bytes, 0, size, &all);
        if (k >= size) {
            /* A length, mostly: three of four such bytes are high. */
            const int at = 8 + (int)((state = state * 1103515245u + 12345u) >> 8) % (size - 8);
            bytes[at] = (uint8_t)((state = state * 1103515245u + 12345u) >> 16) | (uint8_t)(k % 4 ? 0x80 : 0);
        }
        cut = (uint8_t *)malloc((size_t)n + 1);
        memcpy(cut, bytes, (size_t)n);
        cut = (uint8_t *)realloc(cut, n ? (size_t)n : 1);
        memset(&decoded, 0, sizeof decoded);
        if (p_all_t_decode(cut, 0, n, &decoded) < 0)
            refused++;
        else
            p_all_t_decode_cleanup(&decoded);
        free(cut);
        free(bytes);
    }
    printf("refused %u\n", refused);
    return 0;
}
