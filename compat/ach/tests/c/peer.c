/* A program of Ach's that the tests kill, stop and signal: peer WHAT CHANNEL [BYTES].
 *
 * put   puts messages that follow from their numbers, as fast as it can
 * wait  waits for messages and checks that each is whole, until it is killed
 * poll  the same with ACH_O_COPY, without waiting
 * one   waits for one message that is put from now on
 */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char message[1 << 21];

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const char *what = argv[1];
    size_t len = argc > 3 ? (size_t)atol(argv[3]) : 64, got = 0;
    ach_channel_t chan;
    enum ach_status r = ach_open(&chan, argv[2], NULL);
    if (r != ACH_OK) {
        fprintf(stderr, "open: %s: %s\n", ach_result_to_string(r), ach_errstr());
        return 1;
    }
    if (0 == strcmp(what, "one")) {
        r = ach_flush(&chan);
        if (r != ACH_OK) return 1;
    }
    puts("ready");
    fflush(stdout);
    if (0 == strcmp(what, "put")) {
        for (uint64_t i = 1;; i++) {
            memset(message, (int)(i % 251), len);
            memcpy(message, &i, 8);
            r = ach_put(&chan, message, len);
            if (r != ACH_OK) break;
        }
    } else {
        int options = 0 == strcmp(what, "poll") ? ACH_O_COPY : ACH_O_WAIT;
        for (;;) {
            r = ach_get(&chan, message, sizeof message, &got, NULL, options);
            if (r == ACH_STALE_FRAMES && options == ACH_O_COPY) continue;
            if (r != ACH_OK && r != ACH_MISSED_FRAME) break;
            uint64_t i;
            memcpy(&i, message, 8);
            for (size_t k = 8; k < got; k++) {
                if (message[k] != i % 251) {
                    fprintf(stderr, "message %lu is torn\n", (unsigned long)i);
                    return 3;
                }
            }
            if (0 == strcmp(what, "one")) return 0;
        }
    }
    fprintf(stderr, "%s: %s\n", what, ach_result_to_string(r));
    return 1;
}
