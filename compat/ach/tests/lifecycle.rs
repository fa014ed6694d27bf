//! Channels that are removed, replaced and created again under open handles, and many readers.

mod support;

use ach::*;
use std::ffi::c_void;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use support::*;

#[test]
fn handles_follow_a_channel_to_its_successor_and_say_when_there_is_none() {
    let domain = TestDomain::of_this_process();
    let directory = domain.open();
    assert_eq!(create("imu", 4, 8), ACH_OK);
    let (mut writer, mut reader) = (Channel::open("imu"), Channel::open("imu"));
    assert_eq!(writer.put(b"one"), ACH_OK);
    // `saltus rm`, unlike `ach rm`, ends the channel for all that have it open. What was published is received first.
    directory.unlink("imu").unwrap();
    assert_eq!(reader.get(0), (ACH_OK, b"one".to_vec()));
    assert_eq!((reader.get(0).0, writer.put(b"two")), (ACH_ENOENT, ACH_ENOENT));
    assert!(describe(ACH_ENOENT).contains("imu"), "{}", describe(ACH_ENOENT));
    assert_eq!(reader.wait(0, LONG).0, ACH_ENOENT, "it does not wait for what cannot come");
    assert_eq!(create("imu", 4, 8), ACH_OK);
    assert_eq!(writer.put(b"three"), ACH_OK);
    assert_eq!(reader.get(0), (ACH_OK, b"three".to_vec()));
    assert_eq!(reader.seq_num(), 2);

    // A reader that waits follows too.
    thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            let mut reader = reader;
            let got = reader.wait(0, LONG);
            (got, reader)
        });
        thread::sleep(Duration::from_millis(50));
        directory.replace("imu", &saltus_channel::Attributes::new()).unwrap();
        assert_eq!(writer.put(b"four"), ACH_OK);
        let (got, mut reader) = waiting.join().unwrap();
        assert_eq!(got, (ACH_OK, b"four".to_vec()));
        assert_eq!(reader.seq_num(), 3);
        // So does one that is canceled by closing it.
        scope.spawn(move || {
            let start = Instant::now();
            let mut reader = reader.by_two_threads(Duration::from_millis(50));
            assert_eq!(reader.get(0).0, ACH_EINVAL);
            assert!(start.elapsed() < LONG);
        });
    });
    drop(writer);
    assert_eq!(unlink("imu"), ACH_OK);
}

impl Channel {
    /// Waits in one thread, and closes in another.
    fn by_two_threads(&mut self, after: Duration) -> Channel {
        let at = self.at() as usize;
        let closing = thread::spawn(move || {
            thread::sleep(after);
            // SAFETY: the handle is open, and its structure lives until this thread has been joined.
            unsafe { ach_close(at as *mut AchChannel) }
        });
        assert_eq!(self.wait(0, LONG).0, ACH_EINVAL);
        assert_eq!(closing.join().unwrap(), ACH_OK);
        Channel(Box::new(AchChannel { words: [0; 16] }))
    }
}

/// `ach_unlink` takes the name away first, then the files. A reader that looks in between does not take it for a removal.
#[test]
fn a_reader_waits_on_while_a_channel_loses_its_name() {
    let domain = TestDomain::of_this_process();
    assert_eq!(create("halfway", 4, 8), ACH_OK);
    let (mut writer, mut reader) = (Channel::open("halfway"), Channel::open("halfway"));
    assert_eq!((writer.put(b"one"), reader.get(0).0), (ACH_OK, ACH_OK));
    let path = domain.open().path().join("halfway");
    let aside = path.with_file_name("halfway-aside");
    let mut fd = -1;
    // SAFETY: the handle is open, and there is a place for a number.
    assert_eq!(unsafe { ach_channel_fd(reader.at(), &mut fd) }, ACH_OK); // from now on, a poll learns of the name too
    std::fs::rename(&path, &aside).unwrap();
    assert_eq!(reader.wait(0, Duration::from_millis(350)).0, ACH_TIMEOUT);
    assert_eq!(reader.get(0).0, ACH_STALE_FRAMES);
    assert_eq!(loop_of_350_ms(&mut reader), ACH_CLOSED, "the event loop continues too");
    std::fs::remove_dir_all(&aside).unwrap();
    assert_eq!(reader.wait(0, Duration::from_millis(350)).0, ACH_TIMEOUT);
    assert_eq!(writer.put(b"two"), ACH_OK);
    assert_eq!(reader.get(0), (ACH_OK, b"two".to_vec()));
}

