//! Campaigns: what no unit test can do to a channel. They kill, freeze, starve and lie, with real processes, and
//! look afterwards whether the promises of the channel hold. See README.md beside this for what each does.

mod chaos;
mod child;
mod exhaust;
mod fork;
mod guard;
mod hostile;
mod message;
mod namespace;
mod namespaces;
mod network;
mod place;
mod priorities;
mod raw;
mod report;
mod rng;
mod shared;
mod sleeper;
#[cfg(target_arch = "x86_64")]
mod stepkill;
mod torn;
mod user;
mod users;

/// Single steps are the processor's business.
#[cfg(not(target_arch = "x86_64"))]
mod stepkill {
    pub fn run(context: &crate::Context) -> Result<(), crate::child::Failure> {
        let why = "single steps are written for x86-64 only";
        context.report.check("kill at every instruction", || Err(crate::report::Skip::because(why)));
        Ok(())
    }
}

use child::Failure;
use clap::Parser;
use report::{Report, say};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Kill, freeze, starve and deceive the processes of a channel, and look whether its promises hold.
///
/// Needs /dev/shm. What the system does not allow (other users, namespaces, SCHED_FIFO) is skipped, with the reason.
#[derive(Clone, Debug, Parser)]
#[command(name = "saltus-campaigns", version)]
struct Options {
    /// Which campaign; `all` runs them all, `list` says what there is.
    verb: String,
    /// The form for every day: all campaigns in about two minutes (the default).
    #[arg(long, conflicts_with = "full")]
    short: bool,
    /// The form for the record: every instruction, millions of checks.
    #[arg(long)]
    full: bool,
    /// How long the campaigns that go on until they are told to stop go on.
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// The seed of everything random; printed, so that a run can be repeated.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// A campaign.
struct Campaign {
    name: &'static str,
    about: &'static str,
    run: fn(&Context) -> Result<(), Failure>,
    /// After this time something hangs.
    short_limit: Duration,
    full_limit: Duration,
}

/// What a campaign is given.
struct Context<'a> {
    report: &'a Report,
    options: &'a Options,
    /// Where it may make directories.
    root: &'a Path,
    /// The process that cleans up.
    guardian: u32,
}

impl Context<'_> {
    /// How long to go on, in the absence of `--seconds`: `short` or `full`.
    fn time(&self, short: u64, full: u64) -> Duration {
        let default = if self.options.full { full } else { short };
        Duration::from_secs(self.options.seconds.unwrap_or(default))
    }

    fn seed(&self) -> u64 {
        self.options.seed.unwrap_or(1)
    }
}

const MINUTE: Duration = Duration::from_secs(60);

/// All of them, in the order in which `all` runs them.
const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        name: "stepkill",
        about: "kill a process after every instruction of every operation",
        run: stepkill::run,
        short_limit: MINUTE.saturating_mul(5),
        full_limit: MINUTE.saturating_mul(600),
    },
    Campaign {
        name: "chaos",
        about: "kill and freeze writers and readers at random, under load",
        run: chaos::run,
        short_limit: MINUTE.saturating_mul(4),
        full_limit: MINUTE.saturating_mul(60),
    },
    Campaign {
        name: "torn",
        about: "a writer at full speed, and every byte of what is delivered",
        run: torn::run,
        short_limit: MINUTE.saturating_mul(3),
        full_limit: MINUTE.saturating_mul(120),
    },
    Campaign {
        name: "hostile",
        about: "crafted files, and writers that lie in every field",
        run: hostile::run,
        short_limit: MINUTE.saturating_mul(5),
        full_limit: MINUTE.saturating_mul(60),
    },
    Campaign {
        name: "exhaust",
        about: "a full file system, memory limits, no descriptors, no memory to lock",
        run: exhaust::run,
        short_limit: MINUTE.saturating_mul(3),
        full_limit: MINUTE.saturating_mul(5),
    },
    Campaign {
        name: "namespaces",
        about: "publishers and subscribers in namespaces of their own",
        run: namespaces::run,
        short_limit: MINUTE.saturating_mul(2),
        full_limit: MINUTE.saturating_mul(5),
    },
    Campaign {
        name: "users",
        about: "another user with less permission, and what it can do to others",
        run: users::run,
        short_limit: MINUTE.saturating_mul(2),
        full_limit: MINUTE.saturating_mul(5),
    },
    Campaign {
        name: "priorities",
        about: "sleepers run in order of priority, and preempted readers delay nobody",
        run: priorities::run,
        short_limit: MINUTE.saturating_mul(3),
        full_limit: MINUTE.saturating_mul(10),
    },
    Campaign {
        name: "fork",
        about: "open before fork, use in children; leases end with their owners",
        run: fork::run,
        short_limit: MINUTE.saturating_mul(2),
        full_limit: MINUTE.saturating_mul(5),
    },
    Campaign {
        name: "network",
        about: "10,000 messages a second over networks whose peers are killed at random",
        run: network::run,
        short_limit: MINUTE.saturating_mul(3),
        full_limit: MINUTE.saturating_mul(120),
    },
];

fn main() -> ExitCode {
    let options = Options::parse();
    let chosen: Vec<&Campaign> =
        CAMPAIGNS.iter().filter(|c| options.verb == "all" || options.verb == c.name).collect();
    if chosen.is_empty() {
        for campaign in CAMPAIGNS {
            say(&format!("{:12} {}", campaign.name, campaign.about));
        }
        return if options.verb == "list" { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    if let Err(why) = same_addresses() {
        say(&format!("addresses differ from run to run: {why}"));
    }
    match guard::run(&chosen, &options) {
        Ok(guard::Verdict::Done { failed: 0 }) => ExitCode::SUCCESS,
        Ok(guard::Verdict::Done { .. }) => ExitCode::FAILURE,
        Ok(guard::Verdict::Interrupted) => ExitCode::from(130),
        Err(why) => {
            say(&format!("{why}"));
            ExitCode::FAILURE
        }
    }
}

/// Starts this program anew without address-space randomisation, so that a run can be repeated to the instruction.
fn same_addresses() -> std::io::Result<()> {
    use std::os::unix::process::CommandExt;
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: asks for, then sets, an attribute of this process.
    let set = unsafe {
        let now = libc::personality(ASK);
        if now < 0 || now & libc::ADDR_NO_RANDOMIZE != 0 {
            return if now < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) };
        }
        libc::personality((now | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong)
    };
    // SAFETY: asks for an attribute of this process. Whoever only pretends to set it would make us start for ever.
    if set < 0 || unsafe { libc::personality(ASK) } & libc::ADDR_NO_RANDOMIZE == 0 {
        return Err(std::io::Error::last_os_error());
    }
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    Err(std::process::Command::new("/proc/self/exe").arg0(name).args(args).exec())
}
