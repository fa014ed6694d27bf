//! The defects of Ach 2.0.0, and that this library has none of them. Each test does what makes Ach fail, and says how Ach fails there:
//! as observed with Ach's commit 4766faa, compiled with optimization, on Linux 6.18 with glibc 2.36. Ach is in no package registry, so
//! these tests run this library alone.

mod support;

use ach::*;
use std::path::PathBuf;
use std::process::Command;
use std::ptr::null;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};
use support::*;

/// The program `tests/c/peer.c`.
fn peer(arguments: &[&str]) -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| compile(&scratch("defects"), "tests/c/peer.c", Build::Plain));
    let mut command = Command::new(program);
    command.args(arguments).env("SALTUS_DOMAIN", TestDomain::of_this_process().url());
    command
}

/// Ach: if the data is exactly full and the next message does not fit before its end, the area of newer messages is given up and
/// overwritten. The second get returns message 4's bytes as message 3; of messages with random sizes 2.1 % are wrong.
#[test]
fn d1_messages_of_any_size_come_back_as_they_were_put() {
    TestDomain::of_this_process();
    assert_eq!(create("d1", 4, 10), ACH_OK);
    let (mut writer, mut reader) = (Channel::open("d1"), Channel::open("d1"));
    for (i, len) in [(1, 20), (2, 20), (3, 20), (4, 30)] {
        assert_eq!(writer.put(&message(i, len)), ACH_OK);
    }
    for (i, len) in [(1, 20), (2, 20), (3, 20), (4, 30)] {
        assert_eq!(reader.get(0), (ACH_OK, message(i, len)));
    }
    assert_eq!(reader.get(0).0, ACH_STALE_FRAMES);

    assert_eq!(create("d1-random", 7, 40), ACH_OK);
    let (mut writer, mut reader) = (Channel::open("d1-random"), Channel::open("d1-random"));
    let (mut random, mut sizes) = (1u64, vec![0]);
    let mut received = 0;
    for i in 1..=100_000u64 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        sizes.push(8 + (random >> 33) as usize % 273);
        assert_eq!(writer.put(&message(i, sizes[i as usize])), ACH_OK);
        if random >> 62 != 0 {
            let (status, bytes) = reader.get(0);
            if status == ACH_STALE_FRAMES {
                continue;
            }
            assert!([ACH_OK, ACH_MISSED_FRAME].contains(&status), "{}", describe(status));
            let i = number(&bytes);
            assert_eq!((bytes.len(), i), (sizes[i as usize], reader.seq_num()));
            received += 1;
        }
    }
    assert!(received > 50_000, "{received}");
}

