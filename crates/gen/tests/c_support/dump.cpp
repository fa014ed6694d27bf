// Encodes the message of the guide and prints it in hexadecimal.
#include "t/all/all_t.hpp"

#include <cstdio>

int main() {
    t::all::all_t m;
    m.a = -2;
    m.b = -300;
    m.c = -70000;
    m.d = 0x0102030405060708;
    m.e = 254;
    m.f = 1.5f;
    m.g = -2.25;
    m.h = "h\303\251";
    m.i = 1;
    m.arr = {1, 2, 3};
    m.inn[0].s = 7;
    m.inn[0].name = "x";
    m.inn[1].s = 8;
    m.md = {{10, 11}, {20, 21}};
    m.blob[0] = 1;
    m.blob[1] = 2;
    m.blob[2] = 255;
    m.strs = {"a", "bc"};
    m.bs = {1, 0};
    m.set_sizes();
    unsigned char bytes[200];
    const int size = m.encode(bytes, 0, sizeof bytes);
    if (size != m.getEncodedSize()) {
        return 1;
    }
    for (int i = 0; i < size; i++) {
        std::printf("%02x", static_cast<unsigned>(bytes[i]));
    }
    std::printf("\n");
    return t::all::all_t::FINGERPRINT == 0xa674f90e5b68fdfa ? 0 : 2;
}
