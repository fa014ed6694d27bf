/* LCM's C interface, over Saltus. Programs of LCM compile and run unchanged. */
#ifndef LCM_LCM_H
#define LCM_LCM_H

#include <stdint.h>

#include "eventlog.h"
#include "lcm_c_namespace.h"
#include "lcm_export.h"
#include "lcm_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a message, at most. */
#define LCM_MAX_MESSAGE_SIZE (1 << 28)
/** Bytes of a channel's name on a network, at most. */
#define LCM_MAX_CHANNEL_NAME_LENGTH 63

/** A connection to a network. */
typedef struct _lcm_t lcm_t;

/** A subscription. */
typedef struct _lcm_subscription_t lcm_subscription_t;

/** A message, as a handler receives it. It is valid until the handler returns. */
typedef struct _lcm_recv_buf_t lcm_recv_buf_t;
struct _lcm_recv_buf_t {
    /** Its bytes. */
    void *data;
    /** The number of its bytes. */
    uint32_t data_size;
    /** When it arrived, in us since 1970. */
    int64_t recv_utime;
    /** What received it. */
    lcm_t *lcm;
};

/** Called for each message, in the thread that called lcm_handle(). */
typedef void (*lcm_msg_handler_t)(const lcm_recv_buf_t *rbuf, const char *channel, void *user_data);

#define lcm_create LCM_C_NAMESPACED(create)
#define lcm_destroy LCM_C_NAMESPACED(destroy)
#define lcm_get_fileno LCM_C_NAMESPACED(get_fileno)
#define lcm_subscribe LCM_C_NAMESPACED(subscribe)
#define lcm_unsubscribe LCM_C_NAMESPACED(unsubscribe)
#define lcm_publish LCM_C_NAMESPACED(publish)
#define lcm_handle LCM_C_NAMESPACED(handle)
#define lcm_handle_timeout LCM_C_NAMESPACED(handle_timeout)
#define lcm_subscription_set_queue_capacity LCM_C_NAMESPACED(subscription_set_queue_capacity)
#define lcm_subscription_get_queue_size LCM_C_NAMESPACED(subscription_get_queue_size)

/** Connects to a network: udpm://239.255.76.67:7667?ttl=1, mpudpm://, tcpq://host:port, memq://, file:///path?speed=1, and Saltus's
 * own, such as shm://. NULL or "": what the variable LCM_DEFAULT_URL names, or udpm://239.255.76.67:7667?ttl=0. With the option
 * queue=newest, or the variable SALTUS_LCM_QUEUE, a full queue gives up its oldest message. NULL: an error, which is printed. */
LCM_EXPORT lcm_t *lcm_create(const char *url);

/** Disconnects and ends all subscriptions. */
LCM_EXPORT void lcm_destroy(lcm_t *lcm);

/** A descriptor for poll() and select(), readable while lcm_handle() would not block. -1: an error. */
LCM_EXPORT int lcm_get_fileno(lcm_t *lcm);

/** Calls `handler` for messages on the channels that match a regular expression. NULL: an error, which is printed. */
LCM_EXPORT lcm_subscription_t *lcm_subscribe(lcm_t *lcm, const char *channel, lcm_msg_handler_t handler, void *userdata);

/** Ends a subscription. 0, or -1. */
LCM_EXPORT int lcm_unsubscribe(lcm_t *lcm, lcm_subscription_t *handler);

/** Publishes a message. 0, or -1. */
LCM_EXPORT int lcm_publish(lcm_t *lcm, const char *channel, const void *data, unsigned int datalen);

/** Waits for a message and calls its handlers. 0, or -1. */
LCM_EXPORT int lcm_handle(lcm_t *lcm);

/** The same for at most `timeout_millis`. Above 0: a message was handled; 0: there was none; below: an error. */
LCM_EXPORT int lcm_handle_timeout(lcm_t *lcm, int timeout_millis);

/** Sets how many messages wait for this subscription, 30 otherwise; 0 or less: any number. 0, or -1. */
LCM_EXPORT int lcm_subscription_set_queue_capacity(lcm_subscription_t *handler, int num_messages);

/** How many messages wait for this subscription. -1: an error. */
LCM_EXPORT int lcm_subscription_get_queue_size(lcm_subscription_t *handler);

#ifdef __cplusplus
}
#endif

#endif
