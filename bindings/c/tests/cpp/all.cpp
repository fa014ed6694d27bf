// all DIRECTORY: everything of <saltus.hpp>, with checks. Link with -pthread.
#include <array>
#include <cstdio>
#include <new>
#include <saltus.hpp>
#include <thread>

using namespace std::chrono_literals;

static int failures = 0;

static void check(bool is, const char *what, int line) {
    if (!is) {
        std::fprintf(stderr, "all.cpp:%d: %s: %s\n", line, what, saltus_last_error());
        failures++;
    }
}
#define CHECK(...) check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__)

#if SALTUS_EXCEPTIONS
/** While it is set, this thread has no memory for C++. */
static thread_local bool out_of_memory = false;

void *operator new(std::size_t size) {
    void *room = out_of_memory ? nullptr : std::malloc(size == 0 ? 1 : size);
    if (room == nullptr) {
        throw std::bad_alloc();
    }
    return room;
}
void operator delete(void *room) noexcept { std::free(room); }
void operator delete(void *room, std::size_t) noexcept { std::free(room); }

/** Whether the call is left by std::bad_alloc while there is no memory. */
template <class F>
static bool runs_out_of_memory(F call) {
    out_of_memory = true;
    try {
        (void)call();
    } catch (const std::bad_alloc &) {
        out_of_memory = false;
        return true;
    }
    out_of_memory = false;
    return false;
}
#endif

/** As `saltus gen --lang cpp` makes them. */
template <int Kind>
struct number_of {
    static constexpr std::uint64_t FINGERPRINT = Kind;
    static constexpr const char *FULL_NAME = "p.number_t";
    static constexpr const char *SCHEMA = "package p; struct number_t { byte value; }";
    unsigned char value = 0;
    static int getEncodedSize() { return 9; }
    int encode(void *buf, int offset, int maxlen) const {
        const std::array<unsigned char, 9> all{0, 0, 0, 0, 0, 0, 0, static_cast<unsigned char>(Kind), value};
        if (maxlen < 9 || value == 255) {
            return -1;
        }
        std::memcpy(static_cast<char *>(buf) + offset, all.data(), all.size());
        return 9;
    }
    int decode(const void *buf, int offset, int maxlen) {
        if (maxlen < 9) {
            return -1;
        }
        std::memcpy(&value, static_cast<const char *>(buf) + offset + 8, 1);
        return 9;
    }
};
/** As `lcm-gen --cpp` makes them: without a schema, and without the package in its name. */
struct lcm_number {
    static const char *getTypeName() { return "number_t"; }
    static std::int64_t getHash() { return 1; }
    unsigned char value = 0;
    static int getEncodedSize() { return 9; }
    int encode(void *buf, int offset, int maxlen) const {
        number_of<1> same;
        same.value = value;
        return same.encode(buf, offset, maxlen);
    }
    int decode(const void *buf, int offset, int maxlen) {
        number_of<1> same;
        const int read = same.decode(buf, offset, maxlen);
        value = same.value;
        return read;
    }
};

using number = number_of<1>;
using another = number_of<2>;

