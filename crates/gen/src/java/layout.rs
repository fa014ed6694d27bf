//! Formats statements as clang-format does in Google's style.

use crate::text;

/// Longest line.
const WIDTH: usize = 100;

fn fits(line: &str) -> bool {
    line.chars().count() <= WIDTH
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// `left = right`, with the right side on a separate line if both do not fit. `depth` is the indentation, in steps
/// of two.
pub(super) fn statement(depth: usize, left: &str, right: &str) -> String {
    let (line, pad) = (format!("{}{left} = {right}", indent(depth)), indent(depth + 2));
    if fits(&line) { format!("{line}\n") } else { format!("{}{left} =\n{pad}{right}\n", indent(depth)) }
}

/// `left = head(arguments);`, or only the call if there is no left side. `left` may end with an operator: `size +=`.
pub(super) fn call(depth: usize, left: &str, head: &str, arguments: &[String]) -> String {
    let pad = indent(depth);
    let right = format!("{head}({});", arguments.join(", "));
    let operator = if left.is_empty() || left.ends_with('=') { "" } else { " =" };
    let start = format!("{left}{operator}");
    let line = format!("{pad}{start} {right}");
    if left.is_empty() {
        let line = format!("{pad}{right}");
        return if fits(&line) { line + "\n" } else { broken(depth, head, arguments) };
    }
    if fits(&line) {
        return line + "\n";
    }
    if fits(&format!("{}{right}", indent(depth + 2))) {
        return format!("{pad}{start}\n{}{right}\n", indent(depth + 2));
    }
    broken(depth, &format!("{start} {head}"), arguments)
}

fn broken(depth: usize, head: &str, arguments: &[String]) -> String {
    let (pad, deeper) = (indent(depth), indent(depth + 2));
    let line = format!("{deeper}{});", arguments.join(", "));
    if fits(&line) {
        return format!("{pad}{head}(\n{line}\n");
    }
    format!("{pad}{head}(\n{deeper}{});\n", arguments.join(&format!(",\n{deeper}")))
}

/// `for (head) {`, one step deeper for each head, with `body` innermost.
pub(super) fn loops(depth: usize, heads: &[String], body: impl FnOnce(usize) -> String) -> String {
    let mut text = String::new();
    for (n, head) in heads.iter().enumerate() {
        text += &format!("{}for ({head}) {{\n", indent(depth + n));
    }
    text += &body(depth + heads.len());
    for n in (0..heads.len()).rev() {
        text += &format!("{}}}\n", indent(depth + n));
    }
    text
}

/// A line at a depth.
pub(super) fn line(depth: usize, text: impl AsRef<str>) -> String {
    format!("{}{}\n", indent(depth), text.as_ref())
}

/// A doc comment; empty without text.
pub(super) fn javadoc(depth: usize, doc: &str) -> String {
    let pad = indent(depth);
    let lines: Vec<String> = doc.trim().lines().map(|l| html(l.trim_end())).collect();
    match &lines[..] {
        [] => String::new(),
        [one] => format!("{pad}/** {one} */\n"),
        _ => {
            let lines: String =
                lines.iter().map(|l| format!("{pad} * {l}").trim_end().to_owned() + "\n").collect();
            format!("{pad}/**\n{lines}{pad} */\n")
        }
    }
}

/// Text escaped for a doc comment: nothing in it is markup, the end of the comment, or beyond ASCII.
fn html(text: &str) -> String {
    let mut out = String::new();
    let mut last = ' ';
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '@' => out += "&#64;",
            '\\' => out += "&#92;",
            '/' if last == '*' => out += "&#47;",
            '\t' => out += "    ",
            ' '..='~' => out.push(c),
            c if c.is_control() => {}
            c => out += &format!("&#{};", c as u32),
        }
        last = c;
    }
    out
}

/// A string literal.
pub(super) fn quoted(text: &str) -> String {
    let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect();
    text::quoted(text, |c| !(' '..='~').contains(&c), units)
}

/// Most bytes of one string constant that a class file can hold, with a margin.
const MOST: usize = 60_000;

/// `left = ` a long text, one of its lines per line.
pub(super) fn text_block(depth: usize, left: &str, text: &str) -> String {
    let mut parts: Vec<Vec<String>> = vec![vec![]];
    let mut size = 0;
    for line in text.split_inclusive('\n') {
        // At most three bytes for each unit of UTF-16.
        size += line.len() * 3 / 2;
        if size > MOST {
            parts.push(vec![]);
            size = line.len() * 3 / 2;
        }
        if let Some(part) = parts.last_mut() {
            part.push(quoted(line));
        }
    }
    let next = indent(depth + 2);
    let parts: Vec<String> = parts.iter().map(|p| p.join(&format!("\n{next}+ "))).collect();
    let start = format!("{}{left} =", indent(depth));
    match &parts[..] {
        [one] if fits(&format!("{start} {}", one.lines().next().unwrap_or(""))) => {
            format!("{start} {one};\n")
        }
        [one] => format!("{start}\n{next}{one};\n"),
        _ => format!("{start} String.join(\n{next}\"\",\n{next}{});\n", parts.join(&format!(",\n{next}"))),
    }
}

/// `head {a, b};` on one line if it fits, otherwise one item per line.
pub(super) fn array(depth: usize, head: &str, items: &[String]) -> String {
    let (pad, deeper) = (indent(depth), indent(depth + 2));
    let line = format!("{pad}{head} {{{}}};", items.join(", "));
    if fits(&line) {
        return line + "\n";
    }
    format!("{pad}{head} {{\n{deeper}{},\n{pad}}};\n", items.join(&format!(",\n{deeper}")))
}