/// The status of an event loop that its periodic function ends after 350 ms.
fn loop_of_350_ms(reader: &mut Channel) -> AchStatus {
    extern "C" fn get(_: *mut c_void, chan: *mut AchChannel) -> AchStatus {
        let (mut buf, mut len) = ([0u8; 8], 0);
        // SAFETY: the handle is open, and there is room for the message.
        unsafe { ach_get(chan, buf.as_mut_ptr().cast(), 8, &mut len, std::ptr::null(), 0) }
    }
    extern "C" fn end(begin: *mut c_void) -> AchStatus {
        // SAFETY: the caller passes the time when it began.
        let began = unsafe { *begin.cast::<Instant>() };
        if began.elapsed() > Duration::from_millis(350) { ACH_CLOSED } else { ACH_OK }
    }
    let period = libc::timespec { tv_sec: 0, tv_nsec: 10_000_000 };
    let mut handlers = [AchEvhandler { channel: reader.at(), context: null_mut(), handler: Some(get) }];
    let mut began = Instant::now();
    // SAFETY: the handler has an open channel, and all live until this returns.
    unsafe {
        ach_evhandle(
            handlers.as_mut_ptr(),
            1,
            &period,
            Some(end),
            (&raw mut began).cast(),
            1, // ACH_EV_O_PERIODIC_TIMEOUT
        )
    }
}

/// Closing a handle while another thread waits with it ends the wait, but what the thread uses at that moment cannot be released yet.
#[test]
fn handles_closed_under_waiting_threads_do_not_pile_up() {
    let domain = TestDomain::of_this_process();
    assert_eq!(create("piled", 4, 8), ACH_OK);
    for _ in 0..20 {
        let mut chan = Channel::open("piled");
        let at = chan.at() as usize;
        thread::scope(|scope| {
            // SAFETY: the handle was opened, and its structure lives until this thread has been joined.
            let get = move || unsafe {
                let (mut buf, mut len) = ([0u8; 8], 0);
                ach_get(
                    at as *mut AchChannel,
                    buf.as_mut_ptr().cast(),
                    8,
                    &mut len,
                    std::ptr::null(),
                    ACH_O_WAIT,
                )
            };
            let waiting = scope.spawn(get);
            // Until that thread has the reader.
            while chan.flush() != ACH_EAGAIN {
                thread::sleep(Duration::from_millis(1));
            }
            // SAFETY: the handle is open.
            assert_eq!(unsafe { ach_close(at as *mut AchChannel) }, ACH_OK);
            assert_eq!(waiting.join().unwrap(), ACH_EINVAL);
        });
    }
    let _last = Channel::open("piled");
    let info = domain.open().open_channel("piled").unwrap().info().unwrap();
    assert_eq!(info.subscribers.iter().filter(|subscriber| subscriber.alive).count(), 1);
    assert_eq!(unlink("piled"), ACH_OK);
}

/// Each gets every message, whole and in order, or learns that it missed some.
#[test]
fn many_readers_account_for_every_message() {
    TestDomain::of_this_process();
    const READERS: usize = 60;
    const MESSAGES: u64 = 20_000;
    assert_eq!(create("many", 64, 128), ACH_OK);
    thread::scope(|scope| {
        for r in 0..READERS {
            scope.spawn(move || {
                let mut reader = Channel::open("many");
                let options = if r % 3 == 0 { ACH_O_LAST } else { 0 };
                let mut last = 0;
                while last < MESSAGES {
                    let (status, _, bytes) =
                        reader.get_into(256, options | ACH_O_WAIT | ACH_O_RELTIME, Some(LONG));
                    let i = number(&bytes);
                    assert_eq!(status, if i == last + 1 { ACH_OK } else { ACH_MISSED_FRAME });
                    assert!(i > last && reader.seq_num() == i);
                    last = i;
                }
            });
        }
        let mut writer = Channel::open("many");
        for i in 1..=MESSAGES {
            assert_eq!(writer.put(&message(i, 8 + i as usize % 120)), ACH_OK);
            if i % 50 == 0 {
                thread::yield_now();
            }
        }
    });
    assert_eq!(unlink("many"), ACH_OK);
}

