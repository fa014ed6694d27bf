//! A line editor for questions during playback.

use std::fmt;

use saltus_text::escape::escaped;

/// Longest line in bytes. Channel names have at most 63.
const MOST: usize = 127;

/// A question, and the text typed so far.
pub struct Line {
    question: String,
    text: Vec<u8>,
}

/// The end of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// With Enter.
    Typed(Vec<u8>),
    /// With Escape.
    Canceled,
}

impl Line {
    /// Asks a question; `text` is the initial answer.
    pub fn new(question: String, text: &[u8]) -> Line {
        Line { question, text: text.to_vec() }
    }

    /// Handles bytes from the terminal, up to the end of the line. Returns their number.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Option<End>) {
        let mut at = 0;
        while let [first, rest @ ..] = &bytes[at..] {
            at += 1;
            match first {
                b'\r' | b'\n' => return (at, Some(End::Typed(std::mem::take(&mut self.text)))),
                // The bytes of an arrow or another special key arrive together, and are not part of the text.
                0x1b if matches!(rest, [b'[' | b'O', ..]) => {
                    let end = rest[1..].iter().position(|byte| (0x40..=0x7e).contains(byte));
                    at = end.map_or(bytes.len(), |end| at + end + 2);
                }
                0x1b => return (at, Some(End::Canceled)),
                0x08 | 0x7f => while self.text.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
                0x15 => self.text.clear(), // Ctrl-U
                0..0x20 => {}
                byte if self.text.len() < MOST => self.text.push(*byte),
                _ => {}
            }
        }
        (at, None)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}_  (Enter, Esc)", self.question, escaped(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Option<End> {
        Some(End::Typed(text.into()))
    }

    #[test]
    fn a_line_ends_with_enter_and_later_input_is_left() {
        let mut line = Line::new("name: ".into(), b"POSE");
        assert_eq!(line.take(b"_2"), (2, None));
        assert_eq!(line.to_string(), "name: POSE_2_  (Enter, Esc)");
        assert_eq!(line.take(b"\x7f3\rq"), (3, typed("POSE_3")));
    }

    #[test]
    fn input_can_be_edited_and_canceled_and_arrows_are_ignored() {
        let mut line = Line::new(String::new(), b"old");
        assert_eq!(line.take("\x15a\u{e4}\x7fb\x1b[Dc\x1b[1;5Cd\x01\n".as_bytes()).1, typed("abcd"));
        assert_eq!(Line::new(String::new(), b"x").take(b"y\x1b"), (2, Some(End::Canceled)));
        assert_eq!(
            Line::new(String::new(), b"").take(b"\x7f\x7f\x1b[3"),
            (5, None),
            "part of a key, and nothing to remove"
        );
        let mut long = Line::new(String::new(), b"");
        assert_eq!(long.take(&[b'x'; 1000]), (1000, None));
        assert_eq!(long.take(b"\n").1, typed(&"x".repeat(MOST)));
    }
}
