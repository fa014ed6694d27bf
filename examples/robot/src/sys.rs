//! System calls that the demo needs in addition to Saltus and the standard library.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicI32, Ordering};

/// The environment variable with the supervisor's process ID, for its children.
pub const SUPERVISOR: &str = "SALTUS_DEMO_SUPERVISOR";
/// The environment variable with the URL that shows the robot in a browser.
pub const PAGE: &str = "SALTUS_DEMO_PAGE";

/// The signal that requested a stop, 0 if none did, and its sender.
static STOP: AtomicI32 = AtomicI32::new(0);
static SENDER: AtomicI32 = AtomicI32::new(0);

extern "C" fn on_stop(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel passes a complete siginfo to a handler with SA_SIGINFO; these signals have a sender in it.
    let sender = unsafe { (*info).si_pid() };
    SENDER.store(sender, Ordering::Relaxed); // Relaxed: only displayed
    STOP.store(signal, Ordering::Relaxed); // Relaxed: an independent flag, read in `stop_asked`
}

/// From now on, Ctrl-C and SIGTERM only request a stop. Sleeps and waits are interrupted, not restarted.
pub fn catch_stop_signals() {
    // SAFETY: all zeros is a valid sigaction with an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_stop as *const () as libc::sighandler_t;
    action.sa_flags = libc::SA_SIGINFO;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the action is complete, and the handler only stores to atomics.
        unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) };
    }
}

/// Whether a signal requested a stop.
pub fn stop_asked() -> bool {
    STOP.load(Ordering::Relaxed) != 0 // Relaxed: partner of the store in `on_stop`
}

/// The signal that requested a stop, and its sender; 0 is the keyboard.
pub fn sender_of_signal() -> (i32, i32) {
    (STOP.load(Ordering::Relaxed), SENDER.load(Ordering::Relaxed)) // Relaxed: partners of the stores in `on_stop`
}

/// Sets the process name, for `ps` and for the owner's name in a channel.
pub fn set_name(name: &str) {
    let mut bytes = [0u8; 16];
    let len = name.len().min(15);
    bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
    // SAFETY: PR_SET_NAME reads up to 16 bytes that end with a zero.
    unsafe { libc::prctl(libc::PR_SET_NAME, bytes.as_ptr()) };
}

/// Whether a supervisor started this process.
pub fn supervised() -> bool {
    std::env::var_os(SUPERVISOR).is_some()
}

/// Makes reads from this descriptor nonblocking.
pub fn do_not_block(fd: &impl AsRawFd) {
    // SAFETY: the descriptor is open; F_SETFL takes flags. It cannot fail for a pipe.
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
}

/// Requests that the kernel kills this process when its supervisor dies for any reason. Does nothing without a supervisor.
pub fn die_with_supervisor() {
    die_with(libc::SIGKILL);
}

fn die_with(signal: libc::c_int) {
    let Some(supervisor) = std::env::var(SUPERVISOR).ok().and_then(|pid| pid.parse::<u32>().ok()) else {
        return;
    };
    // SAFETY: PR_SET_PDEATHSIG takes a signal number.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong) };
    // The supervisor may have died before the request.
    if std::os::unix::process::parent_id() != supervisor {
        std::process::exit(1);
    }
}

/// Makes the program that this process is about to start stop when its parent dies. Allocates nothing.
pub fn die_with_parent() -> io::Result<()> {
    // SAFETY: PR_SET_PDEATHSIG takes a signal number; a signal is never refused.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM as libc::c_ulong) };
    Ok(())
}

/// Requests exact timers. By default, Linux may extend a sleep by 50 µs to save power.
pub fn exact_timers() {
    // SAFETY: PR_SET_TIMERSLACK takes a number of nanoseconds.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}

/// Sends a signal to a child that was not waited for yet, so its process ID is not reused.
pub fn signal(pid: u32, signal: libc::c_int) {
    // SAFETY: changes no memory. A signal to a dead child has no effect.
    unsafe { libc::kill(pid as libc::pid_t, signal) };
}

/// Whether a process runs, or waits for a CPU or a disk, instead of being stopped or asleep.
pub fn wants_processor(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // pid (name, which can contain any characters) state …
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['R', 'D']))
}

