/*
 * Ach's event loop over several channels. In Ach 2.0.0 it is in libach-experimental.so.0, here in libach.so.4.
 */
#ifndef ACH_EXPERIMENTAL_H
#define ACH_EXPERIMENTAL_H

#include "../ach.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A channel, and what is called when it has a message. */
struct ach_evhandler {
    struct ach_channel *channel;
    void *context;
    /* Gets messages. ACH_OK: it got some; ACH_STALE_FRAMES: it got none; anything else ends the loop, which returns it. */
    enum ach_status (*handler)(void *context, struct ach_channel *channel);
};

/* Options of ach_evhandle. */
#define ACH_EV_O_PERIODIC_TIMEOUT 0x01 /* call the periodic function when the period is over */
#define ACH_EV_O_PERIODIC_INPUT 0x02   /* call it after messages were received */

/*
 * Calls handlers while their channels have messages, and waits for the next one; forever, until a handler or the periodic function returns
 * something else than ACH_OK and ACH_STALE_FRAMES. `period` is needed for ACH_EV_O_PERIODIC_TIMEOUT only. Up to 60 channels.
 */
enum ach_status ach_evhandle(struct ach_evhandler *handlers, size_t n, const struct timespec *period,
                             enum ach_status (*periodic_handler)(void *context), void *periodic_context, int options);

#ifdef __cplusplus
}
#endif

#endif
