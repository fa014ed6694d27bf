//! Draws the pages.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Cell, Clear, Paragraph, Row as Cells, Table};
use saltus_spy::{Column, Peer, Row};

use crate::app::{App, Page, first_shown};
use crate::cells::{cell, fitting, is_number, title};
use crate::keys::{HELP, Places};
use crate::plot::{self, Plotted};
use crate::theme::Theme;
use crate::tree;
use saltus_text::human::plural;
use saltus_text::table::clipped;

/// Draws the page, and records the positions of clickable areas.
pub(crate) fn draw(
    frame: &mut Frame<'_>,
    app: &mut App,
    plotted: &[Plotted],
    theme: Theme,
    places: &mut Places,
) {
    let whole = frame.area();
    let [above, middle, below] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)]).areas(whole);
    places.heading = None;
    frame.render_widget(Paragraph::new(heading(app, above.width.into())).style(theme.bar()), above);
    match app.page {
        Page::Table => table(frame, middle, app, theme, places),
        Page::Channel if plotted.is_empty() => tree::draw(frame, middle, app, theme, places),
        Page::Channel => {
            let [tree, line, plot] =
                Layout::vertical([Constraint::Fill(1), Constraint::Length(1), Constraint::Fill(1)])
                    .areas(middle);
            tree::draw(frame, tree, app, theme, places);
            let rule = "─".repeat(line.width.into());
            frame.render_widget(Paragraph::new(rule).style(theme.aside()), line);
            plot::draw(frame, plot, app, plotted, theme);
        }
        Page::Plot => plot::draw(frame, middle, app, plotted, theme),
    }
    frame.render_widget(footer(app, below.width.into(), theme), below);
    if app.help {
        help(frame, whole, theme);
    }
}

/// The title line.
fn heading(app: &App, width: usize) -> Line<'static> {
    let left = match (app.page, &app.tree) {
        (Page::Table, _) => {
            let shown = if app.rows.len() == app.total.0 {
                plural(app.total.0 as u64, "channel")
            } else {
                format!("{} of {}", app.rows.len(), plural(app.total.0 as u64, "channel"))
            };
            let stale = if app.total.1 > 0 { format!(" · {} stale", app.total.1) } else { String::new() };
            format!(" saltus spy · {shown}{stale}")
        }
        (Page::Channel, Some(tree)) => {
            let type_name = tree.type_name.as_deref().unwrap_or("unknown type");
            format!(" {} · {type_name} · {} B · {}", tree.channel, tree.size, tree.domain)
        }
        (Page::Plot, _) => format!(" plot · {}", plural(app.plots.len() as u64, "number")),
        _ => " saltus spy".into(),
    };
    let right = if app.paused.is_some() { "PAUSED ? help " } else { "? help " };
    let left = clipped(&left, width.saturating_sub(right.len() + 1));
    let room = width.saturating_sub(columns(left) + right.len());
    Line::from(format!("{left}{}{right}", " ".repeat(room)))
}

/// The columns of the terminal that a text takes.
fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

fn footer(app: &App, width: usize, theme: Theme) -> Paragraph<'static> {
    if app.typing {
        return Paragraph::new(format!("/{}▏", app.filter)).style(theme.heading());
    }
    if let Some(notice) = &app.notice {
        let style = if notice.bad { theme.bad() } else { theme.heading() };
        return Paragraph::new(format!(" {}", notice.words)).style(style);
    }
    let filter = format!("/{}", app.filter);
    let mut keys = match app.page {
        Page::Table => {
            vec!["Enter open", "←→ sort", "r reverse", "/ filter", "Space pause", "q quit"]
        }
        Page::Channel => {
            vec!["Enter fold", "p plot", "o plot alone", "x bytes", "Space pause", "Esc back", "q quit"]
        }
        Page::Plot => {
            vec!["+ - zoom", "Space pause", "←→ move", "e CSV", "c clear", "Esc back", "q quit"]
        }
    };
    if app.page == Page::Table && !app.filter.is_empty() {
        keys.insert(0, &filter);
    }
    Paragraph::new(fitting_keys(keys, width)).style(theme.aside())
}

