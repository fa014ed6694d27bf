//! What a C program may do wrong with domains, dispatchers and logs, and with handles of any kind, gets a code and a sentence.

mod support;

use saltus::*;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering::*};
use support::*;

const NAME: *const c_char = c"imu".as_ptr();

/// A domain of its own in this process, with a publisher and a subscriber of the newest, as C has them.
struct Setup {
    domain: SaltusDomain,
    publisher: SaltusDomainPublisher,
    subscriber: SaltusDomainSubscriber,
}

impl Setup {
    fn new() -> Setup {
        let (mut domain, mut publisher, mut subscriber) = (none(), none(), none());
        // SAFETY: strings with an end, and places for handles that live here.
        unsafe {
            ok(saltus_domain_open(c"mem://".as_ptr(), &mut domain));
            ok(saltus_domain_publisher_open(domain, NAME, null(), &mut publisher));
            ok(saltus_domain_subscriber_open(domain, NAME, null(), &mut subscriber));
        }
        Setup { domain, publisher, subscriber }
    }
    fn publish(&self, message: &[u8]) -> SaltusError {
        // SAFETY: a message of that length.
        unsafe { saltus_domain_publish(self.publisher, message.as_ptr().cast(), message.len()) }
    }
    fn receive(&self, until: u64) -> (SaltusError, Vec<u8>) {
        received(self.subscriber, until)
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        // SAFETY: handles, closed or not.
        unsafe {
            saltus_domain_subscriber_close(self.subscriber);
            saltus_domain_publisher_close(self.publisher);
            saltus_domain_close(self.domain);
        }
    }
}

fn received(subscriber: SaltusDomainSubscriber, until: u64) -> (SaltusError, Vec<u8>) {
    let mut message = null();
    // SAFETY: room for a pointer; the message is copied before the next call.
    unsafe {
        let code = saltus_domain_receive(subscriber, until, &mut message);
        assert_eq!(code == SALTUS_OK, !message.is_null());
        (
            code,
            message
                .as_ref()
                .map_or(Vec::new(), |m| std::slice::from_raw_parts(m.data.cast(), m.len).to_vec()),
        )
    }
}

fn options() -> SaltusDomainOptions {
    // SAFETY: a C struct of numbers and a pointer, for which all zeros is a value.
    let mut options = unsafe { std::mem::zeroed() };
    // SAFETY: room for the options.
    ok(unsafe { saltus_domain_options_init(&mut options, size_of_val(&options)) });
    options
}

unsafe extern "C" fn pass<T>(_: *const T, _: *mut c_void) -> c_int {
    0
}

unsafe extern "C" fn never<T>(_: *const T, _: *mut c_void) -> c_int {
    panic!("called")
}

