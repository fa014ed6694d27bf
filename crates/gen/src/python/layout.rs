//! Formats statements as `black` does.

use crate::text;

/// Longest line.
const WIDTH: usize = 88;

/// Whether a line, which ends with a newline, is short enough.
pub(super) fn fits(line: &str) -> bool {
    line.chars().count() <= WIDTH + 1
}

/// `head item, item tail` on one line if it fits, otherwise one item per line with a trailing comma: `black` leaves
/// both unchanged. `depth` is the indentation of the statement, in steps of four; the lines end with a newline.
pub(super) fn wrapped(depth: usize, head: &str, items: &[String], tail: &str) -> String {
    let indent = "    ".repeat(depth);
    let line = format!("{indent}{head}{}{tail}\n", items.join(", "));
    if fits(&line) || items.is_empty() {
        return line;
    }
    let items: String = items.iter().map(|item| format!("{indent}    {item},\n")).collect();
    format!("{indent}{head}\n{items}{indent}{tail}\n")
}

/// `left = value parts`; in brackets if that is too long, with each part on a separate line.
pub(super) fn assigned(depth: usize, left: &str, value: &str, parts: &[String]) -> String {
    let (indent, deeper) = ("    ".repeat(depth), "    ".repeat(depth + 1));
    let parts: Vec<&str> = [value].into_iter().chain(parts.iter().map(String::as_str)).collect();
    let line = format!("{indent}{left} = {}\n", parts.join(" "));
    if fits(&line) {
        return line;
    }
    let one = format!("{deeper}{}\n", parts.join(" "));
    let inner = if fits(&one) { one } else { format!("{deeper}{}\n", parts.join(&format!("\n{deeper}"))) };
    format!("{indent}{left} = (\n{inner}{indent})\n")
}

/// The left side of an assignment to several targets, and the call after it.
pub(super) fn unpacked(depth: usize, targets: &[String], call: &str) -> String {
    let indent = "    ".repeat(depth);
    if let [one] = targets {
        return format!("{indent}({one},) = {call}\n");
    }
    let line = format!("{indent}{} = {call}\n", targets.join(", "));
    if fits(&line) {
        return line;
    }
    let targets: String = targets.iter().map(|t| format!("{indent}    {t},\n")).collect();
    format!("{indent}(\n{targets}{indent}) = {call}\n")
}

/// A tuple: `()`, `(a,)`, `(a, b)`.
pub(super) fn tuple(items: &[String]) -> String {
    match items {
        [one] => format!("({one},)"),
        _ => format!("({})", items.join(", ")),
    }
}

/// A string literal.
pub(super) fn quoted(text: &str) -> String {
    text::quoted(text, char::is_control, |c| format!("\\x{:02x}", c as u32))
}
