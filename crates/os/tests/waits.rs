//! Waits for sockets, events and timers, and files and memory: what every system has.

use saltus_os::clock::{self, Clock};
use saltus_os::epoll::{Epoll, Event, READ, Timer, WRITE};
use saltus_os::fd::{AsFd, AsRawFd};
use saltus_os::file::{self, FileExt};
use saltus_os::map::Map;
use saltus_os::{poll, process};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

/// 10 s: longer than any wait that succeeds.
const LONG: u64 = 10_000_000_000;
/// 30 ms.
const SHORT: u64 = 30_000_000;

/// The tokens and events that are ready within `time` ns.
fn ready(set: &Epoll, time: u64) -> Vec<(u64, u32)> {
    let deadline = clock::monotonic() + time;
    let mut found = Vec::new();
    while found.is_empty() && clock::monotonic() < deadline {
        set.wait(deadline, |token, events| found.push((token, events)));
    }
    found.sort_unstable();
    found
}

/// Two sockets that are connected to each other.
fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

#[test]
fn an_event_is_ready_from_raise_to_lower() {
    let (set, event) = (Epoll::new().unwrap(), Event::new().unwrap());
    set.add(event.raw(), READ, 7).unwrap();
    assert!(!event.lower(), "it was never raised");
    assert_eq!(ready(&set, SHORT), []);
    event.raise();
    event.raise();
    for _ in 0..2 {
        assert_eq!(ready(&set, LONG), [(7, READ)]);
    }
    assert!(event.lower());
    assert_eq!(ready(&set, SHORT), []);
    event.raise();
    assert_eq!(ready(&set, LONG), [(7, READ)]);
}

#[test]
fn a_timer_is_raised_in_time_and_lowered_by_the_next_setting() {
    let (set, timer) = (Epoll::new().unwrap(), Timer::new().unwrap());
    set.add(timer.raw(), READ, 1).unwrap();
    let at = clock::monotonic() + SHORT;
    timer.set(Some(at));
    assert_eq!(ready(&set, LONG), [(1, READ)]);
    assert!(clock::monotonic() >= at);
    timer.set(None);
    assert_eq!(ready(&set, SHORT), []);
    timer.set(Some(1)); // long past
    assert_eq!(ready(&set, LONG), [(1, READ)]);
    timer.set(Some(clock::monotonic() + LONG));
    assert_eq!(ready(&set, SHORT), []);
}

#[test]
fn of_many_timers_each_is_raised_at_its_own_time() {
    let set = Epoll::new().unwrap();
    let now = clock::monotonic();
    let timers: Vec<Timer> = (0..5).map(|_| Timer::new().unwrap()).collect();
    for (i, timer) in timers.iter().enumerate() {
        set.add(timer.raw(), READ, i as u64).unwrap();
        timer.set(Some(now + SHORT * (5 - i as u64)));
    }
    let mut order = Vec::new();
    while order.len() < timers.len() {
        for (token, _) in ready(&set, LONG) {
            timers[token as usize].set(None);
            assert!(clock::monotonic() >= now + SHORT * (5 - token));
            order.push(token);
        }
    }
    order.sort_unstable();
    assert_eq!(order, [0, 1, 2, 3, 4]);
}

#[test]
fn sockets_are_ready_to_read_and_to_write_and_when_the_other_end_is_closed() {
    let (set, (one, other)) = (Epoll::new().unwrap(), pair());
    set.add(one.as_raw_fd(), READ | WRITE, 3).unwrap();
    assert_eq!(ready(&set, LONG), [(3, WRITE)]);
    set.change(one.as_raw_fd(), READ, 4).unwrap();
    assert_eq!(ready(&set, SHORT), []);
    std::io::Write::write_all(&mut &other, b"x").unwrap();
    assert_eq!(ready(&set, LONG), [(4, READ)]);
    assert_eq!(std::io::Read::read(&mut &one, &mut [0; 8]).unwrap(), 1);
    drop(other);
    let found = ready(&set, LONG);
    assert!(found.len() == 1 && found[0].1 != 0, "{found:?}");
    assert_eq!(std::io::Read::read(&mut &one, &mut [0; 8]).unwrap_or(0), 0);
    set.remove(one.as_raw_fd());
    assert_eq!(ready(&set, SHORT), []);
}

