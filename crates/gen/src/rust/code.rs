//! Formats lines as rustfmt does, so that formatting changes nothing.
//!
//! Generated code has few shapes, and this implements rustfmt's rule for each. Code that is too wide even so (names
//! of fifty letters) is marked to be skipped.

use crate::text::Text;

/// Columns of a line, of the arguments of a call, of a chain of calls, of the fields of a struct literal, of an array.
const MAX_WIDTH: usize = 100;
const CALL_WIDTH: usize = 60;
const CHAIN_WIDTH: usize = 60;
const LITERAL_WIDTH: usize = 18;
const ARRAY_WIDTH: usize = 60;

/// One item of a file: a struct, an `impl`.
#[derive(Debug)]
pub(super) struct Code {
    text: Text,
    /// A line in it is wider than rustfmt allows.
    wide: bool,
}

/// Adds an item to `file`, with an empty line before it.
pub(super) fn item(file: &mut Text, make: impl FnOnce(&mut Code)) {
    let mut code = Code { text: Text::new("    "), wide: false };
    make(&mut code);
    file.gap();
    if code.wide {
        file.line("#[rustfmt::skip]");
    }
    file.raw(code.text.finish());
}

impl Code {
    /// A line of code.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        self.wide |= self.text.column() + width(line) > MAX_WIDTH;
        self.text.line(line);
    }
    /// A line of code with a chain of calls, `chain`, in it.
    pub fn chained(&mut self, before: &str, chain: &str, after: &str) {
        self.note_chain(chain);
        self.line(format!("{before}{chain}{after}"));
    }
    /// Records that the next line contains a chain of calls.
    pub fn note_chain(&mut self, chain: &str) {
        self.wide |= chain.contains('(') && width(chain) > CHAIN_WIDTH;
    }
    /// Lines that rustfmt never changes: comments.
    pub fn comment<S: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = S>) {
        for line in lines {
            self.text.line(line);
        }
    }
    /// `head` that ends in a brace, the output of `body`, and the closing brace with `tail`.
    pub fn block(&mut self, head: impl AsRef<str>, tail: &str, body: impl FnOnce(&mut Code)) {
        self.line(head);
        self.text.indent();
        body(self);
        self.text.dedent();
        self.line(tail);
    }
    /// `head(arguments)tail`, on one line if rustfmt would put it there.
    pub fn call(&mut self, head: &str, arguments: &[&str], tail: &str) {
        let all = arguments.join(", ");
        let one_line = format!("{head}({all}){tail}");
        if width(&all) <= CALL_WIDTH && self.text.column() + width(&one_line) <= MAX_WIDTH {
            self.line(one_line);
        } else {
            // A closure, or a nested call, would be formatted differently.
            self.wide |= all.contains('|') || arguments.len() == 1;
            self.wide |= arguments.iter().any(|a| a.starts_with('[') && width(a) > ARRAY_WIDTH);
            self.block(format!("{head}("), &format!("){tail}"), |code| {
                arguments.iter().for_each(|a| code.line(format!("{a},")));
            });
        }
    }
    /// A struct literal that is the value of a block.
    pub fn literal(&mut self, name: &str, fields: &[(String, String)], rest: Option<&str>) {
        let mut parts: Vec<String> = fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        parts.extend(rest.map(|r| format!("..{r}")));
        let all = parts.join(", ");
        if parts.is_empty() {
            return self.line(format!("{name} {{}}"));
        }
        if width(&all) <= LITERAL_WIDTH {
            return self.line(format!("{name} {{ {all} }}"));
        }
        self.block(format!("{name} {{"), "}", |code| {
            for (name, value) in fields {
                code.chained(&format!("{name}: "), value, ",");
            }
            rest.iter().for_each(|r| code.line(format!("..{r}")));
        });
    }
    /// A constant whose value is a text, which may have many lines.
    pub fn text_const(&mut self, head: &str, text: &str) {
        let value = string_literal(text);
        let first = value.lines().next().unwrap_or_default();
        self.wide |= self.text.column() + width(head) + 3 + width(first) + 1 > MAX_WIDTH;
        let column = " ".repeat(self.text.column());
        self.text.raw(format!("{column}{head} = {value};\n"));
    }
}

/// A text as a string literal, with its line breaks.
pub(super) fn string_literal(text: &str) -> String {
    let strange = |c: char| c.is_control() && c != '\n';
    if text.contains(strange) {
        return format!("{text:?}");
    }
    if !text.contains(['"', '\\']) {
        return format!("\"{text}\"");
    }
    let mut fence = String::from("#");
    while text.contains(&format!("\"{fence}")) {
        fence.push('#');
    }
    format!("r{fence}\"{text}\"{fence}")
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_literals() {
        assert_eq!(string_literal("a\n  b"), "\"a\n  b\"");
        assert_eq!(string_literal("say \"hi\"#"), "r##\"say \"hi\"#\"##");
        assert_eq!(string_literal("a\r"), "\"a\\r\"");
    }

    #[test]
    fn a_long_call_is_broken_and_a_short_one_is_not() {
        let mut file = Text::new("    ");
        item(&mut file, |code| {
            code.call("f", &["a", "b"], ";");
            code.call("f", &["a".repeat(40).as_str(), "b".repeat(20).as_str()], ";");
        });
        let long = format!("f(\n    {},\n    {},\n);\n", "a".repeat(40), "b".repeat(20));
        assert_eq!(file.finish(), format!("\nf(a, b);\n{long}"));
    }
}
