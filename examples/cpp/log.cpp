// log FILE: writes a log, such as robot.mcap, and reads it from 7 s after its start.
#include <iostream>
#include <saltus.hpp>

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: log FILE\n";
        return 2;
    }
    const saltus::log_time start(std::chrono::seconds(1700000000));
    auto writer = saltus::log_writer::create(argv[1]).value();
    for (int i = 0; i < 10; i++) {
        writer.write("tilt", "reading " + std::to_string(i), start + std::chrono::seconds(i)).value();
    }
    writer.finish().value();

    auto log = saltus::log::open(argv[1]).value();
    log.seek(start + std::chrono::seconds(7)).value();
    while (const auto event = log.next()) {
        std::cout << event->channel() << ": " << event->text() << "\n";
    }
}
