// The contender in C++: does what the standard input says, and says how long each time took, in ns.
#include <saltus.hpp>

#include <cstdio>
#include <iostream>
#include <string>
#include <unistd.h>

// So many calls are timed together: less than a step of the clock is not seen.
constexpr int batch = 64;

// What a batch of one call takes, in ns.
template <class Call>
long long timed(Call call) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; i++) {
        call();
    }
    return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
}

// That there is nothing is no error.
template <class Result>
void fine(const Result &result) {
    if (!result && result.code() != SALTUS_NOTHING) {
        throw std::runtime_error(result.what());
    }
}

// What is read goes here, one by one: fields that were just written are slow to load two at a time, as compilers like to.
volatile std::uint64_t known;

// Reads all that is known of the message, if there is one, as Rust does.
template <class Result>
void read(const Result &result) {
    fine(result);
    if (!result) {
        return;
    }
    const saltus::message &m = *result;
    known = reinterpret_cast<std::uintptr_t>(m.data().data());
    known = m.data().size();
    known = reinterpret_cast<std::uintptr_t>(m.channel().data());
    known = m.channel().size();
    known = static_cast<std::uint64_t>(m.published().value_or(std::chrono::nanoseconds(0)).count());
    known = static_cast<std::uint64_t>(m.arrived().count());
    known = m.raw().logged_us == SALTUS_NO_TIME ? 0 : static_cast<std::uint64_t>(m.raw().logged_us);
    known = m.sender().value_or(0);
    known = m.sequence().value_or(0);
    known = m.missed().value_or(0);
    known = m.dropped();
    known = m.raw().missed_of_sender;
}

int main() {
    const std::string path = "/dev/shm/saltus-bench-bindings-" + std::to_string(getpid());
    const std::string url = "shm://" + path;
    saltus::attributes attributes;
    attributes.depth = 256;
    {
        auto channel = saltus::channel::create("channel", attributes, url.c_str()).value();
        auto publisher = channel.publisher().value();
        auto subscriber = channel.subscriber().value();
        auto domain = saltus::domain::open((url + "?depth=256").c_str()).value();
        auto of_domain = domain.publisher("domain").value();
        const char message[64] = {};
        char buffer[512];
        const saltus::bytes sent(message, sizeof message);
        of_domain.publish(sent).value();
        auto newest = domain.subscriber("domain").value();
        auto next = domain.subscriber("domain", saltus::mode::next(1000)).value();
        const auto take = [&](saltus::which which) {
            fine(subscriber.receive(which, saltus::poll, buffer, sizeof buffer));
        };
        const auto once = [&](const std::string &what) -> long long {
            if (what == "publish") {
                return timed([&] { fine(publisher.publish(sent)); });
            } else if (what == "next") {
                fine(subscriber.flush());
                timed([&] { fine(publisher.publish(sent)); });
                return timed([&] { take(saltus::which::next); });
            } else if (what == "publish+newest") {
                return timed([&] {
                    fine(publisher.publish(sent));
                    take(saltus::which::newest);
                });
            } else if (what == "poll") {
                return timed([&] { take(saltus::which::newest); });
            } else if (what == "domain publish") {
                return timed([&] { fine(of_domain.publish(sent)); });
            } else if (what == "domain next") {
                while (next.receive(saltus::poll)) {
                }
                timed([&] { fine(of_domain.publish(sent)); });
                return timed([&] { read(next.receive(saltus::poll)); });
            } else if (what == "domain publish+newest") {
                return timed([&] {
                    fine(of_domain.publish(sent));
                    read(newest.receive(saltus::poll));
                });
            }
            return timed([&] { read(newest.receive(saltus::poll)); });
        };
        std::cout << "ready" << std::endl;
        long count = 0;
        std::string what;
        while (std::cin >> count && std::getline(std::cin >> std::ws, what)) {
            for (long i = 0; i < count; i++) {
                std::printf("%.1f ", static_cast<double>(once(what)) / batch);
            }
            std::puts("");
            std::fflush(stdout);
        }
    }
    saltus::channel::unlink("channel", url.c_str()).value();
    saltus::channel::unlink("domain", url.c_str()).value();
    return rmdir(path.c_str());
}
