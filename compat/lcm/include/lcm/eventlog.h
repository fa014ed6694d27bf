/* LCM's event logs: files of messages with their channels and times. */
#ifndef LCM_EVENTLOG_H
#define LCM_EVENTLOG_H

#include <stdint.h>
#include <stdio.h>

#include "lcm_c_namespace.h"
#include "lcm_export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open log. */
typedef struct _lcm_eventlog_t lcm_eventlog_t;
struct _lcm_eventlog_t {
    /** The stream of the file. */
    FILE *f;
    /** The number of the next event that is written. */
    int64_t eventcount;
};

/** An event. */
typedef struct _lcm_eventlog_event_t lcm_eventlog_event_t;
struct _lcm_eventlog_event_t {
    /** Its number, which lcm_eventlog_write_event() sets. */
    int64_t eventnum;
    /** Its time in us since 1970. */
    int64_t timestamp;
    /** Bytes of the channel's name. */
    int32_t channellen;
    /** Bytes of the message. */
    int32_t datalen;
    /** The channel's name. */
    char *channel;
    /** The message. */
    void *data;
};

#define lcm_eventlog_create LCM_C_NAMESPACED(eventlog_create)
#define lcm_eventlog_read_next_event LCM_C_NAMESPACED(eventlog_read_next_event)
#define lcm_eventlog_free_event LCM_C_NAMESPACED(eventlog_free_event)
#define lcm_eventlog_seek_to_timestamp LCM_C_NAMESPACED(eventlog_seek_to_timestamp)
#define lcm_eventlog_write_event LCM_C_NAMESPACED(eventlog_write_event)
#define lcm_eventlog_destroy LCM_C_NAMESPACED(eventlog_destroy)

/** Opens a log: mode "r" to read it, "w" to write a new one, "a" to append. NULL: an error, which is printed. */
LCM_EXPORT lcm_eventlog_t *lcm_eventlog_create(const char *path, const char *mode);

/** Reads the next event, for lcm_eventlog_free_event(). NULL: the log has ended, or is damaged here; call it again to look for the
 * next event. */
LCM_EXPORT lcm_eventlog_event_t *lcm_eventlog_read_next_event(lcm_eventlog_t *eventlog);

/** Frees an event that was read. */
LCM_EXPORT void lcm_eventlog_free_event(lcm_eventlog_event_t *event);

/** Goes to the first event at or after a time, in a log whose times do not go back. 0, or -1: there is none. */
LCM_EXPORT int lcm_eventlog_seek_to_timestamp(lcm_eventlog_t *eventlog, int64_t timestamp);

/** Appends an event and sets its number. 0, or -1. */
LCM_EXPORT int lcm_eventlog_write_event(lcm_eventlog_t *eventlog, lcm_eventlog_event_t *event);

/** Closes a log. */
LCM_EXPORT void lcm_eventlog_destroy(lcm_eventlog_t *eventlog);

#ifdef __cplusplus
}
#endif

#endif
