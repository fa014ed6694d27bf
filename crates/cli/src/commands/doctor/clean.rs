//! Removing leftovers of dead processes, after asking.

use std::io::{IsTerminal, stdin};

use saltus_channel::Directory;
use saltus_doctor::residue;

use crate::exit::{self, Code, Failure, Outcome};
use crate::flags::consent;
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::escaped;
use saltus_text::human::{bytes, plural};

/// Lists dead channels, asks, and removes those that are still dead.
pub(crate) fn run(domain: &Directory, yes: bool) -> Outcome {
    if !yes && !stdin().is_terminal() {
        let words = "--clean asks before it removes, and standard input is not a terminal: add --yes";
        return Err(Failure::new(Code::Usage, words));
    }
    stop::on_signals()?;
    let mut out = Out::new()?;
    let dead = residue::dead(domain)?;
    if dead.is_empty() {
        out.line(format_args!("no channel in {} whose publishers are all dead", domain.url()))?;
        return out.flush();
    }
    for dead in &dead {
        out.line(format_args!("{}  {}", escaped(dead.name.as_bytes()), bytes(dead.memory as f64)))?;
    }
    out.flush()?;
    if !yes && !consent::given(&format!("Remove {}?", plural(dead.len() as u64, "channel")))? {
        return Ok(());
    }
    let mut removed = 0;
    let outcome = exit::for_each(&dead, |dead| {
        if residue::remove(domain, dead)? {
            removed += 1;
        } else {
            exit::note(format_args!("{} lives again, and stays", dead.name));
        }
        Ok(())
    });
    out.line(format_args!("{} removed", plural(removed, "channel")))?;
    out.flush()?;
    outcome
}
