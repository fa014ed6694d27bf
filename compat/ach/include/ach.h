/*
 * Ach's C interface over the channels of Saltus: programs of Ach 2.0.0 compile against this header and link with this libach.so.4, or run
 * with it as they are. `saltus ls`, `saltus echo` and the other tools see the channels.
 *
 * Names, values and structures are Ach's; the text is Saltus's own. docs/from-ach.md lists what differs.
 *
 * Channels are in the domain that the environment variable SALTUS_DOMAIN names, by default shm://.
 *
 * Structures may be uninitialized before their *_init function or ach_open. NULL where something is needed is ACH_EINVAL. Different
 * threads may put on one handle at the same time, and one more may get.
 */
#ifndef ACH_H
#define ACH_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
#define ACH_RESTRICT
#elif __STDC_VERSION__ < 199901L
#define ACH_RESTRICT
#else
#define ACH_RESTRICT restrict
#endif

#ifdef __GNUC__
#define ACH_DEPRECATED __attribute__((__deprecated__))
#else
#define ACH_DEPRECATED
#endif

/* The clock of timeouts, unless ach_create_attr_set_clock chose another. */
#ifdef CLOCK_MONOTONIC
#define ACH_DEFAULT_CLOCK CLOCK_MONOTONIC
#else
#define ACH_DEFAULT_CLOCK CLOCK_REALTIME
#endif

#include "ach/generic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a channel is. Here all are in shared memory; a program that asks for Ach's kernel module gets the same channels. */
enum ach_map {
    ACH_MAP_DEFAULT = 0,
    ACH_MAP_ANON = 1, /* of one process, without a name; it lives as long as the process */
    ACH_MAP_USER = 2,
    ACH_MAP_KERNEL = 3
};

/* An open channel inside the library. */
struct ach_header;
struct ach_channel_vtab;

/* Attributes of ach_open. */
typedef struct ach_attr {
    union {
        struct {
            union {
                int map_anon;
                enum ach_map map;
            };
            struct ach_header *shm;
            unsigned lock_source : 1;
        };
        uint64_t reserved_size[8];
    };
} ach_attr_t;

/* Attributes of ach_create. */
typedef struct ach_create_attr {
    union {
        struct {
            union {
                int map_anon;
                enum ach_map map;
            };
            struct ach_header *shm;
            clockid_t clock;
            unsigned truncate : 1;
            unsigned set_clock : 1;
        };
        uint64_t reserved[16];
    };
} ach_create_attr_t;

/* Attributes of ach_cancel. */
typedef struct ach_cancel_attr {
    union {
        struct {
            unsigned async_unsafe : 1;
        };
        int64_t reserved[8];
    };
} ach_cancel_attr_t;

/* A handle. Do not copy it. A forked child may use the handles of its parent, with positions of its own. */
typedef struct ach_channel {
    union {
        struct {
            struct ach_header *shm; /* NULL: not open */
            size_t len;             /* shared memory in bytes when it was opened */
            int fd;                 /* -1 */
            union {
                uint64_t seq_num; /* the number of the last message received, missed or flushed */
                achk_opt_t k_opts;
            };
            size_t next_index;
            clockid_t clock;              /* the clock of absolute timeouts */
            volatile sig_atomic_t cancel; /* not 0: canceled. Set it to 0 to use the handle again. */
            const struct ach_channel_vtab *vtab;
            int fd_source_lock;
        };
        uint64_t reserved[16];
    };
} ach_channel_t;

/* 0, with the map DEFAULT. */
void ach_attr_init(ach_attr_t *attr);
enum ach_status ach_attr_set_shm(ach_attr_t *attr, struct ach_header *shm);
/* Not 0: at most one handle with this attribute can be open on a channel. ach_open returns ACH_LOCKED for a second one. */
enum ach_status ach_attr_set_lock_source(ach_attr_t *attr, int lock_source);

