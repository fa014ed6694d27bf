//! The terminal of this program.

use std::io;

/// An output of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output = libc::STDOUT_FILENO as isize,
    /// Standard error.
    Error = libc::STDERR_FILENO as isize,
}

/// Nothing to do: terminals interpret escape sequences.
pub fn prepare() {}

/// Columns and rows of the terminal, if the output is one.
pub fn size(of: Stream) -> Option<(usize, usize)> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: this request fills the record it is given, which lives across the call.
    let done = unsafe { libc::ioctl(of as libc::c_int, libc::TIOCGWINSZ, &mut size) } == 0;
    (done && size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col.into(), size.ws_row.into()))
}

/// Standard input passes on each key at once and does not show it, until this is dropped. Ctrl-C still works.
pub struct Keys {
    before: libc::termios,
}

impl Keys {
    /// Prepares the terminal.
    ///
    /// # Errors
    /// Standard input is not a terminal.
    pub fn one_by_one() -> io::Result<Keys> {
        // SAFETY: all zeros is a valid record to be filled in.
        let mut before: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: the record lives across the call.
        if unsafe { libc::tcgetattr(libc::STDIN_FILENO, &mut before) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let mut quick = before;
        quick.c_lflag &= !(libc::ICANON | libc::ECHO);
        set(&quick)?;
        Ok(Keys { before })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = set(&self.before); // the terminal may be gone
    }
}

fn set(settings: &libc::termios) -> io::Result<()> {
    // SAFETY: the record lives across the call, which only reads it.
    match unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, settings) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