static void channels_in_shared_memory() {
    saltus::attributes with;
    with.max_message_size = 64;
    auto channel = saltus::channel::create("cpp", with).value();
    const auto exists = saltus::channel::create("cpp");
    CHECK(!exists.has_value() && exists.error() == SALTUS_EXISTS && exists.code() == exists.error());
    CHECK(channel.attributes().max_message_size == 64);
    auto publisher = channel.publisher().value();
    auto subscriber = channel.subscriber().value();
    auto second = channel.subscriber().value();
    const std::array<int, 3> numbers{1, 2, 3};
    const auto published = publisher.publish(numbers);
    CHECK(published.has_value() && published.error() == SALTUS_OK && published->seq == 1);
    CHECK(subscriber.flush().has_value() && subscriber.seek_oldest().error() == SALTUS_OK);
    CHECK(publisher.publish(std::string(65, 'x')).code() == SALTUS_TOO_LONG);
    char text[64];
    CHECK(subscriber.receive(saltus::which::next, saltus::poll, text, 4).code() == SALTUS_TOO_SMALL);
    CHECK(subscriber.needed() == 12);
    CHECK(subscriber.receive(saltus::which::next, saltus::poll, text, sizeof text)->len == 12);
    CHECK(subscriber.receive(saltus::which::next, 1ms, text, sizeof text).nothing());
    {
        auto loan = publisher.loan(5).value();
        std::memcpy(loan.data(), "hello", 5);
        CHECK(publisher.publish("x").code() == SALTUS_INVALID);
        auto moved = std::move(loan);
        CHECK(moved.publish()->seq == 2);
        CHECK(moved.publish().code() == SALTUS_INVALID);
        auto unused = publisher.loan(5).value();
    }
    CHECK(publisher.loan(65).code() == SALTUS_TOO_LONG);
    const auto view = subscriber.view(saltus::which::newest, saltus::forever).value();
    const std::string copy(view.data.text());
    CHECK(subscriber.validate()->len == 5 && copy == "hello");
    CHECK(saltus::wait_any({subscriber, second}, saltus::poll).value() == 1);
    CHECK(second.flush() && second.event_fd().value() >= 0);
    CHECK(second.seek_oldest() && second.receive(saltus::which::next, saltus::poll, text, sizeof text)->seq == 1);
    subscriber.cancel();
    CHECK(subscriber.receive(saltus::which::next, saltus::forever, text, sizeof text).code() == SALTUS_CANCELED);
    subscriber.cancel_reset();
    CHECK(saltus::channel::wait_for("cpp", 1s) && saltus::channel::open("gone").code() == SALTUS_NOT_FOUND);
    CHECK(publisher.describe("p.text_t", 1, "package p; struct text_t { string text; }"));
    const auto said = channel.descriptions().value();
    CHECK(said.size() == 1 && said[0].name == "p.text_t" && said[0].fingerprint == 1 && said[0].schema.find("text;") != std::string::npos);
    const auto info = channel.info().value();
    CHECK(info.published >= 2 && info.kept == info.published && info.bytes > 12 && info.age_ns != SALTUS_UNKNOWN);
    CHECK(info.publishers == 1 && info.subscribers == 2 && info.memory > 0 && info.created_ns > 0 && info.size == sizeof info);
    CHECK(saltus_channel_info(channel.get(), nullptr, sizeof info) == SALTUS_INVALID);
    CHECK(saltus_channel_descriptions(channel.get(), nullptr, nullptr) == SALTUS_INVALID);
    // NULL is told, or is what it is in C; it is never followed.
    const char *const null = nullptr;
    CHECK(publisher.publish(null).code() == SALTUS_INVALID && publisher.publish(nullptr).code() == SALTUS_INVALID);
    CHECK(publisher.publish("")->seq > 0 && publisher.publish(saltus::bytes())->seq > 0);
    const saltus::bytes none(null);
    CHECK(none.empty() && none.text().empty() && !none.as<char>() && none.begin() == none.end());
    CHECK(saltus::channel::open(null).code() == SALTUS_INVALID && publisher.describe(null, 1, "").code() == SALTUS_INVALID);
#ifdef __cpp_lib_span
    const std::span<const std::byte> spans = saltus::bytes("abc");
    CHECK(spans.size() == 3 && spans[2] == std::byte{'c'} && std::span<const std::byte>(none).empty());
#endif
    CHECK(saltus::channel::unlink("cpp"));
}

/** A channel that is there, in its place, and with options. */
static void channels_made_anew() {
    saltus::attributes with;
    with.max_message_size = 64;
    auto first = saltus::channel::open_or_create("anew", with).value();
    with.max_message_size = 128;
    CHECK(saltus::channel::open_or_create("anew", with)->attributes().max_message_size == 64);
    auto publisher = first.publisher().value();
    CHECK(publisher.publish("old")->seq == 1);
    saltus::channel_options options;
    options.start = SALTUS_START_NOW;
    char text[128];
    CHECK(first.subscriber(options)->receive(saltus::which::next, saltus::poll, text, sizeof text).nothing());
    CHECK(first.subscriber()->receive(saltus::which::next, saltus::poll, text, sizeof text)->seq == 1);
    auto second = saltus::channel::replace("anew", with).value();
    CHECK(second.attributes().max_message_size == 128);
    CHECK(publisher.publish("x").code() == SALTUS_RETIRED);
    auto in_second = second.publisher().value();
    CHECK(in_second.publish(std::string(128, 'x'))->seq == 1);
    auto loan = in_second.loan(3).value();
    loan.abandon();
    loan = in_second.loan(5).value();
    CHECK(loan.size() == 5 && loan.publish()->seq == 2);
    CHECK(saltus::channel::unlink("anew"));
}

