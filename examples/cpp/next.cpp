// Receives all kept messages, in order, of every channel whose name begins with "i".
#include <iostream>
#include <saltus.hpp>

int main() {
    using saltus::channels, saltus::mode;
    const auto domain = saltus::domain::open().value();
    auto subscriber = domain.subscriber(channels::matching("i.*"), mode::next(100).from_oldest()).value();
    while (const auto message = subscriber.receive(saltus::poll)) {
        std::cout << message->channel() << ": " << message->text() << ", missed "
                  << message->missed().value_or(0) + message->dropped() << "\n";
    }
}
