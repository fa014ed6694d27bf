//! `saltus demo`: starts the robot's programs, draws, kills on request, replaces dead processes, and reports.
//!
//! The supervisor is a reader like any other. It learns that a process lives from the `health` channel, how the robot stands from `truth`,
//! and it shares nothing else with the processes but their process IDs.

mod audit;
mod canvas;
mod chaos;
mod crew;
mod home;
mod ledger;
mod lidar;
mod options;
mod page;
mod picture;
mod report;
mod said;
pub mod screen;
mod session;
mod svg;
mod table;
mod text;

use std::io::Write;

use saltus_carmen::Log;

use crate::error::{Error, Result};
use crate::sys;
pub use crew::ROLES;
pub use options::DemoOptions;

/// Runs the demo in this process, with children of this same executable.
///
/// The executable must answer `demo-process ROLE ARGS…` with [`crate::role_main`]. Returns the exit code: 0 if the
/// robot stood and every invariant held, otherwise 1.
pub fn run(options: &DemoOptions) -> Result<u8> {
    check(options)?;
    sys::catch_stop_signals();
    let home = home::Home::make(options.domain.as_deref())?;
    // Whatever happens from here on, the domain is left empty.
    let page = options.page.as_ref().map(|page| page::Page::open(page, &home.domain().url())).transpose();
    let ended = page.and_then(|page| session::run(options, home.domain(), page.as_ref()));
    let residue = home.leave();
    let mut report = ended?;
    report.residue.extend(residue);
    let text = if options.json { report.json() } else { report.text(options.full) };
    // The reader may be gone (`| head`); the exit code also has the verdict.
    let _ = writeln!(std::io::stdout(), "{text}");
    Ok(if report.failures().is_empty() { 0 } else { 1 })
}

/// Refuses invalid options before anything is started.
fn check(options: &DemoOptions) -> Result<()> {
    let usage = |what: String| Err(Error::Usage(what));
    if let Some(s) = options.seconds.filter(|s| !(*s > 0.0 && *s <= 1e6)) {
        return usage(format!("cannot run for {s} seconds: give a number above 0"));
    }
    if !(options.speed > 0.0 && options.speed.is_finite()) {
        return usage(format!("speed {} is not a number above 0", options.speed));
    }
    let Some(file) = &options.lidar else { return Ok(()) };
    if file.to_str().is_none() {
        return usage(format!("{}: the name of the log is not UTF-8: rename it", file.display()));
    }
    let open = || Log::open(file);
    match open().map(|mut log| log.next_scan().is_some()) {
        Ok(true) => Ok(()),
        Ok(false) => usage(format!("{}: no FLASER line: is it a CARMEN log?", file.display())),
        Err(source) => Err(Error::System { what: format!("open the log {}", file.display()), source }),
    }
}
