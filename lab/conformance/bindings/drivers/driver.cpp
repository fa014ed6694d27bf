// Speaks for C++: see README.md for the words. Errors come as exceptions here; the codes in them are those of C.
#include "words.h"

#include "conformance/other_t.hpp"
#include "conformance/reading_t.hpp"

#include <functional>
#include <iostream>
#include <map>
#include <poll.h>
#include <saltus.hpp>
#include <thread>
#include <variant>

using conformance::other_t;
using conformance::reading_t;
using typed_publisher = std::variant<saltus::publisher_of<reading_t>, saltus::publisher_of<other_t>>;
using typed_subscriber = saltus::subscriber_of<reading_t>;

static std::map<std::string, saltus::domain> domains;
static std::map<std::string, saltus::domain_publisher> publishers;
static std::map<std::string, typed_publisher> typed_publishers;
static std::map<std::string, saltus::domain_subscriber> subscribers;
static std::map<std::string, typed_subscriber> typed_subscribers;
static std::map<std::string, saltus::log> logs;
static std::map<std::string, saltus::log_writer> writers;

/** A line of words. */
class line {
public:
    explicit line(char *text) { cut(text, &words_); }
    std::string operator[](int i) const { return word(&words_, i); }
    /** Text, or none. */
    std::optional<std::string> text(int i) const {
        const blob_t blob = blob_of(word(&words_, i));
        if (blob.data == nullptr) {
            return std::nullopt;
        }
        std::string all(blob.data, blob.length);
        std::free(blob.data);
        return all;
    }
    std::uint64_t number(int i) const { return ::number(word(&words_, i)); }
    std::int64_t integer(int i) const { return std::strtoll(word(&words_, i), nullptr, 10); }
    saltus::until until(int i) const {
        return word(&words_, i)[0] == '-' ? saltus::forever
               : number(i) == 0           ? saltus::poll
                                          : saltus::until(std::chrono::milliseconds(number(i)));
    }
    int count() const { return words_.count; }
    template <class T>
    T &in(std::map<std::string, T> &things, int i) const {
        const auto found = things.find((*this)[i]);
        if (found == things.end()) {
            std::cerr << "driver: nothing is called " << (*this)[i] << "\n";
            std::exit(2);
        }
        return found->second;
    }

private:
    words_t words_;
};

/** Puts a new thing in the place of an old one, whatever that was. */
template <class T>
static void keep(std::map<std::string, T> &things, const std::string &name, T thing) {
    publishers.erase(name);
    typed_publishers.erase(name);
    subscribers.erase(name);
    typed_subscribers.erase(name);
    things.insert_or_assign(name, std::move(thing));
}

static void domain(const line &l, out_t *) {
    const auto url = l.text(2);
    keep(domains, l[1], saltus::domain::open(url ? url->c_str() : nullptr).value());
}

static void publisher(const line &l, out_t *) {
    const auto &domain = l.in(domains, 2);
    const auto channel = l.text(3).value();
    if (l[4] == "reading") {
        keep(typed_publishers, l[1], typed_publisher(domain.publisher<reading_t>(channel.c_str()).value()));
    } else if (l[4] == "other") {
        keep(typed_publishers, l[1], typed_publisher(domain.publisher<other_t>(channel.c_str()).value()));
    } else {
        keep(publishers, l[1], domain.publisher(channel.c_str()).value());
    }
}

static void subscriber(const line &l, out_t *) {
    const auto &domain = l.in(domains, 2);
    const auto text = l.text(4);
    const auto channels = l[3] == "all"       ? saltus::channels::all()
                          : l[3] == "pattern" ? saltus::channels::matching(text.value())
                                              : saltus::channels(text.value());
    auto mode = l.number(5) == 0 ? saltus::mode::newest() : saltus::mode::next(l.number(5));
    if (l[6] != "newest") {
        mode = l[6] == "now" ? mode.from_now() : mode.from_oldest();
    }
    if (l[7] == "reading") {
        keep(typed_subscribers, l[1], domain.subscriber<reading_t>(channels, mode).value());
    } else {
        keep(subscribers, l[1], domain.subscriber(channels, mode).value());
    }
}

static void publish(const line &l, out_t *) {
    const auto message = l.text(2).value();
    l.in(publishers, 1).publish(message).value();
}

