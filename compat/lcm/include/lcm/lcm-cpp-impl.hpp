// The bodies of lcm-cpp.hpp, which includes this file.
#ifndef LCM_CPP_IMPL_OK
#error "Include lcm-cpp.hpp, not this file."
#endif

inline LCM::LCM(std::string lcm_url) : lcm(lcm_create(lcm_url.c_str())), owns_lcm(true) {}

inline LCM::LCM(lcm_t *lcm_in) : lcm(lcm_in), owns_lcm(false) {}

inline LCM::~LCM() {
    // In C, subscriptions to a connection of the caller are not ended, as in LCM: the caller may have destroyed it.
    if (lcm && owns_lcm)
        lcm_destroy(lcm);
    for (size_t i = 0; i < subscriptions.size(); i++)
        delete subscriptions[i];
}

inline bool LCM::good() const {
    return lcm != NULL;
}

// What LCM prints too, instead of a crash, when its connection failed.
#define LCM_CPP_CHECK(result)                                           \
    if (!lcm) {                                                         \
        std::fprintf(stderr, "lcm: this LCM is not connected: check good()\n"); \
        return result;                                                  \
    }

inline int LCM::publish(const std::string &channel, const void *data, unsigned int datalen) {
    LCM_CPP_CHECK(-1)
    return lcm_publish(lcm, channel.c_str(), data, datalen);
}

template <class MessageType>
inline int LCM::publish(const std::string &channel, const MessageType *msg) {
    const int size = msg->getEncodedSize();
    if (size < 0)
        return -1;
    std::vector<uint8_t> bytes((size_t)size + 1);  // one more: it has an address even if it is empty
    const int used = msg->encode(&bytes[0], 0, size);
    return used < 0 ? used : publish(channel, &bytes[0], (unsigned int)used);
}

inline int LCM::getFileno() {
    LCM_CPP_CHECK(-1)
    return lcm_get_fileno(lcm);
}

inline int LCM::handle() {
    LCM_CPP_CHECK(-1)
    return lcm_handle(lcm);
}

inline int LCM::handleTimeout(int timeout_millis) {
    LCM_CPP_CHECK(-1)
    return lcm_handle_timeout(lcm, timeout_millis);
}

// A subscription that calls `call(rbuf, channel, msg)`, with a decoded message.
template <class MessageType, class Call>
class TypedSubscription : public Subscription {
    friend class LCM;

    explicit TypedSubscription(const Call &called) : call(called) {}

    static void receive(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
        TypedSubscription *self = static_cast<TypedSubscription *>(user);
        MessageType msg;
        const int status = msg.decode(rbuf->data, 0, (int)rbuf->data_size);
        if (status < 0) {
            std::fprintf(stderr, "error %d decoding %s on %s: the message is not of this type\n", status,
                         MessageType::getTypeName(), channel);
            return;
        }
        const ReceiveBuffer buffer = {rbuf->data, rbuf->data_size, rbuf->recv_utime};
        self->channel_buf.assign(channel);
        self->call(&buffer, self->channel_buf, &msg);
    }

    Call call;
};

// A subscription that calls `call(rbuf, channel)`.
template <class Call>
class UntypedSubscription : public Subscription {
    friend class LCM;

    explicit UntypedSubscription(const Call &called) : call(called) {}

    static void receive(const lcm_recv_buf_t *rbuf, const char *channel, void *user) {
        UntypedSubscription *self = static_cast<UntypedSubscription *>(user);
        const ReceiveBuffer buffer = {rbuf->data, rbuf->data_size, rbuf->recv_utime};
        self->channel_buf.assign(channel);
        self->call(&buffer, self->channel_buf);
    }

    Call call;
};

// What the four kinds of handlers are called as.
template <class MessageType, class HandlerClass>
struct CallMethod {
    HandlerClass *handler;
    void (HandlerClass::*method)(const ReceiveBuffer *, const std::string &, const MessageType *);
    void operator()(const ReceiveBuffer *rbuf, const std::string &channel, const MessageType *msg) {
        (handler->*method)(rbuf, channel, msg);
    }
};
template <class HandlerClass>
struct CallMethod<void, HandlerClass> {
    HandlerClass *handler;
    void (HandlerClass::*method)(const ReceiveBuffer *, const std::string &);
    void operator()(const ReceiveBuffer *rbuf, const std::string &channel) { (handler->*method)(rbuf, channel); }
};
template <class MessageType, class ContextClass>
struct CallFunction {
    void (*function)(const ReceiveBuffer *, const std::string &, const MessageType *, ContextClass);
    ContextClass context;
    void operator()(const ReceiveBuffer *rbuf, const std::string &channel, const MessageType *msg) {
        function(rbuf, channel, msg, context);
    }
};
template <class ContextClass>
struct CallFunction<void, ContextClass> {
    void (*function)(const ReceiveBuffer *, const std::string &, ContextClass);
    ContextClass context;
    void operator()(const ReceiveBuffer *rbuf, const std::string &channel) { function(rbuf, channel, context); }
};