#[test]
fn null_is_an_error_everywhere() {
    let s = Setup::new();
    let (domain, publisher, subscriber) = (s.domain, s.publisher, s.subscriber);
    let (mut d, mut p, mut r, mut x) = (none(), none(), none(), none());
    let (mut l, mut w, mut message, mut event) = (none(), none(), null(), null());
    let (mut fd, mut index, poll) = (0, 0, SALTUS_POLL);
    let half = SaltusType { name: NAME, fingerprint: 1, schema: null() };
    let with_none = [subscriber, none()];
    let (mut dispatcher, mut mismatched) = (none(), 7);
    // SAFETY: a place for a handle.
    ok(unsafe { saltus_dispatcher_open(&mut dispatcher) });
    // SAFETY: NULL is what is tried, and every function promises to refuse it; all other pointers lead to live locals.
    let calls: Vec<(&str, SaltusError)> = unsafe {
        vec![
            ("open", saltus_domain_open(c"mem://".as_ptr(), null_mut())),
            ("channels", saltus_domain_channels(none(), Some(never), null_mut())),
            ("channels each", saltus_domain_channels(domain, None, null_mut())),
            ("publisher_open", saltus_domain_publisher_open(none(), NAME, null(), &mut p)),
            ("publisher_open name", saltus_domain_publisher_open(domain, null(), null(), &mut p)),
            ("publisher_open schema", saltus_domain_publisher_open(domain, NAME, &half, &mut p)),
            ("publisher_open out", saltus_domain_publisher_open(domain, NAME, null(), null_mut())),
            ("publish", saltus_domain_publish(none(), NAME.cast(), 1)),
            ("publish message", saltus_domain_publish(publisher, null(), 1)),
            (
                "publish_with_timestamp",
                saltus_domain_publish_with_timestamp(none(), NAME.cast(), 1, 0, null_mut()),
            ),
            ("options_init", saltus_domain_options_init(null_mut(), 32)),
            ("subscriber_open", saltus_domain_subscriber_open(none(), NAME, null(), &mut r)),
            ("subscriber_open out", saltus_domain_subscriber_open(domain, NAME, null(), null_mut())),
            ("receive", saltus_domain_receive(none(), poll, &mut message)),
            ("receive out", saltus_domain_receive(subscriber, poll, null_mut())),
            ("again", saltus_domain_current(none(), poll, &mut message)),
            ("again out", saltus_domain_current(subscriber, poll, null_mut())),
            ("wait_any", saltus_domain_wait_any(null(), 1, poll, &mut index)),
            ("wait_any none", saltus_domain_wait_any(&subscriber, 0, poll, &mut index)),
            ("wait_any many", saltus_domain_wait_any(&subscriber, 1025, poll, &mut index)),
            ("wait_any one", saltus_domain_wait_any(with_none.as_ptr(), 2, poll, &mut index)),
            ("wait_any out", saltus_domain_wait_any(&subscriber, 1, poll, null_mut())),
            ("wait_any twice", saltus_domain_wait_any([subscriber; 2].as_ptr(), 2, poll, &mut index)),
            ("event_fd", saltus_domain_event_fd(none(), &mut fd)),
            ("event_fd out", saltus_domain_event_fd(subscriber, null_mut())),
            ("descriptions", saltus_domain_descriptions(none(), NAME, Some(never), null_mut())),
            ("descriptions name", saltus_domain_descriptions(subscriber, null(), Some(never), null_mut())),
            ("descriptions each", saltus_domain_descriptions(subscriber, NAME, None, null_mut())),
            ("mismatched", saltus_domain_mismatched(none(), &mut mismatched)),
            ("mismatched out", saltus_domain_mismatched(subscriber, null_mut())),
            ("cancel", saltus_domain_cancel(none())),
            ("cancel_reset", saltus_domain_cancel_reset(none())),
            ("dispatcher_open", saltus_dispatcher_open(null_mut())),
            (
                "subscribe",
                saltus_dispatcher_subscribe(
                    none(),
                    domain,
                    NAME,
                    null(),
                    Some(never),
                    null_mut(),
                    null_mut(),
                ),
            ),
            (
                "subscribe function",
                saltus_dispatcher_subscribe(dispatcher, domain, NAME, null(), None, null_mut(), null_mut()),
            ),
            (
                "subscribe domain",
                saltus_dispatcher_subscribe(
                    dispatcher,
                    none(),
                    NAME,
                    null(),
                    Some(never),
                    null_mut(),
                    null_mut(),
                ),
            ),
            ("unsubscribe", saltus_dispatcher_unsubscribe(none(), 1)),
            ("handle", saltus_dispatcher_handle(none(), poll, &mut index)),
            ("run", saltus_dispatcher_run(none())),
            ("fd", saltus_dispatcher_fd(none(), &mut fd)),
            ("fd out", saltus_dispatcher_fd(dispatcher, null_mut())),
            ("dispatcher_cancel", saltus_dispatcher_cancel(none())),
            ("dispatcher_cancel_reset", saltus_dispatcher_cancel_reset(none())),
            ("log_open", saltus_log_open(null(), &mut l)),
            ("log_open out", saltus_log_open(NAME, null_mut())),
            ("log_range", saltus_log_range(none(), null_mut(), null_mut(), null_mut())),
            ("log_next", saltus_log_next(none(), &mut event)),
            ("log_previous", saltus_log_previous(none(), &mut event)),
            ("log_seek", saltus_log_seek(none(), 1)),
            ("log_seek_time", saltus_log_seek_time(none(), 1, null_mut())),
            ("log_create", saltus_log_create(null(), SALTUS_LOG_LCM, &mut w)),
            ("log_describe", saltus_log_describe(none(), &half)),
            ("log_write", saltus_log_write(none(), NAME, NAME.cast(), 1, 1)),
            ("log_flush", saltus_log_flush(none())),
            ("log_finish", saltus_log_finish(none())),
        ]
    };
    for (call, code) in calls {
        assert_eq!(code, SALTUS_INVALID, "{call}");
    }
    // SAFETY: closing what is not open does nothing; the others are places and handles as above.
    unsafe {
        ok(saltus_domain_close(d));
        ok(saltus_domain_publisher_close(p));
        ok(saltus_domain_subscriber_close(r));
        ok(saltus_dispatcher_close(x));
        ok(saltus_log_close(l));
        ok(saltus_log_writer_close(w));
        // And where it has a meaning:
        ok(saltus_domain_open(c"mem://".as_ptr(), &mut d));
        ok(saltus_domain_subscriber_open(d, null(), null(), &mut r));
        ok(saltus_dispatcher_open(&mut x));
        assert_eq!(saltus_dispatcher_handle(x, poll, null_mut()), SALTUS_NOTHING);
        saltus_dispatcher_close(x);
        saltus_dispatcher_close(dispatcher);
        saltus_domain_subscriber_close(r);
        saltus_domain_close(d);
    }
    assert!(p.id == 0 && l.id == 0 && w.id == 0 && message.is_null() && event.is_null());
    assert_eq!(mismatched, 0);
    // And all of it is as usable as before.
    ok(s.publish(b"x"));
    assert_eq!(s.receive(SALTUS_FOREVER), (SALTUS_OK, b"x".to_vec()));
}

