/*
 * Saltus: publish/subscribe for robots, over shared memory and networks. Subscribers get the newest message first, and a
 * publisher never waits for a subscriber.
 *
 * A channel keeps the newest messages of each publisher. A subscriber has its own position: it receives the newest message or the
 * next one, can wait for it, and learns how many it missed. You can kill any process at any time without disturbing the
 * others. C99 or later; for C++ see <saltus.hpp>. Link with `pkg-config saltus`.
 *
 *   saltus_channel_...      a channel in shared memory, for control loops: copies, loans and views
 *   saltus_domain_...       channels by URL, in shared memory or on a network: publish, subscribe by name or pattern
 *   saltus_dispatcher_...   callbacks for messages of domains
 *   saltus_log_...          logs: read and write
 *
 * Errors
 *   Functions that can fail return an enum saltus_error: SALTUS_OK (0) on success, SALTUS_NOTHING (-1) if there is no message in time,
 *   which is not an error, else a positive number. saltus_strerror() returns the meaning of a number, saltus_last_error()
 *   a message about this thread's last call that failed. A call that fails changes nothing, unless its function says otherwise,
 *   and you can still use and close every handle. No C++ or Rust exception leaves a function.
 *
 * Handles
 *   A handle is a structure around a number, passed by value; each kind is a type of its own. Initialize it with SALTUS_HANDLE_INIT.
 *   An open handle never has id 0; a call that fails to open one sets id 0. Copies of a handle are the same handle: once you close one,
 *   every call with a copy, including a second close, returns SALTUS_INVALID, even after other handles were opened. Closing id 0
 *   does nothing and returns SALTUS_OK. A process can have 16,384 handles open; to open another fails with SALTUS_NO_SPACE.
 *
 * Pointers
 *   NULL is an error (SALTUS_INVALID), except where a function says what it means. Any other pointer must be valid for its
 *   type. Strings end with a zero byte. Saltus keeps no pointer beyond the call, except a callback's `context`. Memory that a function
 *   returns (`const **`) belongs to Saltus and is valid for as long as the function says.
 *
 * Threads
 *   Use a publisher or subscriber in one thread at a time; you can pass it to another thread. Two threads that publish or subscribe
 *   open a handle each: these share the channel's memory. All threads can use a channel or a domain at the same time. Only the functions
 *   that cancel may be called during another thread's call with the same handle; any other call returns SALTUS_INVALID. Closing
 *   a publisher or subscriber during a call is safe: it takes effect when the call returns.
 *   For the first thread that uses a handle, this check is free. Once a second thread uses it, every call costs two atomic operations,
 *   and the second thread's first call costs one system call (membarrier).
 *
 * Signals
 *   In signal handlers call only saltus_channel_cancel(), saltus_domain_cancel(), saltus_dispatcher_cancel(), saltus_monotonic(),
 *   saltus_strerror() and saltus_version(). A signal does not end a wait; a cancel does.
 *
 * Fork
 *   In a forked child, subscribers of channels continue from their position at the fork, independently of the parent. A publisher of
 *   a channel gets a lane of its own with its first publish. The thread of an event descriptor stays in the parent: open
 *   a new subscriber in the child if you need one. Open domains, with their publishers, subscribers and dispatchers, again
 *   in the child. exec closes everything; descriptors are not inherited.
 *
 * Time
 *   Times are in nanoseconds. A function that waits has a parameter `until`:
 *     SALTUS_POLL         do not wait
 *     SALTUS_AFTER(ns)    wait at most this long, from the moment when there is no message
 *     a number            wait until this time of saltus_monotonic(), which is clock_gettime(CLOCK_MONOTONIC) in ns
 *     SALTUS_FOREVER      wait without limit
 *
 * Real time
 *   "For control loops" marks functions that take no lock, allocate nothing, and make only the system calls that are named.
 *   They cause no page fault either, if the channel was created with `prefault`, the default, and the program's
 *   own memory is locked. On failure they only format a message in addition.
 *
 * Compatibility
 *   Structures with a field `size` may get more fields in later versions; programs compiled before still work.
 *   Always fill these structures with their init function.
 *
 * Generated from the Rust sources by cbindgen (see cbindgen.toml). Do not edit.
 */

#ifndef SALTUS_H
#define SALTUS_H

#include <stddef.h>
#include <stdint.h>

/// For `until`: waits at most `ns` nanoseconds from now, at most 2^63 - 2.
#ifdef __cplusplus
#define SALTUS_AFTER(ns) (static_cast<uint64_t>(ns) | (UINT64_C(1) << 63))
#else
#define SALTUS_AFTER(ns) ((uint64_t)(ns) | (UINT64_C(1) << 63))
#endif

/// Initializes a handle of any kind as not open: saltus_channel channel = SALTUS_HANDLE_INIT;
#define SALTUS_HANDLE_INIT { 0 }

/// Clock of the timestamps: time since boot, including suspend. The default. Like CLOCK_BOOTTIME.
#define SALTUS_BOOTTIME 7

/// Clock of the timestamps: time since boot without suspend. Like CLOCK_MONOTONIC.
#define SALTUS_MONOTONIC 1

/// Clock of the timestamps: wall time, which may jump. Like CLOCK_REALTIME.
#define SALTUS_REALTIME 0

/// Publishers wake blocked subscribers; without any this costs nothing. The default.
#define SALTUS_WAKE_ON_DEMAND 0

/// Publishers make the wake-up system call for every message: for subscribers without write access to the wake page.
#define SALTUS_WAKE_ALWAYS 1

/// A channel's files get the group of the process that creates it. The default.
#define SALTUS_OWN_GROUP UINT32_MAX

/// Start with the current newest message, which counts as not yet received. The default.
#define SALTUS_START_NEWEST 0

/// Start with the messages published from now on.
#define SALTUS_START_NOW 1

/// Start with the oldest message kept.
#define SALTUS_START_OLDEST 2

/// The newest message, if it is new. Older messages that were not received count as missed.
#define SALTUS_NEWEST 0

/// The oldest message that was not yet received.
#define SALTUS_NEXT 1

/// The newest message, even if it was already received.
#define SALTUS_CURRENT 2

/// For `until`: does not wait.
#define SALTUS_POLL 0

/// For `until`: waits without limit.
#define SALTUS_FOREVER UINT64_MAX

/// In a message: a number that the transport does not provide.
#define SALTUS_UNKNOWN UINT64_MAX

/// In a message or an event of a log: a time that is not known.
#define SALTUS_NO_TIME INT64_MIN

/// For `depth`: each receive returns the newest message. The default.
#define SALTUS_NEWEST_ONLY 0

