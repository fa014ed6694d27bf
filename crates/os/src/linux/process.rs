//! The identity of this process, random numbers, and sleeping.

pub use crate::unix::process::*;

/// Process id, in this process's own namespace. One system call.
pub fn id() -> u32 {
    std::process::id()
}

/// Effective user id. One system call.
pub fn user() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::geteuid() }
}

/// The environment variable `name`, unless this program runs with more rights than the user who started it (setuid, setgid or file
/// capabilities): the environment is that user's.
pub fn variable(name: &str) -> Option<std::ffi::OsString> {
    // SAFETY: asks for a number.
    let is_privileged = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    std::env::var_os(name).filter(|_| !is_privileged)
}

/// The process's name as `ps` shows it, padded with zeros. One small file is read.
pub fn name() -> [u8; 32] {
    let mut name = [0; 32];
    let text = std::fs::read("/proc/self/comm").unwrap_or_default();
    let text = text.trim_ascii_end();
    let len = text.len().min(name.len());
    name[..len].copy_from_slice(&text[..len]);
    name
}

/// Bytes in a page of the kernel's.
pub fn page_size() -> u64 {
    // SAFETY: asks for a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// A number that is very unlikely to be drawn twice. May block at early boot.
pub fn random() -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: the buffer has the length passed.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), 8, 0) };
    if got == 8 { u64::from_le_bytes(bytes) } else { crate::clock::monotonic() ^ ((id() as u64) << 40) }
}

/// A secret that cannot be guessed: 128 random bits, as 32 hexadecimal digits. May block at early boot.
///
/// # Errors
/// The kernel returns no random bytes.
pub fn secret() -> std::io::Result<String> {
    let mut bytes = [0u8; 16];
    // SAFETY: the buffer has the length passed.
    match unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), 16, 0) } {
        16 => Ok(format!("{:032x}", u128::from_be_bytes(bytes))),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Sleeps until `deadline` on CLOCK_MONOTONIC, in ns. Returns early when a signal arrives. Blocks.
pub fn sleep_until(deadline: u64) {
    let time = super::timespec(deadline);
    // SAFETY: the time lives across the call; no remainder is requested.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &time, std::ptr::null_mut()) };
}

/// Sleeps for `time` ns on CLOCK_MONOTONIC. Returns early when a signal arrives. Blocks.
pub fn sleep_for(time: u64) {
    let time = super::timespec(time);
    // SAFETY: the time lives across the call; no remainder is requested.
    unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &time, std::ptr::null_mut()) };
}

/// The calling thread's ID, as in `/proc/self/task`. One system call.
pub fn thread_id() -> u32 {
    // SAFETY: always succeeds.
    unsafe { libc::gettid() as u32 }
}

/// Starts a thread that never gets a signal sent by another process.
///
/// # Errors
/// The kernel starts no more threads: the error names the limits.
pub fn spawn<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<T>> {
    let started = without_signals(|| std::thread::Builder::new().name(name.into()).spawn(run));
    started.map_err(|e| match e.raw_os_error() {
        Some(libc::EAGAIN) => std::io::Error::other(
            "too many threads: raise the limit of this user (`ulimit -u`), of the control group (`pids.max`) or of the machine \
             (`kernel.threads-max`)",
        ),
        Some(libc::ENOMEM) => {
            std::io::Error::other("not enough memory for a thread's stack (`ulimit -v`, `vm.max_map_count`)")
        }
        _ => e,
    })
}
