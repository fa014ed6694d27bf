/* What the test programs have in common. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <unistd.h>

/* Ends the program, or a forked child, unless it is so. */
#define TRUE(what)                                                                                                \
    do {                                                                                                          \
        if (!(what)) {                                                                                            \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #what);                                            \
            _exit(1);                                                                                             \
        }                                                                                                         \
    } while (0)

#endif
