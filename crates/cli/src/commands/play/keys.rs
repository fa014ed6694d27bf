//! Keys that are pressed while a log is played.

use std::io::{IsTerminal, Read, stdin};
use std::sync::mpsc::{Receiver, channel};

use rustix::termios::{self, LocalModes, OptionalActions, Termios};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Pause,
    Forward,
    Backward,
    ForwardAlong,
    BackwardAlong,
    NextChannel,
    Ahead,
    Back,
    Faster,
    Slower,
    MarkStart,
    MarkEnd,
    NoRepeat,
    Bookmark,
    NextBookmark,
    PreviousBookmark,
    Quit,
}

/// The keys of the terminal; it is as it was when this goes.
pub struct Keys {
    before: Termios,
    pressed: Receiver<Key>,
}

impl Keys {
    /// Those of standard input, if it is a terminal: no line need be ended any more, and nothing is shown. Ctrl-C is what it was.
    pub fn of_terminal() -> Option<Keys> {
        if !stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        let before = termios::tcgetattr(stdin()).ok()?;
        let mut quick = before.clone();
        quick.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        termios::tcsetattr(stdin(), OptionalActions::Now, &quick).ok()?;
        let (press, pressed) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 64];
            while let Ok(n @ 1..) = stdin().read(&mut bytes) {
                // What an arrow sends comes in one piece.
                if keys(&bytes[..n]).into_iter().any(|key| press.send(key).is_err()) {
                    return;
                }
            }
        });
        Some(Keys { before, pressed })
    }

    /// The next key that was pressed; none by now.
    pub fn pressed(&self) -> Option<Key> {
        self.pressed.try_recv().ok()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = termios::tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}

/// What these bytes of a terminal ask for. Others are nothing.
fn keys(mut bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let [first, rest @ ..] = bytes {
        let (key, behind) = match (first, rest) {
            (0x1b, [b'[' | b'O', arrow, behind @ ..]) => {
                let key = match arrow {
                    b'A' => Some(Key::Ahead),
                    b'B' => Some(Key::Back),
                    b'C' => Some(Key::Forward),
                    b'D' => Some(Key::Backward),
                    _ => None,
                };
                (key, behind)
            }
            (byte, behind) => {
                let key = match byte {
                    b' ' => Some(Key::Pause),
                    b'.' => Some(Key::Forward),
                    b',' => Some(Key::Backward),
                    b'>' => Some(Key::ForwardAlong),
                    b'<' => Some(Key::BackwardAlong),
                    b'c' => Some(Key::NextChannel),
                    b'+' | b'=' => Some(Key::Faster),
                    b'-' => Some(Key::Slower),
                    b'[' => Some(Key::MarkStart),
                    b']' => Some(Key::MarkEnd),
                    b'\\' => Some(Key::NoRepeat),
                    b'b' => Some(Key::Bookmark),
                    b'n' => Some(Key::NextBookmark),
                    b'p' => Some(Key::PreviousBookmark),
                    b'q' => Some(Key::Quit),
                    _ => None,
                };
                (key, behind)
            }
        };
        keys.extend(key);
        bytes = behind;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_are_keys_and_their_parts_are_not() {
        assert_eq!(keys(b" \x1b[C\x1b[D\x1bOA"), [Key::Pause, Key::Forward, Key::Backward, Key::Ahead]);
        assert_eq!(keys(b"><c"), [Key::ForwardAlong, Key::BackwardAlong, Key::NextChannel]);
        assert_eq!(keys(b"[]\\"), [Key::MarkStart, Key::MarkEnd, Key::NoRepeat]);
        assert_eq!(keys(b"\x1b[Zxq\x1b"), [Key::Quit]);
    }
}
