//! The state of the spy's user interface, independent of the terminal.

use std::time::{Duration, Instant};

use saltus_spy::{ChannelId, Column, Expand, Filter, Model, Node, Row, SeriesId, Tree, sort};

/// The pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    /// All channels.
    Table,
    /// One channel; below it the plot, if any.
    Channel,
    /// The plot alone.
    Plot,
}

/// A line of the tree: its depth and its node.
pub(crate) struct Branch {
    /// How deep.
    pub(crate) depth: usize,
    /// The node without its children.
    pub(crate) node: Node,
}

/// A notice in the last line, in place of the keys.
pub(crate) struct Notice {
    /// The text.
    pub(crate) words: String,
    at: Instant,
    /// Whether it is an error.
    pub(crate) bad: bool,
}

/// The contents of the screen, and the choices of the user.
pub(crate) struct App {
    pub(crate) page: Page,
    pub(crate) help: bool,
    pub(crate) quit: bool,
    /// The rows, sorted and filtered.
    pub(crate) rows: Vec<Row>,
    /// Number of rows without the filter, and of stale ones among them.
    pub(crate) total: (usize, usize),
    pub(crate) sorted: Column,
    pub(crate) descending: bool,
    pub(crate) filter: String,
    /// Whether the filter is being typed.
    pub(crate) typing: bool,
    /// The channel under the cursor. The cursor follows it when rows move.
    pub(crate) cursor: Option<ChannelId>,
    /// The opened channel.
    pub(crate) open: Option<ChannelId>,
    pub(crate) tree: Option<Tree>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) expand: Expand,
    /// The path under the cursor of the tree.
    pub(crate) field: String,
    pub(crate) hex: bool,
    /// The plots, each with its channel and path.
    pub(crate) plots: Vec<(SeriesId, ChannelId, String)>,
    /// The time span of a plot.
    pub(crate) span: Duration,
    /// Start of the pause, boot time in ns.
    pub(crate) paused: Option<u64>,
    /// Right end of the plot, boot time in ns.
    pub(crate) plot_end: u64,
    pub(crate) now: u64,
    pub(crate) notice: Option<Notice>,
    /// Rows of a page, for keys that move by a page.
    pub(crate) height: usize,
}

/// Longest time that a notice stays. The next key removes it earlier.
const NOTICE: Duration = Duration::from_secs(4);

impl App {
    pub(crate) fn new() -> App {
        App {
            page: Page::Table,
            help: false,
            quit: false,
            rows: Vec::new(),
            total: (0, 0),
            sorted: Column::Channel,
            descending: false,
            filter: String::new(),
            typing: false,
            cursor: None,
            open: None,
            tree: None,
            branches: Vec::new(),
            expand: Expand::new(),
            field: String::new(),
            hex: false,
            plots: Vec::new(),
            span: Duration::from_secs(10),
            paused: None,
            plot_end: 0,
            now: 0,
            notice: None,
            height: 20,
        }
    }

    /// Shows an error in the last line.
    pub(crate) fn warn(&mut self, words: impl Into<String>) {
        self.notice = Some(Notice { words: words.into(), at: Instant::now(), bad: true });
    }
    /// Shows a confirmation in the last line.
    pub(crate) fn confirm(&mut self, words: impl Into<String>) {
        self.notice = Some(Notice { words: words.into(), at: Instant::now(), bad: false });
    }
    /// Removes the notice when its time is over.
    fn forget_notice(&mut self, now: Instant) {
        self.notice.take_if(|notice| now.saturating_duration_since(notice.at) >= NOTICE);
    }

    /// Updates the contents from the model.
    pub(crate) fn refresh(&mut self, model: &Model) {
        self.forget_notice(Instant::now());
        if self.paused.is_some() {
            return;
        }
        (self.now, self.plot_end) = (model.now(), model.now());
        if self.page == Page::Table {
            let mut rows = model.rows();
            self.total = (rows.len(), rows.iter().filter(|row| row.stale).count());
            let filter = Filter::new(&self.filter);
            rows.retain(|row| filter.matches(row));
            sort(&mut rows, self.sorted, self.descending);
            self.rows = rows;
            if self.selected().is_none() {
                self.cursor = self.rows.first().map(|row| row.id);
            }
        }
        self.refresh_tree(model);
    }

    /// Updates the tree, also while paused, so that folding is visible.
    pub(crate) fn refresh_tree(&mut self, model: &Model) {
        let Some(id) = self.open else { return };
        self.tree = model.tree_with(id, &self.expand);
        let before = self.place();
        self.branches = Vec::new();
        if let Some(tree) = &mut self.tree {
            flatten(std::mem::take(&mut tree.nodes), 0, &mut self.branches);
        }
        if !self.branches.iter().any(|branch| branch.node.path == self.field) {
            let at = before.min(self.branches.len().saturating_sub(1));
            self.field = self.branches.get(at).map(|branch| branch.node.path.clone()).unwrap_or_default();
        }
    }

