// Publishes and receives a pose, with the class that `saltus gen --lang cpp` makes from types/pose.lcm.
#include "robot/pose_t.hpp"
#include <iostream>
#include <saltus.hpp>

int main() {
    const auto domain = saltus::domain::open().value(); // throws saltus::exception on an error
    auto publisher = domain.publisher<robot::pose_t>("pose").value();
    auto subscriber = domain.subscriber<robot::pose_t>("pose").value();
    robot::pose_t here;
    here.x = 1.0;
    here.frame = "map";
    publisher.publish(here).value();
    if (const auto pose = subscriber.receive(std::chrono::seconds(10))) { // like std::expected
        std::cout << "x is " << pose->message.x << " in " << pose->message.frame << "\n";
    } else {
        std::cerr << "no pose: " << pose.what() << "\n"; // pose.error() is a number, such as SALTUS_WRONG_TYPE
    }
}
