// A size field that disagrees with an array is an error, never a read beyond a vector. The plain layout of C++.
#include "check.h"
#include "geo/pair_t_plain.hpp"
#include "odd/class_/names_t.hpp"
#include "t/all/brief_t.hpp"
#include "t/all/consts_t.hpp"
#include "t/all/fixed_t_plain.hpp"
#include "t/all/jagged_t.hpp"
#include "t/all/ping_t.hpp"
#include "t/all/scan_t.hpp"

#include <cmath>
#include <cstring>
#include <string>

static void sizes() {
    unsigned char buf[4096];
    t::all::scan_t scan;
    CHECK(scan.encode(buf, 0, sizeof buf) == scan.getEncodedSize());
    scan.ranges = {1.0f, 2.0f};
    for (const int wrong : {-1, 0, 1, 3, 2147483647}) {
        scan.nranges = wrong;
        std::memset(buf, 0xff, sizeof buf);
        CHECK(scan.encode(buf, 0, sizeof buf) == -1);
        // What was written cannot be taken for a message.
        t::all::scan_t other;
        CHECK(other.decode(buf, 0, sizeof buf) == -1);
    }
    scan.set_sizes();
    CHECK(scan.nranges == 2 && scan.nintensities == 0);
    CHECK(scan.encode(buf, 0, sizeof buf) == scan.getEncodedSize());

    t::all::jagged_t jagged;
    CHECK(jagged.encode(buf, 0, sizeof buf) == jagged.getEncodedSize());
    jagged.tiny = {1, 2};
    jagged.m1 = {{1, 2, 3}, {4, 5, 6}};
    jagged.m3 = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    jagged.in2 = {{{}, {}, {}}, {{}, {}, {}}};
    jagged.s2 = {{"a", "b"}, {"c", "d"}, {"e", "f"}};
    jagged.m2 = {{1, 2}, {3, 4}};
    jagged.p2 = {{{}, {}, {}}, {{}, {}, {}}};
    jagged.e2 = {{{}, {}}, {{}, {}}};
    jagged.cube = {{{}, {}, {}}, {{}, {}, {}}};
    jagged.set_sizes();
    CHECK(jagged.a == 2 && jagged.b == 3 && jagged.d == 0);
    CHECK(jagged.encode(buf, 0, sizeof buf) == jagged.getEncodedSize());
    jagged.m1[1].pop_back(); // rows of different sizes
    CHECK(jagged.encode(buf, 0, sizeof buf) == -1);
    jagged.m1[1].push_back(6);
    jagged.m3[0].pop_back(); // not the 3 that the type says
    CHECK(jagged.encode(buf, 0, sizeof buf) == -1);
    jagged.m3[0].push_back(3);
    jagged.s2[0][0] = std::string("a\0b", 3);
    CHECK(jagged.encode(buf, 0, sizeof buf) == -1);

    // More than a size field can say is not cut to some other number.
    for (const std::size_t many : {127u, 128u, 300u}) {
        t::all::brief_t brief;
        brief.data.resize(many);
        brief.set_sizes();
        CHECK(brief.n == 127);
        CHECK(brief.encode(buf, 0, sizeof buf) == (many > 127 ? -1 : 8 + 1 + 127));
    }

    // In structs of structs too.
    t::all::ping_t ping;
    ping.pongs.resize(2);
    ping.pongs[1].pings.resize(1);
    ping.pongs[1].pings[0].resize(3);
    ping.set_sizes();
    CHECK(ping.n == 2 && ping.pongs[1].n == 1 && ping.pongs[1].m == 3);
    CHECK(ping.encode(buf, 0, sizeof buf) == ping.getEncodedSize());
}

static void plain() {
    using pair = geo::pair_t_plain;
    alignas(64) unsigned char room[saltus::plain::message_size<pair> + 1];
    CHECK(saltus::plain::place<pair>(room, sizeof(pair) + 7) == nullptr);
    CHECK(saltus::plain::place<pair>(room + 1, sizeof room - 1) == nullptr);
    pair *p = saltus::plain::place<pair>(room, sizeof room);
    CHECK(p != nullptr);
    p->b[1].z = 2.5;
    const pair *seen = saltus::plain::look<pair>(room, sizeof room);
    CHECK(seen != nullptr && seen->b[1].z == 2.5 && seen->a.x == 0.0);
    CHECK(saltus::plain::check<pair>(room, sizeof(pair) + 7) == SALTUS_PLAIN_TOO_SHORT);
    CHECK(saltus::plain::check<t::all::fixed_t_plain>(room, sizeof room) == SALTUS_PLAIN_OTHER_LAYOUT);
    CHECK(saltus::plain::check<pair>(nullptr, 0) == SALTUS_PLAIN_TOO_SHORT);
}

int main() {
    sizes();
    plain();
    CHECK(std::string(t::all::scan_t::getTypeName()) == "scan_t");
    CHECK(std::string(t::all::scan_t::FULL_NAME) == "t.all.scan_t");
    CHECK(std::string(t::all::scan_t::SCHEMA).find("struct scan_t") != std::string::npos);
    CHECK(static_cast<std::uint64_t>(t::all::scan_t::getHash()) == t::all::scan_t::FINGERPRINT);
    static_assert(t::all::consts_t::MOST > 1e308 && t::all::consts_t::LEAST < -1e308);
    static_assert(t::all::consts_t::MOST_F > 3e38f && t::all::consts_t::LEAST_F < -3e38f);
    CHECK(std::isnan(t::all::consts_t::NONE) && std::isnan(t::all::consts_t::NONE_F));
    CHECK(odd::class_::names_t::operator_ == 3);
    puts("done");
    return 0;
}
