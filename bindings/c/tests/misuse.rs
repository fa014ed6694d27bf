//! What a C program may do wrong gets a code and a sentence, never a crash; and errors are those of Rust.

mod support;

use saltus::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::thread;
use support::*;

/// A channel of its own with a publisher and a subscriber, as C has them.
struct Setup {
    domain: TestDomain,
    url: CString,
    channel: SaltusChannel,
    publisher: SaltusChannelPublisher,
    subscriber: SaltusChannelSubscriber,
}

const NAME: *const c_char = c"imu".as_ptr();

impl Setup {
    fn new(max_message_size: u64) -> Setup {
        let domain = TestDomain::new();
        let url = CString::new(domain.url()).unwrap();
        let (mut channel, mut publisher, mut subscriber) = (none(), none(), none());
        let mut attributes = blank_attributes();
        // SAFETY: strings with an end, and places for handles that live here; each handle is open when it is used.
        unsafe {
            ok(saltus_attributes_init(&mut attributes, size_of_val(&attributes)));
            attributes.max_message_size = max_message_size;
            ok(saltus_channel_create(url.as_ptr(), NAME, &attributes, &mut channel));
            ok(saltus_channel_publisher_open(channel, &mut publisher));
            ok(saltus_channel_subscriber_open(channel, null(), &mut subscriber));
        }
        Setup { domain, url, channel, publisher, subscriber }
    }
    fn publish(&self, message: &[u8]) -> SaltusError {
        // SAFETY: an open handle of this thread, and a message of that length.
        unsafe { saltus_channel_publish(self.publisher, message.as_ptr().cast(), message.len(), null_mut()) }
    }
    fn receive(&self, which: c_int, until: u64, buf: &mut [u8]) -> (SaltusError, SaltusMessageInfo) {
        let mut info = SaltusMessageInfo { len: 77, ..Default::default() };
        let buffer = buf.as_mut_ptr().cast();
        // SAFETY: an open handle of this thread, a buffer of that length, and room for a info.
        let code =
            unsafe { saltus_channel_receive(self.subscriber, which, until, buffer, buf.len(), &mut info) };
        (code, info)
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        // SAFETY: open handles, each closed once.
        unsafe {
            saltus_channel_subscriber_close(self.subscriber);
            saltus_channel_publisher_close(self.publisher);
            saltus_channel_close(self.channel);
        }
    }
}

/// Attributes as C has them before the init function.
fn blank_attributes() -> SaltusAttributes {
    // SAFETY: a C struct of numbers, for which all zeros is a value.
    unsafe { std::mem::zeroed() }
}

fn named(name: *const c_char, schema: *const c_char) -> SaltusType {
    SaltusType { name, fingerprint: 1, schema }
}

unsafe extern "C" fn never(_: *const SaltusType, _: *mut c_void) -> c_int {
    panic!("called")
}

