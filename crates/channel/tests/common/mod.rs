//! Shared by the black-box tests: a temporary domain, and child processes that are killed and waited for.
#![allow(dead_code)] // each test binary uses its part

use saltus_channel::{Directory, clock};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A domain that is removed with all its channels.
pub struct TestDomain(pub Directory);

impl TestDomain {
    pub fn new() -> TestDomain {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only each number once.
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let url = format!("shm:///dev/shm/saltus-test-{}-{n}", std::process::id());
        TestDomain(Directory::open(&url).unwrap())
    }
}

impl std::ops::Deref for TestDomain {
    type Target = Directory;
    fn deref(&self) -> &Directory {
        &self.0
    }
}

impl Drop for TestDomain {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.path());
    }
}

/// A forked child; killed and waited for when dropped.
pub struct Child(pub libc::pid_t);

/// Output that the test harness captures in a child would be lost with it. Set before any fork, since a lock that another thread holds
/// at a fork is held in the child forever.
fn tell_of_panics_in_children() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let (parent, usual) = (std::process::id(), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |info| {
            if std::process::id() == parent {
                return usual(info);
            }
            let text = format!("in a child: {info}\n");
            // SAFETY: the text lives across the call.
            unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
        }));
    });
}

/// Runs `f` in a forked child, which exits with its result as exit code. A panic is code 101.
pub fn fork(f: impl FnOnce() -> i32) -> Child {
    tell_of_panics_in_children();
    // SAFETY: the child runs only `f` and exits without returning to the test harness.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    if pid == 0 {
        // SAFETY: asks the kernel to kill this child when its parent dies.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or(101);
        // SAFETY: ends the child immediately.
        unsafe { libc::_exit(code) };
    }
    Child(pid)
}

impl Child {
    pub fn signal(&self, signal: i32) {
        // SAFETY: the process is our child and not yet waited for.
        unsafe { libc::kill(self.0, signal) };
    }

    /// Waits for its end and returns its wait status; panics after 30 s.
    pub fn wait(mut self) -> i32 {
        let status = eventually("the end of a child", || self.try_wait());
        self.0 = 0;
        status
    }

    /// Whether it is still running.
    pub fn is_alive(&self) -> bool {
        self.try_wait().is_none()
    }

    fn try_wait(&self) -> Option<i32> {
        let mut status = 0;
        // SAFETY: the process is our child and not yet waited for.
        let done = unsafe { libc::waitpid(self.0, &mut status, libc::WNOHANG) };
        (done == self.0).then_some(status)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.0 > 0 {
            // SAFETY: the process is our child and not yet waited for.
            unsafe {
                libc::kill(self.0, libc::SIGKILL);
                libc::waitpid(self.0, std::ptr::null_mut(), 0);
            }
        }
    }
}

/// Calls `ask` until it returns a value; panics after 30 s.
pub fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = clock::monotonic() + 30_000_000_000;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(clock::monotonic() < end, "no {what} within 30 s");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A message whose every byte follows from its sender, number and length.
pub fn message(sender: u64, seq: u64, len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = [sender, seq, len as u64].iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut state = sender ^ seq.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ len as u64;
    while bytes.len() < len {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.push((state >> 33) as u8);
    }
    bytes
}

/// Checks a message made by [`message`]; returns sender and number.
pub fn checked(bytes: &[u8]) -> (u64, u64) {
    let word = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap());
    let (sender, seq) = (word(0), word(1));
    assert_eq!(bytes, message(sender, seq, bytes.len()), "torn");
    (sender, seq)
}
