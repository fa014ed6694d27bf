// Calls a function for the messages of each channel, all in one thread.
#include <iostream>
#include <saltus.hpp>

int main() {
    const auto domain = saltus::domain::open().value();
    auto dispatcher = saltus::dispatcher::open().value();
    int ticks = 0;
    dispatcher
        .on(domain, "tick", saltus::mode::next(100),
            [&](saltus::message message) {
                std::cout << "tick " << message.text() << "\n";
                return ++ticks == 3 ? saltus::then::stop : saltus::then::go_on;
            })
        .value();
    auto publisher = domain.publisher("tick").value();
    for (const char *text : {"1", "2", "3"}) {
        publisher.publish(text).value();
    }
    dispatcher.run().value();
}