#[test]
fn null_is_an_error_everywhere() {
    let s = Setup::new(512);
    let (url, channel, publisher, subscriber) = (s.url.as_ptr(), s.channel, s.publisher, s.subscriber);
    let (mut c, mut p, mut r) = (SaltusChannel::default(), none(), none());
    let (mut room, mut message, mut len, mut fd) = (null_mut::<c_void>(), null(), 0usize, 0);
    let (mut about, mut number) = (SaltusMessageInfo::default(), 0u64);
    let mut byte = 0u8;
    let here: *mut c_void = (&raw mut byte).cast();
    let with_none = [subscriber, none()];
    let mut attributes = blank_attributes();
    // SAFETY: a C struct of numbers, for which all zeros is a value.
    let mut info = unsafe { std::mem::zeroed::<SaltusInfo>() };
    // SAFETY: NULL is what is tried, and every function promises to refuse it; all other pointers lead to live locals
    // or open handles.
    let calls: Vec<(&str, SaltusError)> = unsafe {
        vec![
            ("attributes_init", saltus_attributes_init(null_mut(), 56)),
            ("options_init", saltus_channel_options_init(null_mut(), 40)),
            ("create name", saltus_channel_create(url, null(), null(), &mut c)),
            ("create out", saltus_channel_create(url, c"x".as_ptr(), null(), null_mut())),
            ("open_or_create name", saltus_channel_open_or_create(url, null(), null(), &mut c)),
            ("open_or_create out", saltus_channel_open_or_create(url, c"x".as_ptr(), null(), null_mut())),
            ("replace name", saltus_channel_replace(url, null(), null(), &mut c)),
            ("replace out", saltus_channel_replace(url, c"x".as_ptr(), null(), null_mut())),
            ("open name", saltus_channel_open(url, null(), &mut c)),
            ("open out", saltus_channel_open(url, NAME, null_mut())),
            ("wait_for name", saltus_channel_wait_for(url, null(), SALTUS_POLL, &mut c)),
            ("wait_for out", saltus_channel_wait_for(url, NAME, SALTUS_POLL, null_mut())),
            ("unlink", saltus_channel_unlink(url, null())),
            ("channel_attributes", saltus_channel_attributes(none(), &mut attributes, 56)),
            ("channel_attributes out", saltus_channel_attributes(channel, null_mut(), 56)),
            ("channel_info", saltus_channel_info(none(), &mut info, 80)),
            ("channel_info out", saltus_channel_info(channel, null_mut(), 80)),
            ("descriptions", saltus_channel_descriptions(none(), Some(never), null_mut())),
            ("descriptions each", saltus_channel_descriptions(channel, None, null_mut())),
            ("publisher_open", saltus_channel_publisher_open(none(), &mut p)),
            ("publisher_open out", saltus_channel_publisher_open(channel, null_mut())),
            ("publish", saltus_channel_publish(none(), here, 1, null_mut())),
            ("describe", saltus_channel_describe(none(), &named(NAME, NAME))),
            ("describe type", saltus_channel_describe(publisher, null())),
            ("describe no name", saltus_channel_describe(publisher, &named(null(), NAME))),
            ("describe no schema", saltus_channel_describe(publisher, &named(NAME, null()))),
            ("publish message", saltus_channel_publish(publisher, null(), 1, null_mut())),
            ("loan", saltus_channel_loan(none(), 1, &mut room)),
            ("loan out", saltus_channel_loan(publisher, 1, null_mut())),
            ("loan_publish", saltus_channel_loan_publish(none(), 1, null_mut())),
            ("loan_abandon", saltus_channel_loan_abandon(none())),
            ("subscriber_open", saltus_channel_subscriber_open(none(), null(), &mut r)),
            ("subscriber_open out", saltus_channel_subscriber_open(channel, null(), null_mut())),
            ("flush", saltus_channel_flush(none())),
            ("seek_oldest", saltus_channel_seek_oldest(none())),
            ("counts", saltus_channel_counts(none(), &mut number, &mut number)),
            ("counts received", saltus_channel_counts(subscriber, null_mut(), &mut number)),
            ("counts missed", saltus_channel_counts(subscriber, &mut number, null_mut())),
            ("receive", saltus_channel_receive(none(), SALTUS_NEXT, SALTUS_POLL, here, 1, &mut about)),
            ("receive buffer", saltus_channel_receive(subscriber, SALTUS_NEXT, 0, null_mut(), 1, &mut about)),
            ("receive info", saltus_channel_receive(subscriber, SALTUS_NEXT, 0, here, 1, null_mut())),
            ("view", saltus_channel_view(none(), SALTUS_NEXT, SALTUS_POLL, &mut message, &mut len)),
            ("view message", saltus_channel_view(subscriber, SALTUS_NEXT, SALTUS_POLL, null_mut(), &mut len)),
            ("view len", saltus_channel_view(subscriber, SALTUS_NEXT, SALTUS_POLL, &mut message, null_mut())),
            ("validate", saltus_channel_validate(none(), &mut about)),
            ("validate info", saltus_channel_validate(subscriber, null_mut())),
            ("wait_any", saltus_channel_wait_any(null(), 1, SALTUS_POLL, &mut len)),
            ("wait_any one", saltus_channel_wait_any(with_none.as_ptr(), 2, SALTUS_POLL, &mut len)),
            ("wait_any out", saltus_channel_wait_any(&s.subscriber, 1, SALTUS_POLL, null_mut())),
            ("event_fd", saltus_channel_event_fd(none(), &mut fd)),
            ("event_fd out", saltus_channel_event_fd(subscriber, null_mut())),
            ("cancel", saltus_channel_cancel(none())),
            ("cancel_reset", saltus_channel_cancel_reset(none())),
        ]
    };
    for (call, code) in calls {
        assert_eq!(code, SALTUS_INVALID, "{call}");
    }
    // SAFETY: closing what is not open does nothing.
    unsafe {
        ok(saltus_channel_close(none()));
        ok(saltus_channel_publisher_close(none()));
        ok(saltus_channel_subscriber_close(none()));
    }
    assert_eq!((c, p, r, room, message, fd), (none(), none(), none(), null_mut(), null(), -1));
    assert_eq!(s.domain.list(), ["imu"], "nothing was made on the way");
    // And all of it is as usable as before.
    ok(s.publish(b"x"));
    assert_eq!(s.receive(SALTUS_NEXT, SALTUS_POLL, &mut [0; 1]).0, SALTUS_OK);
}

