/*
 * Saltus: shared-memory channels between the processes of a robot. Newest first, old ones while they last, and
 * nothing ever waits for a reader.
 *
 * A publisher appends messages and never learns who reads. A subscriber keeps its own place and asks for the newest
 * message, or the next it has not seen, or waits until a point in time, and is told what it missed. Either may be
 * killed at any instant and the other does not notice. C99 and later, C++ too. Link with `pkg-config saltus`.
 *
 * Codes
 *   Functions that can fail return an int: 0 (SALTUS_OK) if it is done; SALTUS_NOTHING, which is negative and no
 *   error, if there was nothing until the time was up; else a positive code, one of those below. Codes never change
 *   their meaning, and have the same numbers in Rust. saltus_strerror() gives a code's meaning, saltus_last_error()
 *   what went wrong in this thread's last call that failed. After an error everything is as before the call, unless
 *   the function says otherwise, and every handle can still be used and closed. No C++ or Rust exception leaves a
 *   function.
 *
 * Pointers
 *   NULL is an error (SALTUS_INVALID), except where a function says what it means. Otherwise a pointer must lead to
 *   what its type says, and a handle must be open. Strings end with a zero byte; Saltus keeps none of what it is
 *   given beyond the call. What a function hands out (`**`) is the program's, and is closed by the function named.
 *
 * Threads
 *   A publisher or subscriber is used by one thread at a time; it may be handed from one to another. Two threads
 *   open two: they share the channel's mapping. A channel may be used by all threads at once. Only saltus_cancel()
 *   and saltus_cancel_reset() may be called while another thread is in a call with the same subscriber.
 *
 * Signals
 *   saltus_cancel(), saltus_monotonic(), saltus_strerror() and saltus_version() may be called in signal handlers,
 *   nothing else. A signal does not end a wait; saltus_cancel() does.
 *
 * Fork
 *   Subscribers go on in the child from the place of the fork, independently; a publisher's child leases a lane of
 *   its own with its first publish. An event descriptor's thread stays in the parent: a child opens its own
 *   subscriber if it needs one. exec ends everything; descriptors are not inherited.
 *
 * Time
 *   Times are nanoseconds. A function that waits has a parameter `until`:
 *     SALTUS_POLL         does not wait
 *     SALTUS_AFTER(ns)    waits for so long, counted from when it finds nothing
 *     a number            waits until this time of saltus_monotonic(), which is clock_gettime(CLOCK_MONOTONIC) in ns
 *     SALTUS_FOREVER      waits for ever
 *
 * Real time
 *   "For control loops" marks functions that take no lock and allocate nothing, and whose only system calls are
 *   those named; they do not fault either, if the channel was created with `prefault`, the default, and the
 *   program's own memory is locked. Their errors cost no more than the writing of a sentence.
 *
 * Growth
 *   Structures with a field `size` may get more fields in later versions; programs that were compiled before go on
 *   working. Always fill them with their init function.
 *
 * Made from the sources in Rust by cbindgen (see cbindgen.toml): change it there.
 */

#ifndef SALTUS_H
#define SALTUS_H

#include <stddef.h>
#include <stdint.h>

/// For `until`: waits for so many nanoseconds from now, at most 2^63 - 2.
#define SALTUS_AFTER(ns) ((uint64_t)(ns) | (UINT64_C(1) << 63))

/// Done.
#define SALTUS_OK 0

/// Nothing unseen, or the time is up. Not an error, and the only negative number.
#define SALTUS_NOTHING -1

/// There is no channel of that name.
#define SALTUS_NOT_FOUND 1

/// There is a channel of that name already.
#define SALTUS_EXISTS 2

/// The buffer is too small for the message; the subscriber keeps its place.
#define SALTUS_TOO_SMALL 3

/// The message is longer than the channel's frames, or than what was borrowed.
#define SALTUS_TOO_LONG 4

/// Publishers overtook the reader; the subscriber keeps its place. Call again.
#define SALTUS_OVERRUN 5

/// The wait was called off by saltus_cancel().
#define SALTUS_CANCELED 6

/// The channel is no more: removed, replaced, or its files deleted. Close it and open it anew.
#define SALTUS_RETIRED 7

/// Permissions forbid it.
#define SALTUS_DENIED 8

/// The memory for it cannot be had.
#define SALTUS_NO_SPACE 9

/// The channel has as many publishers as it can have.
#define SALTUS_NO_LANE 10