/** The message of the type whose fields begin at word `at`. */
static reading_t reading_at(const line &l, int at) {
    std::int16_t samples[64];
    reading_t r;
    r.utime = l.integer(at);
    r.value = double_of(l[at + 1].c_str());
    r.place = l.text(at + 2).value();
    r.count = static_cast<std::int32_t>(l.integer(at + 3));
    r.samples.assign(samples, samples + samples_of(l[at + 4].c_str(), samples, 64));
    return r;
}

static void publish_reading(const line &l, out_t *) {
    std::get<0>(l.in(typed_publishers, 1)).publish(reading_at(l, 2)).value();
}

static void publish_other(const line &l, out_t *) {
    other_t o;
    o.utime = l.integer(2);
    o.value = double_of(l[3].c_str());
    std::get<1>(l.in(typed_publishers, 1)).publish(o).value();
}

static void put_about(out_t *out, const saltus::message &m) {
    put_text(out, "message");
    put_hex_word(out, m.channel().data(), m.channel().size());
    put_known(out, m.missed().value_or(SALTUS_UNKNOWN));
    put_known(out, m.dropped());
    put_known(out, m.sequence().value_or(SALTUS_UNKNOWN));
}

static void put_reading(out_t *out, const saltus::typed<reading_t> &got) {
    put_about(out, got.about);
    put_number(out, got->utime);
    put_bits(out, got->value);
    put_hex_word(out, got->place.data(), got->place.size());
    put_number(out, got->count);
    put_samples(out, got->samples.data(), static_cast<int>(got->samples.size()));
}

static void put_message(out_t *out, const saltus::message &m) {
    put_about(out, m);
    put_bytes(out, m.data().data(), m.data().size());
}

static void receive(const line &l, out_t *out) {
    if (typed_subscribers.count(l[1]) != 0) {
        return put_reading(out, l.in(typed_subscribers, 1).receive(l.until(2)).value());
    }
    put_message(out, l.in(subscribers, 1).receive(l.until(2)).value());
}

static void current(const line &l, out_t *out) {
    put_message(out, l.in(subscribers, 1).current(l.until(2)).value());
}

static void wait(const line &l, out_t *out) {
    auto &first = l.in(subscribers, 2);
    const auto found = l.count() == 3 ? saltus::wait_any({first}, l.until(1))
                                      : saltus::wait_any({first, l.in(subscribers, 3)}, l.until(1));
    const auto index = found.value();
    put_text(out, "ok");
    put_number(out, static_cast<std::int64_t>(index));
}

static void readable(const line &l, out_t *) {
    pollfd poll_fd = {l.in(subscribers, 1).event_fd().value(), POLLIN, 0};
    if (::poll(&poll_fd, 1, static_cast<int>(l.number(2))) != 1) {
        saltus::result<>(SALTUS_NOTHING).value();
    }
}

static void cancel(const line &l, out_t *) { l.in(subscribers, 1).cancel(); }

static void cancel_later(const line &l, out_t *) {
    auto &subscriber = l.in(subscribers, 1);
    std::thread([&subscriber, time = std::chrono::milliseconds(l.number(2))] {
        std::this_thread::sleep_for(time);
        subscriber.cancel();
    }).detach();
}

static void cancel_reset(const line &l, out_t *) { l.in(subscribers, 1).cancel_reset(); }

static void names(const line &l, out_t *out) {
    const auto all = l.in(domains, 1).names().value();
    put_text(out, "ok");
    for (const auto &name : all) {
        put_hex_word(out, name.data(), name.size());
    }
}

static void stream(const line &l, out_t *) {
    auto &publisher = l.in(publishers, 1);
    for (std::uint64_t n = l.number(3), end = n + l.number(2); n < end; n++) {
        uint8_t message[8];
        number_into(message, n);
        publisher.publish(saltus::bytes_of(message)).value();
        if (l.number(4) != 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(l.number(4)));
        }
    }
}

static void count(const line &l, out_t *out) {
    auto &subscriber = l.in(subscribers, 1);
    std::uint64_t last = 0, received = 0, missed = 0, dropped = 0;
    while (last < l.number(2)) {
        const auto got = subscriber.receive(l.until(3));
        if (got.nothing()) {
            break;
        }
        const auto message = got.value();
        last = number_in(message.data().data(), message.data().size());
        received++;
        missed = sum(missed, message.missed().value_or(SALTUS_UNKNOWN));
        dropped = sum(dropped, message.dropped());
    }
    put_text(out, "ok");
    put_number(out, static_cast<std::int64_t>(received));
    put_known(out, missed);
    put_known(out, dropped);
    put_number(out, static_cast<std::int64_t>(last));
}

