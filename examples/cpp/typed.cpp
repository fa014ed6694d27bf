// Publishes and receives a pose, with the class that `saltus gen --lang cpp` makes from types/pose.lcm.
#include "robot/pose_t.hpp"

#include <iostream>
#include <saltus.hpp>

int main() {
    const auto domain = saltus::domain::open().value();
    auto publisher = domain.publisher<robot::pose_t>("pose").value();
    auto subscriber = domain.subscriber<robot::pose_t>("pose").value();
    robot::pose_t here;
    here.x = 1.0;
    here.heading = 0.5;
    here.frame = "map";
    publisher.publish(here).value();
    const auto pose = subscriber.receive(std::chrono::seconds(10)).value();
    std::cout << "x is " << pose->x << ", heading is " << pose->heading << " in " << pose->frame << "\n";
}