/// As many of the keys as fit into a line. Those that leave a page stay the longest.
fn fitting_keys(mut keys: Vec<&str>, width: usize) -> String {
    loop {
        let line = format!(" {}", keys.join(" · "));
        match keys.iter().rposition(|key| !["Esc back", "q quit"].contains(key)) {
            Some(last) if columns(&line) > width => drop(keys.remove(last)),
            _ => return line,
        }
    }
}

fn table(frame: &mut Frame<'_>, area: Rect, app: &mut App, theme: Theme, places: &mut Places) {
    let [list, about] = Layout::vertical([Constraint::Min(3), Constraint::Length(3)]).areas(area);
    let columns = fitting(&app.rows, app.sorted, usize::from(list.width).saturating_sub(2));
    app.height = usize::from(list.height).saturating_sub(1);
    let selected = app.selected().unwrap_or(0);
    let first = first_shown(selected, app.height, app.rows.len());
    note(places, &columns, list, first);
    let titles = columns.iter().map(|(column, width)| {
        let arrow = if app.descending { "↓" } else { "↑" };
        let (style, text) = match *column == app.sorted {
            true => (theme.sorted(), format!("{}{arrow}", title(*column))),
            false => (theme.heading(), title(*column).to_string()),
        };
        Cell::new(aligned(*column, text, *width)).style(style)
    });
    let header = Cells::new([Cell::new("")].into_iter().chain(titles));
    let shown = app.rows.iter().enumerate().skip(first).take(app.height);
    let rows = shown.map(|(i, row)| {
        let (mark, style) = mark(row, theme);
        let cells = columns.iter().map(|(column, width)| aligned(*column, cell(*column, row), *width));
        let cells = [mark].into_iter().chain(cells.map(Cell::new));
        let rest = if row.stale { theme.stale() } else { Style::new() };
        Cells::new(cells).style(if i == selected { style.patch(theme.selected()) } else { rest })
    });
    let widths = [Constraint::Length(1)].into_iter();
    let widths = widths.chain(columns.iter().map(|(_, width)| Constraint::Length(*width as u16)));
    frame.render_widget(Table::new(rows, widths).header(header).column_spacing(1), list);
    if app.rows.is_empty() {
        let words = match app.total.0 {
            0 => "no messages yet: a channel appears with its first message",
            _ => "no channel matches the filter: / changes it, Esc shows all channels",
        };
        let line = Rect { y: list.y + 2, height: 1.min(list.height.saturating_sub(2)), ..list };
        frame.render_widget(Paragraph::new(words).alignment(Alignment::Center).style(theme.aside()), line);
    }
    frame.render_widget(Paragraph::new(details(app.rows.get(selected), theme)), about);
}

/// Records the positions of columns and rows.
fn note(places: &mut Places, columns: &[(Column, usize)], list: Rect, first: usize) {
    let mut at = list.x + 2;
    places.headings.clear();
    for (column, width) in columns {
        let width = *width as u16;
        places.headings.push((*column, at, at + width));
        at += width + 1;
    }
    places.heading = Some(list.y);
    places.list = (list.y + 1, first);
}

/// A one-character mark of a channel's state.
fn mark(row: &Row, theme: Theme) -> (Cell<'static>, Style) {
    let (sign, style) = match row {
        Row { mismatch: Some(_), .. } => ("!", theme.bad()),
        Row { stale: true, .. } => ("○", theme.stale()),
        _ => ("●", theme.live()),
    };
    (Cell::new(sign).style(style), Style::new())
}

/// Text in the width of its column: words aligned left, numbers aligned right.
fn aligned(column: Column, text: String, width: usize) -> String {
    let length = text.chars().count();
    match (is_number(column), length > width) {
        (true, _) => format!("{text:>width$}"),
        // The end of a type's name is more useful than its package.
        (false, true) if column == Column::Type => {
            format!("…{}", text.chars().skip(length - width + 1).collect::<String>())
        }
        (false, true) => format!("{}…", text.chars().take(width - 1).collect::<String>()),
        (false, false) => text,
    }
}