static void domains(const saltus::domain &domain, bool shm) {
    using saltus::channels, saltus::mode;
    auto publisher = domain.publisher("a").value();
    auto newest = domain.subscriber("a").value();
    auto all = domain.subscriber(channels::matching("a|b"), mode::next(10)).value();
    auto every = domain.subscriber(channels::all(), mode::next(10).from_now()).value();
    for (int i = 1; i <= 3; i++) {
        CHECK(publisher.publish(saltus::bytes_of(i)));
    }
    const auto got = newest.receive(1s).value();
    CHECK(got.data().as<int>() == 3 && !got.data().as<char>() && got.channel() == "a" && got.dropped() == 2);
    CHECK(got.missed().has_value() && got.arrived().count() > 0 && got.raw().len == 4);
    CHECK(newest.receive(saltus::poll).nothing());
    CHECK(newest.current(saltus::poll)->data().size() == 4);
    for (int i = 1; i <= 3; i++) {
        CHECK(all.receive(1s)->data().as<int>() == i);
    }
    CHECK(all.receive(saltus::poll).nothing());
    CHECK(saltus::wait_any({newest, every}, std::chrono::steady_clock::now() + 20s).value() < 2);
    CHECK(every.receive(1s)->data().as<int>() == 1);
    CHECK(newest.event_fd().value() >= 0);
    newest.cancel();
    CHECK(newest.receive(saltus::forever).code() == SALTUS_CANCELED);
    newest.cancel_reset();
    CHECK(domain.names().value().size() >= 1);
    const auto third = newest.current(saltus::poll).value();
    CHECK(third.sender() && third.published() && third.sequence());
    CHECK(all.current(saltus::poll)->sender() == third.sender());
    auto second = domain.publisher("a").value();
    const auto before = static_cast<std::int64_t>(saltus_now_ns(SALTUS_BOOTTIME)) - 1000000;
    const auto at = second.publish_with_timestamp("at", before);
    if (shm) {
        CHECK(at.value() == before && all.receive(1s)->published() == std::chrono::nanoseconds(before));
        CHECK(all.current(saltus::poll)->sender() && all.current(saltus::poll)->sender() != third.sender());
        CHECK(second.publish_with_timestamp("never in the future", INT64_MAX).value() > before);
    } else {
        CHECK(at.code() == SALTUS_UNSUPPORTED && second.publish("at"));
    }
    CHECK(second.publish_with_timestamp(nullptr, before).code() == SALTUS_INVALID);
    CHECK(second.publish(nullptr).code() == SALTUS_INVALID && domain.publisher(nullptr).code() == SALTUS_INVALID);
    auto of_all = domain.subscriber(nullptr).value();
    CHECK(of_all.receive(1s)->channel() == "a" && domain.subscriber(channels::matching(nullptr)));
    CHECK(of_all.descriptions(nullptr).code() == SALTUS_INVALID);
#if SALTUS_EXCEPTIONS
    auto longer = domain.publisher("a name that is kept in memory of its own").value();
    auto wanted = domain.subscriber(channels::all()).value();
    CHECK(longer.publish("x") && runs_out_of_memory([&] { return domain.names(); }));
#endif
    CHECK(domain.publisher("").code() == SALTUS_INVALID);
    CHECK(saltus::domain::open("pigeon://").code() == SALTUS_NO_PROVIDER);
    CHECK(saltus::domain::open("pigeon://").what().find("pigeon") != std::string::npos);
    auto moved = std::move(publisher);
    CHECK(publisher.publish("x").code() == SALTUS_INVALID); // NOLINT: what is moved from is closed
    publisher = std::move(moved);
    CHECK(publisher.publish("x"));
}

