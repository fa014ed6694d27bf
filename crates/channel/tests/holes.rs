//! Weaknesses of the design whose tests need a kernel: leases, sandboxes, lanes added late.

mod common;

use common::*;
use saltus_channel::*;
use std::time::Duration;

/// The lane that a new publisher gets while `holder` runs, after `holder` reported that it is ready.
fn second_lane(channel: &Channel, holder: impl FnOnce(Publisher)) -> u32 {
    let child = fork(|| {
        holder(channel.publisher().unwrap());
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    eventually("lease", || {
        let info = channel.info().unwrap();
        info.lanes.iter().any(|l| l.pid == child.0 as u32 && l.published > 0).then_some(())
    });
    channel.publisher().unwrap().id().lane
}

fn ready(mut publisher: Publisher) {
    publisher.publish(b"ready").unwrap();
    std::mem::forget(publisher);
}

/// Addendum 2: a lease lives exactly as long as its owner's address space.
#[test]
fn closing_every_descriptor_keeps_the_lease() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let lane = second_lane(&channel, |publisher| {
        // SAFETY: daemons fork this way; this child uses no descriptor afterwards except through mappings.
        unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) };
        ready(publisher);
    });
    assert_eq!(lane, 1, "lane 0 is still its owner's");
}

#[test]
fn a_lease_ends_with_its_owner_though_a_forked_child_lives_on() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut pipe = [0; 2];
    // SAFETY: space for two descriptors.
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    let owner = fork(|| {
        let _publisher = channel.publisher().unwrap();
        // SAFETY: the grandchild only sleeps until the pipe closes, and exits.
        if unsafe { libc::fork() } == 0 {
            let mut byte = 0u8;
            // SAFETY: one byte of space; the write end is closed first, so that only the test keeps it open.
            unsafe {
                libc::close(pipe[1]);
                libc::read(pipe[0], (&raw mut byte).cast(), 1);
                libc::_exit(0);
            }
        }
        0
    });
    assert_eq!(owner.wait(), 0);
    assert_eq!(channel.publisher().unwrap().id().lane, 0);
    assert!(!channel.info().unwrap().lanes[0].alive);
    // SAFETY: our own descriptors; closing them ends the grandchild.
    unsafe {
        libc::close(pipe[1]);
        libc::close(pipe[0]);
    }
}

#[test]
fn a_forked_child_publishes_in_a_lane_of_its_own() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(Start::Now)).unwrap();
    publisher.publish(b"parent").unwrap();
    let child = fork(|| {
        let ok = publisher.publish(b"child").is_ok() && publisher.id().lane == 1;
        let mut buf = [0; 512];
        let first = subscriber.next(&mut buf).unwrap().map(|s| (s.publisher.lane, s.seq));
        let second = subscriber.next(&mut buf).unwrap().map(|s| (s.publisher.lane, s.seq));
        !(ok && first == Some((0, 1)) && second == Some((1, 1))) as i32
    });
    assert_eq!(child.wait(), 0);
    publisher.publish(b"parent again").unwrap();
    assert_eq!(publisher.id().lane, 0);
    let mut buf = [0; 512];
    let got: Vec<_> =
        std::iter::from_fn(|| subscriber.next(&mut buf).unwrap()).map(|s| s.publisher.lane).collect();
    assert_eq!(got, [0, 1, 0], "the parent's place is its own");
}

/// A loan that the parent had borrowed is empty in a forked child.
#[test]
fn a_loan_does_not_lead_a_child_into_its_parents_lane() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut loan = publisher.loan(64).unwrap();
    loan.fill(1);
    let child = fork(|| loan.len() as i32);
    assert_eq!(child.wait(), 0);
    loan.publish(64).unwrap();
    let mut buf = [0; 64];
    channel.subscriber().unwrap().newest(&mut buf).unwrap().unwrap();
    assert_eq!(buf, [1; 64]);
}

/// Addendum 12: a message identifies the publisher that made it, not the current owner of its lane.
#[test]
fn an_old_message_names_its_own_publisher() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(Start::Now)).unwrap();
    let mut leases = Vec::new();
    for _ in 0..3 {
        let mut publisher = channel.publisher().unwrap();
        publisher.publish(b"x").unwrap();
        leases.push(publisher.id().lease);
    }
    let mut buf = [0; 8];
    let seen: Vec<u64> =
        std::iter::from_fn(|| subscriber.next(&mut buf).unwrap()).map(|s| s.publisher.lease).collect();
    assert_eq!(seen, leases);
}

/// Addendum 13: a lane added while a subscriber sleeps wakes it like any other.
#[test]
fn a_waiter_is_woken_by_a_publisher_that_joins_later() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let _first = channel.publisher().unwrap();
    let options = SubscriberOptions::new().slice(Duration::from_secs(60)); // only a wake can end it in time
    let mut subscriber = channel.subscriber_with(options).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            let mut second = channel.publisher().unwrap();
            assert_eq!(second.publish(b"x").unwrap().seq, 1);
        });
        let sample = subscriber.wait_next(Duration::from_secs(20), &mut [0; 8]).unwrap().expect("woken");
        assert_eq!(sample.publisher.lane, 1);
    });
}

