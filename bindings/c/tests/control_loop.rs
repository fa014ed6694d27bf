//! Functions marked "For control loops" allocate nothing, whatever they return.

#[path = "support/counting.rs"]
mod counting;
mod support;

use counting::ASKED;
use saltus::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};
use support::*;

#[test]
fn nothing_is_allocated_in_a_control_loop() {
    let domain = TestDomain::new();
    let url = CString::new(domain.url()).unwrap();
    let (mut channel, mut publisher, mut subscriber) = (none(), none(), none());
    let mut codes = [0u32; 128];
    let (mut buf, mut room, mut message, mut len) = ([0u8; 512], null_mut(), null(), 0);
    let (mut info, mut index, mut received, mut missed) = (SaltusMessageInfo::default(), 0, 0, 0);
    let buffer = buf.as_mut_ptr().cast();
    let soon = SOON;
    // SAFETY: calls that C would make, with pointers to live locals.
    unsafe {
        assert_eq!(saltus_channel_create(url.as_ptr(), c"loop".as_ptr(), null(), &mut channel), SALTUS_OK);
        assert_eq!(saltus_channel_publisher_open(channel, &mut publisher), SALTUS_OK);
        assert_eq!(saltus_channel_subscriber_open(channel, null(), &mut subscriber), SALTUS_OK);
        assert!(ASKED.get() > 0, "opening does allocate, and is counted");
        for round in 0..1000 {
            let before = ASKED.get();
            let done = [
                saltus_channel_publish(publisher, buffer, 64, null_mut()),
                saltus_channel_publish(publisher, buffer, 513, null_mut()),
                saltus_channel_loan(publisher, 256, &mut room),
                saltus_channel_publish(publisher, buffer, 64, null_mut()),
                saltus_channel_loan_publish(publisher, 128, null_mut()),
                saltus_channel_loan(publisher, 256, &mut room),
                saltus_channel_loan_abandon(publisher),
                saltus_channel_wait_any(&subscriber, 1, soon, &mut index),
                saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_POLL, buffer, 1, &mut info),
                saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_POLL, buffer, 512, &mut info),
                saltus_channel_view(subscriber, SALTUS_NEXT, SALTUS_POLL, &mut message, &mut len),
                saltus_channel_validate(subscriber, &mut info),
                saltus_channel_validate(subscriber, &mut info),
                saltus_channel_receive(subscriber, SALTUS_NEWEST, SALTUS_POLL, buffer, 512, &mut info),
                saltus_channel_receive(subscriber, SALTUS_CURRENT, SALTUS_POLL, buffer, 512, &mut info),
                saltus_channel_receive(subscriber, SALTUS_NEWEST, soon, buffer, 512, &mut info),
                saltus_channel_receive(none(), SALTUS_NEWEST, soon, buffer, 512, &mut info),
                saltus_channel_wait_any(&subscriber, 1, soon, &mut index),
                saltus_channel_cancel(subscriber),
                saltus_channel_receive(subscriber, SALTUS_NEWEST, soon, buffer, 512, &mut info),
                saltus_channel_cancel_reset(subscriber),
                saltus_channel_seek_oldest(subscriber),
                saltus_channel_flush(subscriber),
                saltus_channel_counts(subscriber, &mut received, &mut missed),
            ];
            let asked = ASKED.get() - before;
            assert!(
                asked == 0,
                "round {round}: {asked} times memory was asked for or given back; codes {done:?}"
            );
            for code in done {
                codes[(code as i32 + 1) as usize] += 1;
            }
        }
        assert_eq!(saltus_channel_unlink(url.as_ptr(), c"loop".as_ptr()), SALTUS_OK);
        let before = ASKED.get();
        let done = [
            saltus_channel_publish(publisher, buffer, 64, null_mut()),
            saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_FOREVER, buffer, 512, &mut info),
        ];
        assert_eq!((done, ASKED.get()), ([SALTUS_RETIRED; 2], before), "the end of a channel");
        saltus_channel_subscriber_close(subscriber);
        saltus_channel_publisher_close(publisher);
        saltus_channel_close(channel);
    }
    // All of it happened: of 24 calls a round, these many returned what.
    let rounds = |code: SaltusError| codes[(code as i32 + 1) as usize] / 1000;
    let (nothing, small, long) = (rounds(SALTUS_NOTHING), rounds(SALTUS_TOO_SMALL), rounds(SALTUS_TOO_LONG));
    assert_eq!((nothing, small, long, rounds(SALTUS_CANCELED), rounds(SALTUS_INVALID)), (3, 1, 1, 1, 3));
    // Going back makes unseen again what was kept of the two messages of each round so far, at most 16.
    let again: u64 = (1..=1000).map(|round| (2 * round).min(16)).sum();
    assert_eq!((rounds(SALTUS_OK), received + missed), (15, 2000 + again));
}

/// SALTUS_AFTER(100000).
const SOON: u64 = 100_000 | 1 << 63;