#[test]
fn null_where_it_has_a_meaning() {
    let s = Setup::new(512);
    let mut info = SaltusMessageInfo::default();
    // SAFETY: open handles; NULL is allowed for what has no bytes.
    unsafe {
        ok(saltus_channel_publish(s.publisher, null(), 0, null_mut()));
        ok(saltus_channel_receive(s.subscriber, SALTUS_NEXT, SALTUS_POLL, null_mut(), 0, &mut info));
    }
    assert_eq!((info.len, info.seq), (0, 1));
}

#[test]
fn a_small_buffer_reports_the_size_and_keeps_the_position() {
    let s = Setup::new(512);
    ok(s.publish(b"twelve bytes"));
    let (code, info) = s.receive(SALTUS_NEXT, SALTUS_POLL, &mut [0; 11]);
    assert_eq!((code, info), (SALTUS_TOO_SMALL, SaltusMessageInfo { len: 12, ..Default::default() }));
    assert_eq!(last(), "the message has 12 B, the buffer only 11 B: call again with a larger one");
    let mut buf = [0; 12];
    let (code, info) = s.receive(SALTUS_NEXT, SALTUS_POLL, &mut buf);
    assert_eq!((code, info.len, info.seq, info.missed), (SALTUS_OK, 12, 1, 0));
    assert_eq!(&buf, b"twelve bytes");
    assert_eq!(s.receive(SALTUS_NEXT, SALTUS_POLL, &mut buf), (SALTUS_NOTHING, SaltusMessageInfo::default()));
    assert_eq!(s.receive(SALTUS_CURRENT, SALTUS_POLL, &mut buf).1.seq, 1);
}

#[test]
fn too_long() {
    let s = Setup::new(64);
    assert_eq!(s.publish(&[0; 65]), SALTUS_TOO_LONG);
    assert!(last().contains("`imu` holds messages of up to 64 B; this one has 65 B"), "{}", last());
    let (mut room, message) = (null_mut(), c"x".as_ptr().cast());
    // SAFETY: open handles. No message has `usize::MAX` bytes: the length is refused before the bytes are looked at. What
    // is borrowed is not written.
    unsafe {
        assert_eq!(saltus_channel_publish(s.publisher, message, usize::MAX, null_mut()), SALTUS_TOO_LONG);
        assert_eq!(saltus_channel_loan(s.publisher, 65, &mut room), SALTUS_TOO_LONG);
        assert!(room.is_null());
        ok(saltus_channel_loan(s.publisher, 64, &mut room));
        assert!(!room.is_null() && (room as usize).is_multiple_of(64));
        assert_eq!(saltus_channel_loan_publish(s.publisher, 65, null_mut()), SALTUS_TOO_SMALL);
        assert_eq!(
            saltus_channel_loan_publish(s.publisher, 64, null_mut()),
            SALTUS_INVALID,
            "the loan is over"
        );
    }
    assert_eq!(s.receive(SALTUS_NEXT, SALTUS_POLL, &mut [0; 64]).0, SALTUS_NOTHING);
}

