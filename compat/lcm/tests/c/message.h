/* A message with a value in each field. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "p_all_t.h"

static int16_t arr[] = {1, -2, 3};
static int32_t row0[] = {10, 11}, row1[] = {20, -21};
static int32_t *md[] = {row0, row1};
static uint8_t vb[] = {7, 8, 255};
static char *strs[] = {(char *)"a", (char *)""};
static int8_t bs[] = {1, 0}, i8[] = {-1, 0, 1};
static int64_t ll[] = {-1, 1LL << 40};
static double dd[] = {0.5, -1e300, 3};
static p_inner_t vi[] = {{1, (char *)"x"}, {2, (char *)"yy"}, {3, (char *)""}};
static p_all_t all = {-2, -300, -70000, 0x0102030405060708LL, 254, 1.5f, -2.25, (char *)"h\xc3\xa9", 1, 3, arr,
               {{7, (char *)"in"}, {8, (char *)""}}, 2, md, {1, 2, 255}, vb, strs, bs,
               {{1, 2, 3}, {4, 5, 6}}, ll, dd, i8, vi};

#endif
