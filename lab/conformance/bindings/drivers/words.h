/* What the drivers in C and C++ have in common: a line of words in, a line of
 * words out. C99 and C++. The words are those that README.md has. */
#ifndef CONFORMANCE_WORDS_H
#define CONFORMANCE_WORDS_H

#include "out.h" /* of lab/conformance/types */

#include <saltus.h>

enum { MOST_WORDS = 12, MOST_IN_HEX = 64 };

/* A line, cut at its blanks. */
typedef struct words_t {
  char *all[MOST_WORDS];
  int count;
} words_t;

static inline void cut(char *line, words_t *words) {
  char *word;
  words->count = 0;
  for (word = strtok(line, " \n"); word && words->count < MOST_WORDS;
       word = strtok(NULL, " \n")) {
    words->all[words->count++] = word;
  }
}

static inline const char *word(const words_t *words, int i) {
  if (i >= words->count) {
    fprintf(stderr, "driver: word %d of `%s` is missing\n", i, words->all[0]);
    exit(2);
  }
  return words->all[i];
}

/* Bytes, with a zero byte behind them; `data` is NULL for `-`. */
typedef struct blob_t {
  char *data;
  size_t length;
} blob_t;

static inline int digit_of(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* xHEX: these bytes. pLENGTH:SEED: a pattern. zLENGTH: zeros. -: nothing at
 * all. */
static inline blob_t blob_of(const char *word) {
  blob_t blob = {NULL, 0};
  size_t i, seed;
  char *rest = NULL;
  if (word[0] == '-') {
    return blob;
  }
  blob.length = word[0] == 'x' ? strlen(word + 1) / 2
                               : (size_t)strtoull(word + 1, &rest, 10);
  blob.data = (char *)calloc(blob.length + 1, 1);
  if (!blob.data) {
    fputs("driver: no memory for a message\n", stderr);
    exit(3);
  }
  seed = word[0] == 'p' ? (size_t)strtoull(rest + 1, NULL, 10) : 0;
  for (i = 0; i < blob.length && word[0] != 'z'; i++) {
    int digits = word[0] == 'x' ? digit_of(word[1 + 2 * i]) << 4 |
                                      digit_of(word[2 + 2 * i])
                                : 0;
    blob.data[i] =
        (char)(word[0] == 'x' ? digits
                              : (int)((i * 31 + (i >> 9) + seed) & 255));
  }
  return blob;
}

static inline uint64_t number(const char *word) {
  return strtoull(word, NULL, 10);
}

/* Milliseconds, or - for ever. */
static inline uint64_t until_of(const char *word) {
  uint64_t ms = number(word);
  return word[0] == '-' ? SALTUS_FOREVER
         : ms == 0      ? SALTUS_POLL
                        : SALTUS_AFTER(ms * 1000000);
}

static inline double double_of(const char *word) {
  uint64_t bits = strtoull(word, NULL, 16);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Numbers with commas between them, or - for none; gives how many there are. */
static inline int samples_of(const char *word, int16_t *samples, int most) {
  int n = 0;
  const char *at = word;
  while (word[0] != '-' || word[1] != '\0') {
    samples[n++] = (int16_t)strtol(at, NULL, 10);
    at = strchr(at, ',');
    if (!at || n == most) {
      break;
    }
    at++;
  }
  return n;
}

static inline void put_hex_word(out_t *out, const void *bytes, size_t length) {
  put_text(out, " x");
  put_hex(out, bytes, length);
}

/* The bytes, if they are few; else how many, and their CRC-32. */
static inline void put_bytes(out_t *out, const void *bytes, size_t length) {
  const uint8_t *at = (const uint8_t *)bytes;
  uint32_t crc = 0xffffffff;
  char said[48];
  size_t i;
  int bit;
  if (length <= MOST_IN_HEX) {
    put_hex_word(out, bytes, length);
    return;
  }
  for (i = 0; i < length; i++) {
    crc ^= at[i];
    for (bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
  }
  snprintf(said, sizeof said, " c%llu:%08x", (unsigned long long)length,
           (unsigned)~crc);
  put_text(out, said);
}

static inline void put_number(out_t *out, int64_t n) {
  put_text(out, " ");
  put_int64_t(out, n);
}

/* A number, or - if nobody knows it. */
static inline void put_known(out_t *out, uint64_t n) {
  if (n == SALTUS_UNKNOWN) {
    put_text(out, " -");
  } else {
    put_number(out, (int64_t)n);
  }
}

/* What was missed or dropped by all messages of a count, which nobody knows if
 * it is not known of one. */
static inline uint64_t sum(uint64_t a, uint64_t b) {
  return a == SALTUS_UNKNOWN || b == SALTUS_UNKNOWN ? SALTUS_UNKNOWN : a + b;
}

static inline void put_samples(out_t *out, const int16_t *samples, int count) {
  int i;
  put_text(out, count > 0 ? " " : " -");
  for (i = 0; i < count; i++) {
    put_text(out, i ? "," : "");
    put_int16_t(out, samples[i]);
  }
}

static inline void put_bits(out_t *out, double x) {
  uint64_t bits;
  char digits[24];
  memcpy(&bits, &x, sizeof bits);
  snprintf(digits, sizeof digits, " %016" PRIx64, bits);
  put_text(out, digits);
}

/* The number in a message of `stream`: its first 8 bytes, big endian. */
static inline uint64_t number_in(const void *bytes, size_t length) {
  uint64_t n = 0;
  size_t i;
  for (i = 0; i < 8 && i < length; i++) {
    n = n << 8 | ((const uint8_t *)bytes)[i];
  }
  return n;
}

static inline void number_into(uint8_t bytes[8], uint64_t n) {
  int i;
  for (i = 0; i < 8; i++) {
    bytes[i] = (uint8_t)(n >> (56 - 8 * i));
  }
}

#define CODES(X)                                                               \
  X(NOT_FOUND)                                                                 \
  X(EXISTS) X(TOO_SMALL) X(TOO_LONG) X(OVERRUN) X(CANCELED) X(RETIRED)         \
      X(DENIED) X(NO_SPACE) X(TOO_MANY_PUBLISHERS) X(DAMAGED) X(INVALID)       \
          X(SYSTEM) X(BUG) X(UNSUPPORTED) X(WRONG_TYPE) X(ENCODE_FAILED)       \
              X(DECODE_FAILED) X(ENDED) X(NETWORK) X(NO_PROVIDER) X(NOT_A_LOG) \
                  X(UNWRITABLE) X(CHANGED)

/* error CODE NAME WORDS, nothing or ok; `said` are the words. */
static inline void put_code(out_t *out, int code, const char *said) {
  const char *name = "UNNAMED";
  out->length = 0;
  if (code <= SALTUS_OK) {
    put_text(out, code == SALTUS_OK        ? "ok"
                  : code == SALTUS_NOTHING ? "nothing"
                                           : "negative");
    return;
  }
#define NAME(X)                                                                \
  if (code == SALTUS_##X) {                                                    \
    name = "SALTUS_" #X;                                                       \
  }
  CODES(NAME)
#undef NAME
  put_text(out, "error");
  put_number(out, code);
  put_text(out, " ");
  put_text(out, name);
  put_hex_word(out, said, strlen(said));
}

#endif
