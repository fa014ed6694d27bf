/*
 * Saltus in C++17, as headers over <saltus.h>: link with `libsaltus`.
 *
 *   saltus::domain domain = saltus::domain::open().value();
 *   auto publisher = domain.publisher("imu").value();
 *   publisher.publish("tilt 0.02").value();
 *
 * Every call that can fail returns a `saltus::result`. Check it, or call `.value()`, which throws `saltus::exception`. The same functions
 * serve programs with and without exceptions: with -fno-exceptions, `.value()` of an error prints the message and aborts.
 *
 * Classes own their handle: they can be moved but not copied, and close it when destroyed. Threads, time and signals are as in <saltus.h>.
 * Messages are read in place: a `saltus::bytes` is a pointer and a length.
 */
#ifndef SALTUS_HPP
#define SALTUS_HPP

#include "saltus/channel.hpp"
#include "saltus/domain.hpp"
#include "saltus/log.hpp"
#include "saltus/result.hpp"
#include "saltus/typed.hpp"

#endif // SALTUS_HPP