/// Locks an open directory for this process, without waiting. The kernel releases the lock when the process dies.
pub fn try_lock(dir: &File) -> io::Result<bool> {
    // SAFETY: the descriptor is open.
    if unsafe { libc::flock(dir.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(true);
    }
    let e = io::Error::last_os_error();
    if e.kind() == io::ErrorKind::WouldBlock { Ok(false) } else { Err(e) }
}

/// The mode of the terminal on standard input that [`read_keys`] changes.
static COOKED: std::sync::OnceLock<libc::termios> = std::sync::OnceLock::new();

extern "C" fn on_orphaned(_signal: libc::c_int) {
    cook_terminal();
    // SAFETY: _exit is async-signal-safe.
    unsafe { libc::_exit(1) };
}

/// Ends this process when its supervisor dies, and restores the terminal. Does nothing without a supervisor.
pub fn end_with_supervisor() {
    // SAFETY: all zeros is a valid sigaction with an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_orphaned as *const () as libc::sighandler_t;
    // SAFETY: the handler calls only async-signal-safe functions.
    unsafe { libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut()) };
    die_with(libc::SIGUSR1);
}

/// Reads pressed keys, if standard input is a terminal and this process is in the foreground. Does not wait. From the first call until
/// [`cook_terminal`], echo and line buffering are off.
pub fn read_keys() -> Option<Vec<u8>> {
    // SAFETY: reads the foreground process group of the terminal on standard input, if it is one, and this process's group.
    if unsafe { libc::tcgetpgrp(libc::STDIN_FILENO) != libc::getpgrp() } {
        return None;
    }
    let mut mode = terminal_mode()?;
    COOKED.get_or_init(|| mode);
    // A shell may have restored the old mode after Ctrl-Z.
    if mode.c_lflag & libc::ICANON != 0 {
        mode.c_lflag &= !(libc::ICANON | libc::ECHO);
        (mode.c_cc[libc::VMIN], mode.c_cc[libc::VTIME]) = (0, 0);
        // SAFETY: the mode is whole.
        unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &mode) };
    }
    let mut keys = [0; 16];
    // SAFETY: reads at most as many bytes as the buffer has. With VMIN and VTIME 0 it does not wait.
    let n = unsafe { libc::read(libc::STDIN_FILENO, keys.as_mut_ptr().cast(), keys.len()) };
    Some(keys[..usize::try_from(n).unwrap_or(0)].to_vec())
}

/// Restores the terminal's mode from before [`read_keys`]. Async-signal-safe.
pub fn cook_terminal() {
    if let Some(mode) = COOKED.get() {
        // SAFETY: the mode is complete; tcsetattr is async-signal-safe.
        unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, mode) };
    }
}

/// Saves the mode of the terminal on standard input, so that [`cook_terminal`] can undo another process's [`read_keys`].
pub fn remember_terminal() {
    if let Some(mode) = terminal_mode() {
        COOKED.get_or_init(|| mode);
    }
}

fn terminal_mode() -> Option<libc::termios> {
    // SAFETY: all zeros is a valid termios.
    let mut mode: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: tcgetattr fills a termios.
    (unsafe { libc::tcgetattr(libc::STDIN_FILENO, &mut mode) } == 0).then_some(mode)
}

/// Columns and rows of the terminal on standard output.
pub fn terminal_size() -> Option<(usize, usize)> {
    // SAFETY: all zeros is a valid winsize.
    let mut size: libc::winsize = unsafe { std::mem::zeroed() };
    // SAFETY: TIOCGWINSZ fills a winsize.
    let result = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size) };
    (result == 0 && size.ws_col > 0).then_some((size.ws_col as usize, size.ws_row as usize))
}
