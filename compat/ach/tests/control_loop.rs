//! What a control loop calls allocates nothing, whatever it returns.

#[path = "../../../bindings/c/tests/support/counting.rs"]
mod counting;
mod support;

use ach::*;
use counting::ASKED;
use std::ptr::{null, null_mut};
use support::*;

#[test]
fn nothing_is_allocated_in_a_control_loop() {
    TestDomain::of_this_process();
    for clock in [libc::CLOCK_MONOTONIC, libc::CLOCK_REALTIME] {
        // SAFETY: structures and strings that live across the calls.
        unsafe {
            let mut attr = AchCreateAttr { words: [0; 16] };
            ach_create_attr_init(&mut attr);
            assert_eq!(ach_create_attr_set_clock(&mut attr, clock), ACH_OK);
            assert_eq!(ach_create(c"loop".as_ptr(), 4, 64, &mut attr), ACH_OK);
        }
        let (mut writer, mut reader) = (Channel::open("loop"), Channel::open("loop"));
        // The first message of a publisher opens it here, and is mapped there.
        assert_eq!((writer.put(&[1; 64]), reader.get(0).0), (ACH_OK, ACH_OK));
        let (mut buf, mut len) = ([0u8; 256], 0);
        let (at, room) = (buf.as_mut_ptr().cast(), buf.len());
        let soon = libc::timespec { tv_sec: 0, tv_nsec: 100_000 };
        let wrong = libc::timespec { tv_sec: 0, tv_nsec: -1 };
        let (w, r) = (writer.at(), reader.at());
        let wait = ACH_O_WAIT | ACH_O_RELTIME;
        for round in 0..1000 {
            let before = ASKED.get();
            // SAFETY: open handles, a buffer, and structures that live across the calls.
            let done = unsafe {
                [
                    ach_put(w, at, 64),
                    ach_get(r, at, room, &mut len, null(), 0),
                    ach_get(r, at, room, &mut len, null(), ACH_O_COPY),
                    ach_get(r, at, 3, &mut len, null(), ACH_O_COPY | ACH_O_LAST),
                    ach_get(r, at, room, &mut len, null(), ACH_O_LAST),
                    ach_get(r, at, room, &mut len, &soon, wait),
                    ach_get(r, at, room, &mut len, &wrong, ACH_O_WAIT),
                    ach_put(w, at, 257),
                    ach_put(w, null(), 1),
                    ach_put(w, at, 256),
                    ach_put(w, at, 1),
                    ach_get(r, at, 1, &mut len, null(), 0),
                    ach_get(r, at, room, &mut len, &soon, wait | ACH_O_LAST),
                    ach_put(w, at, 1),
                    ach_flush(r),
                    ach_cancel(r, null()),
                    ach_get(r, at, room, &mut len, null(), ACH_O_WAIT),
                    ach_get(null_mut(), at, room, &mut len, null(), 0),
                ]
            };
            // SAFETY: programs write the field like this.
            unsafe { (*r).fields.cancel = 0 };
            assert_eq!(ASKED.get(), before, "round {round}: {done:?}");
            let expected = [
                ACH_OK,
                ACH_OK,
                ACH_OK,
                ACH_OVERFLOW,
                ACH_STALE_FRAMES,
                ACH_TIMEOUT,
                ACH_FAILED_SYSCALL,
                ACH_OVERFLOW,
                ACH_EINVAL,
                ACH_OK,
                ACH_OK,
                ACH_OVERFLOW,
                ACH_MISSED_FRAME,
                ACH_OK,
                ACH_OK,
                ACH_OK,
                ACH_CANCELED,
                ACH_EINVAL,
            ];
            assert_eq!(done, expected, "round {round}");
        }
        drop((writer, reader));
        assert_eq!(unlink("loop"), ACH_OK);
    }
    // On request, not even the first put does.
    // SAFETY: this test is alone in its process.
    unsafe { std::env::set_var("SALTUS_ACH_EAGER", "1") };
    assert_eq!(create("eager", 4, 64), ACH_OK);
    let mut writer = Channel::open("eager");
    let before = ASKED.get();
    assert_eq!((writer.put(&[1; 64]), ASKED.get()), (ACH_OK, before));
    drop(writer);
    assert_eq!(unlink("eager"), ACH_OK);
}