/// `ACH_O_COPY` repeats the newest message only if no message is unseen.
#[test]
fn a_copy_skips_no_message_that_arrives_at_that_moment() {
    TestDomain::of_this_process();
    const MESSAGES: u64 = 200_000;
    assert_eq!(create("copy", MESSAGES as usize, 8), ACH_OK);
    let (mut writer, mut reader) = (Channel::open("copy"), Channel::open("copy"));
    let (seen, start) = (AtomicU64::new(0), Instant::now());
    thread::scope(|scope| {
        scope.spawn(|| {
            for i in 1..=MESSAGES {
                assert_eq!(writer.put(&i.to_le_bytes()), ACH_OK);
                if i % 3 == 0 {
                    // The reader catches up, most of the time; and here always. Relaxed: a count.
                    (0..i % 700).for_each(|_| std::hint::spin_loop());
                    while i % 999 == 0 && seen.load(Relaxed) < i {
                        assert!(start.elapsed() < LONG, "the reader does not catch up");
                        thread::yield_now();
                    }
                }
            }
        });
        let (mut last, mut again) = (0, 0);
        while last < MESSAGES {
            let (status, _, bytes) = reader.get_into(8, ACH_O_COPY, None);
            if status == ACH_STALE_FRAMES && last == 0 {
                continue;
            }
            let i = number(&bytes);
            assert!(status == ACH_OK && (i == last || i == last + 1), "{status}: {i} after {last}");
            again += (i == last) as u64;
            last = i;
            seen.store(i, Relaxed);
        }
        assert!(again > 0, "the reader was never as fast as the writer");
    });
    assert_eq!(unlink("copy"), ACH_OK);
}

/// Ach maps a channel for writing in every process, so that readers need write permission.
#[test]
fn another_user_needs_read_permission_to_get_and_write_permission_to_put() {
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        println!("skipped: only root can run a program as another user");
        return;
    }
    let domain = TestDomain::of_this_process();
    // Where another user may run it.
    let dir = std::env::temp_dir().join(format!("saltus-ach-user-{}", std::process::id()));
    std::fs::create_dir(&dir).unwrap();
    let program = compile(&dir, "tests/c/peer.c", Build::Plain);
    // Runs it while messages are put.
    let is_allowed = |what: &str, chan: &mut Channel| {
        let mut command = Command::new(&program);
        command.args([what, "mode", "64"]).env("SALTUS_DOMAIN", domain.url()).uid(65534).gid(65534);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            assert_eq!(chan.put(&message(1, 64)), ACH_OK);
            thread::sleep(Duration::from_millis(1));
        }
        let output = child.wait_with_output().unwrap();
        (output.status.success(), text(&output.stderr))
    };
    assert_eq!(create("mode", 4, 64), ACH_OK);
    let mut chan = Channel::open("mode");
    for (mode, gets, put) in [(0o644, true, "put: ACH_EACCES\n"), (0o600, false, "open: ACH_EACCES")] {
        // SAFETY: an open handle.
        assert_eq!(unsafe { ach_chmod(chan.at(), mode) }, ACH_OK);
        assert_eq!(is_allowed("one", &mut chan).0, gets, "{mode:o}");
        let (is_allowed, why) = is_allowed("put", &mut chan);
        assert!(!is_allowed && why.starts_with(put), "{mode:o}: {why}");
    }
    assert_eq!(unlink("mode"), ACH_OK);
    std::fs::remove_dir_all(&dir).unwrap();
}