/// What lies in shared memory is not a channel, or is one of another version.
#define SALTUS_DAMAGED 11

/// An argument makes no sense: NULL, a bad name, a bad attribute, a call out of turn.
#define SALTUS_INVALID 12

/// The system refused for a reason of its own.
#define SALTUS_SYSTEM 13

/// Saltus has a bug, which was stopped at the border to C. Please report it, with saltus_last_error().
#define SALTUS_BUG 100

/// Clock of the stamps: time since boot, suspend included. The default. As CLOCK_BOOTTIME.
#define SALTUS_BOOTTIME 7

/// Clock of the stamps: time since boot without suspend. As CLOCK_MONOTONIC.
#define SALTUS_MONOTONIC 1

/// Clock of the stamps: wall time, which may jump. As CLOCK_REALTIME.
#define SALTUS_REALTIME 0

/// Publishers wake sleepers when somebody sleeps; it costs nothing when nobody does. The default.
#define SALTUS_WAKE_ON_DEMAND 0

/// Publishers make the system call to wake sleepers every time: for subscribers that may not write the bell.
#define SALTUS_WAKE_ALWAYS 1

/// The group of a channel's files is the creating process's. The default.
#define SALTUS_OWN_GROUP UINT32_MAX

/// Start at the present newest message, which counts as unseen. The default.
#define SALTUS_START_NEWEST 0

/// Start with what is published from now on.
#define SALTUS_START_NOW 1

/// Start at the oldest message kept.
#define SALTUS_START_OLDEST 2

/// The newest message, if it has not been seen. Older unseen ones count as missed.
#define SALTUS_NEWEST 0

/// The oldest message that has not been seen.
#define SALTUS_NEXT 1

/// The newest message, even if it has been seen.
#define SALTUS_AGAIN 2

/// Does not wait.
#define SALTUS_POLL 0

/// Waits for ever.
#define SALTUS_FOREVER UINT64_MAX

/// An open channel, from which publishers and subscribers are made. It holds two descriptors, however many those are.
///
/// The one kind of handle that several threads may use at the same time.
typedef struct saltus_channel saltus_channel;

/// Publishes into one lane of a channel. One thread at a time may use it; another thread opens its own.
typedef struct saltus_publisher saltus_publisher;

/// Receives from a channel. One thread at a time may use it, but for saltus_cancel(); another thread opens its own.
typedef struct saltus_subscriber saltus_subscriber;

/// What a channel is created with. Fill it with saltus_attributes_init(), then change what shall be different.
typedef struct saltus_attributes {
    /// Bytes that this structure has for the program; set by saltus_attributes_init(), not to be changed.
    size_t size;
    /// How many of each publisher's newest messages are kept: 1 to 2^24. Default 16.
    uint64_t frames;
    /// The longest message in bytes: 1 to 2^40. Default 512.
    uint64_t frame_size;
    /// For how many publishers memory is reserved at creation: 1 to 1,024. More may come later. Default 1.
    uint32_t lanes;
    /// Permission bits: who may write may publish, who may read may subscribe; 0600 must be in it. Default 0644.
    uint32_t mode;
    /// Group id of the files, or SALTUS_OWN_GROUP.
    uint32_t group;
    /// SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME.
    uint32_t clock;
    /// SALTUS_WAKE_ON_DEMAND or SALTUS_WAKE_ALWAYS.
    uint32_t wake;
    /// 1: messages carry the time of their publication. 0: they do not, and there is one publisher only. Default 1.
    uint32_t stamps;
    /// 1: who opens the channel maps all its pages at once, so that nothing faults later. Default 1.
    uint32_t prefault;
    /// 1: who opens the channel locks its pages into memory. Default 0.
    uint32_t lock_memory;
} saltus_attributes;

/// What became of a published message.
typedef struct saltus_published {
    /// Its number in the publisher's lane, from 1; goes on where a dead publisher's left off.
    uint64_t seq;
    /// When it was published, in ns of the channel's clock; 0 if the channel has no stamps.
    uint64_t stamp;
} saltus_published;

