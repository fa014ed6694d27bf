//! A separate domain for each test, and the command run in it.

#![allow(dead_code, reason = "every test file uses a part of this")]

pub mod files;
pub mod terminal;

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use saltus_channel::Directory;

/// Long enough for a busy machine. A test that needs all of it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// The output and exit status of a command.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: String,
}

impl Ended {
    /// Standard output as text.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.out).unwrap_or_else(|e| panic!("the output is not text ({e}): {self:?}"))
    }

    /// Standard output as JSON, one object per line.
    pub fn json(&self) -> Vec<serde_json::Value> {
        self.text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }

    /// Asserts this exit code; a failure shows all output.
    #[track_caller]
    pub fn with(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Asserts this exit code, and these words on standard error.
    #[track_caller]
    pub fn saying(self, code: i32, words: &str) -> Ended {
        let ended = self.with(code);
        assert!(ended.err.contains(words), "standard error lacks {words:?}: {}", ended.err);
        assert!(
            ended.err.lines().all(|l| l.starts_with("saltus: ")),
            "each line is one of ours: {}",
            ended.err
        );
        ended
    }
}

/// A domain directory that is removed on drop.
pub struct Place {
    directory: PathBuf,
}

impl Place {
    /// A unique, empty domain.
    pub fn new() -> Place {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the number's own uniqueness counts.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = PathBuf::from(format!("/dev/shm/saltus-test-{}-cli-{number}", std::process::id()));
        Place { directory }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("shm://{}", self.directory.display())
    }

    /// The same domain in the library.
    pub fn domain(&self) -> Directory {
        Directory::open(&self.url()).expect("the domain of a test opens")
    }

    /// The command with these arguments, in this domain, not yet started.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_saltus").as_ref(), arguments)
    }

    /// The same with another copy of the program.
    pub fn command_of<S: AsRef<OsStr>>(
        &self,
        program: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env("SALTUS_DOMAIN", self.url()).env_remove("SALTUS_TYPES");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let reset = || {
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                // SAFETY: setting a default disposition is safe between fork and exec.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
            Ok(())
        };
        // SAFETY: the closure makes only system calls. Tests may run with SIGINT ignored.
        unsafe { command.pre_exec(reset) };
        command
    }

    /// Runs the command to its end.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ended {
        self.start(arguments).ended()
    }

    /// Runs the command to its end with this as standard input.
    pub fn feed<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Ended {
        let mut running = Running::start(self.command(arguments).stdin(Stdio::piped()));
        // A command that exits early does not read everything.
        let _ = running.child.stdin.take().expect("standard input is a pipe").write_all(input);
        running.ended()
    }

    /// Starts the command.
    pub fn start<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Running {
        Running::start(&mut self.command(arguments))
    }

    /// Waits until the channel has this many live subscribers, so that later messages reach them.
    #[track_caller]
    pub fn until_subscribed(&self, name: &str, count: usize) {
        until(&format!("{count} subscribers on {name}"), || {
            let channel = self.domain().open_channel(name);
            channel.is_ok_and(|c| {
                c.info().expect("info").subscribers.iter().filter(|s| s.alive).count() >= count
            })
        });
    }

    /// Waits until at least this many messages were published.
    #[track_caller]
    pub fn until_published(&self, name: &str, count: u64) {
        until(&format!("{count} messages on {name}"), || self.published(name) >= count);
    }

    /// The number of messages published on the channel; 0 if it does not exist.
    pub fn published(&self, name: &str) -> u64 {
        let Ok(channel) = self.domain().open_channel(name) else { return 0 };
        channel.info().expect("info").lanes.iter().map(|lane| lane.published).sum()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A running command, killed if the test fails before its end.
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts it.
    pub fn start(command: &mut Command) -> Running {
        Running { child: command.spawn().expect("the command starts") }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: libc::c_int) {
        // SAFETY: kill only sends a signal, to a child that was not waited for yet, so its process ID is not reused.
        assert_eq!(unsafe { libc::kill(self.child.id() as i32, signal) }, 0);
    }

    /// Its process ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its standard input, to write to and to close.
    pub fn input(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().expect("standard input is a pipe")
    }

    /// Its standard output, to read from and to close.
    pub fn output(&mut self) -> std::process::ChildStdout {
        self.child.stdout.take().expect("standard output is a pipe")
    }

    /// Its standard error, to read from.
    pub fn errors(&mut self) -> std::process::ChildStderr {
        self.child.stderr.take().expect("standard error is a pipe")
    }

    /// Waits for its end, and collects what it printed.
    #[track_caller]
    pub fn ended(mut self) -> Ended {
        let out = self.child.stdout.take().map(collect);
        let err = self.child.stderr.take().map(collect);
        let mut code = None;
        until("the end of the command", || {
            code = self.child.try_wait().expect("wait");
            code.is_some()
        });
        let text = |all: Option<Collected>| all.map(|c| c.join().expect("collect")).unwrap_or_default();
        Ended {
            code: code.and_then(|c| c.code()),
            out: text(out),
            err: String::from_utf8(text(err)).expect("standard error is text"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

type Collected = std::thread::JoinHandle<Vec<u8>>;

fn collect(mut from: impl Read + Send + 'static) -> Collected {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        from.read_to_end(&mut all).expect("read what the command prints");
        all
    })
}

/// The directory of recorded logs: next to the checkout, or `SALTUS_DATA`. Tests without them print that they are skipped.
pub fn recorded_logs() -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let dir = std::env::var_os("SALTUS_DATA").map_or(beside, PathBuf::from);
    if dir.is_dir() {
        return Some(dir);
    }
    eprintln!("skipped: no recorded logs; set SALTUS_DATA to the directory that holds them");
    None
}

/// Waits for a condition. On timeout, the test fails with its description.
#[track_caller]
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
