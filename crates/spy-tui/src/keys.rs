//! Keys and mouse clicks.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};

use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use saltus_spy::{Column, Model, SeriesId};

use crate::app::{App, Page};

/// The keys, for the help page.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("↑ ↓  j k", "move"),
    ("PgUp PgDn  g G", "move by a page, to the first, to the last"),
    ("← →  h l", "sort by another column; fold, unfold"),
    ("r", "reverse the order"),
    ("/", "filter by words; !word hides"),
    ("Enter", "open a channel; fold and unfold a field"),
    ("Esc  Backspace", "back; in the table, clear the filter"),
    ("p", "plot the number here, or remove it"),
    ("o  Tab", "the plot alone, and back"),
    ("+ -", "show less time in the plot, or more"),
    ("Space", "pause; then ← → move the plot in time"),
    ("e", "write the plotted values to a CSV file"),
    ("c", "remove all plots"),
    ("x", "show the bytes of the message"),
    ("?", "these keys"),
    ("q  Ctrl-C", "quit"),
];

/// Handles a key.
pub(crate) fn key(app: &mut App, model: &mut Model, key: KeyEvent, columns: &[Column]) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    app.notice = None;
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        if matches!(key.code, KeyCode::Char('c' | 'd')) {
            app.quit = true;
        }
        return;
    }
    if app.typing {
        return type_filter(app, key.code);
    }
    if app.help {
        app.help = false;
        return;
    }
    let page = isize::try_from(app.height.max(1)).unwrap_or(1);
    match key.code {
        KeyCode::Char('q') => app.quit = true,
        KeyCode::Char('?') => app.help = true,
        KeyCode::Char(' ') => app.pause(),
        KeyCode::Up | KeyCode::Char('k') => app.go(-1),
        KeyCode::Down | KeyCode::Char('j') => app.go(1),
        KeyCode::PageUp => app.go(-page),
        KeyCode::PageDown => app.go(page),
        KeyCode::Home | KeyCode::Char('g') => app.go(isize::MIN / 2),
        KeyCode::End | KeyCode::Char('G') => app.go(isize::MAX / 2),
        KeyCode::Char('+' | '=') => app.zoom(0.5),
        KeyCode::Char('-') => app.zoom(2.0),
        KeyCode::Char('c') => app.clear(model),
        KeyCode::Char('e') => export(app, model),
        KeyCode::Char('o') | KeyCode::Tab => other_page(app),
        _ => match app.page {
            Page::Table => of_table(app, model, key.code, columns),
            Page::Channel => of_channel(app, model, key.code),
            Page::Plot => of_plot(app, key.code),
        },
    }
}

fn type_filter(app: &mut App, code: KeyCode) {
    match code {
        KeyCode::Enter => app.typing = false,
        KeyCode::Esc => (app.typing, app.filter) = (false, String::new()),
        KeyCode::Backspace => drop(app.filter.pop()),
        KeyCode::Char(c) if !c.is_control() && app.filter.len() < 200 => app.filter.push(c),
        _ => {}
    }
}

fn of_table(app: &mut App, model: &mut Model, code: KeyCode, columns: &[Column]) {
    match code {
        KeyCode::Enter => app.enter(model),
        KeyCode::Char('/') => app.typing = true,
        KeyCode::Esc | KeyCode::Backspace => app.filter.clear(),
        KeyCode::Char('r') => app.descending = !app.descending,
        KeyCode::Right | KeyCode::Char('l') => app.sort_by(1, columns),
        KeyCode::Left | KeyCode::Char('h') => app.sort_by(-1, columns),
        _ => {}
    }
}

fn of_channel(app: &mut App, model: &mut Model, code: KeyCode) {
    let Some((parts, expanded, path)) = app.node().map(|n| (n.parts, n.expanded, n.path.clone())) else {
        return if matches!(code, KeyCode::Esc | KeyCode::Backspace) {
            app.leave(model)
        };
    };
    let toggle = match code {
        KeyCode::Esc | KeyCode::Backspace => return app.leave(model),
        KeyCode::Char('p') => return app.plot(model),
        KeyCode::Char('x') => {
            app.hex = !app.hex;
            return;
        }
        KeyCode::Enter => parts > 0,
        KeyCode::Right | KeyCode::Char('l') => parts > 0 && !expanded,
        KeyCode::Left | KeyCode::Char('h') => parts > 0 && expanded,
        _ => false,
    };
    if toggle {
        app.expand.toggle(&path);
        app.refresh_tree(model);
    }
}