#[test]
fn a_loan_is_given_back_before_anything_else() {
    let s = Setup::new(64);
    let (mut room, mut buf) = (null_mut::<c_void>(), [0; 64]);
    // SAFETY: open handles of this thread; of each loan only the 8 bytes asked for are written, while it lasts.
    unsafe {
        assert_eq!(saltus_channel_loan_abandon(s.publisher), SALTUS_INVALID);
        ok(saltus_channel_loan(s.publisher, 8, &mut room));
        room.cast::<u8>().write_bytes(b'a', 8);
        assert_eq!(s.publish(b"other"), SALTUS_INVALID);
        assert!(last().contains("saltus_channel_loan_abandon"), "{}", last());
        let mut second = null_mut();
        assert_eq!((saltus_channel_loan(s.publisher, 8, &mut second), second), (SALTUS_INVALID, null_mut()));
        ok(saltus_channel_loan_abandon(s.publisher));
        assert_eq!(s.receive(SALTUS_NEXT, SALTUS_POLL, &mut buf).0, SALTUS_NOTHING);
        ok(saltus_channel_loan(s.publisher, 8, &mut room));
        room.cast::<u8>().write_bytes(b'b', 8);
        let mut published = SaltusPublished { seq: 0, timestamp_ns: 0 };
        ok(saltus_channel_loan_publish(s.publisher, 5, &mut published));
        assert!(published.seq == 1 && published.timestamp_ns > 0);
        let (code, info) = s.receive(SALTUS_NEXT, SALTUS_POLL, &mut buf);
        assert_eq!((code, &buf[..info.len]), (SALTUS_OK, &b"bbbbb"[..]));
        assert_eq!((info.timestamp_ns, info.seq), (published.timestamp_ns, published.seq));
        ok(saltus_channel_loan(s.publisher, 8, &mut room)); // closing the publisher gives it back
    }
}

#[test]
fn a_view_counts_only_when_it_is_validated() {
    let s = Setup::new(64);
    let (mut message, mut len, mut info) = (null(), 0, SaltusMessageInfo::default());
    let mut buf = [0; 64];
    // SAFETY: open handles of this thread; a view is copied at once, by the thread that publishes, so that nobody writes
    // meanwhile.
    unsafe {
        let mut look = || {
            let code = saltus_channel_view(s.subscriber, SALTUS_NEXT, SALTUS_POLL, &mut message, &mut len);
            let bytes =
                (!message.is_null()).then(|| std::slice::from_raw_parts(message.cast::<u8>(), len).to_vec());
            (code, bytes)
        };
        assert_eq!(look(), (SALTUS_NOTHING, None));
        assert_eq!(saltus_channel_validate(s.subscriber, &mut info), SALTUS_INVALID);
        ok(s.publish(b"first"));
        assert_eq!(look(), (SALTUS_OK, Some(b"first".to_vec())));
        assert_eq!(look(), (SALTUS_OK, Some(b"first".to_vec())), "not validated, so still unseen");
        ok(saltus_channel_validate(s.subscriber, &mut info));
        assert_eq!((info.len, info.seq), (5, 1));
        assert_eq!(saltus_channel_validate(s.subscriber, &mut info), SALTUS_INVALID);
        // Overwritten while it is looked at: 16 frames are kept.
        ok(s.publish(b"second"));
        assert_eq!(look(), (SALTUS_OK, Some(b"second".to_vec())));
        for _ in 0..40 {
            ok(s.publish(&[0; 64]));
        }
        assert_eq!(saltus_channel_validate(s.subscriber, &mut info), SALTUS_OVERRUN);
        assert_eq!(info, SaltusMessageInfo::default());
        // A receive gives the view up.
        assert_eq!(look().0, SALTUS_OK);
        let (code, got) = s.receive(SALTUS_NEXT, SALTUS_POLL, &mut buf);
        assert_eq!((code, got.len, got.missed), (SALTUS_OK, 64, 41 - 16));
        assert_eq!(saltus_channel_validate(s.subscriber, &mut info), SALTUS_INVALID);
        let (mut received, mut missed) = (0, 0);
        ok(saltus_channel_counts(s.subscriber, &mut received, &mut missed));
        assert_eq!((received, missed), (2, 25));
        assert_eq!(look().0, SALTUS_OK); // closing the subscriber gives it up
    }
}

