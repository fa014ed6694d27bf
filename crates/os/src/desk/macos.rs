//! The system calls of macOS.

pub use crate::unix::fd;
pub use crate::unix::inode::{FileExt, identity, inode, os_str, symlink};
pub use crate::unix::poll::{Interest, NO_FD, PollFd, READ, WRITE};
pub use crate::unix::process::{ask_to_end, host_name, replace, without_signals};
pub use crate::unix::terminal;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Users and groups.
pub mod users {
    pub use crate::unix::users::*;

    /// Always false: every user has one number.
    pub fn is_unknown(_: u32) -> bool {
        false
    }
}

/// A file that can always be opened.
pub const NOWHERE: &str = "/dev/null";

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Sleeps until a descriptor is ready, for `time` ns at most, rounded up to milliseconds. Returns how many are.
pub fn poll(polls: &mut [PollFd], time: u64) -> io::Result<usize> {
    let ms = i32::try_from(time.div_ceil(1_000_000)).unwrap_or(i32::MAX);
    // SAFETY: the entries live across the call.
    let ready = unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, ms) };
    check(ready).map(|ready| ready as usize)
}

/// The free bytes for this user on the file system of `path`.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: all zeros is a valid record to be filled in.
    let mut stat: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a C string, and the record lives across the call.
    check(unsafe { libc::statvfs(path.as_ptr(), &mut stat) })?;
    Ok(u64::from(stat.f_bavail).saturating_mul(stat.f_frsize))
}

/// Time since the machine started, in ns.
pub fn monotonic() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec; every macOS has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Fills `bytes`, at most 256, with bytes that cannot be guessed.
pub fn random(bytes: &mut [u8]) -> io::Result<()> {
    // SAFETY: the buffer has the length passed.
    check(unsafe { libc::getentropy(bytes.as_mut_ptr().cast(), bytes.len()) }).map(drop)
}

/// Effective user id. One system call.
pub fn user() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::geteuid() }
}

/// The environment variable `name`, unless this program runs with more rights than the user who started it.
pub fn variable(name: &str) -> Option<std::ffi::OsString> {
    // SAFETY: asks for a number.
    let is_privileged = unsafe { libc::issetugid() } != 0;
    std::env::var_os(name).filter(|_| !is_privileged)
}

/// 0: macOS has no documented call for it.
pub fn cpu() -> usize {
    0
}

/// Size of the system's pages in bytes.
pub fn page_size() -> u64 {
    // SAFETY: asks for a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// The calling thread's number, unique on the machine.
pub fn thread_id() -> u32 {
    let mut number = 0;
    // SAFETY: 0 is the calling thread; the number lives across the call.
    unsafe { libc::pthread_threadid_np(0, &mut number) };
    number as u32
}

/// The most open files that macOS accepts as a limit.
const OPEN_MAX: libc::rlim_t = 10240;

/// Raises the soft limit of open files to the hard one, or to the most that macOS accepts. Returns the resulting limit.
pub fn raise_open_files() -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the record lives across the call.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) })?;
    let most = limit.rlim_max.min(OPEN_MAX);
    if limit.rlim_cur < most {
        limit.rlim_cur = most;
        // SAFETY: the record lives across the call, which only reads it.
        check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) })?;
    }
    Ok(limit.rlim_cur)
}

/// Options of UDP sockets that the standard library lacks.
pub mod socket {
    use std::io;
    use std::net::UdpSocket;
    use std::os::fd::AsRawFd;

    /// Never fragments datagrams.
    pub fn keep_whole(socket: &UdpSocket, v6: bool) -> io::Result<()> {
        if v6 {
            set(socket, libc::IPPROTO_IPV6, libc::IPV6_DONTFRAG, 1)
        } else {
            set(socket, libc::IPPROTO_IP, libc::IP_DONTFRAG, 1)
        }
    }

    /// Requests buffers of `bytes` for receiving and sending. The system may grant less.
    pub fn request_buffers(socket: &UdpSocket, bytes: i32) {
        for option in [libc::SO_RCVBUF, libc::SO_SNDBUF] {
            let _ = set(socket, libc::SOL_SOCKET, option, bytes);
        }
    }

    /// Whether a datagram was longer than the outgoing interface takes.
    pub fn is_too_long(why: &io::Error) -> bool {
        why.raw_os_error() == Some(libc::EMSGSIZE)
    }

    fn set(
        socket: &UdpSocket,
        level: libc::c_int,
        option: libc::c_int,
        value: libc::c_int,
    ) -> io::Result<()> {
        let len = size_of::<libc::c_int>() as libc::socklen_t;
        // SAFETY: the option's value is an integer that stays alive across the call.
        let result =
            unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), len) };
        super::check(result).map(drop)
    }
}
