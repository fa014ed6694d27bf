//! Errors and warnings about type files, with locations and help.

use crate::source::{Sources, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The types can be used.
    Warning,
    /// They cannot.
    Error,
}

/// An error or a warning, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The location; `None` if it is not a place in a file.
    pub span: Option<Span>,
    /// A label at that location; may be empty.
    pub label: String,
    /// Other relevant locations, with labels.
    pub also: Vec<(Span, String)>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a location.
    pub fn error(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span: Some(span),
            label: String::new(),
            also: Vec::new(),
            help: None,
        }
    }
    /// An error without a location.
    pub fn general(message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: None, ..Diagnostic::error(message, Span::default()) }
    }
    /// A warning at a location.
    pub fn warning(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(message, span) }
    }
    /// Adds a label to the location.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }
    /// Adds another location.
    #[must_use]
    pub fn and(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.also.push((span, label.into()));
        self
    }
    /// Adds help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The text in the style of rustc: message, file, line number and the line itself, with a caret. `colour` for a
    /// terminal.
    pub fn render(&self, sources: &Sources, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let level = if self.severity == Severity::Error { Level::ERROR } else { Level::WARNING };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()));
        let places: Vec<(Span, &str, bool)> = self
            .span
            .map(|s| (s, self.label.as_str(), true))
            .into_iter()
            .chain(self.also.iter().map(|(s, label)| (*s, label.as_str(), false)))
            .collect();
        let mut files: Vec<u32> = Vec::new();
        for (span, ..) in &places {
            if !files.contains(&span.file) {
                files.push(span.file);
            }
        }
        for file in files {
            let Some(source) = sources.get(file) else { continue };
            let mut snippet = Snippet::source(source.text()).path(source.path().display().to_string());
            for (span, label, primary) in places.iter().filter(|(s, ..)| s.file == file) {
                let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let end = (span.end as usize).min(source.text().len());
                let mut annotation = kind.span((span.start as usize).min(end)..end);
                if !label.is_empty() {
                    annotation = annotation.label(*label);
                }
                snippet = snippet.annotation(annotation);
            }
            group = group.element(snippet);
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        bounded(&renderer.render(&[group]), colour)
    }
}

/// Longest line of a file that is shown, in characters.
const LONGEST: usize = 400;

/// The same, with longer lines cut.
fn bounded(text: &str, colour: bool) -> String {
    let shortened = |line: &str| match line.char_indices().nth(LONGEST) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}{}...", &line[..end], if colour { "\x1b[0m" } else { "" }),
    };
    text.lines().map(shortened).collect::<Vec<_>>().join("\n")
}

/// All diagnostics of a set of files, and the files.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// The files.
    pub sources: Sources,
    /// The diagnostics, in the order of the files.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Whether anything is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
    /// All of it as text, in the style of rustc.
    pub fn render(&self, colour: bool) -> String {
        self.list.iter().map(|d| d.render(&self.sources, colour) + "\n\n").collect()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}
impl std::error::Error for Diagnostics {}
