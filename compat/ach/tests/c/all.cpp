// The header in C++, as hubo-ach's programs use it: statuses in int, attributes on the stack.
#include <ach.h>
#include <cstdio>
#include <cstring>

int main() {
    ach_create_attr_t create;
    ach_create_attr_init(&create);
    int r = ach_create("cpp", 10, 64, &create);
    if (r != ACH_OK) return 1;
    ach_channel_t chan;
    r = ach_open(&chan, "cpp", nullptr);
    if (r != ACH_OK) return 2;
    const char text[] = "tilt 0.02";
    r = ach_put(&chan, text, sizeof text);
    if (r != ACH_OK) return 3;
    char buf[64];
    std::size_t len = 0;
    r = ach_get(&chan, buf, sizeof buf, &len, nullptr, ACH_O_LAST);
    if (r != ACH_OK || len != sizeof text || std::strcmp(buf, text) != 0) return 4;
    if (!ach_status_match(static_cast<ach_status_t>(r), ACH_MASK_OK)) return 5;
    if (ach_close(&chan) != ACH_OK || ach_unlink("cpp") != ACH_OK) return 6;
    std::puts("done");
}
