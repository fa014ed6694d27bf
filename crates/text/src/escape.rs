//! Bytes as one line of text, reversibly.
//!
//! Channel names and messages may hold any bytes. Readable characters are unchanged. A backslash is shown as `\\`; line feed, carriage
//! return and tab as `\n`, `\r` and `\t`. Control characters, characters that change the direction of text, invisible characters, and bytes
//! that are not UTF-8 are shown as `\xHH`. So untrusted text never reaches the terminal as a control sequence, and [`unescaped`] restores
//! exactly the bytes.

use std::fmt::Write;

/// The bytes as one line of printable text.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_char(&mut text, c));
        chunk.invalid().iter().for_each(|b| push_byte(&mut text, *b));
    }
    text
}

/// The text without control sequences for terminals; readable, but not reversible.
pub fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    text.chars().for_each(|c| if c == '\\' { safe.push(c) } else { push_char(&mut safe, c) });
    safe
}

/// Whether the bytes are readable text: UTF-8 without control characters other than tabs and line ends.
pub fn is_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes)
        .is_ok_and(|text| text.chars().all(|c| matches!(c, '\n' | '\r' | '\t') || is_shown(c)))
}

/// The bytes that [`escaped`] shows as `text`; `None` if it never produces such text.
pub fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (byte, tail) = escape_sequence(rest)?;
        bytes.push(byte);
        rest = tail;
    }
    Some(bytes)
}

/// Parses the text after a backslash: returns the byte it stands for, and the rest.
pub fn escape_sequence(text: &[u8]) -> Option<(u8, &[u8])> {
    match text {
        [b'\\', rest @ ..] => Some((b'\\', rest)),
        [b'n', rest @ ..] => Some((b'\n', rest)),
        [b'r', rest @ ..] => Some((b'\r', rest)),
        [b't', rest @ ..] => Some((b'\t', rest)),
        [b'x', high, low, rest @ ..] => {
            let digit = |b: &u8| (*b as char).to_digit(16).map(|d| d as u8);
            Some((digit(high)? << 4 | digit(low)?, rest))
        }
        _ => None,
    }
}

fn push_char(text: &mut String, c: char) {
    match c {
        '\\' => text.push_str("\\\\"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        c if is_shown(c) => text.push(c),
        c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| push_byte(text, b)),
    }
}

fn push_byte(text: &mut String, byte: u8) {
    write!(text, "\\x{byte:02X}").expect("writing into a string cannot fail");
}

/// Whether a terminal shows the character visibly and without side effects.
fn is_shown(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e0fff}');
    !c.is_control() && !hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_names_are_shown_as_they_are() {
        for name in ["imu", "/scan", "robot/arm.left", "größe", "a b", "50%", "*"] {
            assert_eq!(escaped(name.as_bytes()), name);
        }
    }

    #[test]
    fn the_rest_is_escaped() {
        assert_eq!(escaped(b"a\\b"), "a\\\\b");
        assert_eq!(escaped(b"a\nb\t"), "a\\nb\\t");
        assert_eq!(escaped(b"\x1b[2J"), "\\x1B[2J");
        assert_eq!(escaped(b"\xff\xc3(\0"), "\\xFF\\xC3(\\x00");
        assert_eq!(escaped("\u{202e}abc".as_bytes()), "\\xE2\\x80\\xAEabc");
    }

    #[test]
    fn escaping_is_reversible_for_any_bytes() {
        let pairs = (0..=u16::MAX).map(|n| n.to_be_bytes().to_vec());
        let wide = ['\u{80}', 'é', '\u{2028}', '€', '\u{feff}', '😀', '\u{e0001}']
            .map(|c| c.to_string().into_bytes());
        for bytes in pairs.chain(wide).chain([b"\\x41".to_vec(), b"\\\\x41\\".to_vec()]) {
            let text = escaped(&bytes);
            assert!(text.chars().all(is_shown), "{bytes:?} is shown as {text:?}");
            assert_eq!(unescaped(text.as_bytes()).as_deref(), Some(&bytes[..]), "through {text:?}");
        }
    }

    #[test]
    fn unknown_escapes_mean_nothing() {
        for text in ["\\", "\\q", "\\x4", "\\xzz", "a\\"] {
            assert_eq!(unescaped(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn text_is_what_can_be_read() {
        assert!(is_text("two lines\nwith a tab\t".as_bytes()));
        assert!(is_text(b""));
        assert!(!is_text(b"\x1b[2J"));
        assert!(!is_text(b"\xff"));
        assert!(!is_text(b"\0\0\0\0"));
    }
}