    /// The row of the cursor.
    pub(crate) fn selected(&self) -> Option<usize> {
        self.rows.iter().position(|row| Some(row.id) == self.cursor)
    }
    /// The line of the tree with the cursor.
    pub(crate) fn place(&self) -> usize {
        self.branches.iter().position(|branch| branch.node.path == self.field).unwrap_or(0)
    }
    /// The field under the cursor.
    pub(crate) fn node(&self) -> Option<&Node> {
        self.branches.get(self.place()).map(|branch| &branch.node)
    }

    /// Moves the cursor.
    pub(crate) fn go(&mut self, by: isize) {
        let moved = |at: usize, len: usize| at.saturating_add_signed(by).min(len.saturating_sub(1));
        match self.page {
            Page::Table => {
                let at = moved(self.selected().unwrap_or(0), self.rows.len());
                self.cursor = self.rows.get(at).map(|row| row.id);
            }
            Page::Channel => {
                let at = moved(self.place(), self.branches.len());
                self.field = self.branches.get(at).map(|branch| branch.node.path.clone()).unwrap_or_default();
            }
            Page::Plot => {}
        }
    }

    /// Sorts by the column `by` positions to the right.
    pub(crate) fn sort_by(&mut self, step: isize, shown: &[Column]) {
        let at = shown.iter().position(|column| *column == self.sorted).unwrap_or(0);
        let len = shown.len().max(1) as isize;
        let next = (at as isize + step).rem_euclid(len) as usize;
        if let Some(column) = shown.get(next) {
            self.sorted = *column;
            // Numbers start with the largest.
            self.descending = crate::cells::is_number(*column);
        }
    }

    /// Opens the channel under the cursor.
    pub(crate) fn enter(&mut self, model: &mut Model) {
        let Some(id) = self.cursor else { return };
        self.leave(model);
        model.open(id);
        (self.open, self.page, self.field) = (Some(id), Page::Channel, String::new());
        self.expand = Expand::new();
        self.refresh_tree(model);
    }

    /// Closes the opened channel.
    pub(crate) fn leave(&mut self, model: &mut Model) {
        if let Some(id) = self.open.take() {
            model.close(id);
        }
        (self.tree, self.branches) = (None, Vec::new());
        self.page = Page::Table;
    }

    /// Plots the number under the cursor, or removes its plot.
    pub(crate) fn plot(&mut self, model: &mut Model) {
        let (Some(id), Some(node)) = (self.open, self.node()) else { return };
        let (path, number) = (node.path.clone(), node.number);
        if let Some(at) = self.plots.iter().position(|(_, channel, known)| *channel == id && *known == path) {
            let (series, ..) = self.plots.remove(at);
            return model.unplot(series);
        }
        if number.is_none() {
            return self.warn("not a number: move to one, or unfold the field with Enter");
        }
        match model.plot(id, &path) {
            Some(series) => self.plots.push((series, id, path)),
            None => self.warn("too many plots: remove one with p, or all with c"),
        }
    }

    /// Removes all plots.
    pub(crate) fn clear(&mut self, model: &mut Model) {
        self.plots.drain(..).for_each(|(series, ..)| model.unplot(series));
        if self.page == Page::Plot {
            self.page = if self.open.is_some() { Page::Channel } else { Page::Table };
        }
    }

    pub(crate) fn pause(&mut self) {
        self.paused = match self.paused {
            Some(_) => None,
            None => Some(self.now),
        };
    }

    /// Shows less time, or more.
    pub(crate) fn zoom(&mut self, factor: f64) {
        let span = (self.span.as_secs_f64() * factor).clamp(0.05, 3600.0);
        self.span = Duration::from_secs_f64(span);
    }
    /// Moves a paused plot in time, by a part of its span.
    pub(crate) fn scroll(&mut self, part: f64) {
        if let Some(paused) = self.paused {
            let by = (self.span.as_nanos() as f64 * part) as i64;
            self.plot_end = self.plot_end.saturating_add_signed(by).min(paused);
        }
    }
}

fn flatten(nodes: Vec<Node>, depth: usize, out: &mut Vec<Branch>) {
    for mut node in nodes {
        let children = std::mem::take(&mut node.children);
        out.push(Branch { depth, node });
        flatten(children, depth + 1, out);
    }
}

/// The first visible entry, chosen so that the one at `cursor` is visible.
pub(crate) fn first_shown(cursor: usize, height: usize, len: usize) -> usize {
    let margin = height / 2;
    cursor.saturating_sub(margin).min(len.saturating_sub(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_gives_the_line_back_to_the_keys_after_a_few_seconds() {
        let mut app = App::new();
        app.confirm("wrote saltus-spy-1.csv");
        let at = app.notice.as_ref().map(|notice| notice.at).expect("a notice");
        app.forget_notice(at + NOTICE - Duration::from_millis(1));
        assert!(app.notice.is_some());
        app.forget_notice(at + NOTICE);
        assert!(app.notice.is_none());
    }
}
