//! Keys that control playback.

use std::io::{IsTerminal, Read, stdin};
use std::sync::mpsc::{Receiver, channel};

use saltus_os::terminal;

use crate::line::{End, Line};

/// The commands of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Pause or continue.
    Pause,
    /// One message forward.
    Forward,
    /// One message back.
    Backward,
    /// One message forward on the chosen channel.
    ForwardAlong,
    /// One message back on the chosen channel.
    BackwardAlong,
    /// Choose the next channel by name.
    NextChannel,
    /// Stop or resume playing the chosen channel.
    OnOff,
    /// Rename the chosen channel.
    Rename,
    /// Go to a time.
    GoTo,
    /// 10 s forward.
    Ahead,
    /// 10 s back.
    Back,
    /// Twice as fast.
    Faster,
    /// Half as fast.
    Slower,
    /// Start of the repeated part.
    MarkStart,
    /// End of the repeated part.
    MarkEnd,
    /// Stop repeating.
    NoRepeat,
    /// Set a bookmark.
    Bookmark,
    /// Go to the next bookmark.
    NextBookmark,
    /// Go to the previous bookmark.
    PreviousBookmark,
    /// Show the keys.
    Help,
    /// The end.
    Quit,
    /// A requested line was completed.
    Typed(Vec<u8>),
    /// A requested line was canceled.
    Canceled,
}

/// The help text for the keys.
pub const HELP: &str = "\
space        pause, continue
right left   one message forward, back (also . and ,)
up down      10 s forward, back
> <          one message forward, back on one channel
c x r        choose the next channel; off or on; rename it
g            go to a time: 90s, 2.5m, @SECONDS since 1970
+ -          double, halve the speed
[ ] \\        set start, end of a loop; stop looping
b n p        set a bookmark; go to the next, the previous
q            quit";

/// The keys of the terminal. Dropping this restores the terminal.
pub struct Keys {
    _terminal: terminal::Keys,
    pressed: Receiver<Vec<u8>>,
    /// Bytes read and not handled yet.
    bytes: Vec<u8>,
    line: Option<Line>,
}

impl Keys {
    /// The keys of standard input, if it is a terminal. Disables line buffering and echo. Ctrl-C still works.
    pub fn of_terminal() -> Option<Keys> {
        if !stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        let terminal = terminal::Keys::one_by_one().ok()?; // before anything reads
        let (press, pressed) = channel();
        let read = move || {
            let mut bytes = [0; 64];
            while let Ok(n @ 1..) = stdin().read(&mut bytes) {
                if press.send(bytes[..n].to_vec()).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("saltus-keys".into()).spawn(read).ok()?;
        Some(Keys { _terminal: terminal, pressed, bytes: Vec::new(), line: None })
    }

    /// The next pressed key, or completed line, if any.
    pub fn pressed(&mut self) -> Option<Key> {
        loop {
            if self.bytes.is_empty() {
                self.bytes = self.pressed.try_recv().ok()?;
            }
            let (used, key) = match &mut self.line {
                None => key(&self.bytes),
                Some(line) => {
                    let (used, end) = line.take(&self.bytes);
                    let key = end.map(|end| match end {
                        End::Typed(text) => Key::Typed(text),
                        End::Canceled => Key::Canceled,
                    });
                    (used, key)
                }
            };
            self.bytes.drain(..used);
            if key.is_some() {
                self.line = None;
                return key;
            }
        }
    }

    /// Starts to read keys as text, until the line ends.
    pub fn ask(&mut self, line: Line) {
        self.line = Some(line);
    }
    /// The line that is being typed.
    pub fn line(&self) -> Option<&Line> {
        self.line.as_ref()
    }
}

/// Parses the first key in a terminal's bytes. Returns its command, if it has one, and its length. The bytes of an arrow key arrive
/// together.
fn key(bytes: &[u8]) -> (usize, Option<Key>) {
    if let [0x1b, b'[' | b'O', arrow, ..] = bytes {
        let key = match arrow {
            b'A' => Some(Key::Ahead),
            b'B' => Some(Key::Back),
            b'C' => Some(Key::Forward),
            b'D' => Some(Key::Backward),
            _ => None,
        };
        return (3, key);
    }
    let key = bytes.first().and_then(|byte| match byte {
        b' ' => Some(Key::Pause),
        b'.' => Some(Key::Forward),
        b',' => Some(Key::Backward),
        b'>' => Some(Key::ForwardAlong),
        b'<' => Some(Key::BackwardAlong),
        b'c' => Some(Key::NextChannel),
        b'x' => Some(Key::OnOff),
        b'r' => Some(Key::Rename),
        b'g' => Some(Key::GoTo),
        b'+' | b'=' => Some(Key::Faster),
        b'-' => Some(Key::Slower),
        b'[' => Some(Key::MarkStart),
        b']' => Some(Key::MarkEnd),
        b'\\' => Some(Key::NoRepeat),
        b'b' => Some(Key::Bookmark),
        b'n' => Some(Key::NextBookmark),
        b'p' => Some(Key::PreviousBookmark),
        b'?' | b'h' => Some(Key::Help),
        b'q' => Some(Key::Quit),
        _ => None,
    });
    (1, key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_60_columns() {
        assert_eq!(HELP.lines().find(|line| line.len() >= 60), None);
    }

    fn keys(mut bytes: &[u8]) -> Vec<Key> {
        let mut keys = Vec::new();
        while !bytes.is_empty() {
            let (used, found) = key(bytes);
            keys.extend(found);
            bytes = &bytes[used..];
        }
        keys
    }

    #[test]
    fn arrows_are_keys_and_their_parts_are_not() {
        assert_eq!(keys(b" \x1b[C\x1b[D\x1bOA"), [Key::Pause, Key::Forward, Key::Backward, Key::Ahead]);
        assert_eq!(keys(b"><c"), [Key::ForwardAlong, Key::BackwardAlong, Key::NextChannel]);
        assert_eq!(keys(b"[]\\"), [Key::MarkStart, Key::MarkEnd, Key::NoRepeat]);
        assert_eq!(keys(b"\x1b[Zyq\x1b"), [Key::Quit]);
    }
}
