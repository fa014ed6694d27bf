//! Colors: a few of the terminal's own sixteen, so that they fit light and dark terminals.

use ratatui::style::{Color, Modifier, Style};

/// The styles.
#[derive(Clone, Copy)]
pub(crate) struct Theme {
    colour: bool,
}

impl Theme {
    /// With colors, unless the environment forbids them.
    pub(crate) fn of_environment() -> Theme {
        Theme { colour: saltus_text::terminal::colors() }
    }
    fn coloured(self, colour: Color, otherwise: Modifier) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new().add_modifier(otherwise) }
    }

    /// The bars at the top and bottom.
    pub(crate) fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
    pub(crate) fn heading(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }
    /// The heading of the sorted column.
    pub(crate) fn sorted(self) -> Style {
        self.coloured(Color::Blue, Modifier::UNDERLINED).add_modifier(Modifier::BOLD)
    }
    pub(crate) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
    /// A stale channel.
    pub(crate) fn stale(self) -> Style {
        self.coloured(Color::DarkGray, Modifier::DIM)
    }
    /// An active channel.
    pub(crate) fn live(self) -> Style {
        self.coloured(Color::Green, Modifier::empty())
    }
    /// A problem that you have to fix.
    pub(crate) fn bad(self) -> Style {
        self.coloured(Color::Red, Modifier::BOLD)
    }
    /// A value that has just changed.
    pub(crate) fn changed(self) -> Style {
        self.coloured(Color::Green, Modifier::empty()).add_modifier(Modifier::BOLD)
    }
    /// Secondary text.
    pub(crate) fn aside(self) -> Style {
        self.coloured(Color::DarkGray, Modifier::DIM)
    }
    /// A unit.
    pub(crate) fn unit(self) -> Style {
        self.coloured(Color::Blue, Modifier::empty())
    }
    /// The line of a plot.
    pub(crate) fn line(self, i: usize) -> Style {
        let colours = [Color::Blue, Color::Red, Color::Green, Color::Magenta, Color::Cyan, Color::Yellow];
        self.coloured(colours[i % colours.len()], Modifier::empty())
    }
}