#[test]
fn flush_and_seek_move_the_place() {
    let s = Setup::new(64);
    (0..3).for_each(|i| ok(s.publish(&[i])));
    let (mut buf, mut received, mut missed) = ([9], 0, 0);
    // SAFETY: an open handle of this thread, and room for two numbers.
    unsafe {
        ok(saltus_channel_flush(s.subscriber));
        assert_eq!(s.receive(SALTUS_NEXT, SALTUS_POLL, &mut buf).0, SALTUS_NOTHING);
        ok(saltus_channel_counts(s.subscriber, &mut received, &mut missed));
        assert_eq!((received, missed), (0, 3));
        ok(saltus_channel_seek_oldest(s.subscriber));
    }
    let all: Vec<u8> = std::iter::from_fn(|| {
        (s.receive(SALTUS_NEXT, SALTUS_POLL, &mut buf).0 == SALTUS_OK).then_some(buf[0])
    })
    .collect();
    assert_eq!(all, [0, 1, 2]);
    (3..6).for_each(|i| ok(s.publish(&[i])));
    let (code, info) = s.receive(SALTUS_NEWEST, SALTUS_POLL, &mut buf);
    assert_eq!((code, buf[0], info.missed), (SALTUS_OK, 5, 2));
}

#[test]
fn names_domains_and_numbers_that_make_no_sense() {
    let s = Setup::new(64);
    let (url, mut c) = (s.url.as_ptr(), s.channel);
    let long = CString::new("x".repeat(64)).unwrap();
    let mut attributes = blank_attributes();
    // SAFETY: strings with an end, and places that live here; no handle that was made is used afterwards.
    unsafe {
        assert_eq!(saltus_channel_open(url, c"gone".as_ptr(), &mut c), SALTUS_NOT_FOUND);
        assert_eq!(c.id, 0, "closing what failed to open must do nothing");
        assert!(last().contains("no channel `gone`"), "{}", last());
        assert_eq!(saltus_channel_create(url, NAME, null(), &mut c), SALTUS_EXISTS);
        assert_eq!(saltus_channel_unlink(url, c"gone".as_ptr()), SALTUS_NOT_FOUND);
        assert_eq!(saltus_channel_open(url, c"".as_ptr(), &mut c), SALTUS_INVALID);
        assert_eq!(saltus_channel_open(url, long.as_ptr(), &mut c), SALTUS_INVALID);
        assert_eq!(saltus_channel_open(c"tcp://".as_ptr(), NAME, &mut c), SALTUS_INVALID);
        assert_eq!(saltus_channel_open(c"shm://\xff".as_ptr(), NAME, &mut c), SALTUS_INVALID);
        assert_eq!(saltus_channel_create(url, c"x".as_ptr(), &attributes, &mut c), SALTUS_INVALID);
        assert!(last().contains("init function"), "{}", last());
        ok(saltus_attributes_init(&mut attributes, size_of_val(&attributes)));
        attributes.mode = 0o444;
        assert_eq!(saltus_channel_create(url, c"x".as_ptr(), &attributes, &mut c), SALTUS_INVALID);
        assert!(last().contains("0600"), "{}", last());
        assert_eq!(saltus_channel_wait_for(url, c"gone".as_ptr(), SALTUS_POLL, &mut c), SALTUS_NOTHING);
        assert_eq!(
            saltus_channel_wait_for(url, c"gone".as_ptr(), saltus_monotonic(), &mut c),
            SALTUS_NOTHING
        );
        assert_eq!(saltus_now_ns(99), 0);
    }
    assert_eq!(s.receive(3, SALTUS_POLL, &mut [0; 64]).0, SALTUS_INVALID);
    assert_eq!(s.receive(-1, SALTUS_POLL, &mut [0; 64]).0, SALTUS_INVALID);
    assert_eq!(s.domain.list(), ["imu"]);
}

