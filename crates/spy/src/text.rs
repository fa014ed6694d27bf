//! Escaping of untrusted text for terminals and pages.

use std::fmt::Write;

/// Bytes as one line: printable characters stay, others are escaped.
pub(crate) fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut out, c));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}"); // writing to a string cannot fail
        }
    }
    out
}

/// Text as one line.
pub(crate) fn harmless(text: &str) -> String {
    escaped(text.as_bytes())
}

/// Text that keeps its line breaks.
pub(crate) fn harmless_lines(text: &str) -> String {
    text.lines().map(harmless).collect::<Vec<_>>().join("\n")
}

fn push(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        // Invisible characters, and those that change the direction of text, can deceive just as control sequences can.
        c if c.is_control() || is_hidden(c) => out.extend(c.escape_unicode()),
        c => out.push(c),
    }
}

fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_comes_through() {
        assert_eq!(escaped(b"a\x1b[2Jb\xff\n"), "a\\u{1b}[2Jb\\xff\\n");
        assert_eq!(harmless("m/s² \u{202e}x"), "m/s² \\u{202e}x");
        assert_eq!(harmless_lines("a\nb\r"), "a\nb\\u{d}");
    }
}