/// How a subscriber joins. Fill it with saltus_options_init(), then change what shall be different.
typedef struct saltus_options {
    /// Bytes that this structure has for the program; set by saltus_options_init(), not to be changed.
    size_t size;
    /// How long a wait looks again and again before it sleeps, in ns; for isolated processors. Default 0.
    uint64_t spin;
    /// 0: sleeps until it is woken. Else it never asks to be woken and looks by itself every so many ns: for tools
    /// that watch. Default 0.
    uint64_t quiet;
    /// SALTUS_START_NEWEST, SALTUS_START_NOW or SALTUS_START_OLDEST.
    uint32_t start;
    /// 1: keeps a file of counters for tools (4 KiB), if permissions and memory allow. Default 1.
    uint32_t counters;
    /// 1: these counters include the time from publish to receive: one reading of the clock a message. Default 1.
    uint32_t latency;
    /// 1: saltus_cancel() calls off this subscriber's waits. It then counts twice in saltus_wait_any(). Default 1.
    uint32_t cancelable;
} saltus_options;

/// What is known of a received message.
typedef struct saltus_sample {
    /// Length in bytes. With SALTUS_TOO_SMALL: the size that the buffer must have.
    size_t len;
    /// Number of the message in its lane, from 1.
    uint64_t seq;
    /// When it was published, in ns of the channel's clock; 0 if the channel has no stamps.
    uint64_t stamp;
    /// Who published it: a number that each publisher of a channel has for itself.
    uint64_t lease;
    /// How many messages this subscriber missed since the last one it received.
    uint64_t missed;
    /// The lane it was published in: each has its own sequence numbers.
    uint32_t lane;
    /// Always 0.
    uint32_t reserved;
} saltus_sample;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Fills `attributes` with the defaults. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
int saltus_attributes_init(struct saltus_attributes *attributes, size_t size);

/// Creates channel `name` in `domain`. It appears whole, in one step.
///
/// `domain`: a URL ("shm://", "shm://NAME", "shm:///dev/shm/DIRECTORY"), or NULL for $SALTUS_DOMAIN, or else "shm://".
/// `name`: 1 to 63 bytes of any kind. `attributes`: NULL for the defaults.
/// `*channel` gets the open channel, to be closed with saltus_channel_close(); NULL if it fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
int saltus_create(const char *domain,
                  const char *name,
                  const struct saltus_attributes *attributes,
                  struct saltus_channel **channel);

/// Opens channel `name`; creates it if there is none. An existing one keeps its attributes, whatever these say.
///
/// Arguments and costs: as saltus_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_open_or_create(const char *domain,
                          const char *name,
                          const struct saltus_attributes *attributes,
                          struct saltus_channel **channel);

/// Creates channel `name`, in the place of the old one if there is one, whose users then get SALTUS_RETIRED.
///
/// Arguments and costs: as saltus_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
int saltus_replace(const char *domain,
                   const char *name,
                   const struct saltus_attributes *attributes,
                   struct saltus_channel **channel);

/// Opens channel `name`.
///
/// Arguments and costs: as saltus_create().
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_open(const char *domain, const char *name, struct saltus_channel **channel);

/// Opens channel `name` as soon as it exists. Subscribers often start first.
///
/// Arguments and costs: as saltus_create(); blocks until the channel exists, or until `until` (see "Time"), and
/// looks every 10 ms meanwhile.
/// Returns SALTUS_NOTHING, and `*channel` is NULL, if the channel does not exist until then.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_wait_for(const char *domain, const char *name, uint64_t until, struct saltus_channel **channel);

/// Removes channel `name` from `domain`. Those who have it open get SALTUS_RETIRED, subscribers once they have
/// received all that was published.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_SYSTEM.
int saltus_unlink(const char *domain, const char *name);

/// Closes a channel. Publishers and subscribers made from it stay as they are. NULL does nothing.
///
/// Blocks: never. Allocates: no. Kernel: yes, to unmap once nothing uses the channel any more.
void saltus_channel_close(struct saltus_channel *channel);

/// What the channel was created with; mode and group as they were when it was opened. Its frame_size is the size of
/// a buffer that every message fits into. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
int saltus_channel_attributes(const struct saltus_channel *channel, struct saltus_attributes *attributes, size_t size);

/// Leases a lane of the channel to publish in: one of a dead publisher, or a new one, whose memory is reserved now,
/// so that nothing fails for lack of memory later. `*publisher` is to be closed with saltus_publisher_close(); it is
/// NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_LANE, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_RETIRED, SALTUS_DAMAGED, SALTUS_INVALID,
/// SALTUS_SYSTEM.
int saltus_publisher_open(const struct saltus_channel *channel, struct saltus_publisher **publisher);

