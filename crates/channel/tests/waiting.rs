//! Waiting: deadlines, wake-ups, canceling, several channels, event loops, and the ends of channels.

mod common;

use common::*;
use saltus_channel::*;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

/// Runs `act` in a thread when the calling thread sleeps.
fn when_asleep(act: impl FnOnce() + Send + 'static) -> std::thread::JoinHandle<()> {
    let path = std::fs::read_link("/proc/thread-self").unwrap();
    std::thread::spawn(move || {
        eventually("sleep", || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", path.display())).unwrap();
            stat.rsplit(')').next().is_some_and(|s| s.trim_start().starts_with('S')).then_some(())
        });
        act();
    })
}

#[test]
fn a_wait_ends_at_its_deadline_and_not_before() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let mut buf = [0; 512];
    for ms in [0, 1, 30, 130] {
        let before = clock::monotonic();
        assert_eq!(subscriber.wait_newest(Duration::from_millis(ms), &mut buf).unwrap(), None);
        assert!(clock::monotonic() >= before + ms * 1_000_000, "{ms}");
    }
    assert_eq!(subscriber.wait_next(Until::At(1), &mut buf).unwrap(), None, "a point in the past");
}

#[test]
fn a_message_from_before_the_wait_ends_it_immediately() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    channel.publisher().unwrap().publish(b"1").unwrap();
    assert_eq!(subscriber.wait_next(Until::At(1), &mut [0; 8]).unwrap().unwrap().seq, 1);
}

#[test]
fn a_publish_wakes_every_kind_of_waiter() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    // With a slice beyond the deadline, only a wake can end the wait in time.
    let options = SubscriberOptions::new().start(Start::Now).slice(2 * LONG);
    for options in
        [options, options.spin(Duration::from_millis(5)), options.poll_every(Duration::from_millis(3))]
    {
        let mut subscriber = channel.subscriber_with(options).unwrap();
        std::thread::scope(|scope| {
            let publisher = &mut publisher;
            let waiting = scope.spawn(move || {
                let mut buf = [0; 8];
                let sample = subscriber.wait_newest(LONG, &mut buf).unwrap().expect("woken");
                (sample.seq, sample.missed)
            });
            std::thread::sleep(Duration::from_millis(20));
            let seq = publisher.publish(b"now").unwrap().seq;
            assert_eq!(waiting.join().unwrap(), (seq, 0), "{options:?}");
        });
    }
}

#[test]
fn another_thread_cancels_a_wait() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let cancel = subscriber.cancel_handle();
    let thread = when_asleep({
        let cancel = cancel.clone();
        move || cancel.cancel()
    });
    let mut buf = [0; 512];
    assert!(matches!(subscriber.wait_next(Until::Forever, &mut buf), Err(Error::Canceled)));
    thread.join().unwrap();
    assert!(matches!(subscriber.wait_next(Until::Forever, &mut buf), Err(Error::Canceled)), "until reset");
    assert_eq!(subscriber.next(&mut buf).unwrap(), None, "a poll is no wait");
    cancel.reset();
    assert_eq!(subscriber.wait_next(Duration::from_millis(1), &mut buf).unwrap(), None);
}

#[test]
fn a_signal_handler_cancels_a_wait() {
    static CANCEL: OnceLock<CancelHandle> = OnceLock::new();
    extern "C" fn handler(_: i32) {
        if let Some(cancel) = CANCEL.get() {
            cancel.cancel();
        }
    }
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    for flags in [0, libc::SA_RESTART] {
        let child = fork(|| {
            let mut subscriber = channel.subscriber().unwrap();
            CANCEL.set(subscriber.cancel_handle()).unwrap();
            // SAFETY: all zeros is a valid action; the handler is async-signal-safe.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = flags;
                libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut());
            }
            let got = subscriber.wait_newest(Until::Forever, &mut [0; 512]);
            matches!(got, Err(Error::Canceled)) as i32
        });
        eventually("subscriber", || {
            channel.info().unwrap().subscribers.iter().any(|s| s.alive).then_some(())
        });
        // Whether or not it is blocked: the signal may arrive before the wait, and must not be lost then. Before the handler is
        // installed it would kill the child, so the test waits until the child sleeps.
        eventually("sleep", || {
            let wchan = std::fs::read_to_string(format!("/proc/{}/syscall", child.0)).unwrap_or_default();
            wchan.starts_with(&format!("{} ", libc::SYS_futex_waitv)).then_some(())
        });
        child.signal(libc::SIGUSR1);
        assert_eq!(child.wait(), 1 << 8, "exit code 1: canceled");
    }
}

