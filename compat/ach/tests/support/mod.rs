//! What the tests have in common: a domain of their own, a C compiler, and the library that cargo has just built.
#![allow(dead_code)] // each test uses some of it

#[path = "../../../../bindings/c/tests/support/native.rs"]
pub mod native;

use ach::*;
pub use native::*;
use std::ffi::{CStr, CString, c_void};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Longer than anything takes, on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

impl TestDomain {
    /// The domain that this process uses. All its tests share it, each with channels of its own.
    pub fn of_this_process() -> &'static TestDomain {
        static DOMAIN: OnceLock<TestDomain> = OnceLock::new();
        extern "C" fn remove() {
            if let Some(domain) = DOMAIN.get() {
                let _ = std::fs::remove_dir_all(&domain.0); // as in `drop`
            }
        }
        DOMAIN.get_or_init(|| {
            let domain = TestDomain::new();
            // SAFETY: a function of this program, which lives as long. Tests read the environment only after they have called this.
            unsafe {
                libc::atexit(remove);
                std::env::set_var("SALTUS_DOMAIN", domain.url());
            }
            domain
        })
    }
    pub fn open(&self) -> saltus_channel::Directory {
        saltus_channel::Directory::open(&self.url()).expect("a domain")
    }
    /// All that is in it, without the names' meaning.
    pub fn entries(&self) -> Vec<String> {
        let all = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        all.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

/// How C programs are compiled.
#[derive(Clone, Copy, PartialEq)]
pub enum Build {
    Plain,
    /// With the address, leak and undefined-behavior sanitizers.
    Address,
}

/// Compiles a program of this package, such as `tests/c/peer.c`, and links it with the static library.
pub fn compile(dir: &Path, source: &str, build: Build) -> PathBuf {
    compile_all(dir, &[source], build)
}

/// The same, of a program of several files.
pub fn compile_all(dir: &Path, sources: &[&str], build: Build) -> PathBuf {
    let program = dir.join(sources[0].replace(['/', '.'], "-"));
    let cpp = sources[0].ends_with(".cpp");
    let mut cc = Command::new(if cpp { "c++" } else { "cc" });
    cc.arg(if cpp { "-std=c++17" } else { "-std=gnu11" });
    cc.args(["-Wall", "-Wextra", "-Werror", "-O1", "-g", "-I"]).arg(package().join("include"));
    if build == Build::Address {
        cc.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    }
    cc.args(sources.iter().map(|source| package().join(source)));
    cc.arg("-o").arg(&program).arg(library("libach.a"));
    run(cc.args(["-pthread", "-ldl", "-lm", "-lrt"]));
    program
}

/// A child that is killed in the end.
pub struct Peer(pub Child);

impl Peer {
    /// Starts a program that prints a line when it is ready, and waits for that.
    pub fn start(command: &mut Command) -> Peer {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let mut ready = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
        std::io::BufRead::read_line(&mut out, &mut ready).expect("a line");
        let peer = Peer(child);
        assert_eq!(ready, "ready\n", "{command:?}");
        // The pipe stays open, so that later lines do not kill it.
        std::mem::forget(out);
        peer
    }
    pub fn signal(&self, number: i32) {
        // SAFETY: a child that was not waited for.
        assert_eq!(unsafe { libc::kill(self.0.id() as i32, number) }, 0);
    }
    /// Waits for its end, as long as a test may take.
    pub fn end(&mut self) -> std::process::ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("a child") {
                return status;
            }
            assert!(start.elapsed() < LONG, "it does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended
        let _ = self.0.wait();
    }
}

/// A channel's handle, closed in the end. On the heap, as programs must not move it.
pub struct Channel(pub Box<AchChannel>);

// SAFETY: nothing in a handle is bound to a thread.
unsafe impl Send for Channel {}

impl Channel {
    pub fn try_open(name: &str) -> Result<Channel, AchStatus> {
        let mut chan = Box::new(AchChannel { words: [!0; 16] });
        let name = CString::new(name).unwrap();
        // SAFETY: room for a structure, and a string.
        match unsafe { ach_open(&mut *chan, name.as_ptr(), null_mut()) } {
            ACH_OK => Ok(Channel(chan)),
            status => Err(status),
        }
    }
    pub fn open(name: &str) -> Channel {
        Channel::try_open(name).unwrap_or_else(|e| panic!("{}", describe(e)))
    }
    pub fn at(&mut self) -> *mut AchChannel {
        &mut *self.0
    }
    pub fn put(&mut self, message: &[u8]) -> AchStatus {
        // SAFETY: an open handle, and bytes.
        unsafe { ach_put(self.at(), message.as_ptr().cast(), message.len()) }
    }
    /// Gets into a buffer of `size` bytes.
    pub fn get_into(
        &mut self,
        size: usize,
        options: i32,
        wait: Option<Duration>,
    ) -> (AchStatus, usize, Vec<u8>) {
        let (mut buf, mut len) = (vec![0xEE; size], usize::MAX);
        let time = wait
            .map(|wait| libc::timespec { tv_sec: wait.as_secs() as _, tv_nsec: wait.subsec_nanos() as _ });
        let time = time.as_ref().map_or(null(), std::ptr::from_ref);
        // SAFETY: an open handle, a buffer and a time that live across the call.
        let status =
            unsafe { ach_get(self.at(), buf.as_mut_ptr().cast::<c_void>(), size, &mut len, time, options) };
        if [ACH_OK, ACH_MISSED_FRAME].contains(&status) {
            buf.truncate(len);
        }
        (status, len, buf)
    }
    pub fn get(&mut self, options: i32) -> (AchStatus, Vec<u8>) {
        let (status, _, bytes) = self.get_into(1 << 16, options, None);
        let is_data = [ACH_OK, ACH_MISSED_FRAME].contains(&status);
        (status, if is_data { bytes } else { Vec::new() })
    }
    /// Waits from now.
    pub fn wait(&mut self, options: i32, time: Duration) -> (AchStatus, Vec<u8>) {
        let (status, _, bytes) = self.get_into(1 << 21, options | ACH_O_WAIT | ACH_O_RELTIME, Some(time));
        let is_data = [ACH_OK, ACH_MISSED_FRAME].contains(&status);
        (status, if is_data { bytes } else { Vec::new() })
    }
    pub fn flush(&mut self) -> AchStatus {
        // SAFETY: an open handle.
        unsafe { ach_flush(self.at()) }
    }
    pub fn seq_num(&self) -> u64 {
        // SAFETY: each word is valid for all bytes.
        unsafe { self.0.fields.position.seq_num }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: a structure; closing one that is closed is refused.
        unsafe { ach_close(self.at()) };
    }
}

pub fn create(name: &str, count: usize, size: usize) -> AchStatus {
    let name = CString::new(name).unwrap();
    // SAFETY: a string, and no attributes.
    unsafe { ach_create(name.as_ptr(), count, size, null_mut()) }
}

pub fn unlink(name: &str) -> AchStatus {
    let name = CString::new(name).unwrap();
    // SAFETY: a string.
    unsafe { ach_unlink(name.as_ptr()) }
}

/// A status with this thread's last sentence.
pub fn describe(status: AchStatus) -> String {
    let (name, last) = (ach_result_to_string(status), ach_errstr());
    // SAFETY: strings with ends, or NULL.
    unsafe {
        let last = if last.is_null() { c"" } else { CStr::from_ptr(last) };
        format!("{}: {}", CStr::from_ptr(name).to_str().unwrap(), last.to_str().unwrap())
    }
}

/// Message `i` of a stream: its number, then bytes that follow from it.
pub fn message(i: u64, len: usize) -> Vec<u8> {
    let len = len.max(8);
    let mut bytes = i.to_le_bytes().to_vec();
    bytes.resize(len, (i % 251) as u8);
    bytes
}

/// The number of a message; panics if its bytes are not those of one message.
pub fn number(bytes: &[u8]) -> u64 {
    let i = u64::from_le_bytes(*bytes.first_chunk().expect("a number"));
    assert!(bytes[8..].iter().all(|b| *b == (i % 251) as u8), "message {i} is torn");
    i
}
