//! Assigns comments to declarations.
//!
//! A comment above a declaration, with no empty line between, belongs to it. So does a comment after it on the same
//! line, with the `//` lines directly below that one in the same column. A comment with an empty line below it
//! belongs to no declaration, except the first one of a file, which belongs to the file.

use crate::lexer::{Comment, Token, Tokens};

/// Finds the comments of declarations in a file. Each is returned once.
#[derive(Debug)]
pub(crate) struct Comments {
    comments: Vec<Comment>,
    /// Comments up to here were returned.
    given: usize,
}

impl Comments {
    pub fn new(comments: Vec<Comment>) -> Comments {
        Comments { comments, given: 0 }
    }

    /// The comment above the token at `at`, with no empty line between.
    pub fn above(&mut self, tokens: &[Token], at: usize, line_of: impl Fn(u32) -> u32) -> String {
        let end = tokens[at].comments;
        let mut first = end;
        let mut below = line_of(tokens[at].span.start);
        while first > self.given {
            let c = &self.comments[first - 1];
            if c.last_line + 1 < below {
                break;
            }
            below = c.first_line;
            first -= 1;
        }
        let text = joined(&self.comments[first..end]);
        self.given = end.max(self.given);
        text
    }

    /// The comment after the token at `at`, on its line, if nothing else follows on that line.
    pub fn behind(&mut self, tokens: &[Token], at: usize, line_of: impl Fn(u32) -> u32) -> String {
        let line = line_of(tokens[at].span.start);
        let next = tokens.get(at + 1).map(|t| line_of(t.span.start));
        let (mut end, first) = (self.given.max(tokens[at].comments), self.given.max(tokens[at].comments));
        let last = tokens.get(at + 1).map_or(self.comments.len(), |t| t.comments);
        while end < last && self.comments[end].trailing && self.comments[end].first_line == line {
            end += 1;
        }
        // A comment between two declarations on one line is ambiguous: it is assigned to the next.
        if end == first || next == Some(self.comments[end - 1].last_line) {
            return String::new();
        }
        while end < last && self.comments[end].line && self.comments[end - 1].line {
            let (before, this) = (&self.comments[end - 1], &self.comments[end]);
            if this.first_line != before.last_line + 1 || this.column != before.column {
                break;
            }
            end += 1;
        }
        self.given = end;
        joined(&self.comments[first..end])
    }

    /// The first comment of the file, if an empty line or `package` follows it: `at` is the first token.
    pub fn of_file(
        &mut self,
        tokens: &[Token],
        at: usize,
        package: bool,
        line_of: impl Fn(u32) -> u32,
    ) -> String {
        let end = tokens[at].comments;
        let mut last = usize::from(end > 0);
        while last < end && self.comments[last].first_line <= self.comments[last - 1].last_line + 1 {
            last += 1;
        }
        let below = if last < end { u32::MAX } else { line_of(tokens[at].span.start) };
        if last == 0 || (!package && self.comments[last - 1].last_line + 1 >= below) {
            return String::new();
        }
        self.given = last;
        joined(&self.comments[..last])
    }
}

/// The texts of comments, each on separate lines.
fn joined(comments: &[Comment]) -> String {
    comments.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join("\n").trim_end().into()
}

impl Tokens {
    /// The tokens, and the comments to assign.
    pub fn split(self) -> (Vec<Token>, Comments) {
        (self.tokens, Comments::new(self.comments))
    }
}
