// The plain layout in C: built in a buffer, looked at, and refused where it is another.
#include "check.h"
#include "geo_pair_t_plain.h"
#include "t_all_fixed_t_plain.h"

#include <string.h>

int main(void) {
    unsigned char *room = aligned_alloc(64, 4096);
    CHECK(room != NULL && sizeof(t_all_fixed_t_plain) < 4000);
    memset(room, 0xa5, 4096);
    const size_t size = T_ALL_FIXED_T_PLAIN_SIZE;
    CHECK(size == 8 + sizeof(t_all_fixed_t_plain));
    CHECK(t_all_fixed_t_plain_place(room, size - 1) == NULL);
    CHECK(t_all_fixed_t_plain_place(room + 4, 4000) == NULL);
    CHECK(t_all_fixed_t_plain_place(NULL, size) == NULL);
    t_all_fixed_t_plain *p = t_all_fixed_t_plain_place(room, size);
    CHECK(p != NULL);
    CHECK((unsigned char *)p == room + 8);
    for (size_t i = 8; i < size; i++) {
        CHECK(room[i] == 0);
    }
    CHECK(room[size] == 0xa5);
    p->b = -5;
    p->pair[1].grid[1][2] = 0.5;
    p->last = 7;

    CHECK(t_all_fixed_t_plain_check(room, size) == SALTUS_PLAIN_OK);
    const t_all_fixed_t_plain *seen = t_all_fixed_t_plain_look(room, size);
    CHECK(seen == p && seen->b == -5 && seen->pair[1].grid[1][2] == 0.5 && seen->last == 7);
    CHECK(t_all_fixed_t_plain_check(room, size - 1) == SALTUS_PLAIN_TOO_SHORT);
    CHECK(t_all_fixed_t_plain_look(room, size - 1) == NULL);
    CHECK(t_all_fixed_t_plain_check(room, 7) == SALTUS_PLAIN_TOO_SHORT);
    CHECK(geo_pair_t_plain_check(room, size) == SALTUS_PLAIN_OTHER_LAYOUT);
    CHECK(geo_pair_t_plain_look(room, size) == NULL);
    memmove(room + 1, room, size);
    CHECK(t_all_fixed_t_plain_check(room + 1, size) == SALTUS_PLAIN_MISALIGNED);
    free(room);
    puts("done");
    return 0;
}
