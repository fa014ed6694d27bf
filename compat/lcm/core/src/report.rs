//! One line on standard error, as LCM prints what fails.

use std::fmt::Display;
use std::io::Write;

/// Prints one line on standard error. It never fails: a closed standard error is ignored.
pub fn report(what: impl Display) {
    let what = what.to_string();
    let _ = writeln!(std::io::stderr(), "lcm: {}", saltus_text::words::plain(&what));
}
