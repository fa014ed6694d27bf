// Messages as the tests write them into a file: index of the type, what is expected, length, bytes.
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdio.h>
#include <stdlib.h>

typedef struct message {
    size_t type;
    size_t expect;
    size_t len;
    unsigned char *bytes;
} message;

// Opens the file that the test names as the first of `count` arguments, or ends the program.
static inline FILE *open_messages(int argc, char **argv, int count) {
    FILE *file = argc == 1 + count ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        exit(2);
    }
    return file;
}

static inline size_t read_word(const unsigned char *at) {
    return (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

// Reads the next message into memory of its own; 0 if there is none.
static inline int next_message(FILE *file, message *next) {
    unsigned char head[12];
    if (fread(head, 1, sizeof head, file) != sizeof head) {
        return 0;
    }
    next->type = read_word(head);
    next->expect = read_word(head + 4);
    next->len = read_word(head + 8);
    next->bytes = (unsigned char *)malloc(next->len + 1);
    if (next->bytes == NULL || fread(next->bytes, 1, next->len, file) != next->len) {
        exit(2);
    }
    return 1;
}

#endif // MESSAGES_H