/// Ach: the writer's second put never returns, and neither does that of any other process: the condition variable waits for the dead
/// reader. Always, after SIGKILL and after SIGINT, up to glibc 2.40.
#[test]
fn d2_a_reader_killed_while_it_waits_holds_up_no_writer() {
    TestDomain::of_this_process();
    assert_eq!(create("d2", 16, 512), ACH_OK);
    let mut writer = Channel::open("d2");
    for (round, signal) in [libc::SIGKILL, libc::SIGINT].into_iter().cycle().take(10).enumerate() {
        let mut first = Peer::start(&mut peer(&["wait", "d2"]));
        let mut second = Peer::start(&mut peer(&["one", "d2"]));
        std::thread::sleep(Duration::from_millis(20)); // until both sleep, most likely; else they die otherwise
        first.signal(signal);
        first.end();
        let start = Instant::now();
        for i in 0..100 {
            assert_eq!(writer.put(&message(100 * round as u64 + i, 64)), ACH_OK);
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(second.end().success(), "the other reader received a message");
    }
}

/// Ach: a writer killed inside a put makes the channel ACH_CORRUPT for all, forever: 10 % of kills at random moments with 64 B, 33 %
/// with 4 KB, 99 % with 1 MB.
#[test]
fn d3_a_writer_killed_inside_put_leaves_the_channel_as_it_was() {
    TestDomain::of_this_process();
    for (name, len, rounds) in [("d3-64", 64usize, 40u64), ("d3-4k", 4096, 40), ("d3-1m", 1 << 20, 40)] {
        assert_eq!(create(name, 4, len), ACH_OK);
        let (mut reader, mut writer) = (Channel::open(name), Channel::open(name));
        for round in 0..rounds {
            let mut child = Peer::start(&mut peer(&["put", name, &len.to_string()]));
            // Some of its messages arrive whole, then it is killed in whatever it is doing.
            for _ in 0..1 + round % 3 {
                let (status, bytes) = reader.wait(0, LONG);
                assert!([ACH_OK, ACH_MISSED_FRAME].contains(&status), "{}", describe(status));
                number(&bytes);
            }
            std::thread::sleep(Duration::from_micros(37 * round));
            child.signal(libc::SIGKILL);
            child.end();
            // Others put and get as before.
            let mark = (1 << 60) + round;
            assert_eq!(writer.put(&message(mark, len)), ACH_OK);
            let (status, bytes) = reader.get_last(len);
            assert!([ACH_OK, ACH_MISSED_FRAME].contains(&status), "{}", describe(status));
            assert_eq!(number(&bytes), mark);
        }
    }
}

impl Channel {
    fn get_last(&mut self, size: usize) -> (AchStatus, Vec<u8>) {
        let (status, _, bytes) = self.get_into(size, ACH_O_LAST, None);
        (status, bytes)
    }
}

/// Ach: a reader that is stopped while it copies holds the mutex, and all writers wait for it: in 13 of 25 stops with 64 B, in all of 25
/// with 1 MB.
#[test]
fn d4_a_stopped_reader_holds_up_no_writer() {
    TestDomain::of_this_process();
    for (name, len) in [("d4-64", 64usize), ("d4-1m", 1 << 20)] {
        assert_eq!(create(name, 4, len), ACH_OK);
        let mut writer = Channel::open(name);
        assert_eq!(writer.put(&message(1, len)), ACH_OK);
        let reader = Peer::start(&mut peer(&["poll", name]));
        for round in 0..25u64 {
            std::thread::sleep(Duration::from_micros(1000 + 97 * round));
            reader.signal(libc::SIGSTOP);
            let start = Instant::now();
            for i in 0..10 {
                assert_eq!(writer.put(&message(i, len)), ACH_OK);
            }
            let took = start.elapsed();
            reader.signal(libc::SIGCONT);
            assert!(took < Duration::from_secs(5), "{took:?}");
        }
    }
}

/// Ach: with one reader that polls, a put of 64 B takes 46 us (p99) and up to 1.05 s; with 16 readers that wait, 64 us, as the writer wakes
/// them all. Times depend on the machine, so this counts what a put does: it never waits, and makes at most one call to wake readers.
#[test]
fn d5_a_put_makes_at_most_one_system_call_however_many_readers_wait() {
    TestDomain::of_this_process();
    assert_eq!(create("d5", 16, 64), ACH_OK);
    let mut writer = Channel::open("d5");
    let readers: Vec<Peer> = (0..16).map(|_| Peer::start(&mut peer(&["wait", "d5"]))).collect();
    const PUTS: u64 = 200;
    for i in 0..PUTS {
        std::thread::sleep(Duration::from_micros(500)); // the readers sleep again
        assert_eq!(writer.put(&message(i, 64)), ACH_OK);
    }
    let channel = TestDomain::of_this_process().open().open_channel("d5").unwrap();
    let lane = channel.info().unwrap().lanes.remove(0);
    assert_eq!(lane.published, PUTS);
    // One more when the publisher was opened, for what a dead one may have left.
    assert!(lane.wakes > 1 && lane.wakes <= PUTS + 1, "{} calls", lane.wakes);
    let start = Instant::now();
    while channel.info().unwrap().subscribers.iter().filter(|s| s.alive && s.received > 0).count() < 16 {
        assert!(start.elapsed() < LONG, "not all readers received something");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(readers);
}

/// Ach: open reads past its mapping if the channel's size is just below a multiple of a page: ACH_CORRUPT or SIGSEGV for one frame of each of
/// these sizes.
#[test]
fn d6_channels_of_every_size_open() {
    TestDomain::of_this_process();
    for size in (3729..=3752).chain(4000..4200) {
        let name = format!("d6-{size}");
        assert_eq!(create(&name, 1, size), ACH_OK);
        let mut chan = Channel::open(&name);
        assert_eq!(chan.put(&message(7, size)), ACH_OK);
        assert_eq!(chan.get(0), (ACH_OK, message(7, size)));
        assert_eq!(unlink(&name), ACH_OK);
    }
}

/// Ach: create in a full file system dies of SIGBUS and leaves a half-made file.
#[test]
fn d7_creating_in_a_full_file_system_is_an_error_and_leaves_nothing() {
    TestDomain::of_this_process();
    let dir = scratch("d7");
    let script = "mount -t tmpfs -o size=256k tmpfs \"$1\" && { \"$2\" mk big -m 10 -n 100000; echo \"code $?\"; ls -A \"$1\"/d; \
                  \"$2\" mk small && echo made; }";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]).arg(&dir);
    command.arg(env!("CARGO_BIN_EXE_ach")).env("SALTUS_DOMAIN", format!("shm://{}/d", dir.display()));
    let output = output(&mut command);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(out, "code 1\nmade\n", "{err}");
    assert!(err.contains("cannot create channel `big`: ") && err.contains("memory"), "{err}");
}