#[test]
fn closed_and_foreign_handles_are_errors() {
    let s = Setup::new();
    let domain = TestDomain::new();
    let url = CString::new(domain.url()).unwrap();
    let (mut channel, mut publisher, mut subscriber) = (none(), none(), none());
    let (mut info, mut message, mut byte) = (SaltusMessageInfo::default(), null(), 0u8);
    let here: *mut c_void = (&raw mut byte).cast();
    // SAFETY: strings, places and buffers that live here. Handles that mean nothing are what is tried.
    unsafe {
        ok(saltus_channel_create(url.as_ptr(), NAME, null(), &mut channel));
        ok(saltus_channel_publisher_open(channel, &mut publisher));
        ok(saltus_channel_subscriber_open(channel, null(), &mut subscriber));
        for closed in [SALTUS_OK, SALTUS_INVALID] {
            assert_eq!(saltus_channel_close(channel), closed);
            assert_eq!(saltus_channel_publisher_close(publisher), closed);
            assert_eq!(saltus_channel_subscriber_close(subscriber), closed);
        }
        assert_eq!(saltus_channel_publish(publisher, here, 1, null_mut()), SALTUS_INVALID);
        assert!(last().contains("closed already"), "{}", last());
        assert_eq!(saltus_channel_receive(subscriber, SALTUS_NEXT, 0, here, 1, &mut info), SALTUS_INVALID);
        assert_eq!(saltus_channel_cancel(subscriber), SALTUS_INVALID);
        assert_eq!(saltus_channel_publisher_open(channel, &mut publisher), SALTUS_INVALID);
        assert_eq!(publisher.id, 0);
        // SAFETY: a C struct of numbers, for which all zeros is a value.
        let mut info = std::mem::zeroed::<SaltusInfo>();
        assert_eq!(saltus_channel_info(channel, &mut info, size_of_val(&info)), SALTUS_INVALID);
        assert_eq!(saltus_channel_descriptions(channel, Some(never), null_mut()), SALTUS_INVALID);
        saltus_domain_publisher_close(s.publisher);
        saltus_domain_subscriber_close(s.subscriber);
        assert_eq!(s.publish(b"x"), SALTUS_INVALID);
        assert_eq!(saltus_domain_receive(s.subscriber, SALTUS_FOREVER, &mut message), SALTUS_INVALID);
        assert_eq!(saltus_domain_cancel(s.subscriber), SALTUS_INVALID);
        let (closed, mut mismatched) = (s.subscriber, 7);
        assert_eq!(saltus_domain_descriptions(closed, NAME, Some(never), null_mut()), SALTUS_INVALID);
        assert_eq!((saltus_domain_mismatched(closed, &mut mismatched), mismatched), (SALTUS_INVALID, 0));
        // Numbers that belong to another kind, or to none.
        for id in [s.domain.id, here.addr() as u64, u64::MAX] {
            let subscriber = SaltusDomainSubscriber { id };
            assert_eq!(saltus_domain_receive(subscriber, SALTUS_FOREVER, &mut message), SALTUS_INVALID);
        }
        let mut fd = 0;
        assert_eq!(saltus_dispatcher_fd(SaltusDispatcher { id: s.domain.id }, &mut fd), SALTUS_INVALID);
        assert_eq!(saltus_dispatcher_close(SaltusDispatcher { id: s.domain.id }), SALTUS_INVALID);
        assert!(last().contains("of another kind"), "{}", last());
        assert_eq!(saltus_domain_close(SaltusDomain { id: s.subscriber.id }), SALTUS_INVALID);
        ok(saltus_domain_channels(s.domain, Some(pass), null_mut()));
        ok(saltus_channel_unlink(url.as_ptr(), NAME));
    }
}