/// Addendum 13: a view counts when it is validated, not when it is returned.
#[test]
fn a_view_that_is_dropped_leaves_the_message_unseen() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().depth(2).max_message_size(64)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    publisher.publish(b"0123456789abcdef_odd").unwrap();
    // Viewed three times, and never validated.
    for _ in 0..3 {
        let view = subscriber.view(Which::Next, Until::Poll).unwrap().unwrap();
        let mut piece = [0; 9];
        view.copy_to(5, &mut piece);
        assert_eq!((&piece, view.byte(19), view.len()), (b"56789abcd", b'd', 20));
        assert_eq!(subscriber.received(), 0);
    }
    let view = subscriber.view(Which::Next, Until::Poll).unwrap().unwrap();
    let first = view.byte(0);
    for _ in 0..8 {
        publisher.publish(&[0xEE; 64]).unwrap();
    }
    assert!(matches!(view.validate(), Err(Error::Overrun { .. })), "{first}");
    let (sum, sample) = subscriber.with_view(Which::Next, Until::Poll, |v| v.byte(0)).unwrap().unwrap();
    assert_eq!((sum, sample.missed, subscriber.received() + subscriber.missed()), (0xEE, 7, 8));
}

/// Addendum 15: a sandbox that refuses to wait on several futexes at once (EPERM) is treated as a kernel without the call.
#[test]
fn a_sandbox_without_futex_waitv_still_waits_and_cancels() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let child = fork(|| {
        saltus_netns::refuse_call(libc::SYS_futex_waitv, None, libc::EPERM); // threads made later inherit it
        let mut publisher = channel.publisher().unwrap();
        let mut subscriber = channel.subscriber().unwrap();
        let cancel = subscriber.cancel_handle();
        let mut buf = [0; 8];
        let (received, has_received) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            publisher.publish(b"x").unwrap();
            has_received.recv().unwrap();
            std::thread::sleep(Duration::from_millis(20));
            cancel.cancel();
        });
        let woken = subscriber.wait_next(Until::Forever, &mut buf).unwrap().is_some();
        received.send(()).unwrap();
        let canceled = matches!(subscriber.wait_next(Until::Forever, &mut buf), Err(Error::Canceled));
        thread.join().unwrap();
        !(woken && canceled) as i32
    });
    assert_eq!(child.wait(), 0);
}

/// The same for several channels: the wait sleeps, instead of checking every few milliseconds.
#[test]
fn a_sandbox_without_futex_waitv_sleeps_on_several_channels() {
    let domain = TestDomain::new();
    let channels: Vec<_> =
        (0..6).map(|i| domain.create(format!("c{i}"), &Attributes::new()).unwrap()).collect();
    let child = fork(|| {
        saltus_netns::refuse_call(libc::SYS_futex_waitv, None, libc::ENOSYS);
        let mut subscribers: Vec<_> = channels.iter().map(|c| c.subscriber().unwrap()).collect();
        let mut all: Vec<&mut Subscriber> = subscribers.iter_mut().collect();
        let sleeps = || {
            // SAFETY: all zeros is a valid record to be filled in.
            unsafe {
                let mut usage: libc::rusage = std::mem::zeroed();
                libc::getrusage(libc::RUSAGE_SELF, &mut usage);
                usage.ru_nvcsw
            }
        };
        let before = sleeps();
        assert_eq!(wait_any(&mut all, Duration::from_millis(400)).unwrap(), None);
        let few = sleeps() - before < 60; // one for each channel and wake-up interval; 200 at 2 ms
        let mut publishers: Vec<_> = channels.iter().map(|c| c.publisher().unwrap()).collect();
        let thread = std::thread::spawn(move || {
            for i in [3, 0, 5, 3] {
                std::thread::sleep(Duration::from_millis(10));
                publishers[i].publish(b"x").unwrap();
            }
        });
        let found = [3, 0, 5, 3].map(|i| {
            let found = wait_any(&mut all, Until::Forever).unwrap();
            all[i].next(&mut [0; 8]).unwrap();
            found == Some(i)
        });
        thread.join().unwrap();
        !(few && found == [true; 4]) as i32
    });
    assert_eq!(child.wait(), 0);
}

/// Addendum 17: only memory; on a disk, publishers would wait for write-back.
#[test]
fn a_domain_on_a_disk_is_refused() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("disk-domain");
    std::fs::create_dir_all(&dir).unwrap();
    let domain = Directory::open(&format!("shm://{}", dir.display())).unwrap();
    // If the build directory itself is on a tmpfs, there is no disk to refuse.
    let path = std::ffi::CString::new(dir.to_str().unwrap()).unwrap();
    // SAFETY: all zeros is a valid record to be filled in, and the path a C string.
    let on_tmpfs = unsafe {
        let mut stat: libc::statfs = std::mem::zeroed();
        libc::statfs(path.as_ptr(), &mut stat);
        stat.f_type == libc::TMPFS_MAGIC
    };
    let made = domain.create("imu", &Attributes::new());
    assert_eq!(made.is_ok(), on_tmpfs);
    if let Err(e) = made {
        assert!(e.to_string().contains("tmpfs"), "{e}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