static void types(const saltus::domain &domain, bool shm) {
    auto publisher = domain.publisher<number>("typed").value();
    auto wrong = domain.publisher<another>("typed").value();
    auto subscriber = domain.subscriber<number>("typed", saltus::mode::next(10)).value();
    number n;
    n.value = 7;
    CHECK(publisher.publish(n));
    CHECK(wrong.publish(another{}));
    n.value = 8;
    CHECK(publisher.publish(n));
    n.value = 255;
    CHECK(publisher.publish(n).code() == SALTUS_ENCODE_FAILED);
    CHECK(publisher.publish(n).what().find("another size") != std::string::npos);
    CHECK(publisher.untyped().publish(saltus::bytes("\0\0\0\0\0\0\0\1", 8)));
    {
        const auto first = subscriber.receive(1s).value();
        CHECK(first->value == 7 && (*first).value == 7 && first.about.channel() == "typed");
    }
    CHECK(subscriber.receive(1s).code() == SALTUS_WRONG_TYPE);
    CHECK(subscriber.receive(1s)->message.value == 8);
    const auto damaged = subscriber.receive(1s);
    CHECK(damaged.code() == SALTUS_DECODE_FAILED && damaged.what().find("cannot be decoded") != std::string::npos);
    CHECK(subscriber.receive(1ms).nothing());
    auto bytes = domain.subscriber("typed").value();
    CHECK(bytes.receive(1s));
    const auto said = bytes.descriptions("typed").value();
    if (shm) {
        CHECK(said.size() == 2 && said[0].name == "p.number_t" && said[0].fingerprint == number::FINGERPRINT);
        CHECK(said[0].schema == number::SCHEMA && said[1].fingerprint == another::FINGERPRINT);
#if SALTUS_EXCEPTIONS
        CHECK(runs_out_of_memory([&] { return bytes.descriptions("typed"); }));
#endif
    } else {
        CHECK(said.empty());
    }
    CHECK(bytes.descriptions("").code() == SALTUS_INVALID);
    std::uint64_t mismatched = 7;
    CHECK(saltus_domain_mismatched(bytes.get(), &mismatched) == SALTUS_OK && mismatched == 0);
    CHECK(saltus_domain_mismatched(subscriber.untyped().get(), &mismatched) == SALTUS_OK && mismatched == 1);
}

static void types_of_lcm(const saltus::domain &domain) {
    auto publisher = domain.publisher<lcm_number>("of_lcm").value();
    auto subscriber = domain.subscriber<lcm_number>("of_lcm").value();
    lcm_number n;
    n.value = 7;
    CHECK(publisher.publish(n));
    CHECK(subscriber.receive(1s).value()->value == 7);
    CHECK(domain.publisher<another>("of_lcm").value().publish(another{}));
    const auto wrong = subscriber.receive(1s);
    CHECK(!wrong.has_value() && wrong.error() == SALTUS_WRONG_TYPE && wrong.what().find("number_t") != std::string::npos);
    auto bytes = domain.subscriber("of_lcm").value();
    CHECK(bytes.receive(1s) && bytes.descriptions("of_lcm").value().size() <= 1);
}

static void results() {
    const saltus::result<int> seven(7);
    const auto none = saltus::result<int>::failed(SALTUS_NOTHING);
    CHECK(seven.has_value() && *seven == 7 && seven.value() == 7 && seven.value_or(1) == 7 && seven.error() == SALTUS_OK);
    CHECK(!none.has_value() && none.value_or(1) == 1 && none.error() == SALTUS_NOTHING && none.nothing());
    auto text = saltus::result<std::unique_ptr<int>>(std::make_unique<int>(5));
    CHECK(*std::move(text).value_or(nullptr) == 5);
    CHECK(std::string(saltus::result<std::string>::failed(SALTUS_INVALID).value_or("other")) == "other");
#if SALTUS_EXCEPTIONS
    bool thrown = false;
    try {
        (void)none.value();
    } catch (const saltus::exception &e) {
        thrown = e.code() == SALTUS_NOTHING;
    }
    CHECK(thrown);
#endif
}