#[test]
fn waiting_for_any() {
    let s = Setup::new(64);
    // SAFETY: a C struct of numbers, for which all zeros is a value.
    let mut options = unsafe { std::mem::zeroed::<SaltusChannelOptions>() };
    let (mut index, mut other) = (7, none());
    // SAFETY: open handles; arrays with as many of them as is said, but where the number itself is refused (0 and 128)
    // before the array is looked at; `other` is closed once.
    unsafe {
        ok(saltus_channel_options_init(&mut options, size_of_val(&options)));
        options.start = SALTUS_START_NOW;
        options.cancelable = 0;
        ok(saltus_channel_subscriber_open(s.channel, &options, &mut other));
        let both = [other, s.subscriber];
        let wait =
            |count, until, index: &mut usize| saltus_channel_wait_any(both.as_ptr(), count, until, index);
        assert_eq!(wait(2, SALTUS_POLL, &mut index), SALTUS_NOTHING);
        let soon = saltus_monotonic() + 5_000_000;
        assert_eq!(wait(2, soon, &mut index), SALTUS_NOTHING);
        assert!(saltus_monotonic() >= soon);
        assert_eq!(wait(0, SALTUS_POLL, &mut index), SALTUS_INVALID);
        assert_eq!(wait(128, SALTUS_POLL, &mut index), SALTUS_INVALID);
        let twice = [other, s.subscriber, other];
        assert_eq!(saltus_channel_wait_any(twice.as_ptr(), 3, SALTUS_POLL, &mut index), SALTUS_INVALID);
        ok(s.publish(b"x"));
        ok(wait(2, SALTUS_FOREVER, &mut index));
        assert_eq!(index, 0, "the first, if several have");
        ok(saltus_channel_flush(other));
        ok(wait(2, SALTUS_FOREVER, &mut index));
        assert_eq!(index, 1);
        // Only the one that can be called off is.
        ok(saltus_channel_flush(s.subscriber));
        assert_eq!(saltus_channel_cancel(other), SALTUS_INVALID);
        assert_eq!(saltus_channel_cancel_reset(other), SALTUS_INVALID);
        ok(saltus_channel_cancel(s.subscriber));
        assert_eq!(wait(2, SALTUS_FOREVER, &mut index), SALTUS_CANCELED);
        assert_eq!(wait(1, SALTUS_POLL, &mut index), SALTUS_NOTHING);
        ok(saltus_channel_cancel_reset(s.subscriber));
        assert_eq!(wait(2, SALTUS_POLL, &mut index), SALTUS_NOTHING);
        saltus_channel_subscriber_close(other);
    }
}

#[test]
fn a_retired_channel_is_reported_after_its_last_message() {
    let s = Setup::new(64);
    let (mut c, mut buf) = (none(), [0; 64]);
    ok(s.publish(b"last words"));
    // SAFETY: strings with an end, and a place for the handle.
    unsafe { ok(saltus_channel_replace(s.url.as_ptr(), NAME, null(), &mut c)) };
    assert_eq!(s.publish(b"x"), SALTUS_RETIRED);
    assert!(last().contains("`imu` was replaced"), "{}", last());
    assert_eq!(s.receive(SALTUS_NEXT, SALTUS_FOREVER, &mut buf).0, SALTUS_OK);
    assert_eq!(
        s.receive(SALTUS_NEXT, SALTUS_FOREVER, &mut buf),
        (SALTUS_RETIRED, SaltusMessageInfo::default())
    );
    let mut index = 0;
    // SAFETY: an array of one open handle; the other handle is closed once.
    unsafe {
        assert_eq!(saltus_channel_wait_any(&s.subscriber, 1, SALTUS_FOREVER, &mut index), SALTUS_RETIRED);
        saltus_channel_close(c);
        ok(saltus_channel_unlink(s.url.as_ptr(), NAME));
    }
    assert!(s.domain.list().is_empty());
}

