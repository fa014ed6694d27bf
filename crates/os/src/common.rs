//! Types that are the same on every system.

/// Clocks.
pub mod clock {
    /// A clock for timestamps.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[repr(u32)]
    pub enum Clock {
        /// Time since boot, suspend included; the same in every time namespace. The default.
        #[default]
        Boottime = 7,
        /// Time since boot without suspend; the same in every time namespace.
        Monotonic = 1,
        /// Wall time since 1970. It may jump, and change the order between publishers.
        Realtime = 0,
    }

    impl Clock {
        /// The clock with this number, if Saltus supports it for timestamps.
        pub fn from_id(id: u32) -> Option<Clock> {
            [Clock::Boottime, Clock::Monotonic, Clock::Realtime].into_iter().find(|c| *c as u32 == id)
        }
    }

    /// The kernel's data about errors of the wall clock.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Discipline {
        /// Whether a time service claims to synchronize it.
        pub kept: bool,
        /// The error that the service estimates, in µs, above 0 and within the bound; `None` if it sets no estimate.
        pub estimated: Option<u64>,
        /// The bound on the error, in µs.
        pub bound: u64,
    }
}

/// Words to sleep on.
pub mod futex {
    /// Why a wait returned.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Woken {
        /// It was woken, the word had changed, or a signal arrived: check again.
        Look,
        /// The deadline has passed.
        TimedOut,
    }

    /// A word to sleep on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Word {
        /// Address of the word.
        pub at: *const u32,
        /// Sleep only while the word has this value.
        pub value: u32,
        /// Whether other processes also wake it.
        pub shared: bool,
    }

    // SAFETY: an address, which only functions that are unsafe use.
    unsafe impl Send for Word {}
}

/// Files and directories.
pub mod file {
    /// How to open a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Mode {
        /// For reading.
        Read,
        /// For reading and writing.
        Write,
        /// For writing, always at the end: each write is one step, even if other processes write too.
        Append,
        /// For reading and writing; it must not exist yet. Permissions 0600 until [`set_mode`](crate::file::set_mode).
        Create,
    }

    /// The type of a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// A directory.
        Directory,
        /// An ordinary file.
        File,
        /// A symbolic link.
        Link,
        /// A FIFO.
        Fifo,
        /// A socket.
        Socket,
        /// A device.
        Device,
    }

    /// The metadata of a file or a directory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Stat {
        /// Its type.
        pub kind: Kind,
        /// Its owner.
        pub user: u32,
        /// Its group.
        pub group: u32,
        /// Its permissions, with the sticky, set-user-ID and set-group-ID bits.
        pub mode: u32,
    }

    /// The identity of an open file, its owner, and its permissions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Inode {
        /// Its file system.
        pub device: u64,
        /// Its number there.
        pub number: u64,
        /// Its owner. 0 on Windows, whose users have no numbers.
        pub user: u32,
        /// Its group. 0 on Windows.
        pub group: u32,
        /// Its type and permissions. 0 on Windows.
        pub mode: u32,
        /// How many names it has.
        pub links: u64,
        /// Whether it is an ordinary file.
        pub is_file: bool,
        /// Its length in bytes.
        pub len: u64,
        /// The bytes that it takes on the file system; on Windows its length.
        pub space: u64,
    }

    /// The effect of a rename if the new name exists.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Rename {
        /// Fails with `AlreadyExists`.
        NoReplace,
        /// Swaps the two; fails with `NotFound` if the new name does not exist.
        Exchange,
    }

    /// Most names that are read of a directory. Other users may have filled it.
    pub const MOST_NAMES: usize = 100_000;
}

/// Kernel locks.
pub mod lock {
    /// How a byte is locked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// By many holders at the same time.
        Shared,
        /// By a single holder.
        Exclusive,
    }
}

/// Mapped memory.
pub mod map {
    /// The permitted access to a mapping.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Access {
        /// None: the mapping only keeps the open file description alive.
        None,
        /// Reading.
        Read,
        /// Reading and writing.
        Write,
    }
}

/// Real-time settings.
pub mod rt {
    use std::fmt;
    use std::io;

    /// The system refused a real-time setting.
    #[derive(Debug)]
    pub struct Refused {
        pub(crate) what: String,
        pub(crate) remedy: &'static str,
        pub(crate) source: io::Error,
    }

    impl fmt::Display for Refused {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}: {}; {}", self.what, self.source, self.remedy)
        }
    }

    impl std::error::Error for Refused {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.source)
        }
    }

    /// Accesses `bytes` of stack below the caller, so that a control loop does not fault there later.
    ///
    /// Accesses at most 1 MiB: main threads have 8 MiB, others 2 MiB by default.
    #[inline(never)]
    pub fn prefault_stack(bytes: usize) {
        fn touch(pages: usize) {
            let page = [pages as u8; 4096];
            std::hint::black_box(&page);
            if pages > 1 {
                touch(pages - 1);
            }
            std::hint::black_box(&page); // keeps the call from becoming a loop in one frame
        }
        touch(bytes.min(1 << 20).div_ceil(4096).max(1));
    }
}