/// Closes a publisher; what it has borrowed is given back unused. What it published stays. NULL does nothing.
///
/// Blocks: never. Allocates: no. Kernel: yes.
void saltus_publisher_close(struct saltus_publisher *publisher);

/// Publishes a copy of `len` bytes at `message`, which may be NULL if `len` is 0. The result never depends on
/// readers. `published` may be NULL.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber sleeps, else none. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, or something is borrowed from this publisher).
/// In a forked child the first call leases a lane of its own, and costs and fails like saltus_publisher_open().
int saltus_publish(struct saltus_publisher *publisher, const void *message, size_t len, struct saltus_published *published);

/// Borrows room for a message of up to `len` bytes, to build it in place: `*room` points to it, 64-byte aligned.
/// The room holds old bytes. Give it back with saltus_loan_publish() or saltus_loan_abandon(); until then the
/// publisher lends and publishes nothing else. The oldest messages that lay there are given up now.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, or room is borrowed already). `*room` is NULL then.
int saltus_loan(struct saltus_publisher *publisher, size_t len, void **room);

/// Publishes the first `len` bytes of what was borrowed. The loan is over, whatever this returns. `published` may
/// be NULL. The room may also have been filled with streaming (non-temporal) stores.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber sleeps, else none. For control loops.
/// Fails: SALTUS_TOO_SMALL (more than was borrowed), SALTUS_INVALID (NULL, nothing borrowed, or borrowed before a fork).
int saltus_loan_publish(struct saltus_publisher *publisher, size_t len, struct saltus_published *published);

/// Gives back unused what was borrowed. Nothing is published.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL, or nothing borrowed).
int saltus_loan_abandon(struct saltus_publisher *publisher);

/// Leaves with the channel what its messages are, so that tools can read them: the full name of the type, its
/// fingerprint (or the hash of its plain layout), and the type itself in the type language. Generated code has all three
/// as constants. Saying the same again adds nothing.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. Not for control loops: once, after saltus_publisher_open().
/// Fails: SALTUS_INVALID (NULL, not UTF-8, an empty name, or more than 1 MiB in all; or something is borrowed from this
/// publisher), SALTUS_RETIRED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_describe(struct saltus_publisher *publisher, const char *name, uint64_t fingerprint, const char *schema);

/// Fills `options` with the defaults. `size` is sizeof(saltus_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
int saltus_options_init(struct saltus_options *options, size_t size);

/// Joins the channel as a subscriber. `options`: NULL for the defaults. `*subscriber` is to be closed with
/// saltus_subscriber_close(); it is NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID.
int saltus_subscriber_open(const struct saltus_channel *channel,
                           const struct saltus_options *options,
                           struct saltus_subscriber **subscriber);

/// Closes a subscriber and its event descriptor. NULL does nothing. Nobody may call saltus_cancel() for it any more.
///
/// Blocks: until the thread of its event descriptor ends, if it has one. Allocates: no. Kernel: yes.
void saltus_subscriber_close(struct saltus_subscriber *subscriber);

/// Skips to now. What was unseen counts as missed.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
int saltus_flush(struct saltus_subscriber *subscriber);

/// Goes back to the oldest message kept, seen or not. What is received again counts again.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
int saltus_seek_oldest(struct saltus_subscriber *subscriber);

/// How many messages this subscriber has received and how many it has missed: together all that was published since
/// it joined, up to its place.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
int saltus_counts(struct saltus_subscriber *subscriber, uint64_t *received, uint64_t *missed);

/// Receives a message into `size` bytes at `buffer`, which may be NULL if `size` is 0.
///
/// `which`: SALTUS_NEWEST, SALTUS_NEXT or SALTUS_AGAIN. `until`: how long to wait if there is none (see "Time").
/// `*sample` tells of the message; it is all zeros if there is none, but for `len` with SALTUS_TOO_SMALL.
/// A view that is open is given up. What the buffer holds counts only with SALTUS_OK.
///
/// Blocks: until a message comes, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep, and to
/// map a lane when a publisher is new; SALTUS_POLL else makes no system call. For control loops.
/// Returns SALTUS_NOTHING if nothing is unseen, or the time is up.
/// Fails: SALTUS_TOO_SMALL (keeps the place), SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED (and all
/// that was published has been received), SALTUS_INVALID.
int saltus_receive(struct saltus_subscriber *subscriber,
                   int which,
                   uint64_t until,
                   void *buffer,
                   size_t size,
                   struct saltus_sample *sample);

