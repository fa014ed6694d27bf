//! The identity of this process, random numbers, and sleeping.

use super::own;
pub use own::{ask_to_end, host_name, page_size, replace, thread_id, user, variable, without_signals};
use std::io;
use std::thread::JoinHandle;
use std::time::Duration;

/// Process ID.
pub fn id() -> u32 {
    std::process::id()
}

/// The name of this process's program, padded with zeros.
pub fn name() -> [u8; 32] {
    let mut name = [0; 32];
    let program = std::env::current_exe().unwrap_or_default();
    let text = program.file_name().unwrap_or_default().as_encoded_bytes();
    let len = text.len().min(name.len());
    name[..len].copy_from_slice(&text[..len]);
    name
}

/// A number that is very unlikely to be drawn twice.
pub fn random() -> u64 {
    let mut bytes = [0; 8];
    match own::random(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => super::clock::monotonic() ^ (u64::from(id()) << 40),
    }
}

/// A secret that cannot be guessed: 128 random bits, as 32 hexadecimal digits.
///
/// # Errors
/// The system returns no random bytes.
pub fn secret() -> io::Result<String> {
    let mut bytes = [0; 16];
    own::random(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Sleeps until `deadline` on the monotonic clock, in ns. Blocks.
pub fn sleep_until(deadline: u64) {
    sleep_for(deadline.saturating_sub(super::clock::monotonic()));
}

/// Sleeps for `time` ns. Blocks.
pub fn sleep_for(time: u64) {
    std::thread::sleep(Duration::from_nanos(time));
}

/// Starts a thread that never gets a signal sent by another process.
///
/// # Errors
/// The system starts no more threads.
pub fn spawn<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    without_signals(|| std::thread::Builder::new().name(name.into()).spawn(run))
}
