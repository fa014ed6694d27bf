//! The fields of a channel's newest message.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use saltus_spy::Kind;

use crate::app::{App, Branch, first_shown};
use crate::keys::Places;
use crate::theme::Theme;

/// Time for which a changed value is highlighted, in ns.
const HIGHLIGHT: u64 = 500_000_000;

/// Draws the tree.
pub(crate) fn draw(frame: &mut Frame<'_>, area: Rect, app: &mut App, theme: Theme, places: &mut Places) {
    let Some(tree) = &app.tree else { return };
    let mut about: Vec<Line<'static>> = Vec::new();
    if let Some(error) = &tree.error {
        about.push(Line::from(Span::styled(format!(" {error}"), theme.bad())));
    } else if let Some(comment) = tree.comment.lines().next() {
        about.push(Line::from(Span::styled(format!(" {comment}"), theme.aside())));
    }
    if app.hex || tree.nodes.is_empty() && app.branches.is_empty() {
        about.extend(tree.hex.iter().map(|line| Line::from(format!("  {line}"))));
    }
    let mut room = u16::try_from(about.len()).unwrap_or(u16::MAX).min(area.height.saturating_sub(4));
    if app.branches.is_empty() {
        room = area.height.saturating_sub(1); // lines may wrap, and nothing else needs the rows
    }
    let [above, list] = Layout::vertical([Constraint::Length(room), Constraint::Min(1)]).areas(area);
    let wrap = ratatui::widgets::Wrap { trim: false };
    frame.render_widget(Paragraph::new(about).wrap(wrap), above);
    app.height = list.height.into();
    let cursor = app.place();
    let first = first_shown(cursor, app.height, app.branches.len());
    (places.list, places.heading) = ((list.y, first), None);
    let width = name_width(&app.branches, list.width.into());
    let shown = app.branches.iter().enumerate().skip(first).take(app.height);
    let lines: Vec<Line<'_>> = shown
        .map(|(i, branch)| {
            let plotted =
                |(_, channel, path): &(_, _, String)| Some(*channel) == app.open && *path == branch.node.path;
            let line = line(branch, width, app.now, app.plots.iter().position(plotted), theme);
            if i == cursor { line.style(theme.selected()) } else { line }
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), list);
}

/// Width of the names, so that values form a column.
fn name_width(branches: &[Branch], width: usize) -> usize {
    let longest = branches.iter().map(|b| 2 * b.depth + b.node.name.chars().count() + 4).max();
    longest.unwrap_or(0).clamp(12, (width / 2).max(12))
}

fn line<'a>(branch: &'a Branch, width: usize, now: u64, plotted: Option<usize>, theme: Theme) -> Line<'a> {
    let node = &branch.node;
    let sign = match (node.parts > 0, node.expanded, plotted) {
        (true, true, _) => Span::raw("▾ "),
        (true, false, _) => Span::raw("▸ "),
        (false, _, Some(i)) => Span::styled("━ ", theme.line(i)),
        (false, _, None) => Span::raw("  "),
    };
    let indent = "  ".repeat(branch.depth);
    let used = indent.len() + 3 + node.name.chars().count();
    let blanks = " ".repeat(width.saturating_sub(used).max(1));
    let fresh = node.changed.is_some_and(|at| now.saturating_sub(at) < HIGHLIGHT);
    let value = if fresh { theme.changed() } else { Default::default() };
    let name = match node.kind {
        Kind::Struct | Kind::Array => theme.heading(),
        Kind::Range => theme.aside(),
        Kind::Number | Kind::Text => Default::default(),
    };
    let text = if node.kind == Kind::Struct && !node.expanded { "…" } else { &node.text };
    let mut spans = vec![
        Span::raw(format!(" {indent}")),
        sign,
        Span::styled(node.name.as_str(), name),
        Span::raw(blanks),
        Span::styled(text, value),
    ];
    if let Some(unit) = &node.unit {
        spans.push(Span::styled(format!(" {unit}"), theme.unit()));
    }
    if node.parts > 0 && node.kind != Kind::Range {
        spans.push(Span::styled(format!("  {}", node.ty), theme.aside()));
    }
    if let Some(comment) = node.comment.lines().next() {
        spans.push(Span::styled(format!("  {comment}"), theme.aside()));
    }
    Line::from(spans)
}