#[test]
fn one_thread_at_a_time_and_a_second_gets_an_error() {
    let s = Setup::new(64);
    assert_eq!(s.publish(&[1]), SALTUS_OK);
    assert_eq!(s.receive(SALTUS_NEXT, SALTUS_POLL, &mut [0; 64]).0, SALTUS_OK);
    let (subscriber, publisher) = (s.subscriber, s.publisher);
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut info = SaltusMessageInfo::default();
            loop {
                // SAFETY: an open handle; no buffer, and room for a info.
                match unsafe {
                    saltus_channel_receive(subscriber, SALTUS_NEXT, SALTUS_FOREVER, null_mut(), 0, &mut info)
                } {
                    SALTUS_INVALID => {} // it met the other thread's call
                    code => return code,
                }
            }
        });
        // Until it is in its call this thread's go through.
        let refused = (0..).find_map(|_| {
            thread::yield_now();
            // SAFETY: an open handle.
            (unsafe { saltus_channel_flush(s.subscriber) } == SALTUS_INVALID).then(last)
        });
        assert!(refused.is_some_and(|why| why.contains("one call at a time")));
        // SAFETY: open handles, once or twice, and room for a number.
        unsafe {
            // It may have been refused itself just now, because of this thread's call, and is about to call again.
            let refused = (0..1_000_000).any(|_| {
                thread::yield_now();
                saltus_channel_wait_any([s.subscriber].as_ptr(), 1, SALTUS_POLL, &mut 0) == SALTUS_INVALID
            });
            assert!(refused);
            ok(saltus_channel_cancel(s.subscriber));
        }
        assert_eq!(waits.join().expect("no panic"), SALTUS_CANCELED);
    });
    // Handed from thread to thread, one after the other.
    for _ in 0..3 {
        let handed = thread::spawn(move || {
            // SAFETY: an open handle, and as many bytes as are said.
            unsafe { saltus_channel_publish(publisher, [2].as_ptr().cast(), 1, null_mut()) }
        });
        assert_eq!((handed.join().expect("no panic"), s.publish(&[3])), (SALTUS_OK, SALTUS_OK));
    }
}

#[test]
fn cancelling_leaves_errno_and_the_last_error_alone() {
    let s = Setup::new(64);
    assert_eq!(s.publish(&[0; 65]), SALTUS_TOO_LONG);
    let before = last();
    // SAFETY: this thread's errno; an open handle, and one that is not open, which is refused.
    unsafe {
        *libc::__errno_location() = 4242;
        ok(saltus_channel_cancel(s.subscriber));
        assert_eq!(saltus_channel_cancel(none()), SALTUS_INVALID);
        assert_eq!(*libc::__errno_location(), 4242);
    }
    assert_eq!(last(), before);
    assert_eq!(s.receive(SALTUS_NEXT, SALTUS_FOREVER, &mut [0; 64]).0, SALTUS_CANCELED);
}

#[test]
fn attributes_and_version_are_reported() {
    let s = Setup::new(1500);
    let mut attributes = blank_attributes();
    // SAFETY: an open handle, room for the attributes, and strings that live as long as the library.
    unsafe {
        ok(saltus_channel_attributes(s.channel, &mut attributes, size_of_val(&attributes)));
        assert_eq!(saltus_channel_attributes(s.channel, &mut attributes, 8), SALTUS_INVALID);
        assert_eq!(attributes.group, libc::getegid());
        let version = CStr::from_ptr(saltus_version()).to_str().unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        for clock in [SALTUS_BOOTTIME, SALTUS_MONOTONIC, SALTUS_REALTIME] {
            assert!(saltus_now_ns(clock) > 0);
        }
        for code in -5..200 {
            assert!(CStr::from_ptr(saltus_strerror(code)).to_bytes().len() > 3);
        }
    }
    assert_eq!((attributes.max_message_size, attributes.depth, attributes.mode), (1500, 16, 0o644));
}