#[test]
fn a_member_that_is_added_during_a_wait_ends_it() {
    let (set, event) = (Epoll::new().unwrap(), Event::new().unwrap());
    event.raise();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| ready(&set, LONG));
        std::thread::sleep(Duration::from_millis(50));
        set.add(event.raw(), READ, 9).unwrap();
        assert_eq!(waits.join().unwrap(), [(9, READ)]);
    });
}

#[test]
fn sets_that_share_a_set_are_both_ready_when_its_member_is() {
    let (inner, event) = (Epoll::new().unwrap(), Event::new().unwrap());
    inner.add(event.raw(), READ, 0).unwrap();
    let outer = [1, 2].map(|token| {
        let set = Epoll::new().unwrap();
        set.add(inner.as_fd().as_raw_fd(), READ, token).unwrap();
        set
    });
    assert_eq!(ready(&outer[0], SHORT), []);
    event.raise();
    assert_eq!([ready(&outer[0], LONG), ready(&outer[1], LONG)], [[(1, READ)], [(2, READ)]]);
    let mut polls = [&outer[0], &outer[1], &inner].map(|set| poll::entry(Some(set.as_fd()), poll::READ));
    assert_eq!(poll::wait(&mut polls, Some(Duration::from_secs(10))).unwrap(), 3);
    event.lower();
    assert_eq!(poll::wait(&mut polls, Some(Duration::from_millis(30))).unwrap(), 0);
}

#[test]
fn a_poll_reports_the_ready_ones_and_waits_no_longer_than_it_may() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let mut polls = [poll::entry(None, poll::READ), poll::entry(Some(socket.as_fd()), poll::READ)];
    let start = clock::monotonic();
    assert_eq!(poll::wait(&mut polls, Some(Duration::from_nanos(SHORT))).unwrap(), 0);
    assert!(clock::monotonic() - start >= SHORT);
    UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"x", address).unwrap();
    assert_eq!(poll::wait(&mut polls, Some(Duration::from_secs(10))).unwrap(), 1);
    assert_eq!((polls[0].revents, polls[1].revents & poll::READ), (0, poll::READ));
    let mut out = [poll::entry(Some(socket.as_fd()), poll::WRITE)];
    assert_eq!(poll::wait(&mut out, None).unwrap(), 1);
}

#[test]
fn clocks_advance_and_sleeps_last_as_long_as_they_should() {
    for clock in [Clock::Boottime, Clock::Monotonic, Clock::Realtime] {
        let before = clock::now(clock);
        process::sleep_until(clock::monotonic() + SHORT);
        assert!(clock::now(clock) >= before + SHORT / 2, "{clock:?}");
    }
}

#[test]
fn secrets_differ() {
    let (one, other) = (process::secret().unwrap(), process::secret().unwrap());
    assert!(one.len() == 32 && one != other && process::random() != process::random());
}

#[test]
fn memory_is_zeroed_and_begins_at_a_page() {
    let map = Map::anonymous(100_000).unwrap();
    assert!(map.len() == 100_000 && (map.base() as usize).is_multiple_of(4096));
    // SAFETY: the memory lives as long as `map`, and nothing writes to it.
    assert!(unsafe { std::slice::from_raw_parts(map.base(), map.len()) }.iter().all(|byte| *byte == 0));
    assert!(Map::anonymous(0).is_err());
}

#[test]
fn a_file_is_read_and_written_at_places_and_has_an_identity() {
    let path = std::env::temp_dir().join(format!("saltus-os-waits-{:016x}", process::random()));
    let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    file.write_all_at(b"0123456789", 0).unwrap();
    file.write_all_at(b"xy", 4).unwrap();
    let mut four = [0; 4];
    file.read_exact_at(&mut four, 3).unwrap();
    assert_eq!(&four, b"3xy6");
    assert!(file.read_exact_at(&mut four, 8).is_err(), "only two bytes are left");
    let inode = file::inode(&file).unwrap();
    assert_eq!((inode.len, inode.links, inode.is_file), (10, 1, true));
    assert_eq!(inode.user, process::user());
    assert_eq!(file::identity(&path).unwrap(), (inode.device, inode.number));
    assert!(file::free_space(&path).unwrap() > 0);
    drop(file);
    std::fs::remove_file(&path).unwrap();
}
