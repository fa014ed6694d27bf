// Waits for the newest message of channel "imu", at most ten seconds. Run `publish` before it or while it waits.
#include <iostream>
#include <saltus.hpp>

int main() {
    const auto domain = saltus::domain::open().value();
    auto subscriber = domain.subscriber("imu").value();
    const auto message = subscriber.receive(std::chrono::seconds(10)).value();
    std::cout << message.text() << "\n";
}