#[test]
fn wait_any_returns_the_channel_with_a_message() {
    let domain = TestDomain::new();
    let channels: Vec<_> =
        (0..20).map(|i| domain.create(format!("c{i}"), &Attributes::new().depth(2)).unwrap()).collect();
    let mut publishers: Vec<_> = channels.iter().map(|c| c.publisher().unwrap()).collect();
    let mut subscribers: Vec<_> = channels
        .iter()
        .map(|c| c.subscriber_with(SubscriberOptions::new().slice(2 * LONG)).unwrap())
        .collect();
    let mut all: Vec<&mut Subscriber> = subscribers.iter_mut().collect();
    assert_eq!(wait_any(&mut all, Duration::from_millis(1)).unwrap(), None);
    let thread = when_asleep(move || {
        publishers[13].publish(b"13").unwrap();
    });
    assert_eq!(wait_any(&mut all, LONG).unwrap(), Some(13));
    assert_eq!(wait_any(&mut all, Until::Poll).unwrap(), Some(13), "until it is received");
    all[13].newest(&mut [0; 8]).unwrap().unwrap();
    assert_eq!(wait_any(&mut all, Until::Poll).unwrap(), None);
    thread.join().unwrap();
    let cancel = all[5].cancel_handle();
    cancel.cancel();
    assert!(matches!(wait_any(&mut all, LONG), Err(Error::Canceled)));
}

#[test]
fn wait_any_refuses_more_than_the_kernel_takes() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let options = SubscriberOptions::new().counters(false);
    let mut subscribers: Vec<_> = (0..128).map(|_| channel.subscriber_with(options).unwrap()).collect();
    let mut all: Vec<&mut Subscriber> = subscribers.iter_mut().collect();
    assert!(wait_any(&mut all[..127], Duration::from_millis(2)).unwrap().is_none());
    assert!(wait_any(&mut all, LONG).unwrap_err().to_string().contains("127"));
}

fn readable(fd: i32, ms: i32) -> bool {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one live structure.
    unsafe { libc::poll(&mut poll, 1, ms) == 1 }
}

/// The thread that raises the descriptor may be stopped right after that by the subscriber that it wakes, on the same CPU. The
/// subscriber must not find the descriptor high without a message until the thread runs again.
#[test]
fn the_event_descriptor_is_not_high_for_nothing() {
    // SAFETY: a set of CPUs that lives across the call, for this thread; threads that it starts inherit it.
    unsafe {
        let mut one: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(libc::sched_getcpu() as usize, &mut one);
        libc::sched_setaffinity(0, size_of_val(&one), &one);
    }
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().depth(64)).unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let fd = subscriber.event_fd().unwrap().as_raw_fd();
    let publisher = std::thread::spawn(move || {
        let mut publisher = channel.publisher().unwrap();
        for n in 0..300u64 {
            publisher.publish(&n.to_le_bytes()).unwrap();
            std::thread::sleep(Duration::from_micros(200));
        }
    });
    let (mut buf, mut last, mut in_vain) = ([0; 8], None, 0);
    while last != Some(299) {
        assert!(readable(fd, 20_000));
        let mut found = false;
        while subscriber.next(&mut buf).unwrap().is_some() {
            (found, last) = (true, Some(u64::from_le_bytes(buf)));
        }
        in_vain = if found { 0 } else { in_vain + 1 };
        assert!(in_vain < 10, "high {in_vain} times with nothing to receive, after message {last:?}");
    }
    publisher.join().unwrap();
}