template <class S>
inline Subscription *LCM::add(const std::string &channel, S *subs) {
    if (!lcm)
        std::fprintf(stderr, "lcm: this LCM is not connected: check good()\n");
    subs->c_subs = lcm ? lcm_subscribe(lcm, channel.c_str(), S::receive, subs) : NULL;
    if (!subs->c_subs) {
        delete subs;
        return NULL;
    }
    subscriptions.push_back(subs);
    return subs;
}

template <class MessageType, class MessageHandlerClass>
Subscription *LCM::subscribe(const std::string &channel,
                             void (MessageHandlerClass::*handlerMethod)(const ReceiveBuffer *rbuf, const std::string &channel,
                                                                        const MessageType *msg),
                             MessageHandlerClass *handler) {
    typedef CallMethod<MessageType, MessageHandlerClass> Call;
    const Call call = {handler, handlerMethod};
    return add(channel, new TypedSubscription<MessageType, Call>(call));
}

template <class MessageHandlerClass>
Subscription *LCM::subscribe(const std::string &channel,
                             void (MessageHandlerClass::*handlerMethod)(const ReceiveBuffer *rbuf, const std::string &channel),
                             MessageHandlerClass *handler) {
    typedef CallMethod<void, MessageHandlerClass> Call;
    const Call call = {handler, handlerMethod};
    return add(channel, new UntypedSubscription<Call>(call));
}

template <class MessageType, class ContextClass>
Subscription *LCM::subscribeFunction(const std::string &channel,
                                     void (*handler)(const ReceiveBuffer *rbuf, const std::string &channel,
                                                     const MessageType *msg, ContextClass context),
                                     ContextClass context) {
    typedef CallFunction<MessageType, ContextClass> Call;
    const Call call = {handler, context};
    return add(channel, new TypedSubscription<MessageType, Call>(call));
}

template <class ContextClass>
Subscription *LCM::subscribeFunction(const std::string &channel,
                                     void (*handler)(const ReceiveBuffer *rbuf, const std::string &channel, ContextClass context),
                                     ContextClass context) {
    typedef CallFunction<void, ContextClass> Call;
    const Call call = {handler, context};
    return add(channel, new UntypedSubscription<Call>(call));
}

#if LCM_CXX_11_ENABLED
template <class MessageType>
Subscription *LCM::subscribe(const std::string &channel, HandlerFunction<MessageType> handler) {
    return add(channel, new TypedSubscription<MessageType, HandlerFunction<MessageType> >(handler));
}
#endif

#undef LCM_CPP_CHECK

inline int LCM::unsubscribe(Subscription *subscription) {
    for (size_t i = 0; i < subscriptions.size(); i++) {
        if (subscriptions[i] == subscription) {
            const int status = lcm ? lcm_unsubscribe(lcm, subscription->c_subs) : -1;
            subscriptions.erase(subscriptions.begin() + (std::ptrdiff_t)i);
            delete subscription;
            return status;
        }
    }
    return -1;
}

inline lcm_t *LCM::getUnderlyingLCM() {
    return lcm;
}

inline int Subscription::setQueueCapacity(int num_messages) {
    return lcm_subscription_set_queue_capacity(c_subs, num_messages);
}

inline int Subscription::getQueueSize() const {
    return lcm_subscription_get_queue_size(c_subs);
}

inline LogFile::LogFile(const std::string &path, const std::string &mode)
    : curEvent(), eventlog(lcm_eventlog_create(path.c_str(), mode.c_str())), last_event(NULL) {}

inline LogFile::~LogFile() {
    if (last_event)
        lcm_eventlog_free_event(last_event);
    if (eventlog)
        lcm_eventlog_destroy(eventlog);
}

inline bool LogFile::good() const {
    return eventlog != NULL;
}

inline const LogEvent *LogFile::readNextEvent() {
    if (last_event)
        lcm_eventlog_free_event(last_event);
    last_event = eventlog ? lcm_eventlog_read_next_event(eventlog) : NULL;
    if (!last_event)
        return NULL;
    curEvent.eventnum = last_event->eventnum;
    curEvent.timestamp = last_event->timestamp;
    curEvent.channel.assign(last_event->channel, (size_t)last_event->channellen);
    curEvent.datalen = last_event->datalen;
    curEvent.data = last_event->data;
    return &curEvent;
}

inline int LogFile::seekToTimestamp(int64_t timestamp) {
    return eventlog ? lcm_eventlog_seek_to_timestamp(eventlog, timestamp) : -1;
}

inline int LogFile::writeEvent(LogEvent *event) {
    if (!eventlog)
        return -1;
    lcm_eventlog_event_t e;
    e.eventnum = event->eventnum;
    e.timestamp = event->timestamp;
    e.channellen = (int32_t)event->channel.size();
    e.datalen = event->datalen;
    e.channel = const_cast<char *>(event->channel.c_str());
    e.data = event->data;
    return lcm_eventlog_write_event(eventlog, &e);
}

inline FILE *LogFile::getFilePtr() {
    return eventlog ? eventlog->f : NULL;
}