#[test]
fn urls_names_patterns_and_numbers_that_make_no_sense() {
    let s = Setup::new();
    let (mut d, mut p, mut r) = (none(), none(), none());
    // SAFETY: strings with an end, options with their size, and places that live here.
    unsafe {
        assert_eq!(saltus_domain_open(c"pigeon://".as_ptr(), &mut d), SALTUS_NO_PROVIDER);
        assert!(d.id == 0 && last().contains("pigeon") && last().contains("shm://"), "{}", last());
        for wrong in [c"nonsense", c"mem://?what=1", c"shm://\xff"] {
            assert_eq!(saltus_domain_open(wrong.as_ptr(), &mut d), SALTUS_INVALID, "{wrong:?}");
        }
        assert_eq!(saltus_domain_publisher_open(s.domain, c"".as_ptr(), null(), &mut p), SALTUS_INVALID);
        let long = CString::new("x".repeat(64)).unwrap();
        assert_eq!(saltus_domain_subscriber_open(s.domain, long.as_ptr(), null(), &mut r), SALTUS_INVALID);
        assert_eq!(
            saltus_domain_publish_with_timestamp(s.publisher, NAME.cast(), 1, 5, null_mut()),
            SALTUS_UNSUPPORTED
        );
        assert_eq!(saltus_domain_publish(s.publisher, NAME.cast(), usize::MAX), SALTUS_TOO_LONG);
        let bad = [
            SaltusDomainOptions { size: 31, ..options() },
            SaltusDomainOptions { start: 3, ..options() },
            SaltusDomainOptions { by: 2, ..options() },
        ];
        for bad in &bad {
            assert_eq!(saltus_domain_subscriber_open(s.domain, NAME, bad, &mut r), SALTUS_INVALID);
        }
        let pattern = SaltusDomainOptions { by: SALTUS_BY_PATTERN, ..options() };
        assert_eq!(saltus_domain_subscriber_open(s.domain, c"(".as_ptr(), &pattern, &mut r), SALTUS_INVALID);
        assert!(r.id == 0 && last().contains("regular expression"), "{}", last());
    }
}