/// `channels` is the name of one channel. The default.
#define SALTUS_BY_NAME 0

/// `channels` is a regular expression for whole names.
#define SALTUS_BY_PATTERN 1

/// Returned by a callback: continue.
#define SALTUS_GO_ON 0

/// Returned by a callback: let saltus_dispatcher_run() or saltus_dispatcher_handle() return. May be added to SALTUS_UNSUBSCRIBE.
#define SALTUS_STOP 1

/// Returned by a callback: end its subscription. May be added to SALTUS_STOP.
#define SALTUS_UNSUBSCRIBE 2

/// The end of the file name selects the format of a new log: ".mcap" is MCAP; ".lcmlog", ".lcm", ".log" or none is LCM.
#define SALTUS_LOG_BY_NAME 0

/// LCM's event log format.
#define SALTUS_LOG_LCM 1

/// MCAP format.
#define SALTUS_LOG_MCAP 2

/// The result of a function that can fail. The numbers never change their meaning and are the same in every language; later versions may
/// add some.
typedef enum saltus_error {
    /// Success.
    SALTUS_OK = 0,
    /// No new message in time, or the end of a log. Not an error, and the only negative number.
    SALTUS_NOTHING = -1,
    /// No channel, log or subscription of that name exists.
    SALTUS_NOT_FOUND = 1,
    /// A channel or file of that name already exists.
    SALTUS_EXISTS = 2,
    /// The buffer is too small for the message, which stays unreceived; or a loan is published with more bytes than it has.
    SALTUS_TOO_SMALL = 3,
    /// The message is longer than the channel's `max_message_size`, or than the transport carries.
    SALTUS_TOO_LONG = 4,
    /// Publishers overwrote the message while it was read; the subscriber keeps its position. Call again.
    SALTUS_OVERRUN = 5,
    /// The wait was canceled, by saltus_channel_cancel() or saltus_domain_cancel().
    SALTUS_CANCELED = 6,
    /// The channel was removed or replaced, or its files were deleted. Close it and open it again.
    SALTUS_RETIRED = 7,
    /// Permission denied.
    SALTUS_DENIED = 8,
    /// Not enough memory or disk space; or the process has 16,384 handles.
    SALTUS_NO_SPACE = 9,
    /// The channel has as many publishers as it can have.
    SALTUS_TOO_MANY_PUBLISHERS = 10,
    /// The files in shared memory are not a channel, or are one of another version.
    SALTUS_DAMAGED = 11,
    /// An argument is invalid: NULL, a handle that is not open, a bad name or attribute, a call at the wrong time.
    SALTUS_INVALID = 12,
    /// The operating system reported another error.
    SALTUS_SYSTEM = 13,
    /// A bug in Saltus, stopped before it left the library. Please report it, with saltus_last_error().
    SALTUS_BUG = 100,
    /// The transport, or this kind of domain, does not support this.
    SALTUS_UNSUPPORTED = 101,
    /// A channel has messages of another type than expected. Reported once for each channel and type; call again.
    SALTUS_WRONG_TYPE = 103,
    /// A message could not be encoded.
    SALTUS_ENCODE_FAILED = 104,
    /// A message could not be decoded.
    SALTUS_DECODE_FAILED = 105,
    /// The log that is played has ended.
    SALTUS_ENDED = 106,
    /// The network is not set up as needed; saltus_last_error() says what to do.
    SALTUS_NETWORK = 107,
    /// The URL's provider is unknown, or not in this build.
    SALTUS_NO_PROVIDER = 108,
    /// The file is not a log; or it is not an LCM log, the only kind that file:// plays.
    SALTUS_NOT_A_LOG = 109,
    /// A log of this format cannot hold the message.
    SALTUS_UNWRITABLE = 110,
    /// The log was changed since it was opened: open it again.
    SALTUS_CHANGED = 111,
} saltus_error;

/// The configuration of a new channel. Fill it with saltus_attributes_init(), then set the fields you want to change.
typedef struct saltus_attributes {
    /// The size of this structure in the program; set by saltus_attributes_init(). Do not change it.
    size_t size;
    /// Messages kept for each publisher, the newest: 1 to 2^24. Default 16.
    uint64_t depth;
    /// Bytes of the longest message: 1 to 2^40. Default 512.
    uint64_t max_message_size;
    /// Publishers to reserve memory for at creation: 1 to 1,024. More can be opened later. Default 1.
    uint32_t reserve_publishers;
    /// Permission bits: write allows to publish, read to subscribe; must include 0600. Default 0644.
    uint32_t mode;
    /// Group id of the files, or SALTUS_OWN_GROUP.
    uint32_t group;
    /// SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME.
    uint32_t clock;
    /// SALTUS_WAKE_ON_DEMAND or SALTUS_WAKE_ALWAYS.
    uint32_t wake;
    /// 1: each message carries its time of publication. 0: it does not, and the channel has one publisher only. Default 1.
    uint32_t timestamps;
    /// 1: opening the channel maps all its pages at once, so that no page fault occurs later. Default 1.
    uint32_t prefault;
    /// 1: opening the channel locks its pages into memory. Default 0.
    uint32_t lock_memory;
} saltus_attributes;

