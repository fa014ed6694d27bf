//! Ctrl-C and its like, and the program's input and output.

use crate::request::{request, requested};
use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::time::Duration;
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};

/// All events of a console.
#[derive(Clone, Copy, Debug)]
pub struct Signal(());
/// The signals that request the end.
pub const ALL: [Signal; 1] = [Signal(())];
/// All again: no event has another meaning.
pub const WITHOUT_HANGUP: [Signal; 1] = ALL;

/// The bytes that a write accepts without blocking: it may always block.
pub const AT_ONCE: usize = usize::MAX;

/// Makes the first event of the console only request the end.
pub fn handle(_: Signal) -> io::Result<()> {
    // SAFETY: the handler is a function of the type that the call requires, and lives forever.
    match unsafe { SetConsoleCtrlHandler(Some(on_event), 1) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Runs in a thread of its own. Returns whether that was all: otherwise Windows ends the process.
unsafe extern "system" fn on_event(event: u32) -> windows_sys::core::BOOL {
    if requested() {
        return 0;
    }
    request();
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        // The console is closed, or the user logs off: Windows ends the process when this returns, or soon.
        std::thread::sleep(Duration::from_secs(10));
    }
    1
}

/// Nothing to do: the next write fails.
pub fn when_output_closes() {}

/// Nothing to do: Windows ends the processes of a console that is closed.
pub fn exit_when_output_hangs_up() -> io::Result<()> {
    Ok(())
}

/// Returns at once: a read of a console or a pipe waits by itself. Returns false when the end was requested.
pub fn wait_readable(_: &File) -> bool {
    !requested()
}
/// Returns at once: a write waits by itself. Returns false when the end was requested.
pub fn wait_writable(_: &File) -> bool {
    !requested()
}
/// True: a write waits by itself.
pub fn writable_within(_: &File, _: Duration) -> bool {
    true
}
/// Standard input without a separate buffer.
pub fn input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}
/// Standard output without a separate buffer.
pub fn output() -> io::Result<File> {
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
