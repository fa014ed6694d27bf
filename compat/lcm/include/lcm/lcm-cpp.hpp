// LCM's C++ interface, over its C interface: headers only, C++98 and later.
#ifndef LCM_CPP_HPP
#define LCM_CPP_HPP

#ifndef LCM_CXX_11_ENABLED
#if __cplusplus >= 201103L
#define LCM_CXX_11_ENABLED 1
#else
#define LCM_CXX_11_ENABLED 0
#endif
#endif

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "lcm.h"

#if LCM_CXX_11_ENABLED
#include <functional>
#endif

namespace lcm {

class Subscription;

/** A message, as a handler receives it. It is valid until the handler returns. */
struct ReceiveBuffer {
    /** Its bytes. */
    void *data;
    /** The number of its bytes. */
    uint32_t data_size;
    /** When it arrived, in us since 1970. */
    int64_t recv_utime;
};

/** A connection to a network. It cannot be copied. */
class LCM {
  public:
    /** Connects to the network that a URL names; see lcm_create(). Check good(). */
    inline LCM(std::string lcm_url = "");
    /** Uses a C connection that the caller keeps. After this object is destroyed, do not call lcm_handle() for its subscriptions. */
    inline LCM(lcm_t *lcm_in);
    inline ~LCM();

    /** Whether it is connected. */
    inline bool good() const;

    /** Publishes bytes. 0, or -1. */
    inline int publish(const std::string &channel, const void *data, unsigned int datalen);
    /** Encodes and publishes a message. 0, or below. */
    template <class MessageType>
    inline int publish(const std::string &channel, const MessageType *msg);

    /** A descriptor that is readable while handle() would not block. */
    inline int getFileno();
    /** Waits for a message and calls its handlers. 0, or -1. */
    inline int handle();
    /** The same for at most `timeout_millis`. Above 0: a message was handled; 0: there was none; below: an error. */
    inline int handleTimeout(int timeout_millis);

    /** Calls a method for each message of a type on the channels that match. NULL: an error. */
    template <class MessageType, class MessageHandlerClass>
    Subscription *subscribe(const std::string &channel,
                            void (MessageHandlerClass::*handlerMethod)(const ReceiveBuffer *rbuf, const std::string &channel,
                                                                       const MessageType *msg),
                            MessageHandlerClass *handler);
    /** The same for messages of any type. */
    template <class MessageHandlerClass>
    Subscription *subscribe(const std::string &channel,
                            void (MessageHandlerClass::*handlerMethod)(const ReceiveBuffer *rbuf, const std::string &channel),
                            MessageHandlerClass *handler);
    /** Calls a function for each message of a type. */
    template <class MessageType, class ContextClass>
    Subscription *subscribeFunction(const std::string &channel,
                                    void (*handler)(const ReceiveBuffer *rbuf, const std::string &channel,
                                                    const MessageType *msg, ContextClass context),
                                    ContextClass context);
    /** The same for messages of any type. */
    template <class ContextClass>
    Subscription *subscribeFunction(const std::string &channel,
                                    void (*handler)(const ReceiveBuffer *rbuf, const std::string &channel, ContextClass context),
                                    ContextClass context);

#if LCM_CXX_11_ENABLED
    /** What is called for a message of a type. */
    template <class MessageType>
    using HandlerFunction =
        std::function<void(const ReceiveBuffer *rbuf, const std::string &channel, const MessageType *msg)>;
    /** Calls a function object for each message of a type. */
    template <class MessageType>
    Subscription *subscribe(const std::string &channel, HandlerFunction<MessageType> handler);
#endif

    /** Ends a subscription, which is then deleted. 0, or -1. */
    inline int unsubscribe(Subscription *subscription);

    /** The connection of C. */
    inline lcm_t *getUnderlyingLCM();

  private:
    LCM(const LCM &);
    LCM &operator=(const LCM &);

    // Subscribes `subs` in C. NULL: an error; it is then deleted.
    template <class S>
    inline Subscription *add(const std::string &channel, S *subs);

    lcm_t *lcm;
    bool owns_lcm;
    std::vector<Subscription *> subscriptions;
};

/** A subscription, which belongs to its LCM. */
class Subscription {
  public:
    virtual ~Subscription() {}

    /** Sets how many messages wait for this subscription; 0 or less: any number. 0, or -1. */
    inline int setQueueCapacity(int num_messages);
    /** How many messages wait for this subscription. */
    inline int getQueueSize() const;

    friend class LCM;

  protected:
    Subscription() : c_subs(NULL) { channel_buf.reserve(LCM_MAX_CHANNEL_NAME_LENGTH); }

    lcm_subscription_t *c_subs;
    // The name of the channel, in memory that is used again.
    std::string channel_buf;
};

/** An event of a log. */
struct LogEvent {
    int64_t eventnum;
    /** Its time in us since 1970. */
    int64_t timestamp;
    std::string channel;
    /** Bytes of the message. */
    int32_t datalen;
    void *data;
};

/** A log. It cannot be copied. */
class LogFile {
  public:
    /** Opens a log: mode "r", "w" or "a". Check good(). */
    inline LogFile(const std::string &path, const std::string &mode);
    inline ~LogFile();

    /** Whether it is open. */
    inline bool good() const;
    /** The next event, valid until the next call. NULL: the end. */
    inline const LogEvent *readNextEvent();
    /** See lcm_eventlog_seek_to_timestamp(). */
    inline int seekToTimestamp(int64_t timestamp);
    /** Appends an event. 0, or -1. */
    inline int writeEvent(LogEvent *event);
    /** The stream of the file. */
    inline FILE *getFilePtr();

  private:
    LogFile(const LogFile &);
    LogFile &operator=(const LogFile &);

    LogEvent curEvent;
    lcm_eventlog_t *eventlog;
    lcm_eventlog_event_t *last_event;
};

#define LCM_CPP_IMPL_OK
#include "lcm-cpp-impl.hpp"
#undef LCM_CPP_IMPL_OK

}  // namespace lcm

#endif
