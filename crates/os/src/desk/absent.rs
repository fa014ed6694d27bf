//! What only shared memory needs, and what only Linux reports. The functions fail, or know nothing.

use std::io;

/// The error of all functions that fail here.
pub(crate) fn refusal() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "shared memory between processes needs Linux")
}

/// Functions that fail.
macro_rules! absent {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {$(
        /// Fails: only Linux has it.
        pub fn $name($(_: $argument),*) -> io::Result<$result> {
            Err($crate::desk::refusal())
        }
    )*};
}
pub(super) use absent;

/// Control groups: there are none.
pub mod cgroup {
    use std::path::PathBuf;

    /// No known limit.
    pub fn room() -> Option<(u64, PathBuf)> {
        None
    }
    /// No files.
    pub fn files_in(_: &str, _: &str, _: &str) -> Vec<PathBuf> {
        Vec::new()
    }
    /// No files.
    pub fn files(_: &str, _: &str) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// Mapped files that are cut short: no file is mapped.
pub mod fault {
    use std::io;

    absent! { catch() -> (); }
}

/// Detecting a fork.
pub mod fork {
    /// A number that differs in every process of a family.
    pub fn generation() -> u64 {
        std::process::id().into()
    }
}

/// Words to sleep on. Only channels in shared memory do; none exists here.
pub mod futex {
    pub use crate::common::futex::*;

    /// How long a wait lasts until its caller checks again, in ns.
    const CHECK: u64 = 1_000_000;

    /// Returns after a short time, whether or not the word has changed. Blocks.
    ///
    /// # Safety
    ///
    /// None is needed here: the word is not read.
    pub unsafe fn wait(_: Word, deadline: u64) -> Woken {
        let soon = crate::desk::clock::monotonic().saturating_add(CHECK);
        crate::desk::process::sleep_until(soon.min(deadline));
        if soon < deadline { Woken::Look } else { Woken::TimedOut }
    }

    /// Wakes nobody: [`wait`] returns by itself.
    ///
    /// # Safety
    ///
    /// None is needed here: the word is not read.
    pub unsafe fn wake(_: *const u32, _: u32, _: bool) -> u32 {
        0
    }
}

/// Kernel locks that end with their process.
pub mod lock {
    pub use crate::common::lock::*;
    use std::fs::File;
    use std::io;

    /// A held lock. There is none.
    #[derive(Debug)]
    pub struct Held(());

    impl Held {
        /// Whether this process acquired the lock.
        pub fn is_ours(&self) -> bool {
            true
        }
    }

    /// Fails: only Linux has such locks.
    pub fn try_lock(_: impl FnOnce() -> io::Result<File>, _: u64, _: Kind) -> io::Result<Option<Held>> {
        Err(super::refusal())
    }

    absent! { is_locked(&File, u64) -> bool; }
}

/// The user at the other end of a TCP connection within this machine.
pub mod peer {
    use std::io;
    use std::net::SocketAddr;

    /// Whether this system reports which user is at the other end of a connection.
    pub const REPORTS_USERS: bool = false;

    /// Fails: only Linux is asked.
    ///
    /// # Errors
    /// Always.
    pub fn is_own(_: SocketAddr, _: SocketAddr) -> io::Result<bool> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "which user made a connection is only known on Linux: connections of this machine need another protection here",
        ))
    }
}

/// Words to sleep on, several at once.
pub mod several {
    use super::futex::{self, Woken, Word};

    /// The most words that one [`wait`] can sleep on.
    pub const MOST_WORDS: usize = 128;

    /// Returns after a short time, whether or not a word has changed. Blocks.
    ///
    /// # Safety
    ///
    /// None is needed here: the words are not read.
    pub unsafe fn wait(words: &[Word], deadline: u64) -> Woken {
        // SAFETY: the words are not read.
        unsafe { futex::wait(words[0], deadline) }
    }
}