/// Ach: opening while another process creates the channel is ACH_BAD_SHM_FILE in 55 of 1,500 tries, and SIGBUS in one.
#[test]
fn d7_a_channel_appears_whole() {
    TestDomain::of_this_process();
    let opened = AtomicU32::new(0);
    std::thread::scope(|scope| {
        let made = scope.spawn(|| {
            let (mut tries, start) = (0, Instant::now());
            // Relaxed: a count.
            while tries < 300 || opened.load(Relaxed) == 0 {
                assert_eq!(create("d7", 16, 512), ACH_OK);
                assert_eq!(unlink("d7"), ACH_OK);
                assert!(start.elapsed() < LONG, "it was never opened");
                tries += 1;
            }
        });
        while !made.is_finished() {
            match Channel::try_open("d7") {
                Ok(mut chan) => {
                    // Its name may be gone already.
                    let put = chan.put(&message(1, 64));
                    assert!([ACH_OK, ACH_ENOENT].contains(&put), "{}", describe(put));
                    opened.fetch_add(1, Relaxed);
                }
                Err(status) => assert_eq!(status, ACH_ENOENT, "{}", describe(status)),
            }
        }
    });
}

/// Ach: a put of NULL fails, but gives up old messages; the next get returns ACH_OK with 0 bytes, again and again.
#[test]
fn d8_a_put_that_fails_changes_nothing() {
    TestDomain::of_this_process();
    assert_eq!(create("d8", 4, 16), ACH_OK);
    let (mut writer, mut reader) = (Channel::open("d8"), Channel::open("d8"));
    for i in 1..=4 {
        assert_eq!(writer.put(&message(i, 16)), ACH_OK);
    }
    // SAFETY: an open handle; NULL is refused, and so is a length beyond the channel's before anything is read.
    unsafe {
        for len in [1, 16, 64, usize::MAX] {
            assert_eq!(ach_put(writer.at(), null(), len), ACH_EINVAL);
        }
        assert_eq!(ach_put(writer.at(), null(), 0), ACH_EINVAL);
    }
    assert_eq!(writer.put(&[0; 65]), ACH_OVERFLOW);
    assert_eq!(writer.put(&[]), ACH_EINVAL);
    for i in 1..=4 {
        assert_eq!(reader.get(0), (ACH_OK, message(i, 16)));
    }
    assert_eq!(reader.get(0).0, ACH_STALE_FRAMES);
}

/// Ach: processes of different PID namespaces with equal thread numbers break the robust mutex: killing one that waits lets a third one in.
/// Here each end is process 1 of a namespace, on one channel.
#[test]
fn d9_processes_of_different_pid_namespaces_share_a_channel_and_may_be_killed() {
    TestDomain::of_this_process();
    assert_eq!(create("d9", 16, 4096), ACH_OK);
    let contained = |arguments: &[&str]| {
        let plain = peer(arguments);
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--pid", "--fork", "--kill-child"]);
        command
            .arg(plain.get_program())
            .args(arguments)
            .env("SALTUS_DOMAIN", TestDomain::of_this_process().url());
        Peer::start(&mut command)
    };
    let mut reader = Channel::open("d9");
    let lasting = contained(&["put", "d9", "4096"]);
    for round in 0..10 {
        let mut others =
            [contained(&["put", "d9", "4096"]), contained(&["wait", "d9"]), contained(&["put", "d9", "64"])];
        for _ in 0..20 {
            let (status, bytes) = reader.wait(0, LONG);
            assert!([ACH_OK, ACH_MISSED_FRAME].contains(&status), "{}", describe(status));
            number(&bytes);
        }
        let dead = round % others.len();
        others[dead].signal(libc::SIGKILL);
        others[dead].end();
        for (i, other) in others.iter_mut().enumerate().filter(|(i, _)| *i != dead) {
            assert!(other.0.try_wait().unwrap().is_none(), "{i} ended too");
        }
    }
    drop(lasting);
    let mut writer = Channel::open("d9");
    assert_eq!(writer.put(&message(1 << 50, 64)), ACH_OK);
    let (status, bytes) = reader.get(ACH_O_LAST);
    assert!([ACH_OK, ACH_MISSED_FRAME].contains(&status));
    assert_eq!(number(&bytes), 1 << 50);
}
