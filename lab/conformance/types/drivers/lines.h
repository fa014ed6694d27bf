/* The loop that every driver in C and C++ runs: `TYPE HEX` comes in; `JSON HEX`, or `error`, goes out. C99 and C++.
 *
 * A message is given to its decoder in a block of exactly its size (and one byte before it, so that it is not aligned):
 * whoever reads past its end is seen by the address sanitizer. */
#ifndef CONFORMANCE_LINES_H
#define CONFORMANCE_LINES_H

#include "out.h"

/* Decodes `size` bytes that start at `buffer + 1`, and appends the answer. Gives 0, or -1 if they are refused. */
typedef int round_trip_t(const uint8_t *buffer, int size, out_t *answer);

typedef struct row_t {
    const char *name;
    round_trip_t *round_trip;
} row_t;

static inline int digit_of(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static inline const row_t *row_of(const row_t *rows, const char *name, size_t length)
{
    for (; rows->name; rows++) {
        if (strlen(rows->name) == length && memcmp(rows->name, name, length) == 0) {
            return rows;
        }
    }
    fprintf(stderr, "driver: there is no type `%.*s`\n", (int)length, name);
    exit(2);
}

static inline void answer_line(const row_t *rows, const char *line, size_t length, out_t *answer)
{
    const char *blank = (const char *)memchr(line, ' ', length);
    if (!blank) {
        fputs("driver: a line without a blank\n", stderr);
        exit(2);
    }
    size_t size = (length - (size_t)(blank - line) - 1) / 2;
    uint8_t *buffer = (uint8_t *)malloc(size + 1);
    if (!buffer) {
        fputs("driver: no memory for a message\n", stderr);
        exit(3);
    }
    for (size_t i = 0; i < size; i++) {
        buffer[i + 1] = (uint8_t)(digit_of(blank[1 + 2 * i]) << 4 | digit_of(blank[2 + 2 * i]));
    }
    const row_t *row = row_of(rows, line, (size_t)(blank - line));
    answer->length = 0;
    if (row->round_trip(buffer, (int)size, answer) < 0) {
        answer->length = 0;
        put_text(answer, "error");
    }
    put(answer, "\n", 1);
    free(buffer);
}

static inline int answer_lines(const row_t *rows)
{
    out_t answer = {NULL, 0, 0};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 0) {
        if (line[length - 1] == '\n') {
            length--;
        }
        answer_line(rows, line, (size_t)length, &answer);
        fwrite(answer.text, 1, answer.length, stdout);
        /* Flushed by line, so that it is known which line a crash is about. */
        fflush(stdout);
    }
    free(line);
    free(answer.text);
    return 0;
}

#endif