fn of_plot(app: &mut App, code: KeyCode) {
    match code {
        KeyCode::Esc | KeyCode::Backspace => other_page(app),
        KeyCode::Left | KeyCode::Char('h') => app.scroll(-0.25),
        KeyCode::Right | KeyCode::Char('l') => app.scroll(0.25),
        _ => {}
    }
}

fn other_page(app: &mut App) {
    app.page = match (app.page, app.open) {
        (Page::Plot, Some(_)) => Page::Channel,
        (Page::Plot, None) => Page::Table,
        _ if app.plots.is_empty() => {
            return app.warn("no plot yet: open a channel, move to a number and press p");
        }
        _ => Page::Plot,
    };
}

/// Writes the plots to a new file in this directory.
fn export(app: &mut App, model: &Model) {
    if app.plots.is_empty() {
        return app.warn("no plot to export");
    }
    let which: Vec<SeriesId> = app.plots.iter().map(|(series, ..)| *series).collect();
    match write_csv(model, &which) {
        Ok(name) => app.confirm(format!("wrote {name}")),
        Err(error) => app.warn(format!("cannot write a CSV file in this directory: {error}")),
    }
}

fn write_csv(model: &Model, which: &[SeriesId]) -> io::Result<String> {
    for number in 1..10_000 {
        let name = format!("saltus-spy-{number}.csv");
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Ok(file) => {
                let mut out = BufWriter::new(file);
                model.csv(which, &mut out)?;
                out.flush()?;
                return Ok(name);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("saltus-spy-1.csv to saltus-spy-9999.csv already exist"))
}

/// Positions on the screen, for clicks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Columns of the table: first and last cell of the screen.
    pub(crate) headings: Vec<(Column, u16, u16)>,
    /// The line of the headings, if the table is shown.
    pub(crate) heading: Option<u16>,
    /// The first line of the list, and the index of its entry.
    pub(crate) list: (u16, usize),
}

/// Handles a mouse event.
pub(crate) fn mouse(app: &mut App, model: &mut Model, event: MouseEvent, places: &Places) {
    match event.kind {
        MouseEventKind::ScrollUp if app.page == Page::Plot => app.zoom(0.8),
        MouseEventKind::ScrollDown if app.page == Page::Plot => app.zoom(1.25),
        MouseEventKind::ScrollUp => app.go(-3),
        MouseEventKind::ScrollDown => app.go(3),
        MouseEventKind::Down(MouseButton::Left) if places.heading == Some(event.row) => {
            let hit = places.headings.iter().find(|(_, from, to)| (*from..=*to).contains(&event.column));
            if let Some((column, ..)) = hit {
                if app.sorted == *column {
                    app.descending = !app.descending;
                } else {
                    (app.sorted, app.descending) = (*column, crate::cells::is_number(*column));
                }
            }
        }
        MouseEventKind::Down(MouseButton::Left) if event.row >= places.list.0 => {
            let at = places.list.1 + usize::from(event.row - places.list.0);
            match app.page {
                Page::Table if at < app.rows.len() => {
                    let again = app.selected() == Some(at);
                    app.cursor = Some(app.rows[at].id);
                    if again {
                        app.enter(model);
                    }
                }
                Page::Channel if at < app.branches.len() => {
                    let path = app.branches[at].node.path.clone();
                    if app.field == path && app.branches[at].node.parts > 0 {
                        app.expand.toggle(&path);
                        app.refresh_tree(model);
                    }
                    app.field = path;
                }
                _ => {}
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frame takes 2 columns, a blank and the keys 16.
    #[test]
    fn the_help_fits_60_columns() {
        let too_long =
            |(keys, words): &&(&str, &str)| keys.chars().count() > 15 || words.chars().count() > 42;
        assert_eq!(HELP.iter().find(too_long), None);
    }

    #[test]
    fn the_next_key_takes_a_notice_away_and_a_released_one_does_not() {
        let (mut app, mut model) = (App::new(), Model::new(saltus_spy::Options::default()));
        app.confirm("wrote saltus-spy-1.csv");
        let mut released = KeyEvent::new(KeyCode::Char('e'), KeyModifiers::NONE);
        released.kind = KeyEventKind::Release;
        key(&mut app, &mut model, released, &[]);
        assert!(app.notice.is_some());
        key(&mut app, &mut model, KeyEvent::new(KeyCode::Down, KeyModifiers::NONE), &[]);
        assert!(app.notice.is_none());
        key(&mut app, &mut model, KeyEvent::new(KeyCode::Char('e'), KeyModifiers::NONE), &[]);
        assert!(app.notice.is_some_and(|notice| notice.bad), "nothing is plotted");
    }
}
