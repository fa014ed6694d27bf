//! The comment and the position of a declaration.

use saltus_types::{Sources, Span};

/// A comment, indented below its declaration.
pub(super) fn comment_lines(doc: &str) -> impl Iterator<Item = String> {
    doc.lines().map(|line| format!("             {line}").trim_end().to_owned())
}

/// A comment in one line.
pub(super) fn comment(doc: &str) -> String {
    if doc.is_empty() { String::new() } else { format!("// {}", doc.replace('\n', " ")) }
}

/// File and line of a declaration.
pub(super) fn place(span: Span, sources: Option<&Sources>) -> Option<(String, usize)> {
    let source = sources?.get(span.file)?;
    Some((source.path().display().to_string(), source.line_of(span.start)))
}
