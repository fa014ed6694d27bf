/*
 * Saltus in C++17, over <saltus.h>: nothing to link but `libsaltus`, nothing to build but this header and those beside it.
 *
 *   saltus::domain domain = saltus::domain::open().value();
 *   auto publisher = domain.publisher("imu").value();
 *   publisher.publish("tilt 0.02").value();
 *
 * Every call that can fail returns a `saltus::result`. Look at it, or take the `.value()`, which throws `saltus::exception`: so there
 * is one set of functions for programs with exceptions and without, and what costs nothing in C costs nothing here. With
 * -fno-exceptions, `.value()` of an error says what is wrong and aborts.
 *
 * Classes own their handle: they are moved, not copied, and close it in the end. Threads, time and signals are as in <saltus.h>.
 * Messages are looked at where they lie: a `saltus::bytes` is a pointer and a length.
 */
#ifndef SALTUS_HPP
#define SALTUS_HPP

#include "saltus/channel.hpp"
#include "saltus/domain.hpp"
#include "saltus/log.hpp"
#include "saltus/result.hpp"
#include "saltus/typed.hpp"

#endif // SALTUS_HPP
