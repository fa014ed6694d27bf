//! Checks this user's permission for real-time priority and locked memory.

use super::found::{words, worst};
use crate::{Check, ENOUGH, Finding, Fix, Host, State};

pub const CHECK: Check = Check {
    id: "rt.limits",
    title: "permission for real time",
    reads: &[
        "/proc/self/limits",
        "/proc/self/status",
        "a test thread under SCHED_FIFO 80, else 1",
        "a test of mlockall, undone afterwards",
    ],
    good: "SCHED_FIFO 80 is granted, and all memory may be locked",
    why: "A control loop runs under SCHED_FIFO, so that ordinary programs cannot delay it, and with locked memory, so that it never waits \
          for a page. Both need a limit (RLIMIT_RTPRIO, RLIMIT_MEMLOCK) or a capability (CAP_SYS_NICE, CAP_IPC_LOCK). Limits of \
          limits.d apply from the next login on, those of a service are in its unit. In a control group with RT_GROUP_SCHED, \
          SCHED_FIFO is refused regardless of limits.",
    run,
};

/// CAP_IPC_LOCK, a bit of the mask.
const IPC_LOCK: u64 = 1 << 14;

fn run(host: &Host) -> Finding {
    let mut found = Vec::new();
    let capable =
        host.field("/proc/self/status", "CapEff").and_then(|text| u64::from_str_radix(&text, 16).ok());
    let may = |bit: u64| capable.is_some_and(|mask| mask & bit != 0);
    match &host.tried.fifo {
        Some(Ok(granted)) if *granted >= ENOUGH => {
            found.push((State::Ok, format!("SCHED_FIFO {granted} works")))
        }
        Some(Ok(granted)) => {
            let limit = soft(host, "Max realtime priority").map(|most| format!(" (the limit is {most})"));
            found.push((
                State::Warning,
                format!("SCHED_FIFO {granted} works, {ENOUGH} is refused{}", limit.unwrap_or_default()),
            ));
        }
        Some(Err(why)) => found.push((State::Warning, why.clone())),
        None => found.push((State::CannotTell, "SCHED_FIFO was not tested".to_owned())),
    }
    let refused = host.tried.lock.as_ref().and_then(|tried| tried.as_ref().err());
    found.push(match (soft(host, "Max locked memory"), refused) {
        _ if may(IPC_LOCK) && refused.is_none() => {
            (State::Ok, "CAP_IPC_LOCK allows locking all memory".into())
        }
        (Some(limit), None) if limit == "unlimited" => (State::Ok, "all memory may be locked".into()),
        (Some(limit), _) if limit != "unlimited" => {
            (State::Warning, format!("only {limit} bytes of memory may be locked"))
        }
        (_, Some(why)) => (State::Warning, why.clone()),
        _ => (State::CannotTell, "/proc/self/limits is hidden".into()),
    });
    let state = worst(&found);
    let fix = if state == State::Warning {
        let line = "printf '@realtime - rtprio 99\\n@realtime - memlock unlimited\\n' > /etc/security/limits.d/99-realtime.conf";
        Fix::typed(["getent group realtime > /dev/null || groupadd --system realtime", line])
            .and("then `usermod -aG realtime USER` and log in again; for a service of systemd: LimitRTPRIO=99 and LimitMEMLOCK=infinity; for Docker: --cap-add SYS_NICE --ulimit rtprio=99 --ulimit memlock=-1")
    } else {
        Fix::default()
    };
    Finding { state, found: words(&found), fix }
}

/// The soft limit with that name, as the kernel prints it.
pub fn soft(host: &Host, name: &str) -> Option<String> {
    let text = host.read("/proc/self/limits")?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn both_rights_are_needed() {
        let refused = robot().tried(|tried| tried.fifo = Some(Err("cannot run under SCHED_FIFO 1".into())));
        refused.finds(&CHECK, Warning, "LimitRTPRIO");
        let limits =
            "Limit  Soft Limit  Hard Limit  Units\nMax locked memory         8388608    8388608   bytes\n";
        let small = robot().with("/proc/self/limits", limits);
        small.finds(&CHECK, Warning, "only 8388608 bytes");
        small.with("/proc/self/status", "CapEff:\t000001fffeffffff\n").finds(&CHECK, Ok, "CAP_IPC_LOCK");
        robot().tried(|tried| tried.lock = Some(Err("cannot lock memory: ENOMEM".into()))).finds(
            &CHECK,
            Warning,
            "cannot lock memory",
        );
        let low = robot()
            .with("/proc/self/limits", "Max realtime priority     20    20\nMax locked memory unlimited\n");
        low.finds(&CHECK, Ok, "SCHED_FIFO 80 works");
        // In a user namespace the mask is full, but the limit still applies.
        let low = low
            .with("/proc/self/status", "CapEff:\t000001ffffffffff\n")
            .tried(|t| t.fifo = Some(Result::Ok(1)));
        low.finds(&CHECK, Warning, "SCHED_FIFO 1 works, 80 is refused (the limit is 20)");
        robot().without("/proc/self/limits").finds(
            &CHECK,
            CannotTell,
            "SCHED_FIFO 80 works; /proc/self/limits",
        );
    }
}
