// Publishes three readings of an IMU, and one of a distance sensor, in the domain of $SALTUS_DOMAIN.
#include <saltus.hpp>

int main() {
    const auto domain = saltus::domain::open().value();
    auto imu = domain.publisher("imu").value();
    auto distance = domain.publisher("distance").value();
    for (const char *text : {"tilt 0.01", "tilt 0.02", "tilt 0.03"}) {
        imu.publish(text).value();
    }
    distance.publish("1.5 m").value();
}
