// A program as people write it for LCM: publishes a scan and receives it.
#include <cstdio>
#include <lcm/lcm-cpp.hpp>

#include "t/all/inner_t.hpp"
#include "t/all/scan_t.hpp"

class Handler {
public:
    int received = 0;

    void handleScan(const lcm::ReceiveBuffer *, const std::string &channel, const t::all::scan_t *msg) {
        if (channel == "SCAN" && msg->utime == 1234567 && msg->ranges.size() == static_cast<size_t>(msg->nranges)) {
            received += msg->nranges;
        }
    }
    void handleInner(const lcm::ReceiveBuffer *, const std::string &, const t::all::inner_t *msg) {
        std::printf("inner: %d %s\n", msg->s, msg->name.c_str());
    }
};

int main() {
    lcm::LCM lcm("memq://");
    if (!lcm.good()) {
        return 1;
    }
    Handler handler;
    lcm::Subscription *scans = lcm.subscribe("SCAN", &Handler::handleScan, &handler);
    lcm.subscribe("INN.*", &Handler::handleInner, &handler);
    scans->setQueueCapacity(10);
    t::all::scan_t scan;
    scan.utime = 1234567;
    scan.nranges = 180;
    scan.ranges.resize(180);
    scan.nintensities = 0;
    t::all::inner_t inner;
    inner.s = 7;
    inner.name = "no name";
    if (lcm.publish("SCAN", &scan) != 0 || lcm.publish("INNER", &inner) != 0) {
        return 2;
    }
    lcm.handle();
    lcm.handle();
    lcm.unsubscribe(scans);
    lcm.publish("SCAN", &scan);
    const int more = lcm.handleTimeout(0);
    std::printf("received scan with %d ranges, then %s\n", handler.received, more > 0 ? "more" : "nothing");
    return 0;
}