#[test]
fn a_message_carries_its_known_metadata() {
    let s = Setup::new();
    let mut all = none();
    let mut message = null();
    let next = SaltusDomainOptions { depth: 2, by: SALTUS_BY_PATTERN, ..options() };
    // SAFETY: strings, options and places that live here; messages are looked at before the next call.
    unsafe {
        ok(saltus_domain_subscriber_open(s.domain, c"i..".as_ptr(), &next, &mut all));
        (0..5u8).for_each(|i| ok(s.publish(&[i])));
        assert_eq!(s.receive(SALTUS_POLL), (SALTUS_OK, vec![4]));
        assert_eq!(s.receive(SALTUS_POLL).0, SALTUS_NOTHING);
        ok(saltus_domain_current(s.subscriber, SALTUS_POLL, &mut message));
        assert_eq!(((*message).len, *(*message).data.cast::<u8>()), (1, 4));
        ok(saltus_domain_receive(all, SALTUS_POLL, &mut message));
        let m = *message;
        assert_eq!(std::ffi::CStr::from_ptr(m.channel), c"imu");
        assert_eq!((m.channel_len, m.len, *m.data.cast::<u8>(), m.missed, m.dropped), (3, 1, 3, 0, 3));
        assert!(m.arrived_ns > 0 && m.published_ns == m.arrived_ns && m.logged_us == SALTUS_NO_TIME);
        assert!(m.sender != SALTUS_UNKNOWN && m.sequence != SALTUS_UNKNOWN);
        // No bytes are a message too.
        ok(s.publish(&[]));
        ok(saltus_domain_current(all, SALTUS_POLL, &mut message));
        assert!((*message).len == 0 && !(*message).data.is_null());
        saltus_domain_subscriber_close(all);
    }
}

#[test]
fn a_second_call_at_the_same_time_is_refused_and_a_cancel_is_not() {
    let s = Setup::new();
    let subscriber = s.subscriber;
    let waiting = std::thread::spawn(move || {
        // Refused itself if it meets the second one.
        std::iter::repeat_with(|| received(subscriber, SALTUS_FOREVER))
            .find(|(code, _)| *code != SALTUS_INVALID)
    });
    // It waits once a second call is refused.
    while s.receive(SALTUS_POLL).0 != SALTUS_INVALID {
        std::thread::yield_now();
    }
    assert!(last().contains("one call at a time"), "{}", last());
    // SAFETY: an open handle.
    unsafe { ok(saltus_domain_cancel(s.subscriber)) };
    assert_eq!(waiting.join().unwrap().map(|(code, _)| code), Some(SALTUS_CANCELED));
    assert_eq!(s.receive(SALTUS_FOREVER).0, SALTUS_CANCELED);
    // SAFETY: as above.
    unsafe { ok(saltus_domain_cancel_reset(s.subscriber)) };
    ok(s.publish(b"x"));
    assert_eq!(s.receive(SALTUS_FOREVER), (SALTUS_OK, b"x".to_vec()));
}

#[test]
fn another_type_is_reported_once_and_skipped() {
    let s = Setup::new();
    let what = |name: &'static std::ffi::CStr, fingerprint| SaltusType {
        name: name.as_ptr(),
        fingerprint,
        schema: c"struct number_t { int8_t value; }".as_ptr(),
    };
    let expected = what(c"number_t", 7);
    let next = SaltusDomainOptions { depth: 10, expected: &expected, ..options() };
    let mut typed = none();
    // SAFETY: strings, options and places that live here.
    ok(unsafe { saltus_domain_subscriber_open(s.domain, NAME, &next, &mut typed) });
    for fingerprint in [7u64, 8, 8, 7] {
        ok(s.publish(&fingerprint.to_be_bytes()));
    }
    ok(s.publish(&7u64.to_ne_bytes())); // as a plain layout has it
    assert_eq!(received(typed, SALTUS_POLL), (SALTUS_OK, 7u64.to_be_bytes().to_vec()));
    assert_eq!(received(typed, SALTUS_POLL).0, SALTUS_WRONG_TYPE);
    assert!(last().contains("`imu` was expected to have `number_t`"), "{}", last());
    assert_eq!(received(typed, SALTUS_POLL), (SALTUS_OK, 7u64.to_be_bytes().to_vec()));
    assert_eq!(received(typed, SALTUS_POLL), (SALTUS_OK, 7u64.to_ne_bytes().to_vec()));
    // SAFETY: an open handle.
    unsafe { saltus_domain_subscriber_close(typed) };
}