/* The map USER, the clock ACH_DEFAULT_CLOCK, no truncation. */
void ach_create_attr_init(ach_create_attr_t *attr);
/* CLOCK_MONOTONIC or CLOCK_REALTIME; ach_create refuses others. */
enum ach_status ach_create_attr_set_clock(ach_create_attr_t *attr, clockid_t clock);
enum ach_status ach_create_attr_set_map(ach_create_attr_t *attr, enum ach_map map);
/* Not 0: an existing channel is replaced by an empty one; open handles continue with the new one. */
enum ach_status ach_create_attr_set_truncate(ach_create_attr_t *attr, int truncate);
/* After ach_create with the map ANON: what ach_attr_set_shm needs, to open the channel. */
enum ach_status ach_create_attr_get_shm(ach_create_attr_t *attr, struct ach_header **shm);

/*
 * Creates a channel that keeps at least the newest `frame_cnt` messages (0: 16) of `frame_size` bytes (0: 512). Its mode is 0666 less the
 * umask. Memory is reserved now: ACH_FAILED_SYSCALL with the errno ENOSPC if there is not enough.
 */
enum ach_status ach_create(const char *channel_name, size_t frame_cnt, size_t frame_size, ach_create_attr_t *attr);

/* Opens a channel. `attr` may be NULL. The handle has received nothing: the first message is the oldest one kept. */
enum ach_status ach_open(ach_channel_t *chan, const char *channel_name, ach_attr_t *attr);

/*
 * Receives a message. `*frame_size` becomes its length, also with ACH_OVERFLOW, which receives nothing. With ACH_O_WAIT, `timeout` limits
 * the wait; NULL means no limit. A signal handler does not end the wait. The first message of each new publisher may allocate memory;
 * other calls do not.
 */
enum ach_status ach_get(ach_channel_t *chan, void *buf, size_t size, size_t *frame_size,
                        const struct timespec *ACH_RESTRICT timeout, int options);

/*
 * Publishes a message. Never waits for readers or other processes. Threads wait for each other only when they use all publishers: when more
 * than 16 are in ach_put of a handle, more than four of an anonymous channel, or several after ach_unlink. A thread that waits looks every
 * 50 us, and gets ACH_EAGAIN after 20,000 looks, which take at least a second. The first put of a handle in a process opens a publisher,
 * which takes about 0.1 ms and memory. Later puts allocate nothing. With SALTUS_ACH_EAGER=1 in the environment, ach_open opens the publisher.
 */
enum ach_status ach_put(ach_channel_t *chan, const void *buf, size_t len);

/* Skips all messages until now. */
enum ach_status ach_flush(ach_channel_t *chan);

/* Closes a handle. */
enum ach_status ach_close(ach_channel_t *chan);

/* The status's name, such as "ACH_OK". */
const char *ach_result_to_string(ach_status_t result);

/* What was wrong in this thread's last failed create, open, unlink or chmod, in a sentence; NULL if none failed. */
const char *ach_errstr(void);

/* Prints an open channel's state to stderr: ach_dump(chan.shm). */
void ach_dump(struct ach_header *shm);

/* Changes the permissions: write to put, read to get. Execute bits are ignored. */
enum ach_status ach_chmod(ach_channel_t *chan, mode_t mode);

/* Removes a channel's name. Handles that are open continue with each other. */
enum ach_status ach_unlink(const char *name);

void ach_cancel_attr_init(ach_cancel_attr_t *attr);
/* Ends the waits of this handle: they and all later gets and flushes return ACH_CANCELED. May be called in a signal handler, whatever `attr`. */
enum ach_status ach_cancel(ach_channel_t *chan, const ach_cancel_attr_t *attr);

/* A descriptor for poll: readable while there is a message to get. Belongs to the handle. The first call starts a thread. */
enum ach_status ach_channel_fd(const struct ach_channel *channel, int *file_descriptor);
/* The map that ach_open used: USER, or KERNEL if its attributes have that. */
enum ach_status ach_channel_map(const struct ach_channel *channel, enum ach_map *map);
enum ach_status ach_channel_clock(const struct ach_channel *channel, clockid_t *clock);

/* Searches DNS for the host of a channel: ACH_ENOTSUP. */
enum ach_status ach_srv_search(const char *channel, const char *domain, char *host, size_t hostlen, int *port);

#ifdef __cplusplus
}
#endif

#endif
