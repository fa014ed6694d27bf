//! Laying out statements as `black` does.

/// Longest line.
const WIDTH: usize = 88;

/// `head item, item tail` on one line if it fits, else an item a line, with a comma behind the last: `black` leaves
/// either as it is. `depth` is the indentation of the statement, in steps of four; the lines end with a newline.
pub(super) fn wrapped(depth: usize, head: &str, items: &[String], tail: &str) -> String {
    let indent = "    ".repeat(depth);
    let line = format!("{indent}{head}{}{tail}\n", items.join(", "));
    if line.chars().count() <= WIDTH + 1 || items.is_empty() {
        return line;
    }
    let items: String = items.iter().map(|item| format!("{indent}    {item},\n")).collect();
    format!("{indent}{head}\n{items}{indent}{tail}\n")
}

/// The left side of an assignment to several targets, and the call behind it.
pub(super) fn unpacked(depth: usize, targets: &[String], call: &str) -> String {
    let indent = "    ".repeat(depth);
    if let [one] = targets {
        return format!("{indent}({one},) = {call}\n");
    }
    let line = format!("{indent}{} = {call}\n", targets.join(", "));
    if line.chars().count() <= WIDTH + 1 {
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
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            c if c.is_control() => out += &format!("\\x{:02x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}
