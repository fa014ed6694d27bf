// One thread waits for two channels at once, and receives two messages.
#include <iostream>
#include <saltus.hpp>

int main() {
    const auto domain = saltus::domain::open().value();
    auto imu = domain.subscriber("imu").value();
    auto distance = domain.subscriber("distance").value();
    for (int received = 0; received < 2;) {
        const auto which = saltus::wait_any({imu, distance}, std::chrono::seconds(10)).value();
        auto &subscriber = which == 0 ? imu : distance;
        if (const auto message = subscriber.receive(saltus::poll)) {
            std::cout << message->channel() << ": " << message->text() << "\n";
            received++;
        }
    }
}
