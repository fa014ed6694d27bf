//! Every message is written, missed or dropped, and counted.

use saltus_domain::{Domain, Pattern, Start};
use saltus_log::lcm::Reader;
use saltus_log::{Types, WriterOptions};
use saltus_record::{
    ACCOUNT, Batch, Channel, Error, Format, Head, Limits, Log, Naming, Recorder, Settings, Source, Style,
};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine.
const LONG: Duration = Duration::from_secs(20);

/// A temporary directory for this test, removed on drop.
struct Dir(PathBuf);
impl Dir {
    fn new() -> Dir {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("saltus-record-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let dir = std::env::temp_dir().join(name);
        fs::create_dir(&dir).unwrap();
        Dir(dir)
    }
}
impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn settings(path: &Path, style: Style) -> Settings {
    let limits = Limits { split_bytes: None, split_time: None, quota: None, sync: Duration::from_millis(20) };
    Settings {
        naming: Naming::new(path, false, style).unwrap(),
        limits,
        memory: 100 << 20,
        last: None,
        after: Duration::ZERO,
        count: None,
        time: Some(LONG),
    }
}
fn log() -> Log {
    Log::new(saltus_log::Format::Lcm, WriterOptions::new(), Types::new())
}
fn all(domain: &Domain) -> Vec<Source> {
    vec![Source { domain: domain.clone(), pattern: Pattern::all(), wants: None, start: Start::Now }]
}

/// The channel and message of each event of a log, without the account, which is last.
fn events(path: &Path) -> (Vec<(String, Vec<u8>)>, serde_json::Value) {
    let (mut reader, mut events) = (Reader::new(), Vec::new());
    reader.feed(&fs::read(path).unwrap());
    reader.end();
    while let Some(event) = reader.event() {
        events.push((String::from_utf8(event.channel.to_vec()).unwrap(), event.data.to_vec()));
    }
    assert_eq!(reader.skipped(), 0);
    let (name, account) = events.pop().expect("an account");
    assert_eq!(name, ACCOUNT);
    (events, serde_json::from_slice(&account).unwrap())
}

#[test]
fn the_log_has_the_published_messages_in_order() {
    let (dir, domain) = (Dir::new(), Domain::open("mem://").unwrap());
    let path = dir.0.join("run");
    let mut recorder = Recorder::new(
        all(&domain),
        Settings { count: Some(3000), ..settings(&path, Style::Single) },
        Box::new(log()),
    )
    .unwrap();
    let thread = thread::spawn(move || {
        recorder.run(|_| {}).unwrap();
        recorder.status().total
    });
    let mut publishers = ["A", "B", "C"].map(|name| domain.publisher(name).unwrap());
    for n in 0..3000_u32 {
        publishers[n as usize % 3].publish(&vec![n as u8; n as usize % 700]).unwrap();
        if n % 10 == 0 {
            thread::sleep(Duration::from_millis(1)); // slower than the channels' depth
        }
    }
    let total = thread.join().unwrap();
    assert_eq!((total.received, total.written, total.missed, total.dropped), (3000, 3000, 0, 0));
    let (events, account) = events(&path);
    assert_eq!(account["total"]["written"], 3000);
    let expected = (0..3000_usize).map(|n| (["A", "B", "C"][n % 3].to_string(), vec![n as u8; n % 700]));
    assert!(events.into_iter().eq(expected));
}

/// A disk that blocks until it is released.
struct Slow {
    inner: Log,
    free: Arc<AtomicBool>,
}
impl Format for Slow {
    fn begin(&mut self, file: File) -> io::Result<()> {
        self.inner.begin(file)
    }
    fn channel(&mut self, number: u32, channel: &Channel) -> io::Result<()> {
        self.inner.channel(number, channel)
    }
    fn write(&mut self, batch: &Batch, written: &mut dyn FnMut(&Head)) -> io::Result<()> {
        let start = Instant::now();
        while !self.free.load(Acquire) && start.elapsed() < LONG {
            thread::sleep(Duration::from_millis(1));
        }
        self.inner.write(batch, written)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.inner.sync()
    }
    fn size(&self) -> u64 {
        self.inner.size()
    }
    fn finish(&mut self, account: &str) -> io::Result<()> {
        self.inner.finish(account)
    }
}

#[test]
fn with_a_slow_disk_excess_messages_are_dropped_and_counted() {
    let (dir, domain) = (Dir::new(), Domain::open("mem://").unwrap());
    let (path, free) = (dir.0.join("run"), Arc::new(AtomicBool::new(false)));
    let disk = Slow { inner: log(), free: free.clone() };
    let settings = Settings { memory: 1 << 20, ..settings(&path, Style::Single) };
    let mut recorder = Recorder::new(all(&domain), settings, Box::new(disk)).unwrap();
    let control = recorder.control();
    let seen = Arc::new(Mutex::new(0));
    let reported = seen.clone();
    let thread = thread::spawn(move || {
        recorder
            .run(|it| {
                if let saltus_record::Told::Status(now) = it {
                    *reported.lock().unwrap() = now.total.received + now.total.missed;
                }
            })
            .unwrap();
        recorder.status().total
    });
    let mut publisher = domain.publisher("CAMERA").unwrap();
    for n in 0..500_u32 {
        publisher.publish(&vec![n as u8; 10_000]).unwrap();
        thread::sleep(Duration::from_micros(200));
    }
    let start = Instant::now();
    while *seen.lock().unwrap() < 490 && start.elapsed() < LONG {
        thread::sleep(Duration::from_millis(10));
    }
    free.store(true, Release);
    control.stop();
    let total = thread.join().unwrap();
    assert!(total.dropped > 0 && total.written > 0, "{total:?}");
    assert_eq!(total.written + total.dropped + total.missed, 500, "{total:?}");
    let (events, account) = events(&path);
    assert_eq!((events.len() as u64, &account["total"]["dropped"]), (total.written, &total.dropped.into()));
}

#[test]
fn a_full_disk_ends_the_recording_and_what_was_written_is_whole() {
    let domain = Domain::open("mem://").unwrap();
    let dir = Dir::new();
    /// A disk with space for a number of bytes.
    struct Full(Log, u64);
    impl Format for Full {
        fn begin(&mut self, file: File) -> io::Result<()> {
            self.0.begin(file)
        }
        fn channel(&mut self, number: u32, channel: &Channel) -> io::Result<()> {
            self.0.channel(number, channel)
        }
        fn write(&mut self, batch: &Batch, written: &mut dyn FnMut(&Head)) -> io::Result<()> {
            if self.0.size() > self.1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.write(batch, written)
        }
        fn sync(&mut self) -> io::Result<()> {
            self.0.sync()
        }
        fn size(&self) -> u64 {
            self.0.size()
        }
        fn finish(&mut self, account: &str) -> io::Result<()> {
            self.0.finish(account)
        }
    }
    let path = dir.0.join("run");
    let disk = Full(log(), 100_000);
    let mut recorder = Recorder::new(all(&domain), settings(&path, Style::Single), Box::new(disk)).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (ended, mut publisher) = (stop.clone(), domain.publisher("A").unwrap());
    let thread = thread::spawn(move || {
        while !ended.load(Acquire) {
            publisher.publish(&[7; 5000]).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
    });
    let error = recorder.run(|_| {}).unwrap_err();
    stop.store(true, Release);
    thread.join().unwrap();
    assert!(
        matches!(&error, Error::File { .. }) && error.to_string().contains("the disk is full"),
        "{error}"
    );
    let (events, total) = (events(&path).0, recorder.status().total);
    assert!(events.iter().all(|(_, data)| *data == [7; 5000]));
    assert_eq!(events.len() as u64, total.written);
    assert!(total.dropped > 0, "received and unwritten messages are lost: {total:?}");
}

#[test]
fn files_split_and_each_has_its_channels_and_its_account() {
    let (dir, domain) = (Dir::new(), Domain::open("mem://").unwrap());
    let mut settings = Settings { count: Some(400), ..settings(&dir.0.join("run"), Style::Increment) };
    settings.limits.split_bytes = Some(100_000);
    let mut recorder = Recorder::new(all(&domain), settings, Box::new(log())).unwrap();
    let thread = thread::spawn(move || {
        recorder.run(|_| {}).unwrap();
        recorder.status()
    });
    let mut publisher = domain.publisher("A").unwrap();
    let mut publish = |n: u32| publisher.publish(&vec![n as u8; 1000]).unwrap();
    (0..200).for_each(&mut publish);
    // Messages received in one turn go into one file, so the recorder must have started.
    let (first, start) = (dir.0.join("run.00"), Instant::now());
    while fs::metadata(&first).map_or(0, |file| file.len()) < 100_000 {
        assert!(start.elapsed() < Duration::from_secs(20), "the first file never grew");
        thread::sleep(Duration::from_millis(1));
    }
    (200..400).for_each(&mut publish);
    let status = thread.join().unwrap();
    assert!(status.files.paths.len() > 1, "{status:?}");
    let mut count = 0;
    for path in &status.files.paths {
        let (events, account) = events(path);
        count += events.len() as u64;
        assert_eq!(account["total"]["written"], count, "the account up to the end of this file");
    }
    assert_eq!(count, 400);
    let size: u64 = status.files.paths.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert_eq!(status.files.bytes, size);
}

#[test]
fn the_last_moments_are_written_when_they_are_asked_for_and_nothing_else() {
    let (dir, domain) = (Dir::new(), Domain::open("mem://").unwrap());
    let settings =
        Settings { last: Some(Duration::from_secs(3600)), ..settings(&dir.0.join("run"), Style::Increment) };
    let mut recorder = Recorder::new(all(&domain), settings, Box::new(log())).unwrap();
    let control = recorder.control();
    recorder.save_when(Box::new(|message, _| Some(message.data == [13])));
    let thread = thread::spawn(move || {
        recorder.run(|_| {}).unwrap();
        recorder.status()
    });
    let mut publisher = domain.publisher("A").unwrap();
    for n in 0..=13 {
        publisher.publish(&[n]).unwrap();
    }
    let path = dir.0.join("run.00");
    let start = Instant::now();
    // The account is the last data in a file.
    let has = |path: &Path, needle: &[u8]| {
        fs::read(path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle))
    };
    while !has(&path, ACCOUNT.as_bytes()) && start.elapsed() < LONG {
        thread::sleep(Duration::from_millis(5));
    }
    publisher.publish(&[99]).unwrap();
    control.stop();
    let status = thread.join().unwrap();
    assert_eq!(status.files.paths, std::slice::from_ref(&path));
    let (events, _) = events(&path);
    assert!(events.into_iter().map(|(_, data)| data).eq((0..=13).map(|n| vec![n])));
    assert_eq!((status.total.written, status.saved), (14, 1));
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let (dir, domain) = (Dir::new(), Domain::open("mem://").unwrap());
    let mut settings = settings(&dir.0.join("run"), Style::Single);
    settings.limits.split_bytes = Some(1);
    let refused = Recorder::new(all(&domain), settings, Box::new(log()));
    assert!(matches!(refused.err(), Some(Error::Options(_))));
}