/// What a callback of the test below has.
struct Context {
    dispatcher: SaltusDispatcher,
    calls: AtomicU32,
    answer: c_int,
}

unsafe extern "C" fn count(message: *const RawMessage, context: *mut c_void) -> c_int {
    // SAFETY: what was given to the dispatcher, and lives as long.
    let (message, context) = unsafe { (&*message, &*context.cast::<Context>()) };
    assert_eq!(message.channel_len, 3);
    context.calls.fetch_add(1, Relaxed); // the test's own thread
    // SAFETY: an open handle, which is in use.
    let inside = unsafe { saltus_dispatcher_unsubscribe(context.dispatcher, 1) };
    assert_eq!(inside, SALTUS_INVALID);
    context.answer
}

#[test]
fn a_dispatcher_reports_a_wrong_type_immediately_and_continues() {
    let s = Setup::new();
    let (mut dispatcher, mut handled) = (none(), 9);
    let expected = SaltusType { name: c"number_t".as_ptr(), fingerprint: 7, schema: c"".as_ptr() };
    let numbers = SaltusDomainOptions { depth: 10, expected: &expected, ..options() };
    let all = SaltusDomainOptions { depth: 10, ..options() };
    // SAFETY: strings, options, places and contexts that live here.
    unsafe {
        ok(saltus_dispatcher_open(&mut dispatcher));
        let contexts = [0, 1].map(|_| Context { dispatcher, calls: AtomicU32::new(0), answer: SALTUS_GO_ON });
        for (context, options) in contexts.iter().zip([&numbers, &all]) {
            let (context, id) = ((&raw const *context).cast_mut().cast(), null_mut());
            ok(saltus_dispatcher_subscribe(dispatcher, s.domain, NAME, options, Some(count), context, id));
        }
        let calls = |want: [u32; 2]| assert_eq!(contexts.each_ref().map(|c| c.calls.load(Relaxed)), want);
        let mut handle = || (saltus_dispatcher_handle(dispatcher, SALTUS_FOREVER, &mut handled), handled);
        ok(s.publish(&8u64.to_be_bytes()));
        assert_eq!(handle(), (SALTUS_WRONG_TYPE, 0));
        assert!(last().contains("`imu` was expected to have `number_t`"), "{}", last());
        calls([0, 0]);
        assert_eq!(handle(), (SALTUS_OK, 1));
        calls([0, 1]);
        ok(s.publish(&7u64.to_be_bytes()));
        assert_eq!(handle(), (SALTUS_OK, 2));
        calls([1, 2]);
        saltus_dispatcher_close(dispatcher);
    }
}

