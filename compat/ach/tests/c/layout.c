/* Structures and values as programs that were compiled against Ach 2.0.0 have them, on 64-bit machines. */
#include <ach.h>
#include <stdio.h>

#define SAME(what, value) _Static_assert((what) == (value), #what)

SAME(sizeof(ach_channel_t), 128);
SAME(sizeof(ach_attr_t), 64);
SAME(sizeof(ach_create_attr_t), 128);
SAME(sizeof(ach_cancel_attr_t), 64);
#if UINTPTR_MAX > 0xffffffff
SAME(offsetof(ach_channel_t, shm), 0);
SAME(offsetof(ach_channel_t, len), 8);
SAME(offsetof(ach_channel_t, fd), 16);
SAME(offsetof(ach_channel_t, seq_num), 24);
SAME(offsetof(ach_channel_t, k_opts), 24);
SAME(offsetof(ach_channel_t, next_index), 48);
SAME(offsetof(ach_channel_t, clock), 56);
SAME(offsetof(ach_channel_t, cancel), 60);
SAME(offsetof(ach_channel_t, vtab), 64);
SAME(offsetof(ach_channel_t, fd_source_lock), 72);
SAME(offsetof(ach_attr_t, map), 0);
SAME(offsetof(ach_attr_t, map_anon), 0);
SAME(offsetof(ach_attr_t, shm), 8);
SAME(offsetof(ach_create_attr_t, map), 0);
SAME(offsetof(ach_create_attr_t, shm), 8);
SAME(offsetof(ach_create_attr_t, clock), 16);
#endif
SAME(ACH_OK, 0);
SAME(ACH_OVERFLOW, 1);
SAME(ACH_INVALID_NAME, 2);
SAME(ACH_BAD_SHM_FILE, 3);
SAME(ACH_FAILED_SYSCALL, 4);
SAME(ACH_EAGAIN, 5);
SAME(ACH_STALE_FRAMES, 5);
SAME(ACH_LOCKED, 5);
SAME(ACH_MISSED_FRAME, 6);
SAME(ACH_TIMEOUT, 7);
SAME(ACH_EEXIST, 8);
SAME(ACH_ENOENT, 9);
SAME(ACH_CLOSED, 10);
SAME(ACH_BUG, 11);
SAME(ACH_EINVAL, 12);
SAME(ACH_CORRUPT, 13);
SAME(ACH_BAD_HEADER, 14);
SAME(ACH_EACCES, 15);
SAME(ACH_CANCELED, 16);
SAME(ACH_EFAULT, 17);
SAME(ACH_EINTR, 18);
SAME(ACH_ENOTSUP, 19);
SAME(ACH_O_NONBLOCK | ACH_O_FIRST | ACH_O_ABSTIME, 0);
SAME(ACH_O_WAIT, 1);
SAME(ACH_O_LAST, 2);
SAME(ACH_O_COPY, 4);
SAME(ACH_O_RELTIME, 8);
SAME(ACH_MAP_DEFAULT, 0);
SAME(ACH_MAP_ANON, 1);
SAME(ACH_MAP_USER, 2);
SAME(ACH_MAP_KERNEL, 3);
SAME(ACH_CHAN_NAME_MAX, 64);
SAME(ACH_DEFAULT_CLOCK, CLOCK_MONOTONIC);
SAME(ACH_MASK_ENOTSUP, 1 << 19);
SAME(ACH_STATUS_MASK(ACH_TIMEOUT), ACH_MASK_TIMEOUT);

int main(void) {
    /* Bits, whose places offsetof does not know. */
    ach_create_attr_t create = {.reserved = {0}};
    create.truncate = 1;
    if (((unsigned char *)&create)[20] != 1) return 1;
    create.set_clock = 1;
    if (((unsigned char *)&create)[20] != 3) return 2;
    ach_attr_t attr = {.reserved_size = {0}};
    attr.lock_source = 1;
    if (((unsigned char *)&attr)[16] != 1) return 3;
    ach_cancel_attr_t cancel = {.reserved = {0}};
    cancel.async_unsafe = 1;
    if (((unsigned char *)&cancel)[0] != 1) return 4;
    for (int status = 0; status < 19; status++) {
        enum ach_mask one = ach_status_mask((enum ach_status)status);
        if (2 * one != ach_status_mask((enum ach_status)(status + 1))) return 5;
        if (!ach_status_match((enum ach_status)status, one)) return 6;
        if (ach_status_match((enum ach_status)(status + 1), one)) return 7;
        if (!ach_status_match((enum ach_status)status, ACH_MASK_ALL)) return 8;
    }
    puts("done");
    return 0;
}
