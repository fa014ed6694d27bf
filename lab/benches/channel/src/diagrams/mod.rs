//! Figures of panels and rows, one below the other.

mod lines;
mod rows;

pub use lines::{Axis, Line, Panel};
pub use rows::Rows;

use lines::SIZE;
use saltus_measure::report::{Area, Drawn, stack};

/// The panels below each other, as one SVG that follows the reader's dark or light mode.
pub fn panels(panels: &[Panel]) -> Result<String, Box<dyn std::error::Error>> {
    diagrams(panels, &[])
}

/// The panels, and below them the rows, as one SVG that follows the reader's dark or light mode.
pub fn diagrams(panels: &[Panel], rows: &[Rows]) -> Result<String, Box<dyn std::error::Error>> {
    let panels = panels.iter().map(|one| Box::new(move |area: &Area<'_>| lines::draw(area, one)) as Part<'_>);
    let rows = rows.iter().map(|one| Box::new(move |area: &Area<'_>| rows::draw(area, one)) as Part<'_>);
    let parts: Vec<Part<'_>> = panels.chain(rows).collect();
    stack(SIZE, &parts.iter().map(|part| &**part).collect::<Vec<_>>())
}

/// A function that draws one diagram.
type Part<'a> = Box<dyn Fn(&Area<'_>) -> Drawn + 'a>;
