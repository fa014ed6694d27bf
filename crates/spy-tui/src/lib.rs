//! The spy in a terminal.
//!
//! [`run`] takes the terminal, draws what a [`Watch`](saltus_spy::Watch) sees, does what keys and clicks ask for, and gives the
//! terminal back. [`cell`] and [`title`] are what the table shows, for commands that print it without a terminal.

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
