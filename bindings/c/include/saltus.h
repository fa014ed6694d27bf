/*
 * Saltus: shared-memory channels between the processes of a robot. Newest first, old ones while they last, and
 * nothing ever waits for a reader.
 *
 * A publisher appends messages and never learns who reads. A subscriber keeps its own place and asks for the newest
 * message, or the next it has not seen, or waits until a point in time, and is told what it missed. Either may be
 * killed at any instant and the other does not notice. C99 and later, C++ too (<saltus.hpp> is made for it). Link with
 * `pkg-config saltus`.
 *
 *   saltus_channel      a channel in shared memory, with all that it can do, for control loops: copies, loans, views
 *   saltus_domain       channels by URL, in shared memory or on a network: publish, subscribe by name or pattern, callbacks
 *   saltus_log          logs: read, moved about in, written
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
 *   what its type says. A handle that is closed, of another kind, or was never given out is an error too
 *   (SALTUS_INVALID): handles are numbers, which Saltus looks up. There are at most 16,384 at once: the next one, of
 *   whatever kind, is SALTUS_NO_SPACE. Strings end with a zero byte; Saltus keeps none of what it is given beyond the
 *   call. What a function hands out (`**`) is the program's, and is closed by the function named; what it points to
 *   (`const **`) is Saltus's, for as long as the function says.
 *
 * Threads
 *   A publisher or subscriber is used by one thread at a time; it may be handed from one to another. Two threads
 *   open two: they share the channel's mapping. A channel may be used by all threads at once. Only the functions
 *   that cancel may be called while another thread is in a call with the same handle. Handles find out: a call
 *   that meets another one is SALTUS_INVALID, and who closes a handle that is in use leaves the rest to that call.
 *   The first thread that uses a handle finds out for nothing. Once another uses it too, all pay for two atomic
 *   operations a call, and that first call of the other for one system call (membarrier).
 *
 * Signals
 *   saltus_channel_cancel(), saltus_domain_cancel(), saltus_dispatcher_cancel(), saltus_monotonic(), saltus_strerror() and
 *   saltus_version() may be called in signal handlers, nothing else. A signal does not end a wait; a cancel does.
 *
 * Fork
 *   Subscribers go on in the child from the place of the fork, independently; a publisher's child leases a lane of
 *   its own with its first publish. An event descriptor's thread stays in the parent: a child opens its own
 *   subscriber if it needs one. exec ends everything; descriptors are not inherited. A child opens domains, with
 *   their publishers, subscribers and dispatchers, of its own.
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

/// There is no channel, log or subscription of that name.
#define SALTUS_NOT_FOUND 1

/// There is a channel, or a file, of that name already.
#define SALTUS_EXISTS 2

/// The buffer is too small for the message, and the subscriber keeps its place; or more is published than was borrowed.
#define SALTUS_TOO_SMALL 3

/// The message is longer than the channel's frames, or than the transport carries.
#define SALTUS_TOO_LONG 4

/// Publishers overtook the reader; the subscriber keeps its place. Call again.
#define SALTUS_OVERRUN 5

/// The wait was called off, by saltus_channel_cancel() or saltus_domain_cancel().
#define SALTUS_CANCELED 6

/// The channel is no more: removed, replaced, or its files deleted. Close it and open it anew.
#define SALTUS_RETIRED 7

/// Permissions forbid it.
#define SALTUS_DENIED 8

/// The memory for it cannot be had, or the room on the disk; or the process has 16,384 handles.
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

/// The transport, or the kind of domain, cannot do this.
#define SALTUS_UNSUPPORTED 101

/// A channel has messages of another type than expected. Told once a channel and type; call again.
#define SALTUS_WRONG_TYPE 103

/// A message could not be encoded.
#define SALTUS_UNENCODABLE 104

/// A message could not be decoded.
#define SALTUS_UNDECODABLE 105

/// There will be nothing more: a log that is played has come to its end.
#define SALTUS_ENDED 106

/// A network does not do what is needed; saltus_last_error() says what to do.
#define SALTUS_NETWORK 107

/// The URL's provider is unknown, or not built in.
#define SALTUS_NO_PROVIDER 108

/// The file is no log; or not of LCM's, the one that file:// plays.
#define SALTUS_NO_LOG 109

/// The message cannot be in a log of this format.
#define SALTUS_UNWRITABLE 110

/// The log was changed since it was opened: open it again.
#define SALTUS_CHANGED 111

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

/// In a message: a number that the transport does not tell.
#define SALTUS_UNKNOWN UINT64_MAX

/// In a message or an event of a log: a time that nobody tells.
#define SALTUS_NO_TIME INT64_MIN

/// In the options of a domain's subscriber: the newest message of each receive. The default.
#define SALTUS_NEWEST_ONLY 0

/// `channels` is the name of one channel. The default.
#define SALTUS_BY_NAME 0

/// `channels` is a regular expression for whole names.
#define SALTUS_BY_PATTERN 1

/// What a callback returns to be called again.
#define SALTUS_GO_ON 0

/// What a callback returns to let saltus_dispatcher_run() or saltus_dispatcher_handle() return. May be added to SALTUS_UNSUBSCRIBE.
#define SALTUS_STOP 1

/// What a callback returns to end its subscription. May be added to SALTUS_STOP.
#define SALTUS_UNSUBSCRIBE 2

/// The format of a log to be written is told by the end of its name: ".mcap" is MCAP; ".lcmlog", ".lcm", ".log" or none is LCM's.
#define SALTUS_LOG_BY_NAME 0

/// LCM's event log.
#define SALTUS_LOG_LCM 1

/// MCAP.
#define SALTUS_LOG_MCAP 2

/// An open channel, from which publishers and subscribers are made. It holds two descriptors, however many those are.
///
/// The one kind of handle that several threads may use at the same time.
typedef struct saltus_channel saltus_channel;

/// Calls back for messages of many subscriptions, of one domain or several, in one thread. One call at a time may use it, but for
/// saltus_dispatcher_cancel(): a second one is refused.
typedef struct saltus_dispatcher saltus_dispatcher;

/// Channels that are reached by one URL: in shared memory, in this process, in a log, or on a network. Several threads may use it
/// at the same time.
typedef struct saltus_domain saltus_domain;

/// Publishes in one channel of a domain. One call at a time may use it: a second one is refused.
typedef struct saltus_domain_publisher saltus_domain_publisher;

/// Receives from one channel of a domain or from many. One call at a time may use it, but for saltus_domain_cancel(): a second one is
/// refused.
typedef struct saltus_domain_subscriber saltus_domain_subscriber;

/// A log, whose events are there in the order of time. One call at a time may use it: a second one is refused.
typedef struct saltus_log saltus_log;

/// Writes a log. One call at a time may use it: a second one is refused.
typedef struct saltus_log_writer saltus_log_writer;

/// Publishes into one lane of a channel. One thread at a time may use it; another thread opens its own. A second call at the same
/// time is refused.
typedef struct saltus_channel_publisher saltus_channel_publisher;

/// Receives from a channel. One thread at a time may use it, but for saltus_channel_cancel(); another thread opens its own. A second call at
/// the same time is refused.
typedef struct saltus_channel_subscriber saltus_channel_subscriber;

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

/// How a subscriber joins. Fill it with saltus_channel_options_init(), then change what shall be different.
typedef struct saltus_channel_options {
    /// Bytes that this structure has for the program; set by saltus_channel_options_init(), not to be changed.
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
    /// 1: saltus_channel_cancel() calls off this subscriber's waits. It then counts twice in saltus_channel_wait_any(). Default 1.
    uint32_t cancelable;
} saltus_channel_options;

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

/// Is called with the name of a channel; returns 0 to go on, and anything else for no more. It must return: no longjmp, no C++
/// exception.
typedef int (*saltus_name_callback)(const char *name, void *context);

/// What messages are. Generated code has all three as constants. Never changes.
typedef struct saltus_type {
    /// The full name of the type, such as "robot.pose_t".
    const char *name;
    /// Its fingerprint, or the hash of its plain layout: what every message begins with.
    uint64_t fingerprint;
    /// The type, and all types in it, in the type language.
    const char *schema;
} saltus_type;

/// What a subscriber wants of its channels. Fill it with saltus_domain_options_init(), then change what shall be different.
typedef struct saltus_domain_options {
    /// Bytes that this structure has for the program; set by saltus_domain_options_init(), not to be changed.
    size_t size;
    /// SALTUS_NEWEST_ONLY: what is older and unseen is passed over. Else all messages in their order, as long as no more than so
    /// many of a channel are waiting: then the oldest are dropped. Default SALTUS_NEWEST_ONLY.
    uint64_t depth;
    /// What the messages shall be; others are told once, with SALTUS_WRONG_TYPE, and then passed over. NULL: anything. Default NULL.
    const struct saltus_type *expected;
    /// Where to start in channels that are there already: SALTUS_START_NEWEST, SALTUS_START_NOW or SALTUS_START_OLDEST.
    uint32_t start;
    /// SALTUS_BY_NAME or SALTUS_BY_PATTERN.
    uint32_t by;
} saltus_domain_options;

/// A message, with what is known about it. Saltus keeps it, and may give it more fields at its end.
typedef struct saltus_message {
    /// Its bytes; never NULL.
    const void *data;
    /// How many those are.
    size_t len;
    /// The name of its channel, with a zero byte behind it.
    const char *channel;
    /// Bytes of the name.
    size_t channel_len;
    /// When it was published, ns of boot time (see saltus_now()), or SALTUS_UNKNOWN.
    uint64_t published;
    /// When it came to this machine, ns of boot time.
    uint64_t arrived;
    /// When a log says that it was recorded, us since 1970; SALTUS_NO_TIME where it comes from no log.
    int64_t logged;
    /// A number that tells senders apart, or SALTUS_UNKNOWN.
    uint64_t sender;
    /// Its number among the sender's messages, or SALTUS_UNKNOWN.
    uint64_t sequence;
    /// Messages missed since the last one received: lost on the way, or overwritten in shared memory. SALTUS_UNKNOWN if nobody knows.
    uint64_t missed;
    /// Messages dropped in this process since the last one received, because this subscriber was slow or wanted the newest only.
    uint64_t dropped;
    /// 1: `missed` counts over all channels of the sender; 0: over this one.
    uint32_t missed_of_sender;
    /// Always 0.
    uint32_t reserved;
} saltus_message;

/// A channel at one moment, read from counters without disturbing anybody.
typedef struct saltus_info {
    /// Bytes that this structure has for the program.
    size_t size;
    /// Messages published, by all publishers together, the dead ones' too.
    uint64_t published;
    /// Their bytes.
    uint64_t bytes;
    /// Messages that a subscriber can still get.
    uint64_t kept;
    /// Messages that all living subscribers together missed, as far as they keep counters.
    uint64_t missed;
    /// Publishers that live.
    uint64_t publishers;
    /// Subscribers that live and keep counters.
    uint64_t subscribers;
    /// Shared memory in bytes, without counters and descriptions.
    uint64_t memory;
    /// How old the newest message is, in ns, or SALTUS_UNKNOWN.
    uint64_t age;
    /// When the channel was created, ns of boot time.
    uint64_t created;
} saltus_info;

/// Is called with what messages of a channel are; returns 0 to go on, and anything else for no more. The strings are valid during the
/// call. It must return: no longjmp, no C++ exception.
typedef int (*saltus_type_callback)(const struct saltus_type *what, void *context);

/// Is called with a message, which is valid during the call; returns SALTUS_GO_ON, SALTUS_STOP, SALTUS_UNSUBSCRIBE or the sum of
/// the last two. It may call everything but the dispatcher that calls it; of that, saltus_dispatcher_cancel(). It must return: no
/// longjmp, no C++ exception.
typedef int (*saltus_callback)(const struct saltus_message *message, void *context);

/// An event of a log: a message, its channel, and when it was logged. Saltus keeps it, and may give it more fields at its end.
typedef struct saltus_event {
    /// The message as it was published; never NULL.
    const void *data;
    /// Bytes of the message.
    size_t len;
    /// The name of its channel, with a zero byte behind it. The name itself may be any bytes.
    const char *channel;
    /// Bytes of the name.
    size_t channel_len;
    /// When it was logged, ns since 1970, as far as the file is to be trusted.
    int64_t log_time;
    /// When it was published, ns since 1970, or SALTUS_NO_TIME.
    int64_t publish_time;
    /// The number that its publisher gave it, or SALTUS_UNKNOWN.
    uint64_t sequence;
} saltus_event;

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
int saltus_channel_create(const char *domain,
                  const char *name,
                  const struct saltus_attributes *attributes,
                  struct saltus_channel **channel);

/// Opens channel `name`; creates it if there is none. An existing one keeps its attributes, whatever these say.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_channel_open_or_create(const char *domain,
                          const char *name,
                          const struct saltus_attributes *attributes,
                          struct saltus_channel **channel);

/// Creates channel `name`, in the place of the old one if there is one, whose users then get SALTUS_RETIRED.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
int saltus_channel_replace(const char *domain,
                   const char *name,
                   const struct saltus_attributes *attributes,
                   struct saltus_channel **channel);

/// Opens channel `name`.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_channel_open(const char *domain, const char *name, struct saltus_channel **channel);

/// Opens channel `name` as soon as it exists. Subscribers often start first.
///
/// Arguments and costs: as saltus_channel_create(); blocks until the channel exists, or until `until` (see "Time"), and
/// looks every 10 ms meanwhile.
/// Returns SALTUS_NOTHING, and `*channel` is NULL, if the channel does not exist until then.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_channel_wait_for(const char *domain, const char *name, uint64_t until, struct saltus_channel **channel);

/// Removes channel `name` from `domain`. Those who have it open get SALTUS_RETIRED, subscribers once they have
/// received all that was published.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_SYSTEM.
int saltus_channel_unlink(const char *domain, const char *name);

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
/// so that nothing fails for lack of memory later. `*publisher` is to be closed with saltus_channel_publisher_close(); it is
/// NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_LANE, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_RETIRED, SALTUS_DAMAGED, SALTUS_INVALID,
/// SALTUS_SYSTEM.
int saltus_channel_publisher_open(const struct saltus_channel *channel, struct saltus_channel_publisher **publisher);

/// Closes a publisher; what it has borrowed is given back unused. What it published stays. NULL does nothing.
///
/// Blocks: never. Allocates: no. Kernel: yes.
void saltus_channel_publisher_close(struct saltus_channel_publisher *publisher);

/// Publishes a copy of `len` bytes at `message`, which may be NULL if `len` is 0. The result never depends on
/// readers. `published` may be NULL.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber sleeps, else none. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, or something is borrowed from this publisher).
/// In a forked child the first call leases a lane of its own, and costs and fails like saltus_channel_publisher_open().
int saltus_channel_publish(struct saltus_channel_publisher *publisher, const void *message, size_t len, struct saltus_published *published);

/// Borrows room for a message of up to `len` bytes, to build it in place: `*room` points to it, 64-byte aligned.
/// The room holds old bytes. Give it back with saltus_channel_loan_publish() or saltus_channel_loan_abandon(); until then the
/// publisher lends and publishes nothing else. The oldest messages that lay there are given up now.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, or room is borrowed already). `*room` is NULL then.
int saltus_channel_loan(struct saltus_channel_publisher *publisher, size_t len, void **room);

/// Publishes the first `len` bytes of what was borrowed. The loan is over, whatever this returns. `published` may
/// be NULL. The room may also have been filled with streaming (non-temporal) stores.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber sleeps, else none. For control loops.
/// Fails: SALTUS_TOO_SMALL (more than was borrowed), SALTUS_INVALID (NULL, nothing borrowed, or borrowed before a fork).
int saltus_channel_loan_publish(struct saltus_channel_publisher *publisher, size_t len, struct saltus_published *published);

/// Gives back unused what was borrowed. Nothing is published.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL, or nothing borrowed).
int saltus_channel_loan_abandon(struct saltus_channel_publisher *publisher);

/// Leaves with the channel what its messages are, so that tools can read them: the full name of the type, its
/// fingerprint (or the hash of its plain layout), and the type itself in the type language. Generated code has all three
/// as constants. Saying the same again adds nothing.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. Not for control loops: once, after saltus_channel_publisher_open().
/// Fails: SALTUS_INVALID (NULL, not UTF-8, an empty name, or more than 1 MiB in all; or something is borrowed from this
/// publisher), SALTUS_RETIRED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_channel_describe(struct saltus_channel_publisher *publisher, const char *name, uint64_t fingerprint, const char *schema);

/// Fills `options` with the defaults. `size` is sizeof(saltus_channel_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
int saltus_channel_options_init(struct saltus_channel_options *options, size_t size);

/// Joins the channel as a subscriber. `options`: NULL for the defaults. `*subscriber` is to be closed with
/// saltus_channel_subscriber_close(); it is NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID.
int saltus_channel_subscriber_open(const struct saltus_channel *channel,
                           const struct saltus_channel_options *options,
                           struct saltus_channel_subscriber **subscriber);

/// Closes a subscriber and its event descriptor. NULL does nothing. Nobody may call saltus_channel_cancel() for it any more.
///
/// Blocks: until the thread of its event descriptor ends, if it has one. Allocates: no. Kernel: yes.
void saltus_channel_subscriber_close(struct saltus_channel_subscriber *subscriber);

/// Skips to now. What was unseen counts as missed.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
int saltus_channel_flush(struct saltus_channel_subscriber *subscriber);

/// Goes back to the oldest message kept, seen or not. What is received again counts again.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
int saltus_channel_seek_oldest(struct saltus_channel_subscriber *subscriber);

/// How many messages this subscriber has received and how many it has missed: together all that was published since
/// it joined, up to its place.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL).
int saltus_channel_counts(struct saltus_channel_subscriber *subscriber, uint64_t *received, uint64_t *missed);

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
int saltus_channel_receive(struct saltus_channel_subscriber *subscriber,
                   int which,
                   uint64_t until,
                   void *buffer,
                   size_t size,
                   struct saltus_sample *sample);

/// Looks at a message where it lies, without copying it: `*message` points to its `*len` bytes, 64-byte aligned and
/// read-only. Its publisher may overwrite them at any instant: compute from them what is needed, copying out each
/// byte once, then call saltus_channel_validate(). Only if that returns SALTUS_OK was the message whole all the while; before,
/// nothing computed may be acted upon, and no length or index found in the message be trusted.
///
/// `which` and `until`: as saltus_channel_receive(). Any other call with the subscriber, but for saltus_channel_cancel(), gives the
/// view up; what was not validated stays unseen. The pointer leads nowhere after saltus_channel_subscriber_close().
///
/// Blocks, allocates, kernel: as saltus_channel_receive(). For control loops.
/// Returns SALTUS_NOTHING if nothing is unseen, or the time is up; then, and if it fails, `*message` is NULL.
/// Fails: SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID.
int saltus_channel_view(struct saltus_channel_subscriber *subscriber, int which, uint64_t until, const void **message, size_t *len);

/// Ends a view, and says whether the message was whole all the while. If it was, it counts as received.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_OVERRUN (overwritten meanwhile: forget what was computed, look again; the place is kept),
/// SALTUS_INVALID (NULL, or no view). `*sample` is all zeros then.
int saltus_channel_validate(struct saltus_channel_subscriber *subscriber, struct saltus_sample *sample);

/// Waits until one of `count` subscribers has something unseen, and stores its index in `*index`: the first, if
/// several have. One system call sleeps on all of them. `until`: see "Time". Open views are given up.
///
/// At most 127 subscribers; those that are cancelable (the default) count twice. A saltus_channel_cancel() for any of them
/// calls off the wait, and a retired channel ends it.
///
/// Blocks: until there is something, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep.
/// For control loops.
/// Returns SALTUS_NOTHING if the time is up.
/// Fails: SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID (NULL, none or too many, or one given twice).
int saltus_channel_wait_any(struct saltus_channel_subscriber *const *subscribers, size_t count, uint64_t until, size_t *index);

/// A descriptor for poll, epoll or an event loop: readable while there is something unseen. When it is readable,
/// receive until there is SALTUS_NOTHING, which makes it wait for the next message. Do not read it.
///
/// The first call starts a thread in this process that waits on the subscriber's behalf; publishers know nothing of
/// it. Ownership: the subscriber keeps the descriptor and closes it in the end.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread to be had), SALTUS_INVALID (NULL). `*fd` is -1 then.
int saltus_channel_event_fd(struct saltus_channel_subscriber *subscriber, int *fd);

/// Calls off the subscriber's present wait, if there is one, and all later ones, which return SALTUS_CANCELED until
/// saltus_channel_cancel_reset(); a signal just before a wait is not lost. Receives that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (NULL, or the subscriber is not cancelable); saltus_last_error() does not tell of it.
int saltus_channel_cancel(const struct saltus_channel_subscriber *subscriber);

/// Lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or the subscriber is not cancelable).
int saltus_channel_cancel_reset(const struct saltus_channel_subscriber *subscriber);

/// Opens the domain that `url` names, such as "shm://", "mem://", "udpm://239.255.76.67:7667?ttl=1" or "file:///tmp/robot.log"
/// (a log of LCM's); NULL is $SALTUS_DOMAIN, or else "shm://". The guide's page on providers has them all. It joins no network and
/// makes no file, but for a log that is to be written: that comes with the first publisher or subscriber that needs it. `*domain`
/// is to be closed with saltus_domain_close(); it is NULL if this fails.
///
/// Blocks: where a log is opened, to read it. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_NO_PROVIDER, SALTUS_NOT_FOUND and SALTUS_NO_LOG (of a log), SALTUS_DENIED, SALTUS_NO_SPACE,
/// SALTUS_NETWORK, SALTUS_SYSTEM.
int saltus_domain_open(const char *url,
                       struct saltus_domain **domain);

/// Closes a domain. Publishers, subscribers and dispatchers stay as they are. NULL does nothing.
///
/// Blocks: if nothing else of the domain is open, until its thread ends and what was sent is out, where the transport keeps it back.
/// Allocates: no. Kernel: yes.
void saltus_domain_close(struct saltus_domain *domain);

/// Calls `each` with the names of the channels that there are, in this thread: all of a domain in shared memory, those of a log; on
/// a network, those that somebody in this process wants and that something came on. A name is valid during its call; one
/// that contains a zero byte is left out. `context` is handed on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL), SALTUS_DENIED, SALTUS_SYSTEM.
int saltus_domain_channels(const struct saltus_domain *domain,
                           saltus_name_callback each,
                           void *context);

/// Makes a publisher in channel `channel`, 1 to 63 bytes. `what`: what its messages are, so that tools can read them; NULL if they
/// are only bytes. `*publisher` is to be closed with saltus_domain_publisher_close(); it is NULL if this fails.
///
/// In shared memory the channel is opened, or made, by the first message, with room for messages of twice its length; the URL's
/// `frames` and `frame_size` say otherwise.
///
/// Blocks: in the file system, or while a network is joined. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_UNSUPPORTED (zmq:// that does not say where).
int saltus_domain_publisher_open(const struct saltus_domain *domain,
                                 const char *channel,
                                 const struct saltus_type *what,
                                 struct saltus_domain_publisher **publisher);

/// Closes a publisher. What it published stays. NULL does nothing.
///
/// Blocks: until what was sent is out, where the transport keeps it back. Allocates: no. Kernel: yes.
void saltus_domain_publisher_close(struct saltus_domain_publisher *publisher);

/// Publishes a copy of `len` bytes at `message`, which may be NULL if `len` is 0. The result never depends on subscribers.
///
/// Blocks: in shared memory only for the first message, in the file system; on a network for the pace that the URL sets. Allocates: for
/// the first message. Kernel: in shared memory to wake who sleeps; on a network what sending takes.
/// Fails: SALTUS_TOO_LONG, SALTUS_NO_LANE, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_INVALID,
/// SALTUS_UNSUPPORTED (in a log that is played).
int saltus_domain_publish(struct saltus_domain_publisher *publisher,
                          const void *message,
                          size_t len);

/// Publishes a message as if it had been published at another time, for who publishes a log again: ns of boot time in shared
/// memory, of wall time in a log. `*given`, unless that is NULL, gets the stamp that the message got: a publisher's stamps
/// never go back, and none lies in the future.
///
/// Blocks, allocates, kernel: as saltus_domain_publish().
/// Fails: as that, and SALTUS_UNSUPPORTED where messages carry no stamps.
int saltus_domain_publish_at(struct saltus_domain_publisher *publisher,
                             const void *message,
                             size_t len,
                             int64_t stamp,
                             int64_t *given);

/// Fills `options` with the defaults. `size` is sizeof(saltus_domain_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
int saltus_domain_options_init(struct saltus_domain_options *options, size_t size);

/// Subscribes to `channels`: a name, or a pattern if the options say so; NULL is all channels. Channels need not exist yet.
/// `options`: NULL for the defaults. `*subscriber` is to be closed with saltus_domain_subscriber_close(); it is NULL if this fails.
///
/// Blocks: in the file system, or while a network is joined. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_UNSUPPORTED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK, SALTUS_SYSTEM.
int saltus_domain_subscriber_open(const struct saltus_domain *domain,
                                  const char *channels,
                                  const struct saltus_domain_options *options,
                                  struct saltus_domain_subscriber **subscriber);

/// Closes a subscriber and its event descriptor; what it received last goes with it. NULL does nothing. Nobody may call
/// saltus_domain_cancel() for it any more.
///
/// Blocks: until threads end that only it needed; as saltus_domain_close() if nothing else of the domain is open. Allocates: no.
/// Kernel: yes.
void saltus_domain_subscriber_close(struct saltus_domain_subscriber *subscriber);

/// Receives, as the subscriber's options say: the newest message not seen, or the next. `*message` points to it; it lies in the
/// subscriber's own memory until the next call with the subscriber. NULL if there is none, or this fails.
///
/// Blocks: until a message comes, at most until `until` (see "Time"); SALTUS_POLL never. Allocates: for a message longer than all
/// before it. Kernel: to sleep, to look for channels that have come, and, on a network, to receive.
/// Returns SALTUS_NOTHING if nothing is unseen, or the time is up.
/// Fails: SALTUS_CANCELED, SALTUS_WRONG_TYPE (call again), SALTUS_ENDED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK,
/// SALTUS_SYSTEM, SALTUS_INVALID.
int saltus_domain_receive(struct saltus_domain_subscriber *subscriber, uint64_t until, const struct saltus_message **message);

/// Receives the newest message, whatever the options say, and even if it has been seen. One of another type than expected is
/// left out.
///
/// Blocks, allocates, kernel: as saltus_domain_receive().
/// Returns SALTUS_NOTHING if there is none until the time is up.
/// Fails: as saltus_domain_receive().
int saltus_domain_again(struct saltus_domain_subscriber *subscriber, uint64_t until, const struct saltus_message **message);

/// Waits until one of `count` subscribers, at most 1,024, has something unseen, and stores its index in `*index`: the first, if
/// several have. They may be of different domains. Then receive from it with SALTUS_POLL, which finds nothing only if the message
/// was overwritten meanwhile or is of another type. A cancel of any of them calls off the wait, within 100 ms.
///
/// Blocks: until there is something, at most until `until`; SALTUS_POLL never. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING if the time is up.
/// Fails: SALTUS_CANCELED, SALTUS_SYSTEM, SALTUS_INVALID (NULL, none or too many, or one given twice).
int saltus_domain_wait_any(struct saltus_domain_subscriber *const *subscribers, size_t count, uint64_t until, size_t *index);

/// A descriptor for poll, epoll or an event loop: readable while there may be something unseen. When it is readable, receive with
/// SALTUS_POLL until there is SALTUS_NOTHING, which lowers it until the next message. Do not read it.
///
/// Ownership: the subscriber keeps the descriptor and closes it in the end.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time; in shared memory that starts a thread for each channel.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread to be had), SALTUS_INVALID (NULL). `*fd` is -1 then.
int saltus_domain_event_fd(struct saltus_domain_subscriber *subscriber, int *fd);

/// Calls off the subscriber's present wait, if there is one, and all later ones, which return SALTUS_CANCELED until
/// saltus_domain_cancel_reset(). Receives that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (NULL, or closed); saltus_last_error() does not tell of it.
int saltus_domain_cancel(const struct saltus_domain_subscriber *subscriber);

/// Lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: one system call at most.
/// Fails: SALTUS_INVALID (NULL, or closed).
int saltus_domain_cancel_reset(const struct saltus_domain_subscriber *subscriber);

/// Tells what can be known of a channel at this moment. `size` is sizeof(saltus_info).
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. It costs publishers nothing but cache misses.
/// Fails: SALTUS_INVALID (NULL, or a senseless size), SALTUS_SYSTEM.
int saltus_channel_info(const struct saltus_channel *channel, struct saltus_info *info, size_t size);

/// Calls `each` with what publishers said about the messages of a channel (see saltus_channel_describe()), in this thread. `context` is handed on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL), SALTUS_DAMAGED, SALTUS_SYSTEM.
int saltus_channel_descriptions(const struct saltus_channel *channel,
                        saltus_type_callback each,
                        void *context);

/// Calls `each` with what publishers said about the messages of one of the channels that a subscriber has joined, in this thread: where
/// there is a place for it, as in shared memory. `context` is handed on. The subscriber may not be used in `each`.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, or a bad name).
int saltus_domain_descriptions(struct saltus_domain_subscriber *subscriber,
                               const char *channel,
                               saltus_type_callback each,
                               void *context);

/// Messages of other types than expected that a subscriber has passed over.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or closed). `*mismatched` is 0 then.
int saltus_domain_mismatched(struct saltus_domain_subscriber *subscriber, uint64_t *mismatched);

/// Makes a dispatcher without subscriptions. `*dispatcher` is to be closed with saltus_dispatcher_close(); it is NULL if this fails.
///
/// Blocks: never. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_SYSTEM, SALTUS_INVALID (NULL).
int saltus_dispatcher_open(struct saltus_dispatcher **dispatcher);

/// Closes a dispatcher with its subscriptions; its callbacks are not called again. NULL does nothing. From inside of one of its
/// callbacks, it ends once saltus_dispatcher_run() or saltus_dispatcher_handle() returns.
///
/// Blocks: until threads end that only it needed. Allocates: no. Kernel: yes.
void saltus_dispatcher_close(struct saltus_dispatcher *dispatcher);

/// Calls `callback` for each message of `channels` from now on, which with `options` means what it means to
/// saltus_domain_subscriber_open(). `context` is handed on. `*id`, unless `id` is NULL, gets a number for
/// saltus_dispatcher_unsubscribe().
///
/// Blocks: in the file system, or while a network is joined. Allocates: yes. Kernel: yes.
/// Fails: as saltus_domain_subscriber_open().
int saltus_dispatcher_subscribe(struct saltus_dispatcher *dispatcher,
                                const struct saltus_domain *domain,
                                const char *channels,
                                const struct saltus_domain_options *options,
                                saltus_callback callback,
                                void *context,
                                uint64_t *id);

/// Ends a subscription: its callback is not called again. Callbacks return SALTUS_UNSUBSCRIBE instead.
///
/// Blocks: until threads end that only it needed. Allocates: no. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND (it has ended already, or there never was one), SALTUS_INVALID (NULL, or called in a callback).
int saltus_dispatcher_unsubscribe(struct saltus_dispatcher *dispatcher, uint64_t id);

/// Waits until there are messages, and calls back for at most one of each subscription. `*handled`, unless that is NULL, gets for how
/// many.
///
/// Blocks: until there is a message, at most until `until` (see "Time"), and as long as callbacks do. Allocates: for a message longer
/// than all before it. Kernel: yes.
/// Returns SALTUS_NOTHING if the time is up, it was called off, or there is no subscription.
/// Fails: the first error of the subscriptions, after all had their turn: see saltus_domain_receive(); call again to go on. The next calls
/// tell the other errors of that turn, one each, before they call anybody back. A SALTUS_STOP is told before errors. After
/// SALTUS_WRONG_TYPE it returns at once, as after SALTUS_STOP: who had no turn yet has one later. `*handled` is 0 if this fails, whoever
/// was called back.
/// SALTUS_INVALID (NULL, or called in a callback).
int saltus_dispatcher_handle(struct saltus_dispatcher *dispatcher,
                             uint64_t until,
                             size_t *handled);

/// Handles messages until a callback returns SALTUS_STOP, saltus_dispatcher_cancel() is called, or no subscription is left.
///
/// Blocks: until then. Allocates: for a message longer than all before it. Kernel: yes.
/// Fails: as saltus_dispatcher_handle().
int saltus_dispatcher_run(struct saltus_dispatcher *dispatcher);

/// A descriptor that is readable when saltus_dispatcher_handle() may have something to do, for an event loop that one has already. Do
/// not read it. After a failure or a SALTUS_STOP call that until it returns SALTUS_NOTHING: errors that are kept do not raise it.
///
/// Ownership: the dispatcher keeps the descriptor and closes it in the end.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or called in a callback). `*fd` is -1 then.
int saltus_dispatcher_fd(struct saltus_dispatcher *dispatcher,
                         int *fd);

/// Lets saltus_dispatcher_run() and saltus_dispatcher_handle() return, now and until saltus_dispatcher_cancel_reset().
///
/// From any thread, from callbacks and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (NULL, or closed); saltus_last_error() does not tell of it.
int saltus_dispatcher_cancel(const struct saltus_dispatcher *dispatcher);

/// Lets the dispatcher wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: one system call at most.
/// Fails: SALTUS_INVALID (NULL, or closed).
int saltus_dispatcher_cancel_reset(const struct saltus_dispatcher *dispatcher);

/// Opens a log: LCM's or MCAP, damaged or not. It is read once, and an index made; beside a large one it is kept, as
/// PATH.saltus-index, if that is allowed. `*log` is to be closed with saltus_log_close(); it is NULL if this fails.
///
/// Blocks: while the file is read. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_NO_LOG, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
int saltus_log_open(const char *path, struct saltus_log **log);

/// Closes a log; the event read last goes with it. NULL does nothing.
///
/// Blocks: never. Allocates: no. Kernel: yes.
void saltus_log_close(struct saltus_log *log);

/// How many events the log has, and the times of the first and the last, ns since 1970; SALTUS_NO_TIME if there is none. Any of
/// the three places may be NULL.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (NULL).
int saltus_log_range(struct saltus_log *log, uint64_t *events, int64_t *first, int64_t *last);

/// Reads the next event and goes a step forward. `*event` points to it; it lies in the log's own memory until the next call with the
/// log. NULL if there is none, or this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the end.
/// Fails: SALTUS_UNDECODABLE (call again for the next), SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID.
int saltus_log_next(struct saltus_log *log,
                    const struct saltus_event **event);

/// Reads the event before and goes a step backwards; otherwise as saltus_log_next().
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the beginning.
/// Fails: as saltus_log_next().
int saltus_log_previous(struct saltus_log *log, const struct saltus_event **event);

/// Goes to the event at `position`: as many events come before it. Behind the last is as good as the end.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL).
int saltus_log_seek(struct saltus_log *log, uint64_t position);

/// Goes to the first event at or after `time`, ns since 1970, or to the end. `*position`, unless that is NULL, gets where that is.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (NULL).
int saltus_log_seek_time(struct saltus_log *log,
                         int64_t time,
                         uint64_t *position);

/// Begins a log. `format` is SALTUS_LOG_BY_NAME, SALTUS_LOG_LCM or SALTUS_LOG_MCAP. A file that is there is left alone. `*writer` is to
/// be closed with saltus_log_writer_close(); it is NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_NOT_FOUND (of a directory), SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
int saltus_log_create(const char *path,
                      uint32_t format,
                      struct saltus_log_writer **writer);

/// Tells what messages with this fingerprint are, so that MCAP has them with their types. Before they are written.
///
/// Blocks: never. Allocates: yes. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, not UTF-8, a schema that is not understood; or the log is finished).
int saltus_log_describe(struct saltus_log_writer *writer, const struct saltus_type *what);

/// Appends a message of `channel` that was logged at `log_time`, ns since 1970, such as saltus_now(SALTUS_REALTIME). `message` may be
/// NULL if `len` is 0. What was written goes out at the latest with what is written a second later; saltus_log_flush() does it now.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_UNWRITABLE (the log is as it was), SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is finished).
int saltus_log_write(struct saltus_log_writer *writer,
                     const char *channel,
                     const void *message,
                     size_t len,
                     int64_t log_time);

/// Gives everything that was written to the file.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is finished).
int saltus_log_flush(struct saltus_log_writer *writer);

/// Ends the log. Nothing more can be written, whatever this returns; the handle is still to be closed.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is finished).
int saltus_log_finish(struct saltus_log_writer *writer);

/// Closes a writer; a log that is not finished is left as it was flushed last, which can be read, but of MCAP not quickly. NULL does
/// nothing.
///
/// Blocks: in the file system. Allocates: no. Kernel: yes.
void saltus_log_writer_close(struct saltus_log_writer *writer);

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
