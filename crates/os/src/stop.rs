//! Ctrl-C, SIGTERM and SIGHUP: the first requests a clean end, the second kills.
//!
//! The handler does three things, each of them safe in a signal handler. It raises a flag, signals an event that every sleep of this
//! module polls, and cancels a waiting receive. No code polls the flag, and a sleep does not miss a signal that arrives just before it.
//!
//! On Windows, Ctrl-C, Ctrl-Break and the end of the console or of the session request the end, in a thread that Windows starts.

pub use crate::request::{cancel_with, output_closed, readable_until, request, requested, sleep_until};
pub use crate::system::signals::{
    AT_ONCE, exit_when_output_hangs_up, input, output, wait_readable, wait_writable, when_output_closes,
    writable_within,
};

use crate::request;
use crate::system::signals;
use std::io;

/// Makes the first stop signal only request the end. A signal that was ignored when this process started stays ignored.
pub fn on_signals() -> io::Result<()> {
    on(&signals::ALL)
}

/// Makes the first stop signal, except SIGHUP, only request the end: the program gives SIGHUP another meaning.
pub fn on_signals_without_hangup() -> io::Result<()> {
    on(&signals::WITHOUT_HANGUP)
}

fn on(signals: &[signals::Signal]) -> io::Result<()> {
    request::prepare()?;
    signals.iter().copied().try_for_each(signals::handle)
}
