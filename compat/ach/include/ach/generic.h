/*
 * Statuses, options and masks of Ach's C interface, for programs that run over Saltus. ach.h includes this file.
 *
 * Names and values are those of Ach 2.0.0, so that programs compile and link unchanged. The text is Saltus's own.
 */
#ifndef ACH_GENERIC_H
#define ACH_GENERIC_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest name of a channel in bytes, with its end. */
#define ACH_CHAN_NAME_MAX 64ul

/* What functions return. */
typedef enum ach_status {
    ACH_OK = 0,
    ACH_OVERFLOW = 1,       /* put: the message is too long for the channel; get: it is longer than the buffer */
    ACH_INVALID_NAME = 2,   /* not a name of a channel */
    ACH_BAD_SHM_FILE = 3,   /* not returned: a file that is not a channel is ACH_CORRUPT */
    ACH_FAILED_SYSCALL = 4, /* the system refused; errno and ach_errstr() say what */
    ACH_EAGAIN = 5,         /* no new message; or another thread or process has what was asked for */
    ACH_STALE_FRAMES = ACH_EAGAIN,
    ACH_LOCKED = ACH_EAGAIN,
    ACH_MISSED_FRAME = 6, /* a message was received, and at least one before it was missed */
    ACH_TIMEOUT = 7,
    ACH_EEXIST = 8,
    ACH_ENOENT = 9,
    ACH_CLOSED = 10, /* not returned */
    ACH_BUG = 11,    /* a bug in Saltus */
    ACH_EINVAL = 12,
    ACH_CORRUPT = 13,    /* the shared memory does not hold a channel, or another process cut it short */
    ACH_BAD_HEADER = 14, /* not returned */
    ACH_EACCES = 15,
    ACH_CANCELED = 16,
    ACH_EFAULT = 17, /* not returned */
    ACH_EINTR = 18,  /* not returned */
    ACH_ENOTSUP = 19
} ach_status_t;

/* A bit for each status. */
#define ACH_STATUS_MASK(status) (1u << (status))

enum ach_mask {
    ACH_MASK_NONE = 0,
    ACH_MASK_OK = 1 << 0,
    ACH_MASK_OVERFLOW = 1 << 1,
    ACH_MASK_INVALID_NAME = 1 << 2,
    ACH_MASK_BAD_SHM_FILE = 1 << 3,
    ACH_MASK_FAILED_SYSCALL = 1 << 4,
    ACH_MASK_EAGAIN = 1 << 5,
    ACH_MASK_STALE_FRAMES = ACH_MASK_EAGAIN,
    ACH_MASK_LOCKED = ACH_MASK_EAGAIN,
    ACH_MASK_MISSED_FRAME = 1 << 6,
    ACH_MASK_TIMEOUT = 1 << 7,
    ACH_MASK_EEXIST = 1 << 8,
    ACH_MASK_ENOENT = 1 << 9,
    ACH_MASK_CLOSED = 1 << 10,
    ACH_MASK_BUG = 1 << 11,
    ACH_MASK_EINVAL = 1 << 12,
    ACH_MASK_CORRUPT = 1 << 13,
    ACH_MASK_BAD_HEADER = 1 << 14,
    ACH_MASK_EACCES = 1 << 15,
    ACH_MASK_CANCELED = 1 << 16,
    ACH_MASK_EFAULT = 1 << 17,
    ACH_MASK_EINTR = 1 << 18,
    ACH_MASK_ENOTSUP = 1 << 19,
    ACH_MASK_ALL = 0xffffffff
};

/* The mask with the bit of this status. */
static inline enum ach_mask ach_status_mask(enum ach_status status) {
    return (enum ach_mask)ACH_STATUS_MASK(status);
}

/* 1 if the mask has the bit of this status, else 0. */
static inline int ach_status_match(enum ach_status status, enum ach_mask mask) {
    return (ACH_STATUS_MASK(status) & (unsigned)mask) ? 1 : 0;
}

/* Options of ach_get; unknown bits are ignored. */
typedef enum {
    ACH_O_NONBLOCK = 0, /* return at once */
    ACH_O_FIRST = 0,    /* the oldest message that this handle has not received */
    ACH_O_ABSTIME = 0,  /* the timeout is a point in time of the channel's clock */
    ACH_O_WAIT = 1,     /* wait for a message that this handle has not received */
    ACH_O_LAST = 2,     /* the newest message */
    ACH_O_COPY = 4,     /* without a new message: the newest one again */
    ACH_O_RELTIME = 8   /* the timeout is a time from now */
} ach_get_opts_t;

/* Part of struct ach_channel in Ach; unused here. */
typedef struct achk_opt {
    int options;
    struct timespec reltime;
} achk_opt_t;

#ifdef __cplusplus
}
#endif

#endif