#[test]
fn the_event_descriptor_is_readable_while_there_is_something_unseen() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let fd = subscriber.event_fd().unwrap().as_raw_fd();
    let mut buf = [0; 512];
    assert!(!readable(fd, 5));
    for round in 0..200 {
        publisher.publish(b"a").unwrap();
        publisher.publish(b"b").unwrap();
        assert!(readable(fd, 20_000), "round {round}");
        let mut got = 0;
        while subscriber.next(&mut buf).unwrap().is_some() {
            got += 1;
        }
        assert_eq!(got, 2);
        // It may have been raised a second time just before the last receive; then one more check lowers it.
        while readable(fd, 0) {
            assert_eq!(subscriber.next(&mut buf).unwrap(), None);
        }
    }
    domain.unlink("imu").unwrap();
    assert!(readable(fd, 20_000), "the end of the channel is an event");
    assert!(matches!(subscriber.next(&mut buf), Err(Error::Retired { .. })));
}

/// The users of a channel that lost its name continue. The first receive that finds nothing reports it; after that the event comes once per
/// check, every 100 ms.
#[test]
fn the_event_descriptor_of_a_detached_channel_keeps_nobody_busy() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let fd = subscriber.event_fd().unwrap().as_raw_fd();
    domain.detach("imu").unwrap();
    let mut buf = [0; 512];
    let (start, mut events, mut reports) = (clock::monotonic(), 0, 0);
    while clock::monotonic() < start + 1_000_000_000 {
        events += readable(fd, 50) as u32;
        match subscriber.next(&mut buf) {
            Err(Error::Retired { how: Retired::Vanished, .. }) => reports += 1,
            other => assert_eq!(other.unwrap(), None),
        }
    }
    assert!(reports > 0 && (1..30).contains(&events), "{events} events, {reports} reports");
    publisher.publish(b"tilt 0.02").unwrap();
    assert!(readable(fd, 20_000));
    assert!(subscriber.next(&mut buf).unwrap().is_some());
}

#[test]
fn a_waiter_learns_when_its_channel_ends() {
    let domain = TestDomain::new();
    for (how, expected) in [(0, Retired::Removed), (1, Retired::Replaced), (2, Retired::Vanished)] {
        let channel = domain.create("imu", &Attributes::new()).unwrap();
        channel.publisher().unwrap().publish(b"last words").unwrap();
        let mut subscriber = channel.subscriber().unwrap();
        let thread = when_asleep({
            let domain = domain.0.clone();
            move || match how {
                0 => domain.unlink("imu").unwrap(),
                1 => drop(domain.replace("imu", &Attributes::new()).unwrap()),
                _ => std::fs::remove_dir_all(domain.path().join("imu")).unwrap(),
            }
        });
        let mut buf = [0; 512];
        assert_eq!(
            subscriber.wait_next(LONG, &mut buf).unwrap().unwrap().len,
            10,
            "the published message comes first"
        );
        match subscriber.wait_next(LONG, &mut buf) {
            Err(Error::Retired { how, .. }) => assert_eq!(how, expected),
            other => panic!("{other:?}"),
        }
        thread.join().unwrap();
        assert!(channel.is_retired());
        let _ = domain.unlink("imu");
    }
}

#[test]
fn a_subscriber_may_start_before_its_channel() {
    let domain = TestDomain::new();
    assert!(domain.wait_for("imu", Duration::from_millis(20)).unwrap().is_none());
    let creator = std::thread::spawn({
        let domain = domain.0.clone();
        move || {
            std::thread::sleep(Duration::from_millis(30));
            domain.create("imu", &Attributes::new()).unwrap()
        }
    });
    assert!(domain.wait_for("imu", LONG).unwrap().is_some());
    creator.join().unwrap();
}