static void callbacks(const saltus::domain &domain) {
    auto dispatcher = saltus::dispatcher::open().value();
    int first = 0;
    int second = 0;
    const auto id = dispatcher.on(domain, "called", saltus::mode::next(10), [&](saltus::message) { first++; }).value();
    dispatcher
        .on(domain, "called", saltus::mode::next(10),
            [&second, owned = std::make_unique<int>(2)](saltus::message m) {
                second += *owned;
                return m.text() == "stop" ? saltus::then::stop : saltus::then::go_on;
            })
        .value();
    auto publisher = domain.publisher("called").value();
    CHECK(publisher.publish("go on"));
    while (failures == 0 && (first < 1 || second < 2)) {
        CHECK(dispatcher.handle(20s));
    }
    CHECK(first == 1 && second == 2);
    CHECK(dispatcher.unsubscribe(id));
    CHECK(dispatcher.unsubscribe(id).code() == SALTUS_NOT_FOUND);
    CHECK(publisher.publish("stop"));
    auto moved = std::move(dispatcher);
    CHECK(moved.run() && first == 1 && second == 4);
    const auto nothing = [](saltus::message) {};
    CHECK(dispatcher.run().code() == SALTUS_INVALID && dispatcher.handle(saltus::poll).code() == SALTUS_INVALID);
    CHECK(dispatcher.on(domain, "called", saltus::mode::newest(), nothing).code() == SALTUS_INVALID);
    CHECK(dispatcher.unsubscribe(id).code() == SALTUS_INVALID);
    // Who is not called any more is let go, with what it holds.
    const auto held = std::make_shared<int>(0);
    const auto from = saltus::mode::newest().from_now();
    const auto ended = moved.on(domain, "held", from, [held](saltus::message) {}).value();
    moved.on(domain, "held", from, [held](saltus::message) { return saltus::then::unsubscribe_and_stop; }).value();
    CHECK(held.use_count() == 3 && moved.unsubscribe(ended) && held.use_count() == 2);
    CHECK(domain.publisher("held").value().publish("once") && moved.run() && held.use_count() == 1);
    CHECK(moved.handle(saltus::poll).nothing() && moved.fd().value() >= 0);
    std::thread thread([&] { moved.cancel(); });
    CHECK(moved.run());
    thread.join();
#if SALTUS_EXCEPTIONS
    moved.cancel_reset();
    moved
        .on(domain, "thrown", saltus::mode::next(10), [](saltus::message) { throw std::runtime_error("mine"); })
        .value();
    CHECK(domain.publisher("thrown").value().publish("x"));
    try {
        (void)moved.run();
        CHECK(false);
    } catch (const std::runtime_error &e) {
        CHECK(std::string(e.what()) == "mine");
    }
    try {
        saltus::domain::open("pigeon://").value();
        CHECK(false);
    } catch (const saltus::exception &e) {
        CHECK(e.code() == SALTUS_NO_PROVIDER && std::string(e.what()).find("pigeon") != std::string::npos);
    }
#endif
}

static void logs(const std::string &directory) {
    const std::string path = directory + "/cpp.mcap";
    const saltus::log_time start = std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
    auto writer = saltus::log_writer::create(path, SALTUS_LOG_MCAP).value();
    CHECK(saltus::log_writer::create(path).code() == SALTUS_EXISTS);
    CHECK(writer.describe<number>());
    for (int i = 0; i < 10; i++) {
        CHECK(writer.write("n", std::to_string(i), start + i * 1s));
    }
    CHECK(writer.flush() && writer.finish() && writer.finish().code() == SALTUS_INVALID);
    auto log = saltus::log::open(path).value();
    CHECK(log.size().value() == 10 && log.seek(start + 4500ms).value() == 5);
    CHECK(log.next()->text() == "5" && log.previous()->time() == start + 5s);
    CHECK(log.seek(0) && log.previous().nothing() && log.next()->channel() == "n");
    CHECK(saltus::log::open(directory + "/gone").code() == SALTUS_NOT_FOUND);
    CHECK(saltus::log::open(nullptr).code() == SALTUS_INVALID && saltus::log_writer::create(nullptr).code() == SALTUS_INVALID);
    auto none = saltus::log_writer::create(directory + "/none.mcap").value();
    CHECK(none.write(nullptr, "x", start).code() == SALTUS_INVALID && none.write("n", nullptr, start).code() == SALTUS_INVALID);
}

static_assert(saltus::until(0s).raw() == SALTUS_POLL && saltus::until(-1s).raw() == SALTUS_POLL);
static_assert(saltus::until(5us).raw() == SALTUS_AFTER(5000));
static_assert(saltus::until(std::chrono::hours::max()).raw() == SALTUS_FOREVER);
static_assert(saltus::until(std::chrono::steady_clock::time_point()).raw() == 1);
static_assert(!std::is_copy_constructible_v<saltus::domain> && std::is_nothrow_move_constructible_v<saltus::domain>);

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    channels_in_shared_memory();
    channels_made_anew();
    results();
    for (const char *url : {static_cast<const char *>(nullptr), "mem://"}) {
        const auto domain = saltus::domain::open(url).value();
        domains(domain, url == nullptr);
        types(domain, url == nullptr);
        types_of_lcm(domain);
        callbacks(domain);
    }
    logs(argv[1]);
    if (failures == 0) {
        std::puts("done");
    }
    return failures != 0;
}