/// An open channel, from which you open publishers and subscribers. It holds two file descriptors, however many of them are open.
///
/// Several threads may use it at the same time.
typedef struct saltus_channel {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_channel;

/// A publisher in a channel, with a buffer (lane) of its own. One thread at a time may use it: a second call at the same time is
/// refused. Another thread opens its own.
typedef struct saltus_channel_publisher {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_channel_publisher;

/// The sequence number and timestamp of a published message.
typedef struct saltus_published {
    /// Its number in the publisher's lane, from 1; continues where a dead publisher stopped.
    uint64_t seq;
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    uint64_t timestamp_ns;
} saltus_published;

/// A type of messages. Generated code has all three fields as constants. Never changes.
typedef struct saltus_type {
    /// The full name of the type, such as "robot.pose_t".
    const char *name;
    /// Its fingerprint, or the hash of its plain layout: every message begins with it.
    uint64_t fingerprint;
    /// The type, and all types in it, in the type language.
    const char *schema;
} saltus_type;

/// How a subscriber of a channel starts and waits. Fill it with saltus_channel_options_init(), then set the fields you want to change.
typedef struct saltus_channel_options {
    /// The size of this structure in the program; set by saltus_channel_options_init(). Do not change it.
    size_t size;
    /// How long a wait polls before it sleeps, in ns; for isolated CPUs. Default 0.
    uint64_t spin;
    /// 0: a wait sleeps until a publisher wakes it. Else it never asks to be woken and checks at this period in ns: for monitoring
    /// tools. Default 0.
    uint64_t poll_every;
    /// SALTUS_START_NEWEST, SALTUS_START_NOW or SALTUS_START_OLDEST.
    uint32_t start;
    /// 1: keeps a file of counters for tools (4 KiB), if permissions and memory allow it. Default 1.
    uint32_t counters;
    /// 1: these counters include the time from publish to receive, at the cost of one clock reading per message. Default 1.
    uint32_t latency;
    /// 1: saltus_channel_cancel() can cancel this subscriber's waits, which counts twice in saltus_channel_wait_any(). Default 1.
    uint32_t cancelable;
} saltus_channel_options;

/// A subscriber of a channel. One thread at a time may use it: a second call at the same time is refused, except to cancel. Another
/// thread opens its own.
typedef struct saltus_channel_subscriber {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_channel_subscriber;

/// The metadata of a received message.
typedef struct saltus_message_info {
    /// Length in bytes. With SALTUS_TOO_SMALL: the size that the buffer must have.
    size_t len;
    /// Number of the message in its lane, from 1.
    uint64_t seq;
    /// When it was published, in ns of the channel's clock; 0 if the channel has no timestamps.
    uint64_t timestamp_ns;
    /// A number that identifies its publisher in the channel.
    uint64_t lease;
    /// How many messages this subscriber missed since the last one it received.
    uint64_t missed;
    /// The lane it was published in; each lane has its own sequence numbers.
    uint32_t lane;
    /// Always 0.
    uint32_t reserved;
} saltus_message_info;

/// An open domain: the channels that one URL reaches, in shared memory, in this process, in a log, or on a network. Several threads
/// may use it at the same time.
typedef struct saltus_domain {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_domain;

/// A function that receives the name of a channel; it returns 0 to continue, and anything else to stop. It must return: no longjmp, no
/// C++ exception.
typedef int (*saltus_name_callback)(const char *name, void *context);

/// A publisher in one channel of a domain. One call at a time may use it: a second call at the same time is refused.
typedef struct saltus_domain_publisher {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_domain_publisher;

/// Which messages a subscriber of a domain receives. Fill it with saltus_domain_options_init(), then set the fields you want to change.
typedef struct saltus_domain_options {
    /// The size of this structure in the program; set by saltus_domain_options_init(). Do not change it.
    size_t size;
    /// SALTUS_NEWEST_ONLY: older messages are skipped. Else all messages are received in order, unless more than `depth` of a channel
    /// are waiting: then the oldest are dropped. Over shm://, a channel subscribed to by its name that keeps fewer messages is replaced by a
    /// deeper one, or subscribing fails with an error that names the remedy. Default SALTUS_NEWEST_ONLY.
    uint64_t depth;
    /// The type of the messages. Messages of another type are reported once, with SALTUS_WRONG_TYPE, and then skipped. NULL: any type.
    /// Default NULL.
    const struct saltus_type *expected;
    /// Where to start in channels that exist already: SALTUS_START_NEWEST, SALTUS_START_NOW or SALTUS_START_OLDEST.
    uint32_t start;
    /// SALTUS_BY_NAME or SALTUS_BY_PATTERN.
    uint32_t by;
} saltus_domain_options;

/// A subscriber of one or many channels of a domain. One call at a time may use it: a second call at the same time is refused, except to
/// cancel.
typedef struct saltus_domain_subscriber {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_domain_subscriber;

/// A message and its metadata. Saltus owns it; later versions may add fields at its end.
typedef struct saltus_message {
    /// Its bytes; never NULL.
    const void *data;
    /// The number of bytes.
    size_t len;
    /// The name of its channel, followed by a zero byte.
    const char *channel;
    /// Bytes of the name.
    size_t channel_len;
    /// When it was published, in ns of boot time (see saltus_now_ns()), or SALTUS_UNKNOWN.
    uint64_t published_ns;
    /// When it arrived on this machine, in ns of boot time.
    uint64_t arrived_ns;
    /// When it was recorded according to the log, in us since 1970; SALTUS_NO_TIME if it is not from a log.
    int64_t logged_us;
    /// A number that identifies its sender, or SALTUS_UNKNOWN.
    uint64_t sender;
    /// Its sequence number among the sender's messages, or SALTUS_UNKNOWN.
    uint64_t sequence;
    /// Messages missed since the last one received: lost on the network, or overwritten in shared memory. SALTUS_UNKNOWN if the transport
    /// cannot tell.
    uint64_t missed;
    /// Messages dropped in this process since the last one received, because this subscriber was slow or receives only the newest.
    uint64_t dropped;
    /// 1: `missed` counts over all channels of the sender; 0: over this one.
    uint32_t missed_of_sender;
    /// Always 0.
    uint32_t reserved;
} saltus_message;

/// A function that receives a type; it returns 0 to continue, and anything else to stop. The strings are valid during the call. It must
/// return: no longjmp, no C++ exception.
typedef int (*saltus_type_callback)(const struct saltus_type *type, void *context);

/// The state of a channel at one moment, read from counters without disturbing its users.
typedef struct saltus_info {
    /// The size of this structure in the program.
    size_t size;
    /// Messages published, by all publishers together, including closed and dead ones.
    uint64_t published;
    /// Their bytes.
    uint64_t bytes;
    /// Messages that a subscriber can still receive.
    uint64_t kept;
    /// Messages missed by all living subscribers that keep counters.
    uint64_t missed;
    /// Living publishers.
    uint64_t publishers;
    /// Living subscribers that keep counters.
    uint64_t subscribers;
    /// Shared memory in bytes, without counters and types.
    uint64_t memory;
    /// Age of the newest message in ns, or SALTUS_UNKNOWN.
    uint64_t age_ns;
    /// When the channel was created, in ns of boot time.
    uint64_t created_ns;
} saltus_info;

/// A dispatcher: it calls back for messages of many subscriptions, of one or several domains, in one thread. One call at a time may use
/// it: a second call at the same time is refused, except to cancel.
typedef struct saltus_dispatcher {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_dispatcher;

/// A function that receives a message, which is valid during the call; it returns SALTUS_GO_ON, SALTUS_STOP, SALTUS_UNSUBSCRIBE or the
/// sum of the last two. It may call every function, but with the dispatcher that calls it only saltus_dispatcher_cancel(). It must
/// return: no longjmp, no C++ exception.
typedef int (*saltus_callback)(const struct saltus_message *message, void *context);

/// A log that is read, with its events in order of time. One call at a time may use it: a second call at the same time is refused.
typedef struct saltus_log {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_log;

/// An event of a log: a message, its channel, and when it was logged. Saltus owns it; later versions may add fields at its end.
typedef struct saltus_event {
    /// The message as it was published; never NULL.
    const void *data;
    /// Bytes of the message.
    size_t len;
    /// The name of its channel, followed by a zero byte. The name may contain any bytes.
    const char *channel;
    /// Bytes of the name.
    size_t channel_len;
    /// When it was logged according to the file, in ns since 1970.
    int64_t log_time_ns;
    /// When it was published, in ns since 1970, or SALTUS_NO_TIME.
    int64_t publish_time_ns;
    /// The sequence number that its publisher gave it, or SALTUS_UNKNOWN.
    uint64_t sequence;
} saltus_event;

/// A log that is written. One call at a time may use it: a second call at the same time is refused.
typedef struct saltus_log_writer {
    /// A number; 0 if the handle is not open.
    uint64_t id;
} saltus_log_writer;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// saltus_strerror returns the meaning of an error in a few words, in a string that is never freed. saltus_last_error() has the
/// details. A number that is not an enum saltus_error gets a text that says so.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe.
const char *saltus_strerror(int error);

/// saltus_attributes_init fills `attributes` with the defaults. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or an impossible size).
enum saltus_error saltus_attributes_init(struct saltus_attributes *attributes, size_t size);

/// saltus_channel_create creates channel `name` in `domain` and opens it. The channel appears in one step, complete.
///
/// `domain`: a URL ("shm://", "shm://NAME", "shm:///dev/shm/DIRECTORY"), or NULL for $SALTUS_DOMAIN, else "shm://".
/// `name`: 1 to 63 bytes of any value. `attributes`: NULL for the defaults.
/// `*channel` gets the handle, which you close with saltus_channel_close(); its id is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
enum saltus_error saltus_channel_create(const char *domain,
                                        const char *name,
                                        const struct saltus_attributes *attributes,
                                        struct saltus_channel *channel);

/// saltus_channel_open_or_create opens channel `name`, or creates it if it does not exist. An existing channel keeps its attributes;
/// `attributes` is then ignored.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
enum saltus_error saltus_channel_open_or_create(const char *domain,
                                                const char *name,
                                                const struct saltus_attributes *attributes,
                                                struct saltus_channel *channel);

/// saltus_channel_replace creates channel `name` in place of the existing one, if any. The users of the old channel get SALTUS_RETIRED.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
enum saltus_error saltus_channel_replace(const char *domain,
                                         const char *name,
                                         const struct saltus_attributes *attributes,
                                         struct saltus_channel *channel);

/// saltus_channel_open opens channel `name`, which must exist.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
enum saltus_error saltus_channel_open(const char *domain, const char *name, struct saltus_channel *channel);

/// saltus_channel_wait_for waits until channel `name` exists and opens it. Use it where subscribers may start before publishers.
///
/// Arguments and costs: as saltus_channel_create(); blocks until the channel exists, at most until `until` (see "Time"), and checks
/// every 10 ms.
/// Returns SALTUS_NOTHING if the channel does not exist in time; the id of `*channel` is then 0.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
enum saltus_error saltus_channel_wait_for(const char *domain,
                                          const char *name,
                                          uint64_t until,
                                          struct saltus_channel *channel);

/// saltus_channel_unlink removes channel `name` from `domain`. Publishers that have it open get SALTUS_RETIRED, and subscribers do once
/// they have received all messages.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_SYSTEM.
enum saltus_error saltus_channel_unlink(const char *domain,
                                        const char *name);

/// saltus_channel_close closes a channel. Its publishers and subscribers stay open. No other thread may be in a call with the handle.
///
/// Blocks: never. Allocates: no. Kernel: yes, to unmap the channel when the last user closes it.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_channel_close(struct saltus_channel channel);

/// saltus_channel_attributes returns the attributes that the channel was created with; mode and group as they were when it was opened.
/// A buffer of `max_message_size` bytes fits every message. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, an impossible size, or closed).
enum saltus_error saltus_channel_attributes(struct saltus_channel channel,
                                            struct saltus_attributes *attributes,
                                            size_t size);

/// saltus_channel_publisher_open opens a publisher in the channel. It takes over the lane of a dead publisher or adds one, whose memory it
/// reserves now, so that no later call fails for lack of memory. You close `*publisher` with saltus_channel_publisher_close(); its id
/// is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_TOO_MANY_PUBLISHERS, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_RETIRED, SALTUS_DAMAGED, SALTUS_INVALID,
/// SALTUS_SYSTEM.
enum saltus_error saltus_channel_publisher_open(struct saltus_channel channel,
                                                struct saltus_channel_publisher *publisher);

/// saltus_channel_publisher_close closes a publisher and abandons its loan. Its messages stay in the channel.
///
/// Blocks: never. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_channel_publisher_close(struct saltus_channel_publisher publisher);

/// saltus_channel_publish publishes a copy of the `len` bytes at `message`, which may be NULL if `len` is 0. `published` may be NULL.
/// The result never depends on subscribers.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber is blocked, else none. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, closed, or the publisher has a loan).
/// In a forked child the first call opens a lane for the child, and costs and fails like saltus_channel_publisher_open().
enum saltus_error saltus_channel_publish(struct saltus_channel_publisher publisher,
                                         const void *message,
                                         size_t len,
                                         struct saltus_published *published);

/// saltus_channel_loan lends the program memory of the channel for a message of up to `len` bytes, to build it in place. `*room` gets its
/// address, 64-byte aligned; it holds old bytes. End the loan with saltus_channel_loan_publish() or saltus_channel_loan_abandon();
/// until then the publisher publishes and lends nothing else. The oldest messages, stored there, are discarded now.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_TOO_LONG, SALTUS_RETIRED, SALTUS_INVALID (NULL, closed, or the publisher has a loan). `*room` is then NULL.
enum saltus_error saltus_channel_loan(struct saltus_channel_publisher publisher,
                                      size_t len,
                                      void **room);

/// saltus_channel_loan_publish publishes the first `len` bytes of the loan. The loan ends, whatever this returns. `published` may
/// be NULL. You may fill the loan with streaming (non-temporal) stores.
///
/// Blocks: never. Allocates: no. Kernel: one system call if a subscriber is blocked, else none. For control loops.
/// Fails: SALTUS_TOO_SMALL (more than was lent), SALTUS_INVALID (closed, no loan, or lent before a fork).
enum saltus_error saltus_channel_loan_publish(struct saltus_channel_publisher publisher,
                                              size_t len,
                                              struct saltus_published *published);

/// saltus_channel_loan_abandon ends the loan without publishing.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (closed, or no loan).
enum saltus_error saltus_channel_loan_abandon(struct saltus_channel_publisher publisher);

/// saltus_channel_describe registers the type of the publisher's messages with the channel, so that tools can read them. Registering a
/// type again adds nothing.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. Not for control loops: call it once, after opening the publisher.
/// Fails: SALTUS_INVALID (NULL, closed, not UTF-8, an empty name, more than 1 MiB in all, or the publisher has a loan), SALTUS_RETIRED,
/// SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
enum saltus_error saltus_channel_describe(struct saltus_channel_publisher publisher,
                                          const struct saltus_type *type);

/// saltus_channel_options_init fills `options` with the defaults. `size` is sizeof(saltus_channel_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or an impossible size).
enum saltus_error saltus_channel_options_init(struct saltus_channel_options *options, size_t size);

/// saltus_channel_subscriber_open opens a subscriber of the channel. `options`: NULL for the defaults. You close `*subscriber` with
/// saltus_channel_subscriber_close(); its id is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID.
enum saltus_error saltus_channel_subscriber_open(struct saltus_channel channel,
                                                 const struct saltus_channel_options *options,
                                                 struct saltus_channel_subscriber *subscriber);

/// saltus_channel_subscriber_close closes a subscriber and its event descriptor.
///
/// Blocks: until the thread of its event descriptor ends, if it has one. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_channel_subscriber_close(struct saltus_channel_subscriber subscriber);

/// saltus_channel_flush moves the subscriber behind the newest message. Messages not yet received count as missed.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (closed).
enum saltus_error saltus_channel_flush(struct saltus_channel_subscriber subscriber);

/// saltus_channel_seek_oldest moves the subscriber back to the oldest message kept. Messages that are received again count again.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (closed).
enum saltus_error saltus_channel_seek_oldest(struct saltus_channel_subscriber subscriber);

/// saltus_channel_counts returns how many messages the subscriber has received and how many it has missed. The sum is all messages from
/// its start to its position.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_INVALID (NULL, or closed).
enum saltus_error saltus_channel_counts(struct saltus_channel_subscriber subscriber,
                                        uint64_t *received,
                                        uint64_t *missed);

/// saltus_channel_wait_any waits until one of `count` subscribers has a new message, and stores its index in `*index`: the first, if
/// several have one. One system call waits for all of them. `until`: see "Time". It ends open views.
///
/// At most 127 subscribers; cancelable ones (the default) count twice. A saltus_channel_cancel() for any of them cancels the wait, and
/// a retired channel ends it.
///
/// Blocks: until there is a message, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep.
/// For control loops.
/// Returns SALTUS_NOTHING if no message arrives in time.
/// Fails: SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID (NULL, closed, none or too many, or one given twice).
enum saltus_error saltus_channel_wait_any(const struct saltus_channel_subscriber *subscribers,
                                          size_t count,
                                          uint64_t until,
                                          size_t *index);

/// saltus_channel_event_fd returns a descriptor for poll, epoll or an event loop, which is readable while there is a new message. When it
/// is readable, receive until SALTUS_NOTHING, which lowers it until the next message. Do not read it.
///
/// The first call starts a thread in this process that waits for the subscriber; publishers are not affected.
/// Ownership: the subscriber keeps the descriptor and closes it.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread available), SALTUS_INVALID (NULL, or closed). `*fd` is then -1.
enum saltus_error saltus_channel_event_fd(struct saltus_channel_subscriber subscriber,
                                          int *fd);

/// saltus_channel_cancel cancels the subscriber's current wait, if any, and all later ones: they return SALTUS_CANCELED until
/// saltus_channel_cancel_reset(). A call just before a wait begins is not lost. Calls that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (closed, or not cancelable); saltus_last_error() does not report it.
enum saltus_error saltus_channel_cancel(struct saltus_channel_subscriber subscriber);

/// saltus_channel_cancel_reset lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (closed, or not cancelable).
enum saltus_error saltus_channel_cancel_reset(struct saltus_channel_subscriber subscriber);

/// saltus_channel_receive receives a message into the `size` bytes at `buffer`, which may be NULL if `size` is 0.
///
/// `which`: SALTUS_NEWEST, SALTUS_NEXT or SALTUS_CURRENT. `until`: how long to wait if there is no message (see "Time").
/// `*info` gets the message's metadata; without a message it is all zeros, except `len` with SALTUS_TOO_SMALL.
/// The call ends an open view. The contents of the buffer are only valid with SALTUS_OK.
///
/// Blocks: until a message arrives, at most until `until`; SALTUS_POLL never. Allocates: no. Kernel: to sleep, and to
/// map the lane of a new publisher; otherwise SALTUS_POLL makes no system call. For control loops.
/// Returns SALTUS_NOTHING if there is no new message in time.
/// Fails: SALTUS_TOO_SMALL (the message stays unreceived), SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED (after all
/// messages were received), SALTUS_INVALID.
enum saltus_error saltus_channel_receive(struct saltus_channel_subscriber subscriber,
                                         int which,
                                         uint64_t until,
                                         void *buffer,
                                         size_t size,
                                         struct saltus_message_info *info);

/// saltus_channel_view lets you read a message in place, without a copy: `*message` points to its `*len` bytes, 64-byte aligned and
/// read-only. Its publisher may overwrite them at any moment. Compute your result from them, reading each byte once, then call
/// saltus_channel_validate(). If that returns SALTUS_OK, the bytes were valid all the time. Before that, do not act on the result,
/// and do not trust a length or index found in the message.
///
/// `which` and `until`: as saltus_channel_receive(). Any other call with the subscriber, except to cancel, ends the
/// view; a message that was not validated stays unreceived. The pointer is invalid after saltus_channel_subscriber_close().
///
/// Blocks, allocates, kernel: as saltus_channel_receive(). For control loops.
/// Returns SALTUS_NOTHING if there is no new message in time; then, and on failure, `*message` is NULL.
/// Fails: SALTUS_OVERRUN (call again), SALTUS_CANCELED, SALTUS_RETIRED, SALTUS_INVALID.
enum saltus_error saltus_channel_view(struct saltus_channel_subscriber subscriber,
                                      int which,
                                      uint64_t until,
                                      const void **message,
                                      size_t *len);

/// saltus_channel_validate ends a view and checks that the message was not overwritten since. Only then it counts as received.
///
/// Blocks: never. Allocates: no. Kernel: no. For control loops.
/// Fails: SALTUS_OVERRUN (overwritten: discard your result and view again; the subscriber keeps its position),
/// SALTUS_INVALID (NULL, closed, or no view). `*info` is then all zeros.
enum saltus_error saltus_channel_validate(struct saltus_channel_subscriber subscriber, struct saltus_message_info *info);

/// saltus_now_ns returns the time in ns of a clock that timestamps are made with: SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME. It
/// returns 0 for an unknown clock. The age of a message is saltus_now_ns() of the channel's clock minus the message's timestamp.
///
/// In processes of different time namespaces (containers) it returns the same time, unlike clock_gettime().
///
/// Blocks: never. Allocates: once, in the first call of a process. Kernel: no, where there is a vDSO.
uint64_t saltus_now_ns(uint32_t clock);

/// saltus_monotonic returns the time for `until`, in ns: CLOCK_MONOTONIC of this process.
///
/// Blocks: never. Allocates: no. Kernel: no, where there is a vDSO. Async-signal-safe.
uint64_t saltus_monotonic(void);

/// saltus_domain_open opens the domain at `url`, such as "shm://", "mem://", "udpm://239.255.76.67:7667?ttl=1" or
/// "file:///tmp/robot.log" (an LCM log); NULL is $SALTUS_DOMAIN, else "shm://". The guide's page on providers lists all. The call joins
/// no network and makes no file, except a log to write: the first publisher or subscriber that needs it does. You close `*domain` with
/// saltus_domain_close(); its id is 0 if the call fails.
///
/// Blocks: where it opens a log, to read it. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_NO_PROVIDER, SALTUS_NOT_FOUND and SALTUS_NOT_A_LOG (of a log), SALTUS_DENIED, SALTUS_NO_SPACE,
/// SALTUS_NETWORK, SALTUS_SYSTEM.
enum saltus_error saltus_domain_open(const char *url,
                                     struct saltus_domain *domain);

/// saltus_domain_close closes a domain. Its publishers, subscribers and dispatchers stay open.
///
/// Blocks: if nothing else of the domain is open, until its thread ends and the transport has sent all messages.
/// Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_domain_close(struct saltus_domain domain);

/// saltus_domain_channels calls `each` with the names of the domain's channels, in this thread: all of a domain in shared memory or of a
/// log; on a network, those that this process subscribes to and that had traffic. A name is valid during its call; a name
/// with a zero byte in it is left out. It passes `context` on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, or closed), SALTUS_DENIED, SALTUS_SYSTEM.
enum saltus_error saltus_domain_channels(struct saltus_domain domain,
                                         saltus_name_callback each,
                                         void *context);

/// saltus_domain_publisher_open opens a publisher in channel `channel`, a name of 1 to 63 bytes. `type`: the type of its messages, so
/// that tools can read them; NULL for untyped bytes. You close `*publisher` with saltus_domain_publisher_close(); its id is 0 if the
/// call fails.
///
/// In shared memory the first message opens or creates the channel, for messages of up to twice its length; `depth` and `max_message_size`
/// in the URL override this.
///
/// Blocks: in the file system, or while it joins a network. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_UNSUPPORTED (zmq:// without an address).
enum saltus_error saltus_domain_publisher_open(struct saltus_domain domain,
                                               const char *channel,
                                               const struct saltus_type *type,
                                               struct saltus_domain_publisher *publisher);

/// saltus_domain_publisher_close closes a publisher. Its messages stay.
///
/// Blocks: until the transport has sent all messages. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_domain_publisher_close(struct saltus_domain_publisher publisher);

/// saltus_domain_publish publishes a copy of the `len` bytes at `message`, which may be NULL if `len` is 0. The result never depends on
/// subscribers.
///
/// Blocks: in shared memory only for the first message, in the file system; on a network to keep the rate that the URL sets. Allocates:
/// for the first message. Kernel: in shared memory to wake blocked subscribers; on a network to send.
/// Fails: SALTUS_TOO_LONG, SALTUS_TOO_MANY_PUBLISHERS, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_INVALID,
/// SALTUS_UNSUPPORTED (in a log that is played).
enum saltus_error saltus_domain_publish(struct saltus_domain_publisher publisher,
                                        const void *message,
                                        size_t len);

/// saltus_domain_publish_with_timestamp publishes a message with a timestamp of your choice, for programs that replay a log: ns of boot time in
/// shared memory, of wall time in a log. `*given`, unless it is NULL, gets the timestamp that the message got: a publisher's timestamps
/// never decrease, and none is in the future.
///
/// Blocks, allocates, kernel: as saltus_domain_publish().
/// Fails: as that, and SALTUS_UNSUPPORTED where messages carry no timestamps.
enum saltus_error saltus_domain_publish_with_timestamp(struct saltus_domain_publisher publisher,
                                                       const void *message,
                                                       size_t len,
                                                       int64_t timestamp_ns,
                                                       int64_t *given);

/// saltus_domain_options_init fills `options` with the defaults. `size` is sizeof(saltus_domain_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or an impossible size).
enum saltus_error saltus_domain_options_init(struct saltus_domain_options *options, size_t size);

/// saltus_domain_subscriber_open subscribes to `channels`: a name, or a pattern if the options say so; NULL is all channels. The channels
/// need not exist yet. `options`: NULL for the defaults. You close `*subscriber` with saltus_domain_subscriber_close(); its id is 0 if
/// the call fails.
///
/// Blocks: in the file system, or while it joins a network. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_UNSUPPORTED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK, SALTUS_SYSTEM.
enum saltus_error saltus_domain_subscriber_open(struct saltus_domain domain,
                                                const char *channels,
                                                const struct saltus_domain_options *options,
                                                struct saltus_domain_subscriber *subscriber);

/// saltus_domain_subscriber_close closes a subscriber with its event descriptor and the message it received last.
///
/// Blocks: until its own threads end; if nothing else of the domain is open, as saltus_domain_close(). Allocates: no.
/// Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_domain_subscriber_close(struct saltus_domain_subscriber subscriber);

/// saltus_domain_receive receives the newest message if it is new, or the next one, as the subscriber's options say. `*message` points to
/// it, in memory of the subscriber, until the next call with the subscriber. It is NULL without a message and on failure.
///
/// Blocks: until a message arrives, at most until `until` (see "Time"); SALTUS_POLL never. Allocates: for a message longer than all
/// before it. Kernel: to sleep, to look for new channels, and, on a network, to receive.
/// Returns SALTUS_NOTHING if there is no new message in time.
/// Fails: SALTUS_CANCELED, SALTUS_WRONG_TYPE (call again), SALTUS_ENDED, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_NETWORK,
/// SALTUS_SYSTEM, SALTUS_INVALID.
enum saltus_error saltus_domain_receive(struct saltus_domain_subscriber subscriber,
                                        uint64_t until,
                                        const struct saltus_message **message);

/// saltus_domain_current receives the newest message, whatever the options say and even if it was already received. It skips a message of
/// another type than expected.
///
/// Blocks, allocates, kernel: as saltus_domain_receive().
/// Returns SALTUS_NOTHING if there is no message in time.
/// Fails: as saltus_domain_receive().
enum saltus_error saltus_domain_current(struct saltus_domain_subscriber subscriber,
                                        uint64_t until,
                                        const struct saltus_message **message);

/// saltus_domain_wait_any waits until one of `count` subscribers, at most 1,024, has a new message, and stores its index in `*index`: the
/// first, if several have one. They may be of different domains. Then receive from it with SALTUS_POLL, which returns nothing only if
/// the message was overwritten in the meantime or is of another type. A cancel of any of them cancels the wait, within 100 ms.
///
/// Blocks: until there is a message, at most until `until`; SALTUS_POLL never. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING if no message arrives in time.
/// Fails: SALTUS_CANCELED, SALTUS_SYSTEM, SALTUS_INVALID (NULL, closed, none or too many, or one given twice).
enum saltus_error saltus_domain_wait_any(const struct saltus_domain_subscriber *subscribers,
                                         size_t count,
                                         uint64_t until,
                                         size_t *index);

/// saltus_domain_event_fd returns a descriptor for poll, epoll or an event loop, which is readable while there may be a new message. When
/// it is readable, receive with SALTUS_POLL until SALTUS_NOTHING, which lowers it until the next message. Do not read it.
///
/// Ownership: the subscriber keeps the descriptor and closes it.
///
/// Blocks: never. Allocates: the first time. Kernel: the first time; in shared memory it starts a thread for each channel.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM (no descriptor or thread available), SALTUS_INVALID (NULL, or closed). `*fd` is then -1.
enum saltus_error saltus_domain_event_fd(struct saltus_domain_subscriber subscriber,
                                         int *fd);

/// saltus_domain_cancel cancels the subscriber's current wait, if any, and all later ones: they return SALTUS_CANCELED until
/// saltus_domain_cancel_reset(). Calls that do not wait are not affected.
///
/// From any thread, and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (closed); saltus_last_error() does not report it.
enum saltus_error saltus_domain_cancel(struct saltus_domain_subscriber subscriber);

/// saltus_domain_cancel_reset lets the subscriber's waits wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: at most one system call.
/// Fails: SALTUS_INVALID (closed).
enum saltus_error saltus_domain_cancel_reset(struct saltus_domain_subscriber subscriber);

/// saltus_domain_descriptions calls `each` with every type that publishers registered for the messages of `channel`, one that the
/// subscriber has joined, in this thread. Only some transports, such as shared memory, keep types. It passes `context` on. Do not use
/// the subscriber in `each`.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, closed, or a bad name).
enum saltus_error saltus_domain_descriptions(struct saltus_domain_subscriber subscriber,
                                             const char *channel,
                                             saltus_type_callback each,
                                             void *context);

/// saltus_domain_mismatched returns the number of messages that the subscriber skipped because they are of another type than expected.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or closed). `*mismatched` is then 0.
enum saltus_error saltus_domain_mismatched(struct saltus_domain_subscriber subscriber,
                                           uint64_t *mismatched);

/// saltus_channel_info returns the state of a channel at this moment. `size` is sizeof(saltus_info).
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. It costs publishers only cache misses.
/// Fails: SALTUS_INVALID (NULL, an impossible size, or closed), SALTUS_SYSTEM.
enum saltus_error saltus_channel_info(struct saltus_channel channel, struct saltus_info *info, size_t size);

/// saltus_channel_descriptions calls `each` with every type that publishers registered for the channel's messages (see
/// saltus_channel_describe()), in this thread. It passes `context` on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, or closed), SALTUS_DAMAGED, SALTUS_SYSTEM.
enum saltus_error saltus_channel_descriptions(struct saltus_channel channel, saltus_type_callback each, void *context);

/// saltus_dispatcher_open opens a dispatcher without subscriptions. You close `*dispatcher` with saltus_dispatcher_close(); its id is 0
/// if the call fails.
///
/// Blocks: never. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_SYSTEM, SALTUS_INVALID (NULL).
enum saltus_error saltus_dispatcher_open(struct saltus_dispatcher *dispatcher);

/// saltus_dispatcher_close closes a dispatcher and ends its subscriptions; its callbacks are not called again. Called inside one of its
/// callbacks, it takes effect when saltus_dispatcher_run() or saltus_dispatcher_handle() returns.
///
/// Blocks: until its own threads end. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_dispatcher_close(struct saltus_dispatcher dispatcher);

/// saltus_dispatcher_subscribe calls `callback` for each later message of `channels`, which `options` describe as for
/// saltus_domain_subscriber_open(). It passes `context` on. `*id`, unless `id` is NULL, gets a number for
/// saltus_dispatcher_unsubscribe().
///
/// Blocks: in the file system, or while it joins a network. Allocates: yes. Kernel: yes.
/// Fails: as saltus_domain_subscriber_open().
enum saltus_error saltus_dispatcher_subscribe(struct saltus_dispatcher dispatcher,
                                              struct saltus_domain domain,
                                              const char *channels,
                                              const struct saltus_domain_options *options,
                                              saltus_callback callback,
                                              void *context,
                                              uint64_t *id);

/// saltus_dispatcher_unsubscribe ends a subscription: its callback is not called again. A callback returns SALTUS_UNSUBSCRIBE instead.
///
/// Blocks: until its own threads end. Allocates: no. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND (no such subscription, or it has ended), SALTUS_INVALID (closed, or called in a callback).
enum saltus_error saltus_dispatcher_unsubscribe(struct saltus_dispatcher dispatcher,
                                                uint64_t id);

/// saltus_dispatcher_handle waits until there are messages, and calls back for at most one of each subscription. `*handled`, unless it is
/// NULL, gets the number of messages.
///
/// Blocks: until there is a message, at most until `until` (see "Time"), and as long as callbacks do. Allocates: for a message longer
/// than all before it. Kernel: yes.
/// Returns SALTUS_NOTHING if no message arrives in time, the wait is canceled, or there is no subscription.
/// Fails: with the first error of the subscriptions, after all had their turn: see saltus_domain_receive(); call again to continue. The
/// next calls return the other errors of that turn, one each, before they call back. A SALTUS_STOP is reported before errors.
/// SALTUS_WRONG_TYPE is returned immediately, like SALTUS_STOP: the other subscriptions have their turn in the next call. `*handled` is 0 on
/// failure, even if callbacks were called.
/// SALTUS_INVALID (closed, or called in a callback).
enum saltus_error saltus_dispatcher_handle(struct saltus_dispatcher dispatcher,
                                           uint64_t until,
                                           size_t *handled);

/// saltus_dispatcher_run handles messages until a callback returns SALTUS_STOP, saltus_dispatcher_cancel() is called, or no subscription
/// is left.
///
/// Blocks: until then. Allocates: for a message longer than all before it. Kernel: yes.
/// Fails: as saltus_dispatcher_handle().
enum saltus_error saltus_dispatcher_run(struct saltus_dispatcher dispatcher);

/// saltus_dispatcher_fd returns a descriptor for an event loop, which is readable when saltus_dispatcher_handle() may have something to
/// do. Do not read it. After a failure or a SALTUS_STOP, call that until it returns SALTUS_NOTHING: errors that wait to be returned do
/// not raise the descriptor.
///
/// Ownership: the dispatcher keeps the descriptor and closes it.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, closed, or called in a callback). `*fd` is then -1.
enum saltus_error saltus_dispatcher_fd(struct saltus_dispatcher dispatcher,
                                       int *fd);

/// saltus_dispatcher_cancel lets saltus_dispatcher_run() and saltus_dispatcher_handle() return, now and until
/// saltus_dispatcher_cancel_reset().
///
/// From any thread, from callbacks and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (closed); saltus_last_error() does not report it.
enum saltus_error saltus_dispatcher_cancel(struct saltus_dispatcher dispatcher);

/// saltus_dispatcher_cancel_reset lets the dispatcher wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: at most one system call.
/// Fails: SALTUS_INVALID (closed).
enum saltus_error saltus_dispatcher_cancel_reset(struct saltus_dispatcher dispatcher);

/// saltus_log_open opens an LCM or MCAP log, damaged or not. It reads the file once to build an index; for a large file it saves the index
/// as PATH.saltus-index, if permissions allow. You close `*log` with saltus_log_close(); its id is 0 if the call fails.
///
/// Blocks: while it reads the file. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_NOT_A_LOG, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
enum saltus_error saltus_log_open(const char *path,
                                  struct saltus_log *log);

/// saltus_log_close closes a log, and invalidates the event read last.
///
/// Blocks: never. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_log_close(struct saltus_log log);

/// saltus_log_range returns how many events the log has, and the times of the first and the last, in ns since 1970; SALTUS_NO_TIME if it
/// has none. Any of the three pointers may be NULL.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (closed).
enum saltus_error saltus_log_range(struct saltus_log log,
                                   uint64_t *events,
                                   int64_t *first,
                                   int64_t *last);

/// saltus_log_next reads the next event and moves one event forward. `*event` points to it, in memory of the log, until the next call with
/// the log. It is NULL without an event and on failure.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the end.
/// Fails: SALTUS_DECODE_FAILED (call again for the next), SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID.
enum saltus_error saltus_log_next(struct saltus_log log,
                                  const struct saltus_event **event);

/// saltus_log_previous reads the previous event and moves one event backward; otherwise it is as saltus_log_next().
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the beginning.
/// Fails: as saltus_log_next().
enum saltus_error saltus_log_previous(struct saltus_log log, const struct saltus_event **event);

/// saltus_log_seek moves to the event at `position`, before which there are as many events. A position behind the last event is the end.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (closed).
enum saltus_error saltus_log_seek(struct saltus_log log,
                                  uint64_t position);

/// saltus_log_seek_time moves to the first event at or after `time_ns`, in ns since 1970, or to the end. `*position`, unless it is NULL,
/// gets the position.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (closed).
enum saltus_error saltus_log_seek_time(struct saltus_log log,
                                       int64_t time_ns,
                                       uint64_t *position);

/// saltus_log_create creates a log. `format` is SALTUS_LOG_BY_NAME, SALTUS_LOG_LCM or SALTUS_LOG_MCAP. It never overwrites a file. You
/// close `*writer` with saltus_log_writer_close(); its id is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_NOT_FOUND (of a directory), SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
enum saltus_error saltus_log_create(const char *path,
                                    uint32_t format,
                                    struct saltus_log_writer *writer);

/// saltus_log_describe gives the log the type of messages with this fingerprint, so that an MCAP log includes it. Call it before writing
/// them.
///
/// Blocks: never. Allocates: yes. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, not UTF-8, an invalid schema; or the log is closed or finished).
enum saltus_error saltus_log_describe(struct saltus_log_writer writer,
                                      const struct saltus_type *type);

/// saltus_log_write appends a message of `channel` with the time `log_time_ns`, in ns since 1970, such as saltus_now_ns(SALTUS_REALTIME).
/// `message` may be NULL if `len` is 0. A write flushes messages written more than a second earlier; saltus_log_flush() flushes all.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_UNWRITABLE (the log is unchanged), SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is closed or finished).
enum saltus_error saltus_log_write(struct saltus_log_writer writer,
                                   const char *channel,
                                   const void *message,
                                   size_t len,
                                   int64_t log_time_ns);

/// saltus_log_flush writes all buffered messages to the file.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (the log is closed or finished).
enum saltus_error saltus_log_flush(struct saltus_log_writer writer);

/// saltus_log_finish completes the log. Nothing more can be written, whatever this returns; you still close the handle.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (the log is closed or finished).
enum saltus_error saltus_log_finish(struct saltus_log_writer writer);

/// saltus_log_writer_close closes a writer. A log that is not finished stays as it was last flushed: readable, but slower to open if it
/// is MCAP.
///
/// Blocks: in the file system. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
enum saltus_error saltus_log_writer_close(struct saltus_log_writer writer);

/// saltus_last_error returns the message of this thread's last call that failed: a sentence for people that says what failed, where, and
/// how to fix it. It is empty before the first failure. SALTUS_NOTHING is not a failure and leaves the message alone.
///
/// Blocks: never. Allocates: no. Kernel: no. Ownership: Saltus keeps the string; it is valid until the next call that fails in the same
/// thread, and no longer than the thread.
const char *saltus_last_error(void);

/// saltus_version returns the version of the library, such as "0.1.0", in a string that is never freed.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe.
const char *saltus_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* The library and the program must have the same size of an enum: do not compile with -fshort-enums. */
typedef char saltus_error_is_an_int[sizeof(enum saltus_error) == sizeof(int) ? 1 : -1];

#endif  /* SALTUS_H */
