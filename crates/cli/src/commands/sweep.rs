//! `saltus sweep`: remove leftovers of dead processes, or all files of a user.

use clap::Args;
use saltus_channel::{Belonging, Error, Root, RootKind};
use saltus_os::users;
use serde::Serialize;
use std::io::{IsTerminal, stdin};

use crate::exit::{self, Code, Failure, Outcome, note};
use crate::flags::domain::DomainUrl;
use crate::flags::{Json, consent};
use crate::print::out::Out;
use crate::stop;
use saltus_text::human::{bytes, plural};

/// The options of `sweep`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sweep {
    /// Remove everything of USER, also channels, after asking
    ///
    /// USER is a name or a number. Only /dev/shm/saltus* is searched: it covers the private directory of that user, and domains, channels and leftovers in those of others. A
    /// directory with channels of other users stays, as does the directory that `saltus share` made. Root can do it for every user, others
    /// for themselves.
    #[arg(long, value_name = "USER")]
    user: Option<String>,

    /// Do not ask (requires --user)
    #[arg(long, requires = "user")]
    yes: bool,

    #[command(flatten)]
    json: Json,
}

/// The JSON output of `sweep --json`; the field is stable.
#[derive(Serialize)]
struct Line {
    removed: usize,
}

const EXAMPLES: &str = "\
Examples:
  saltus sweep
  saltus --domain shm://robot sweep
  saltus sweep --user anna         remove everything of a user, after asking";

/// Sweeps once, and reports the number of leftovers removed.
pub(crate) fn run(domain: &DomainUrl, sweep: Sweep) -> Outcome {
    if let Some(user) = &sweep.user {
        return all_of(number(user)?, &sweep);
    }
    let domain = domain.shm_only("sweep", "dead processes leave nothing there")?;
    let removed = domain.sweep()?;
    print_removed(removed, "leftover", &sweep.json)?;
    if let Some((count, user)) = domain.leftovers_of_others()? {
        let owner = users::user_for_people(user);
        note(format_args!(
            "{} in {} stay: {owner} or root can remove them, with `sudo saltus sweep --domain 'shm://{}'`",
            plural(count as u64, "leftover"),
            domain.url(),
            domain.path().display().to_string().replace('\'', "'\\''")
        ));
    }
    Ok(())
}

fn print_removed(removed: usize, what: &str, json: &Json) -> Outcome {
    let mut out = Out::new()?;
    if json.json {
        out.json(&Line { removed })?;
    } else {
        out.line(format_args!("{} removed", plural(removed as u64, what)))?;
    }
    out.flush()
}

/// Lists a user's files, asks, and removes them.
fn all_of(user: u32, sweep: &Sweep) -> Outcome {
    if !sweep.yes && !stdin().is_terminal() {
        let words = "--user asks before it removes, and standard input is not a terminal: add --yes";
        return Err(Failure::new(Code::Usage, words));
    }
    let all = Belonging::of_user(user)?;
    let mut lines: Vec<String> = all.iter().map(line).collect();
    if all.is_empty() {
        lines.push(format!("nothing in /dev/shm/saltus* belongs to {}", users::user_for_people(user)));
    }
    if sweep.json.json {
        lines.iter().for_each(note); // standard output is for programs
    } else {
        let mut out = Out::new()?;
        lines.iter().try_for_each(|line| out.line(line))?;
        out.flush()?;
    }
    if user == 0 && Root::find().kind() == RootKind::Shared {
        note("/dev/shm/saltus serves all users and stays: `saltus share --undo` removes it");
    }
    // From here on Ctrl-C ends this between two items.
    stop::on_signals()?;
    if !all.is_empty() && !sweep.yes {
        let question =
            format!("Remove {} of {}?", plural(all.len() as u64, "item"), users::user_for_people(user));
        if !consent::given(&question)? {
            return Ok(());
        }
    }
    let mut removed = 0;
    let mut left = 0;
    let outcome = exit::for_each(&all, |one| {
        if stop::requested() {
            left += 1;
            return Ok(());
        }
        removed += usize::from(one.remove()?);
        Ok(())
    });
    if !all.is_empty() || sweep.json.json {
        print_removed(removed, "item", &sweep.json)?;
    }
    outcome?;
    match left {
        0 => Ok(()),
        left => Err(Failure::new(Code::Failed, format!("stopped: {} stay", plural(left, "item")))),
    }
}

/// The line that shows it.
fn line(one: &Belonging) -> String {
    let (path, memory) = (one.path().display().to_string(), bytes(one.memory() as f64));
    let channels = plural(one.channels() as u64, "channel");
    format!("{}  {channels}, {memory}", saltus_text::escape::harmless(&path))
}

/// Finds a user by name or number; a deleted user may have only a number.
fn number(user: &str) -> Outcome<u32> {
    if let Ok(number) = user.parse() {
        return Ok(number);
    }
    let what = format!("look up user `{user}`");
    let found = users::user_by_name(user).map_err(|source| Error::System { what, source })?;
    found.ok_or_else(|| {
        Failure::new(
            Code::Usage,
            format!("there is no user `{user}`: give the number, which `ls -ln /dev/shm` shows"),
        )
    })
}
