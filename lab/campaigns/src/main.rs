//! Campaigns: tests beyond unit tests. They kill, freeze, exhaust and attack real processes, and then check the
//! promises of the channel. README.md describes each.

mod chaos;
mod child;
mod context;
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
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod stepkill;
mod torn;
mod user;
mod users;

/// Single-stepping depends on the processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod stepkill {
    pub fn run(context: &crate::context::Context) -> Result<(), crate::report::Failure> {
        let why = "single steps are written for x86-64 and aarch64 only";
        context.report.check("kill at every instruction", || Err(crate::report::Skip::because(why)));
        Ok(())
    }
}

use clap::Parser;
use context::{Campaign, Options};
use report::say;
use std::process::ExitCode;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// All campaigns, in the order in which `all` runs them.
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
        about: "a writer at full speed, and every delivered byte",
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
        about: "publishers and subscribers in separate namespaces",
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
        about: "waiting readers run in order of priority, and preempted readers delay no other",
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

/// Restarts this program without address-space randomization, so that a run can be repeated to the instruction.
fn same_addresses() -> std::io::Result<()> {
    use std::os::unix::process::CommandExt;
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: gets, then sets, an attribute of this process.
    let set = unsafe {
        let now = libc::personality(ASK);
        if now < 0 || now & libc::ADDR_NO_RANDOMIZE != 0 {
            return if now < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) };
        }
        libc::personality((now | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong)
    };
    // SAFETY: gets an attribute of this process. If a kernel only pretended to set it, we would restart forever.
    if set < 0 || unsafe { libc::personality(ASK) } & libc::ADDR_NO_RANDOMIZE == 0 {
        return Err(std::io::Error::last_os_error());
    }
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    Err(std::process::Command::new("/proc/self/exe").arg0(name).args(args).exec())
}
