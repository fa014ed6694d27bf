// What LCM's C++ interface offers, with generated classes. The headers may be LCM's or ours: it prints the same.
#include <cstring>
#include <iostream>
#include <lcm/lcm-cpp.hpp>
#include <p/all_t.hpp>

struct Handler {
    int calls = 0;
    lcm::LCM *lcm = nullptr;
    lcm::Subscription *self = nullptr;
    void typed(const lcm::ReceiveBuffer *rbuf, const std::string &channel, const p::all_t *msg) {
        calls++;
        std::cout << "typed " << channel << " " << rbuf->data_size << " " << msg->h << " " << msg->arr.size() << "\n";
    }
    void raw(const lcm::ReceiveBuffer *rbuf, const std::string &channel) {
        calls++;
        std::cout << "raw " << channel << " " << rbuf->data_size << " " << (rbuf->recv_utime > 0) << "\n";
    }
    void throws(const lcm::ReceiveBuffer *, const std::string &channel) {
        if (calls++ == 0)
            throw channel;
        std::cout << "not thrown " << channel << "\n";
    }
    void once(const lcm::ReceiveBuffer *, const std::string &channel) {
        std::cout << "once " << channel << "\n";
        if (self)
            std::cout << "ended " << lcm->unsubscribe(self) << "\n";
        self = nullptr;
    }
};

static void typed(const lcm::ReceiveBuffer *, const std::string &channel, const p::inner_t *msg, int *context) {
    std::cout << "function " << channel << " " << msg->name << " " << ++*context << "\n";
}
static void raw(const lcm::ReceiveBuffer *rbuf, const std::string &channel, std::string context) {
    std::cout << "function " << channel << " " << rbuf->data_size << " " << context << "\n";
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    lcm::LCM bad("nonsense");
    std::cout << "good " << bad.good() << "\n";
    lcm::LCM lcm("memq://");
    std::cout << "good " << lcm.good() << " " << (lcm.getFileno() >= 0) << " " << (lcm.getUnderlyingLCM() != nullptr) << "\n";
    Handler handler;
    int context = 40;
    lcm::Subscription *all = lcm.subscribe("ALL", &Handler::typed, &handler);
    lcm.subscribe("A.*", &Handler::raw, &handler);
    lcm.subscribeFunction("INNER", typed, &context);
    lcm.subscribeFunction("RAW", raw, std::string("context"));
    handler.lcm = &lcm;
    handler.self = lcm.subscribe("RAW", &Handler::once, &handler);
    int added = 1;
    lcm.subscribe<p::inner_t>("INNER", [&](const lcm::ReceiveBuffer *, const std::string &channel, const p::inner_t *msg) {
        std::cout << "lambda " << channel << " " << msg->s + added << "\n";
    });
    std::cout << "capacity " << all->setQueueCapacity(3) << " " << all->getQueueSize() << "\n";
    p::all_t message;
    std::memset(message.blob, 1, sizeof message.blob);
    std::memset(message.ff, 0, sizeof message.ff);
    message.a = message.m = 0;
    message.b = message.c = message.d = message.e = message.i = 0;
    message.f = message.g = 0;
    message.inn[0].s = message.inn[1].s = 0;
    message.h = "hello";
    message.n = 2;
    message.arr = {4, 5};
    message.vb = {1, 2};
    message.dd = {1, 2};
    message.i8 = {1, 2};
    message.vi.resize(2);
    message.vi[0].s = message.vi[1].s = 1;
    message.md.resize(2);
    p::inner_t inner;
    inner.s = 9;
    inner.name = "name";
    std::cout << "published " << lcm.publish("ALL", &message) << lcm.publish("INNER", &inner) << lcm.publish("RAW", "abc", 3)
              << lcm.publish("RAW", "abcd", 4) << lcm.publish("ALL", &inner) << "\n";
    int handled;
    while ((handled = lcm.handleTimeout(0)) > 0)
        std::cout << "handled\n";
    std::cout << "handled " << handled << " ended " << lcm.unsubscribe(all) << " " << lcm.unsubscribe(nullptr) << "\n";
    {
        lcm::LCM borrowed(lcm.getUnderlyingLCM());
        std::cout << "borrowed " << borrowed.publish("ALL", "x", 1) << "\n";
    }
    std::cout << "handle " << lcm.handle() << "\n";

    // Programs leave a loop by an exception, and go on.
    lcm::LCM thrower("memq://");
    Handler throwing;
    lcm::Subscription *thrown = thrower.subscribe("THROW", &Handler::throws, &throwing);
    thrower.publish("THROW", "x", 1);
    thrower.publish("THROW", "x", 1);
    try {
        std::cout << "handle " << thrower.handle() << "\n";
    } catch (const std::string &channel) {
        std::cout << "caught " << channel << "\n";
    }
    std::cout << "handle " << thrower.handleTimeout(0) << " " << thrower.handleTimeout(0) << "\n";
    std::cout << "ended " << thrower.unsubscribe(thrown) << "\n";

    // What C has made, C may end first.
    lcm_t *made = lcm_create("memq://");
    lcm::LCM outlives(made);
    outlives.subscribe("A", &Handler::raw, &handler);
    lcm_destroy(made);

    const std::string path = argv[1];
    {
        lcm::LogFile log(path, "w");
        for (int i = 0; i < 5; i++) {
            lcm::LogEvent event = {77, 100 * i, "CHANNEL", i, const_cast<char *>("data")};
            std::cout << "write " << log.good() << " " << log.writeEvent(&event) << "\n";
        }
    }
    lcm::LogFile log(path, "r");
    std::cout << "seek " << log.seekToTimestamp(200) << " " << (log.getFilePtr() != nullptr) << "\n";
    while (const lcm::LogEvent *event = log.readNextEvent())
        std::cout << event->eventnum << " " << event->timestamp << " " << event->channel << " " << event->datalen << "\n";
    std::cout << "nowhere " << lcm::LogFile("nowhere/at/all", "r").good() << " " << handler.calls << "\n";
}
