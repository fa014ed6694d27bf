//! What LCM crashes on returns an error here, and prints a line.

#[path = "support/instance.rs"]
mod instance;

use instance::{Lcm, Received, collect};
use std::ffi::{c_char, c_int, c_void};
use std::io::Write;
use std::ptr::{null, null_mut};
use std::time::Duration;

#[test]
fn nothing_crashes_on_null() {
    let lcm = Lcm::open("memq://");
    // SAFETY: NULL is what is tested; all else is valid.
    unsafe {
        lcm::lcm_destroy(null());
        assert_eq!(lcm::lcm_get_fileno(null()), -1);
        assert_eq!(lcm::lcm_handle(null()), -1);
        assert_eq!(lcm::lcm_handle_timeout(null(), 0), -1);
        assert_eq!(lcm::lcm_publish(null(), c"A".as_ptr(), null(), 0), -1);
        assert_eq!(lcm::lcm_publish(lcm.0, null(), null(), 0), -1);
        assert_eq!(lcm::lcm_publish(lcm.0, c"A".as_ptr(), null(), 4), -1);
        assert!(lcm::lcm_subscribe(null(), c"A".as_ptr(), Some(collect), null_mut()).is_null());
        assert!(lcm::lcm_subscribe(lcm.0, null(), Some(collect), null_mut()).is_null());
        assert!(lcm::lcm_subscribe(lcm.0, c"A".as_ptr(), None, null_mut()).is_null());
        assert_eq!(lcm::lcm_unsubscribe(lcm.0, null()), -1);
        assert_eq!(lcm::lcm_unsubscribe(null(), null()), -1);
        assert_eq!(lcm::lcm_subscription_set_queue_capacity(null(), 1), -1);
        assert_eq!(lcm::lcm_subscription_get_queue_size(null()), -1);
        assert!(lcm::lcm_eventlog_create(null(), c"r".as_ptr()).is_null());
        assert!(lcm::lcm_eventlog_create(c"/".as_ptr(), null()).is_null());
        assert!(lcm::lcm_eventlog_create(c"/".as_ptr(), c"rw".as_ptr()).is_null());
        assert!(lcm::lcm_eventlog_read_next_event(null_mut()).is_null());
        assert_eq!(lcm::lcm_eventlog_write_event(null_mut(), null_mut()), -1);
        assert_eq!(lcm::lcm_eventlog_seek_to_timestamp(null_mut(), 0), -1);
        lcm::lcm_eventlog_free_event(null_mut());
        lcm::lcm_eventlog_destroy(null_mut());
    }
}

#[test]
fn bytes_that_are_not_text_are_refused_or_matched_as_bytes() {
    let lcm = Lcm::open("memq://");
    // SAFETY: strings with an end.
    unsafe {
        assert!(lcm::lcm_create(c"udpm://\xff".as_ptr()).is_null());
        assert!(lcm::lcm_subscribe(lcm.0, c"\xff".as_ptr(), Some(collect), null_mut()).is_null());
        assert_eq!(lcm::lcm_publish(lcm.0, c"\xff\xfe".as_ptr(), null(), 0), 0);
    }
}

/// Destroys what calls it.
unsafe extern "C-unwind" fn destroy(_: *const c_void, _: *const c_char, user: *mut c_void) {
    // SAFETY: the instance of the test below, not used afterwards.
    unsafe { lcm::lcm_destroy(user.cast_const().cast()) };
}

#[test]
fn a_handler_may_destroy_what_calls_it() {
    for url in ["memq://", "mem://"] {
        let lcm = std::mem::ManuallyDrop::new(Lcm::open(url));
        let mut list = Received::new();
        lcm.subscribe_with("A", destroy, lcm.0.cast_mut().cast());
        lcm.subscribe("B", &mut list);
        lcm.subscribe("A.*", &mut list);
        assert_eq!(lcm.publish("A", b"x"), 0);
        assert_eq!(lcm.handle_timeout(20_000), 1);
        assert!(list.is_empty(), "{url}: a handler was called after the end of its instance");
    }
}

#[test]
fn a_subscription_that_was_ended_or_is_of_another_instance_is_not_ended_again() {
    let (a, b) = (Lcm::open("memq://"), Lcm::open("memq://"));
    let mut list = Received::new();
    let one = a.subscribe("A", &mut list);
    assert_eq!(b.unsubscribe(one), -1);
    assert_eq!((a.unsubscribe(one), a.unsubscribe(one)), (0, -1));
}

#[test]
fn what_listens_at_a_hubs_address_but_is_not_a_hub_is_refused() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("tcpq://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        while client.write_all(&[0; 4096]).is_ok() {} // until it hangs up
    });
    let (opened, opens) = std::sync::mpsc::channel();
    std::thread::spawn(move || opened.send(Lcm::create(&url).is_some()));
    let opened = opens.recv_timeout(Duration::from_secs(20)).expect("it reads without an end");
    assert!(!opened);
}

#[test]
fn a_hub_that_greets_byte_by_byte_is_given_up_after_five_seconds() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("tcpq://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        for byte in [0x287617fa_u32, 0x0100].map(u32::to_be_bytes).concat() {
            std::thread::sleep(Duration::from_secs(1));
            let _ = client.write_all(&[byte]); // perhaps it has hung up
        }
        std::thread::sleep(Duration::from_secs(20));
    });
    assert!(Lcm::create(&url).is_none());
}

fn handle(lcm: &Lcm) -> c_int {
    // SAFETY: an instance.
    unsafe { lcm::lcm_handle(lcm.0) }
}

#[test]
fn a_thread_that_waits_keeps_no_other_thread_past_its_timeout() {
    let lcm = Lcm::open("memq://");
    let mut list = Received::new();
    lcm.subscribe("A", &mut list);
    let (returned, returns) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let forever = scope.spawn(|| handle(&lcm));
        std::thread::sleep(Duration::from_millis(100));
        scope.spawn(|| returned.send(lcm.handle_timeout(50)));
        let early = returns.recv_timeout(Duration::from_secs(10));
        assert_eq!(lcm.publish("A", b"x"), 0); // both end in any case
        assert_eq!((early, forever.join().unwrap()), (Ok(0), 0));
    });
}
