//! Builds a text line by line, with indentation.

/// A text that grows by lines.
#[derive(Debug)]
pub(crate) struct Text {
    out: String,
    depth: usize,
    unit: &'static str,
}

impl Text {
    /// An empty text; `unit` is one step of indentation.
    pub fn new(unit: &'static str) -> Text {
        Text { out: String::new(), depth: 0, unit }
    }
    /// Adds a line, indented; an empty one stays empty.
    pub fn line(&mut self, line: impl AsRef<str>) -> &mut Text {
        let line = line.as_ref();
        if !line.is_empty() {
            for _ in 0..self.depth {
                self.out.push_str(self.unit);
            }
            self.out.push_str(line);
        }
        self.out.push('\n');
        self
    }
    /// Adds several lines, each indented.
    pub fn lines(&mut self, lines: impl AsRef<str>) -> &mut Text {
        for line in lines.as_ref().lines() {
            self.line(line);
        }
        self
    }
    /// Adds an empty line.
    pub fn gap(&mut self) -> &mut Text {
        self.line("")
    }
    /// Adds `head`, then the output of `body` indented one step, then `tail` if it is not empty.
    pub fn block(&mut self, head: impl AsRef<str>, tail: &str, body: impl FnOnce(&mut Text)) -> &mut Text {
        self.line(head);
        self.depth += 1;
        body(self);
        self.depth -= 1;
        if !tail.is_empty() {
            self.line(tail);
        }
        self
    }
    /// Adds text unchanged, without indentation.
    pub fn raw(&mut self, text: impl AsRef<str>) -> &mut Text {
        self.out.push_str(text.as_ref());
        self
    }
    /// Indents by one more step.
    pub fn indent(&mut self) -> &mut Text {
        self.depth += 1;
        self
    }
    /// Indents by one step less.
    pub fn dedent(&mut self) -> &mut Text {
        self.depth = self.depth.saturating_sub(1);
        self
    }
    /// Columns by which the next line is indented.
    pub fn column(&self) -> usize {
        self.depth * self.unit.len()
    }
    /// The text.
    pub fn finish(self) -> String {
        self.out
    }
}

/// A string literal with double quotes; `escaped` writes characters that are `odd`.
pub(crate) fn quoted(text: &str, odd: impl Fn(char) -> bool, escaped: impl Fn(char) -> String) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            c if odd(c) => out += &escaped(c),
            c => out.push(c),
        }
    }
    out + "\""
}
