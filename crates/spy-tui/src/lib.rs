//! The spy in a terminal.
//!
//! [`run`] takes over the terminal, draws the model of a [`Watch`](saltus_spy::Watch), handles keys and clicks, and restores the terminal.
//! [`cell`] and [`title`] are the texts of the table, for commands that print it without a terminal.

mod app;
mod cells;
mod draw;
mod keys;
mod plot;
mod screen;
mod theme;
mod tree;

pub use cells::{cell, is_number, title};
pub use screen::run;
