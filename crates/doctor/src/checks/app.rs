//! Checks running publishers: those with a real-time policy must not wait for pages.

use crate::{Check, Finding, Fix, Host, Publisher};

pub const CHECK: Check = Check {
    id: "app",
    title: "running publishers",
    reads: &["the channels of the domain", "/proc/PID/stat", "/proc/PID/status"],
    good: "those under a real-time policy have locked their memory",
    why: "A real-time policy does not help a thread that waits for a page: such a program must lock its memory (mlockall) and touch its stack \
          before it starts its loop. Which programs should have a real-time policy only you know; those without are counted.",
    run,
};

/// Most publishers that are named.
const MOST: usize = 8;

/// The checked properties of a process.
struct Facts {
    /// The policy and priority as text, if it is a real-time policy.
    realtime: Option<String>,
    locked: bool,
    faults: u64,
}

fn run(host: &Host) -> Finding {
    let publishers = match &host.tried.publishers {
        Ok(publishers) => publishers,
        Err(why) => return Finding::cannot_tell(format!("the channels are hidden: {why}")),
    };
    if publishers.is_empty() {
        return Finding::ok("no publisher in this domain");
    }
    let (mut unlocked, mut hidden, mut realtime) = (Vec::new(), 0, Vec::new());
    for publisher in publishers {
        match facts(host, publisher) {
            None => hidden += 1,
            Some(Facts { realtime: Some(policy), locked, faults }) => {
                let Publisher { pid, process } = publisher;
                if !locked {
                    unlocked.push(format!("{process} ({pid}; it waited for a disk {faults} times)"));
                }
                realtime.push(format!("{process} ({pid}, {policy}, {faults} major faults)"));
            }
            Some(_) => {}
        }
    }
    let found = format!("{} of {} publishers run under a real-time policy", realtime.len(), publishers.len());
    let found = match realtime.len() {
        0 => found,
        n => {
            format!("{found}: {}{}", realtime[..n.min(MOST)].join(", "), if n > MOST { ", ..." } else { "" })
        }
    };
    if !unlocked.is_empty() {
        let fix = Fix::words("let it call mlockall (saltus_os::rt::lock_memory) before its loop");
        return Finding::warning(format!("{found}; without locked memory: {}", unlocked.join(", ")), fix);
    }
    match hidden {
        0 => Finding::ok(found),
        n => Finding::cannot_tell(format!("{found}; {n} are hidden, or in other namespaces")),
    }
}

/// `None` if the process ID belongs to another process, for example in this namespace.
fn facts(host: &Host, publisher: &Publisher) -> Option<Facts> {
    let at = |file: &str| format!("/proc/{}/{file}", publisher.pid);
    if host.read(&at("comm"))? != publisher.process {
        return None;
    }
    // Names can contain parentheses and spaces; the fields after the last parenthesis start with the third.
    let stat = host.read(&at("stat"))?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |nth: usize| fields.get(nth - 3)?.parse::<u64>().ok();
    let locked = host.field(&at("status"), "VmLck")?;
    let realtime = match number(41)? {
        1 => Some(format!("SCHED_FIFO {}", number(40)?)),
        2 => Some(format!("SCHED_RR {}", number(40)?)),
        6 => Some("SCHED_DEADLINE".to_owned()),
        _ => None,
    };
    Some(Facts { realtime, locked: !locked.starts_with("0 "), faults: number(12)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::{Made, robot};

    fn with(policy: u32, locked: &str) -> Made {
        let mut fields = vec!["0".to_owned(); 50];
        fields[0] = "S".into();
        fields[12 - 3] = "3".into();
        fields[40 - 3] = "70".into();
        fields[41 - 3] = policy.to_string();
        robot()
            .with("/proc/9/comm", "arm) x")
            .with("/proc/9/stat", &format!("9 (arm) x) {}", fields.join(" ")))
            .with("/proc/9/status", &format!("Name:\tarm\nVmLck:\t{locked} kB\n"))
            .tried(|tried| {
                tried.publishers = Result::Ok(vec![Publisher { pid: 9, process: "arm) x".into() }])
            })
    }

    #[test]
    fn real_time_goes_with_locked_memory() {
        robot().finds(&CHECK, Ok, "no publisher");
        with(0, "0").finds(&CHECK, Ok, "0 of 1 publishers");
        with(1, "2000").finds(
            &CHECK,
            Ok,
            "1 of 1 publishers run under a real-time policy: arm) x (9, SCHED_FIFO 70, 3 major faults)",
        );
        with(6, "0").finds(&CHECK, Warning, "arm) x (9; it waited for a disk 3 times)");
    }

    #[test]
    fn another_process_of_that_number_is_not_taken_for_it() {
        with(1, "0").with("/proc/9/comm", "init").finds(&CHECK, CannotTell, "1 are hidden");
        robot().tried(|tried| tried.publishers = Err("denied".into())).finds(&CHECK, CannotTell, "denied");
    }
}
