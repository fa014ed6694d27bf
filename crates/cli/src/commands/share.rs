//! `saltus share`: one root of domains for all users of a machine.

use clap::Args;
use saltus_channel::{Error, Root};
use saltus_os::{process, users};

use crate::exit::{Code, Failure, Outcome};
use crate::print::out::Out;

/// The options of `share`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Share {
    /// More domains to share than the default: NAME of shm://NAME
    #[arg(value_name = "DOMAIN")]
    domains: Vec<String>,

    /// Group, by name or number
    ///
    /// Then only members of the group share channels.
    #[arg(short, long, value_name = "GROUP", conflicts_with = "undo")]
    group: Option<String>,

    /// Remove the shared directory again, if no channel is in it
    #[arg(long, conflicts_with = "domains")]
    undo: bool,
}

const EXAMPLES: &str = "\
Examples:
  saltus share                     all users use one shm://
  saltus share --group robot       the members of the group do
  saltus share lab                 shm://lab too
  saltus share --undo              each user has private channels again";

/// Shares the root or removes it, and reports the result.
pub(crate) fn run(share: Share) -> Outcome {
    if process::user() != 0 {
        return Err(Failure::new(
            Code::Failed,
            "only root can decide what all users of the machine share: run it with `sudo`",
        ));
    }
    let mut out = Out::new()?;
    if share.undo {
        let gone = Root::unshare()?;
        let before = if gone { "removed /dev/shm/saltus" } else { "/dev/shm/saltus is not there" };
        out.line(format_args!(
            "{before}: programs that start now use /dev/shm/saltus-UID, of each user alone"
        ))?;
        return out.flush();
    }
    let group = share.group.as_deref().map(group).transpose()?;
    let names: Vec<&str> = share.domains.iter().map(String::as_str).collect();
    let (mode, owner) = match &share.group {
        Some(name) => ("3770", format!("root {name}")),
        None => ("1777", "root root".into()),
    };
    let domains = ["default"].into_iter().chain(names.iter().copied().filter(|name| *name != "default"));
    let made = ["/dev/shm/saltus".to_string()].into_iter();
    let made: Vec<String> = made.chain(domains.map(|name| format!("/dev/shm/saltus/{name}"))).collect();
    out.line(format_args!("making these, of {owner}, mode {mode}:"))?;
    made.iter().try_for_each(|path| out.line(format_args!("  {path}")))?;
    out.flush()?;
    Root::share(&names, group)?;
    let who = share.group.map_or("all users".into(), |name| format!("the members of group {name}"));
    out.line(format_args!(
        "done: programs of {who} that start now share them; only its owner can remove a channel"
    ))?;
    out.line("A reboot removes them. To make them at each boot:")?;
    let lines: Vec<String> = made.iter().map(|path| format!("d {path} {mode} {owner} -\\n")).collect();
    out.line(format_args!("  printf '{}' | sudo tee /etc/tmpfiles.d/saltus.conf", lines.concat()))?;
    out.flush()
}

/// Finds a group by name or number.
fn group(name: &str) -> Outcome<u32> {
    match name.parse() {
        // To the kernel it means that the group is left as it is.
        Ok(u32::MAX) => {
            return Err(Failure::new(
                Code::Usage,
                format!("{name} is not the number of a group: see /etc/group"),
            ));
        }
        Ok(number) => return Ok(number),
        Err(_) => {}
    }
    let what = format!("look up group `{name}`");
    let found = users::group_by_name(name).map_err(|source| Error::System { what, source })?;
    found.ok_or_else(|| Failure::new(Code::Usage, format!("there is no group `{name}`: see /etc/group")))
}