/** What is moved from is closed. */
template <class T>
static void close_in(std::map<std::string, T> &things, const std::string &name) {
    const auto found = things.find(name);
    if (found != things.end()) {
        const auto gone = std::move(found->second);
    }
}

static void close(const line &l, out_t *) {
    close_in(domains, l[2]);
    close_in(publishers, l[2]);
    close_in(typed_publishers, l[2]);
    close_in(subscribers, l[2]);
    close_in(typed_subscribers, l[2]);
    close_in(logs, l[2]);
    close_in(writers, l[2]);
}

static saltus::log_time time_of(std::int64_t ns) { return saltus::log_time(std::chrono::nanoseconds(ns)); }

static void log_create(const line &l, out_t *) {
    const auto format = l[3] == "mcap" ? SALTUS_LOG_MCAP : l[3] == "lcm" ? SALTUS_LOG_LCM : SALTUS_LOG_BY_NAME;
    keep(writers, l[1], saltus::log_writer::create(l.text(2).value(), format).value());
}

static void log_write(const line &l, out_t *) {
    const auto message = l.text(3).value();
    l.in(writers, 1).write(l.text(2).value().c_str(), message, time_of(l.integer(4))).value();
}

static void log_write_reading(const line &l, out_t *) {
    const auto reading = reading_at(l, 4);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(reading.getEncodedSize()));
    reading.encode(bytes.data(), 0, static_cast<int>(bytes.size()));
    auto &writer = l.in(writers, 1);
    writer.describe<reading_t>().value();
    writer.write(l.text(2).value().c_str(), bytes, time_of(l.integer(3))).value();
}

static void put_event(out_t *out, const saltus::event &e) {
    put_text(out, "event");
    put_hex_word(out, e.channel().data(), e.channel().size());
    put_number(out, e.time().time_since_epoch().count());
    put_bytes(out, e.data().data(), e.data().size());
}

static void put_position(out_t *out, std::uint64_t n) {
    put_text(out, "ok");
    put_number(out, static_cast<std::int64_t>(n));
}

static const std::map<std::string, std::function<void(const line &, out_t *)>> verbs = {
    {"domain", domain},
    {"publisher", publisher},
    {"subscriber", subscriber},
    {"publish", publish},
    {"publish_reading", publish_reading},
    {"publish_other", publish_other},
    {"receive", receive},
    {"current", current},
    {"wait", wait},
    {"readable", readable},
    {"cancel", cancel},
    {"cancel_later", cancel_later},
    {"cancel_reset", cancel_reset},
    {"names", names},
    {"stream", stream},
    {"count", count},
    {"close", close},
    {"log_create", log_create},
    {"log_write", log_write},
    {"log_write_reading", log_write_reading},
    {"log_flush", [](const line &l, out_t *) { l.in(writers, 1).flush().value(); }},
    {"log_finish", [](const line &l, out_t *) { l.in(writers, 1).finish().value(); }},
    {"log_open", [](const line &l, out_t *) { keep(logs, l[1], saltus::log::open(l.text(2).value()).value()); }},
    {"log_size", [](const line &l, out_t *out) { put_position(out, l.in(logs, 1).size().value()); }},
    {"log_next", [](const line &l, out_t *out) { put_event(out, l.in(logs, 1).next().value()); }},
    {"log_previous", [](const line &l, out_t *out) { put_event(out, l.in(logs, 1).previous().value()); }},
    {"log_seek", [](const line &l, out_t *) { l.in(logs, 1).seek(l.number(2)).value(); }},
    {"log_seek_time",
     [](const line &l, out_t *out) { put_position(out, l.in(logs, 1).seek(time_of(l.integer(2))).value()); }},
};

int main() {
    out_t out = {nullptr, 0, 0};
    for (std::string text; std::getline(std::cin, text);) {
        const line l(text.data());
        const auto verb = verbs.find(l[0]);
        if (verb == verbs.end()) {
            std::cerr << "driver: there is no verb `" << l[0] << "`\n";
            return 2;
        }
        out.length = 0;
        try {
            verb->second(l, &out);
            if (out.length == 0) {
                put_text(&out, "ok");
            }
        } catch (const saltus::exception &e) {
            put_code(&out, e.code(), e.what());
        }
        put_text(&out, "\n");
        std::cout.write(out.text, static_cast<std::streamsize>(out.length)).flush();
    }
    std::free(out.text);
    return 0;
}