/// Details of the channel under the cursor.
fn details(row: Option<&Row>, theme: Theme) -> Vec<Line<'static>> {
    let Some(row) = row else { return Vec::new() };
    let peers = |peers: &[Peer]| match peers {
        [] => "none known".to_string(),
        all => all.iter().take(6).map(peer).collect::<Vec<_>>().join(", "),
    };
    let labelled = |label: &'static str, text: String| {
        Line::from(vec![Span::styled(label, theme.aside()), Span::raw(text)])
    };
    let fingerprint = row.fingerprint.clone().unwrap_or_else(|| "none".into());
    let third = match &row.mismatch {
        Some(words) => Line::from(Span::styled(format!("  types differ: {words}"), theme.bad())),
        None => {
            let owner = row.owner.as_ref().map_or(String::new(), |owner| format!("   owner {owner}"));
            labelled("  fingerprint  ", format!("{fingerprint}   {}{owner}", row.domain))
        }
    };
    let mut first = labelled("  published by ", peers(&row.publishers));
    if row.publishers.is_empty() {
        first = labelled("  published by ", "no live or recently active process".into());
    }
    vec![first, labelled("  read by      ", peers(&row.subscribers)), third]
}

/// `estimator (1234, ari@robot)`
fn peer(peer: &Peer) -> String {
    let place = match (&peer.user, &peer.host) {
        (Some(user), Some(host)) => Some(format!("{user}@{host}")),
        (user, host) => user.clone().or_else(|| host.clone()),
    };
    let process = peer.process.as_ref().and(peer.pid).map(|pid| pid.to_string());
    let about: Vec<String> = [process, place].into_iter().flatten().collect();
    if about.is_empty() { peer.short() } else { format!("{} ({})", peer.short(), about.join(", ")) }
}

fn help(frame: &mut Frame<'_>, whole: Rect, theme: Theme) {
    let width = whole.width.min(60);
    let height = whole.height.min(HELP.len() as u16 + 4);
    let area = Rect { x: (whole.width - width) / 2, y: (whole.height - height) / 2, width, height };
    let line = |(keys, words): &(&'static str, &'static str)| {
        Line::from(vec![Span::styled(format!(" {keys:<15}"), theme.heading()), Span::raw(*words)])
    };
    let mut lines = vec![Line::default()];
    lines.extend(HELP.iter().map(line));
    let block =
        Block::bordered().border_type(BorderType::Rounded).title(" Keys ").title_style(theme.heading());
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_is_always_shown() {
        for len in [0usize, 1, 5, 100] {
            for cursor in 0..len {
                let first = first_shown(cursor, 10, len);
                assert!(first <= cursor && cursor < first + 10, "{cursor} of {len}: {first}");
            }
        }
    }

    #[test]
    fn the_keys_that_leave_a_page_are_shown_however_narrow_the_terminal() {
        let keys = || vec!["Enter fold", "p plot", "x bytes", "Esc back", "q quit"];
        assert_eq!(fitting_keys(keys(), 80), " Enter fold · p plot · x bytes · Esc back · q quit");
        assert_eq!(fitting_keys(keys(), 50), " Enter fold · p plot · x bytes · Esc back · q quit");
        assert_eq!(fitting_keys(keys(), 49), " Enter fold · p plot · Esc back · q quit");
        assert_eq!(fitting_keys(keys(), 1), " Esc back · q quit");
    }

    #[test]
    fn long_names_are_shortened_in_the_middle() {
        assert_eq!(aligned(Column::Type, "package.pose_t".into(), 7), "…pose_t");
        assert_eq!(aligned(Column::Channel, "LASER_FRONT".into(), 6), "LASER…");
        assert_eq!(aligned(Column::Rate, "1 Hz".into(), 6), "  1 Hz");
    }
}
