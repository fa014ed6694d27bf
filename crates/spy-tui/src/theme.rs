//! Colours: few, of the terminal's own sixteen, so that they fit a light one and a dark one.

use ratatui::style::{Color, Modifier, Style};

/// How things look.
#[derive(Clone, Copy)]
pub struct Theme {
    colour: bool,
}

impl Theme {
    /// With colours, unless `NO_COLOR` is set.
    pub fn of_environment() -> Theme {
        Theme { colour: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }
    fn coloured(self, colour: Color, otherwise: Modifier) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new().add_modifier(otherwise) }
    }

    /// The bars above and below.
    pub fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
    pub fn heading(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }
    /// The heading of the column that is sorted by.
    pub fn sorted(self) -> Style {
        self.coloured(Color::Blue, Modifier::UNDERLINED).add_modifier(Modifier::BOLD)
    }
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
    /// What has not come for long.
    pub fn stale(self) -> Style {
        self.coloured(Color::DarkGray, Modifier::DIM)
    }
    /// What flows.
    pub fn live(self) -> Style {
        self.coloured(Color::Green, Modifier::empty())
    }
    /// What somebody has to mend.
    pub fn bad(self) -> Style {
        self.coloured(Color::Red, Modifier::BOLD)
    }
    /// A value that has just changed.
    pub fn changed(self) -> Style {
        self.coloured(Color::Green, Modifier::empty()).add_modifier(Modifier::BOLD)
    }
    /// What is told besides.
    pub fn aside(self) -> Style {
        self.coloured(Color::DarkGray, Modifier::DIM)
    }
    /// A unit.
    pub fn unit(self) -> Style {
        self.coloured(Color::Blue, Modifier::empty())
    }
    /// The line of a plot.
    pub fn line(self, i: usize) -> Style {
        let colours = [Color::Blue, Color::Red, Color::Green, Color::Magenta, Color::Cyan, Color::Yellow];
        self.coloured(colours[i % colours.len()], Modifier::empty())
    }
}
