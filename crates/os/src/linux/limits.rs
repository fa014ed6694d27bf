//! Limits of this process: open files, and the length of files.

use std::fs::File;
use std::io;

/// Raises the soft limit of open files to the hard one. Returns the resulting limit. Makes two system calls.
///
/// A process that opens a few descriptors for each of many channels needs more than the usual 1,024. The soft limit is low only to
/// protect programs that call `select`.
pub fn raise_open_files() -> io::Result<u64> {
    let mut limit = open_file_limits()?;
    if limit.rlim_cur < limit.rlim_max {
        limit.rlim_cur = limit.rlim_max;
        // SAFETY: the record lives across the call, which only reads it.
        super::check(unsafe { libc::setrlimit64(libc::RLIMIT_NOFILE, &limit) })?;
    }
    Ok(limit.rlim_cur)
}

/// The current limit of open files.
pub fn open_files() -> io::Result<u64> {
    Ok(open_file_limits()?.rlim_cur)
}

/// Descriptors in reserve, for operations that must work when the process has no other left.
#[derive(Debug, Default)]
pub struct Reserve(Vec<File>);

impl Reserve {
    /// Reserves this number of descriptors, or as many as are available. Makes one system call for each new one.
    pub fn hold(&mut self, count: usize) {
        while self.0.len() < count {
            let Ok(file) = File::open("/dev/null") else { return };
            self.0.push(file);
        }
    }
    /// Releases them, for the next files to open.
    pub fn release(&mut self) {
        self.0.clear();
    }
}

/// The longest file that this process may write, in bytes, if there is a limit.
pub fn file_size() -> Option<u64> {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the record lives across the call.
    super::check(unsafe { libc::getrlimit64(libc::RLIMIT_FSIZE, &mut limit) }).ok()?;
    (limit.rlim_cur != libc::RLIM64_INFINITY).then_some(limit.rlim_cur)
}

/// Makes later writes beyond [`file_size`] return an error (`FileTooLarge`). Without this call, the signal SIGXFSZ kills the process.
/// Programs that this process starts are not affected. If the signal is handled or ignored already, nothing changes.
pub fn report_file_size() -> io::Result<()> {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: all zeros is a valid record to be filled in; with no new action, sigaction only writes the old one.
    let mut action = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        super::check(libc::sigaction(libc::SIGXFSZ, std::ptr::null(), &mut action))?;
        action
    };
    if action.sa_sigaction != libc::SIG_DFL {
        return Ok(());
    }
    action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler is a function of the type that these flags require, and does nothing.
    super::check(unsafe { libc::sigaction(libc::SIGXFSZ, &action, std::ptr::null_mut()) }).map(drop)
}

fn open_file_limits() -> io::Result<libc::rlimit64> {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the record lives across the call.
    super::check(unsafe { libc::getrlimit64(libc::RLIMIT_NOFILE, &mut limit) })?;
    Ok(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_held_and_given_back() {
        let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        let (before, mut reserve) = (open(), Reserve::default());
        reserve.hold(50);
        reserve.hold(50);
        assert!(open() >= before + 40, "other tests close a few at most");
        reserve.release();
        assert!(open() < before + 40);
    }

    #[test]
    fn the_soft_limit_of_open_files_becomes_the_hard_one() {
        let hard = open_file_limits().unwrap().rlim_max;
        let lower = libc::rlimit64 { rlim_cur: hard.min(200), rlim_max: hard };
        // SAFETY: the record lives across the call.
        assert_eq!(unsafe { libc::setrlimit64(libc::RLIMIT_NOFILE, &lower) }, 0);
        assert_eq!(open_files().unwrap(), hard.min(200));
        assert_eq!(raise_open_files().unwrap(), hard);
        assert_eq!(open_files().unwrap(), hard);
    }
}