/// Looks at a message where it lies, without copying it: `*message` points to its `*len` bytes, 64-byte aligned and
/// read-only. Its publisher may overwrite them at any instant: compute from them what is needed, copying out each
/// byte once, then call saltus_validate(). Only if that returns SALTUS_OK was the message whole all the while; before,
/// nothing computed may be acted upon, and no length or index found in the message be trusted.
///
/// `which` and `until`: as saltus_receive(). Any other call with the subscriber, but for saltus_cancel(), gives the
/// view up; what was not validated stays unseen. The pointer leads nowhere after saltus_subscriber_close().
///
/// Blocks, allocates, kernel: as saltus_receive(). For control loops.
/// Returns SALTUS_NOTHING if nothing is unseen, or the time is up; then, and if it fails, `*message` is NULL.
/// Fails: SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID.
int saltus_view(struct saltus_subscriber *subscriber, int which, uint64_t until, const void **message, size_t *len);

/// Ends a view, and says whether the message was whole all the while. If it was, it counts as received.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_OVERRUN (overwritten meanwhile: forget what was computed, look again; the place is kept),
/// SALTUS_INVALID (NULL, or no view). `*sample` is all zeros then.
int saltus_validate(struct saltus_subscriber *subscriber, struct saltus_sample *sample);

/// Waits until one of `count` subscribers has something unseen, and stores its index in `*index`: the first, if
/// several have. One system call sleeps on all of them. `until`: see "Time". Open views are given up.
///
/// At most 127 subscribers; those that are cancelable (the default) count twice. A saltus_cancel() for any of them
/// calls off the wait, and a retired channel ends it.
///
/// Blocks: until there is something, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep.
/// For control loops.
/// Returns SALTUS_NOTHING if the time is up.
/// Fails: SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID (NULL, none or too many, or one given twice).
int saltus_wait_any(struct saltus_subscriber *const *subscribers, size_t count, uint64_t until, size_t *index);

/// A descriptor for poll, epoll or an event loop: readable while there is something unseen. When it is readable,
/// receive until there is SALTUS_NOTHING, which makes it wait for the next message. Do not read it.
///
/// The first call starts a thread in this process that waits on the subscriber's behalf; publishers know nothing of
/// it. Ownership: the subscriber keeps the descriptor and closes it in the end.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread to be had), SALTUS_INVALID (NULL). `*fd` is -1 then.
int saltus_event_fd(struct saltus_subscriber *subscriber, int *fd);

/// Calls off the subscriber's present wait, if there is one, and all later ones, which return SALTUS_CANCELED until
/// saltus_cancel_reset(); a signal just before a wait is not lost. Receives that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (NULL, or the subscriber is not cancelable); saltus_last_error() does not tell of it.
int saltus_cancel(const struct saltus_subscriber *subscriber);

/// Lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or the subscriber is not cancelable).
int saltus_cancel_reset(const struct saltus_subscriber *subscriber);

/// What a code means, in a few words and for ever. saltus_last_error() knows more.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe. An unknown code gets a text that says so.
const char *saltus_strerror(int code);

/// What went wrong in this thread's last call that failed: a sentence that names the thing, the place and the
/// remedy, for people to read. Empty if nothing has failed yet. SALTUS_NOTHING is no failure and leaves it alone.
///
/// Blocks: never. Allocates: no. Kernel: no. Ownership: Saltus keeps the string; it is valid until the next call
/// that fails in the same thread, and for no longer than the thread.
const char *saltus_last_error(void);

/// What time it is on a clock that stamps are made of, in ns: SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME.
/// The age of a message is saltus_now() of the channel's clock, less the message's stamp. 0 for an unknown clock.
///
/// Unlike clock_gettime() it agrees with processes in other time namespaces (containers); elsewhere it is the same.
///
/// Blocks: never. Allocates: once, in the first call of a process. Kernel: no, where there is a vDSO.
uint64_t saltus_now(uint32_t clock);

/// What time it is for `until`, in ns: CLOCK_MONOTONIC of this process.
///
/// Blocks: never. Allocates: no. Kernel: no, where there is a vDSO. Async-signal-safe.
uint64_t saltus_monotonic(void);

/// The version of the library, such as "0.1.0". A string that is there for ever.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe.
const char *saltus_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SALTUS_H */
