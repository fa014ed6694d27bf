//! Splits text into tokens.
//!
//! LCM's own tokenizer needs blanks around braces and comments; this one does not. Common to both: names and
//! numbers are one kind of token (a *word*), with dots and minus signs in them (`a.b.pose_t`, `-5`, `1e-5`).

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a number.
    Word,
    /// One of `{ } [ ] ( ) ; , : =`.
    Sign(char),
    /// Anything else; if it is wrong in itself, it is already reported.
    Other,
    /// The end of the file.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
    /// The number of comments in the file before it.
    pub comments: usize,
}

/// A comment.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    /// Without slashes and stars.
    pub text: String,
    /// The lines of its first and last character, from 1.
    pub first_line: u32,
    pub last_line: u32,
    /// Bytes of its line before it.
    pub column: u32,
    /// Whether anything but blanks precedes it on its line.
    pub trailing: bool,
    /// Whether it starts with two slashes.
    pub line: bool,
}

/// All of a file.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
}

/// Splits `source`, the file with index `file`, into tokens.
pub(crate) fn tokens(file: u32, source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Tokens {
    let mut lexer = Lexer { file, text: source.text(), at: 0, line: 1, line_start: 0, bare: true };
    let mut out = Tokens { tokens: Vec::new(), comments: Vec::new() };
    while let Some(c) = lexer.peek() {
        let start = lexer.at;
        match c {
            c if is_blank(c) => lexer.bump(c),
            '/' if lexer.starts("//") || lexer.starts("/*") => {
                if out.tokens.last().is_some_and(|t| t.kind == Kind::Word && t.span.end as usize == start) {
                    let what =
                        "a comment directly after a name: LCM's own generator treats it as part of the name";
                    diagnostics.push(
                        Diagnostic::warning(what, lexer.span(start, start + 2)).help("put a blank before it"),
                    );
                }
                out.comments.push(lexer.comment(diagnostics));
            }
            _ => {
                let kind = lexer.token(c, diagnostics);
                let span = lexer.span(start, lexer.at);
                if source.garbled(span.start, span.end) {
                    diagnostics.push(Diagnostic::error("a name with bytes that are not UTF-8", span));
                }
                out.tokens.push(Token { kind, span, comments: out.comments.len() });
            }
        }
    }
    let end = lexer.span(lexer.at, lexer.at);
    out.tokens.push(Token { kind: Kind::End, span: end, comments: out.comments.len() });
    out
}

/// C's `isspace`, for ASCII.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

fn is_sign(c: char) -> bool {
    matches!(c, '{' | '}' | '[' | ']' | '(' | ')' | ';' | ',' | ':' | '=')
}

fn is_operator(c: char) -> bool {
    matches!(c, '!' | '~' | '<' | '>' | '&' | '|' | '^' | '%' | '*' | '+')
}

struct Lexer<'a> {
    file: u32,
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// Whether this line has had only blanks so far.
    bare: bool,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }
    fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with)
    }
    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }
    /// Advances past `c`, the present character.
    fn bump(&mut self, c: char) {
        self.at += c.len_utf8();
        if c == '\n' {
            (self.line, self.line_start, self.bare) = (self.line + 1, self.at, true);
        } else if !is_blank(c) {
            self.bare = false;
        }
    }

    fn token(&mut self, c: char, diagnostics: &mut Vec<Diagnostic>) -> Kind {
        let start = self.at;
        if is_sign(c) {
            self.bump(c);
            return Kind::Sign(c);
        }
        if c == '"' || c == '\'' {
            self.bump(c);
            while let Some(next) = self.peek().filter(|&n| n != '\n') {
                self.bump(next);
                if next == c {
                    break;
                }
            }
            diagnostics.push(Diagnostic::error("the type language has no quotes", self.span(start, self.at)));
            return Kind::Other;
        }
        let number_follows = |rest: &str| {
            rest.get(1..).is_some_and(|r| r.starts_with(|d: char| d.is_ascii_digit() || d == '.'))
        };
        if is_operator(c) && !(c == '+' && number_follows(self.rest())) {
            self.bump(c);
            diagnostics
                .push(Diagnostic::error(format!("`{c}` has no meaning here"), self.span(start, self.at)));
            return Kind::Other;
        }
        self.word(start);
        Kind::Word
    }

    fn word(&mut self, start: usize) {
        while let Some(c) = self.peek() {
            let so_far = &self.text[start..self.at];
            // `+` belongs to a number at its start and after its exponent's `e`.
            let plus = c == '+'
                && (so_far.is_empty()
                    || (so_far.ends_with(['e', 'E', 'p', 'P'])
                        && so_far
                            .trim_start_matches(['-', '+'])
                            .starts_with(|d: char| d.is_ascii_digit() || d == '.')));
            let comment = c == '/' && (self.starts("//") || self.starts("/*"));
            if is_blank(c) || is_sign(c) || c == '"' || c == '\'' || comment || (is_operator(c) && !plus) {
                break;
            }
            self.bump(c);
        }
    }

    fn comment(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Comment {
        let (start, first_line, trailing) = (self.at, self.line, !self.bare);
        let column = (self.at - self.line_start) as u32;
        let line = self.starts("//");
        let length = if line {
            self.rest().find('\n').unwrap_or(self.rest().len())
        } else {
            match self.rest().get(2..).and_then(|r| r.find("*/")) {
                Some(n) => n + 4,
                None => {
                    let what = "a comment that does not end";
                    diagnostics
                        .push(Diagnostic::error(what, self.span(start, start + 2)).help("end it with `*/`"));
                    self.rest().len()
                }
            }
        };
        let raw = &self.text[start..start + length];
        let text = if line { line_text(raw) } else { block_text(raw) };
        // Only a token ends the bare part of a line, so that `int8_t a; /* one */ // two` is one trailing comment
        // of two parts.
        let bare = self.bare;
        for c in raw.chars() {
            self.bump(c);
        }
        if !raw.contains('\n') {
            self.bare = bare;
        }
        Comment { text, first_line, last_line: self.line, column, trailing, line }
    }
}

/// The text of a `//` comment.
fn line_text(raw: &str) -> String {
    let text = raw.trim_start_matches('/').trim_end();
    String::from(text.strip_prefix(' ').unwrap_or(text))
}

/// The text of a `/* */` comment: each line without its leading stars, no empty lines at either end.
fn block_text(raw: &str) -> String {
    let inner = raw.strip_prefix("/*").unwrap_or(raw);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let line = |line: &str| {
        let bare = line.trim_start();
        let text = if bare.starts_with('*') { bare.trim_start_matches('*') } else { bare };
        String::from(text.strip_prefix(' ').unwrap_or(text).trim_end())
    };
    let lines: Vec<String> = inner.lines().map(line).collect();
    let first = lines.iter().position(|l| !l.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|l| !l.is_empty()).map_or(first, |i| i + 1);
    lines[first..last].join("\n")
}