#[test]
fn callbacks_stop_unsubscribe_and_cannot_use_their_dispatcher() {
    let s = Setup::new();
    let (mut dispatcher, mut handled, mut ids) = (none(), 9, [0u64; 2]);
    // SAFETY: strings, options, places and contexts that live here.
    unsafe {
        ok(saltus_dispatcher_open(&mut dispatcher));
        assert_eq!(saltus_dispatcher_handle(dispatcher, SALTUS_FOREVER, &mut handled), SALTUS_NOTHING);
        let context = |answer| Context { dispatcher, calls: AtomicU32::new(0), answer };
        let contexts = [context(SALTUS_UNSUBSCRIBE), context(SALTUS_STOP)];
        for (context, id) in contexts.iter().zip(&mut ids) {
            let context = (&raw const *context).cast_mut().cast();
            ok(saltus_dispatcher_subscribe(dispatcher, s.domain, NAME, null(), Some(count), context, id));
        }
        let calls = |want: [u32; 2]| assert_eq!(contexts.each_ref().map(|c| c.calls.load(Relaxed)), want);
        ok(s.publish(b"1"));
        ok(saltus_dispatcher_run(dispatcher));
        calls([1, 1]);
        ok(s.publish(b"2"));
        ok(saltus_dispatcher_handle(dispatcher, SALTUS_FOREVER, &mut handled));
        assert_eq!(handled, 1);
        calls([1, 2]);
        assert_eq!(saltus_dispatcher_handle(dispatcher, SALTUS_POLL, &mut handled), SALTUS_NOTHING);
        ok(saltus_dispatcher_cancel(dispatcher));
        ok(saltus_dispatcher_run(dispatcher));
        ok(saltus_dispatcher_cancel_reset(dispatcher));
        assert_eq!(saltus_dispatcher_unsubscribe(dispatcher, ids[0]), SALTUS_NOT_FOUND);
        ok(saltus_dispatcher_unsubscribe(dispatcher, ids[1]));
        assert_eq!(saltus_dispatcher_unsubscribe(dispatcher, ids[1]), SALTUS_NOT_FOUND);
        ok(saltus_dispatcher_run(dispatcher));
        saltus_dispatcher_close(dispatcher);
        assert_eq!(saltus_dispatcher_run(dispatcher), SALTUS_INVALID);
    }
}

#[test]
fn an_error_together_with_a_wrong_type_is_returned_by_the_next_call() {
    let shm = TestDomain::new();
    let url = CString::new(shm.url()).unwrap();
    let (mut domain, mut publisher, mut dispatcher) = (none(), none(), none());
    let printed = |name| SaltusType { name, fingerprint: 1, schema: c"".as_ptr() };
    let (expected, published) =
        (printed(c"pose_t".as_ptr()), SaltusType { fingerprint: 2, ..printed(c"twist_t".as_ptr()) });
    let typed = SaltusDomainOptions { expected: &expected, ..options() };
    // SAFETY: strings, structures and places for handles that live here.
    unsafe {
        ok(saltus_domain_open(url.as_ptr(), &mut domain));
        ok(saltus_dispatcher_open(&mut dispatcher));
        let on = |name: *const c_char, options| {
            let never = Some(never as unsafe extern "C" fn(*const RawMessage, *mut c_void) -> c_int);
            ok(saltus_dispatcher_subscribe(dispatcher, domain, name, options, never, null_mut(), null_mut()));
        };
        on(c"odd".as_ptr(), null());
        on(NAME, &typed);
        ok(saltus_domain_publisher_open(domain, NAME, &published, &mut publisher));
        ok(saltus_domain_publish(publisher, NAME.cast(), 3));
        let odd = std::path::Path::new(shm.url().trim_start_matches("shm://")).join("odd");
        std::fs::write(&odd, [7; 4096]).expect("a file where a channel would have its directory");
        // Long enough for all to look for channels that have come, which they do each 10 ms.
        std::thread::sleep(std::time::Duration::from_millis(200));
        let handle = || (saltus_dispatcher_handle(dispatcher, SALTUS_POLL, null_mut()), last());
        let (code, text) = handle();
        assert!(code == SALTUS_WRONG_TYPE && text.contains("pose_t"), "{code:?}: {text}");
        std::fs::remove_file(&odd).expect("it is there");
        let (code, text) = handle();
        assert!(code == SALTUS_DAMAGED && text.contains("channel `odd`"), "{code:?}: {text}");
        assert_eq!(handle().0, SALTUS_NOTHING);
        saltus_dispatcher_close(dispatcher);
        saltus_domain_publisher_close(publisher);
        saltus_domain_close(domain);
    }
}
