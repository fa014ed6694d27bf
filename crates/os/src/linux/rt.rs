//! Real-time helpers. Each error states the remedy when the system refuses.

pub use crate::common::rt::*;
use std::io;

/// `what` is called only for a refusal: a granted setting allocates nothing.
fn refuse(result: libc::c_int, what: impl FnOnce() -> String, remedy: &'static str) -> Result<(), Refused> {
    super::check(result).map(drop).map_err(|source| Refused { what: what(), remedy, source })
}

/// Locks all memory of the process, present and future, so that it is never paged out. Calls the kernel, and faults in all mapped pages.
pub fn lock_memory() -> Result<(), Refused> {
    // SAFETY: changes no memory.
    let result = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) };
    refuse(
        result,
        || "cannot lock memory".into(),
        "raise the limit (`ulimit -l`, LimitMEMLOCK=) or grant CAP_IPC_LOCK",
    )
}

/// Whether all memory may be locked. Locks the mapped memory, without faulting it in, and unlocks it again.
///
/// Never call it in a program that has locked memory, its own or a channel's: this unlocks all of it.
pub fn try_lock_memory() -> Result<(), Refused> {
    // SAFETY: changes no memory.
    let result = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_ONFAULT) };
    refuse(result, || "cannot lock memory".into(), "raise the limit (`ulimit -l`) or grant CAP_IPC_LOCK")?;
    // SAFETY: as above; only this process can have locked it before.
    unsafe { libc::munlockall() };
    Ok(())
}

/// Runs the calling thread under `SCHED_FIFO` with `priority` 1 to 99.
pub fn set_fifo(priority: i32) -> Result<(), Refused> {
    set_policy(libc::SCHED_FIFO, priority, || format!("cannot run under SCHED_FIFO {priority}"))
}

/// Runs the calling thread under the default policy again.
pub fn set_other() -> Result<(), Refused> {
    set_policy(libc::SCHED_OTHER, 0, || "cannot run under SCHED_OTHER".into())
}

fn set_policy(policy: libc::c_int, priority: i32, what: impl FnOnce() -> String) -> Result<(), Refused> {
    let param = libc::sched_param { sched_priority: priority };
    // SAFETY: the parameter lives across the call; 0 is the calling thread.
    let result = unsafe { libc::sched_setscheduler(0, policy, &param) };
    refuse(
        result,
        what,
        "grant CAP_SYS_NICE or raise the limit (`ulimit -r`, LimitRTPRIO=); priorities go from 1 to 99",
    )
}

/// Binds the calling thread to `cpus`. Allocates only for the text of a refusal.
pub fn set_affinity(cpus: &[usize]) -> Result<(), Refused> {
    // SAFETY: all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let what = || format!("cannot bind to processors {cpus:?}");
    let remedy = "name processors that are online and in this process's cpuset";
    if cpus.iter().any(|&cpu| cpu >= libc::CPU_SETSIZE as usize) {
        return Err(Refused { what: what(), remedy, source: io::ErrorKind::InvalidInput.into() });
    }
    for &cpu in cpus {
        // SAFETY: the set is valid and the number in range.
        unsafe { libc::CPU_SET(cpu, &mut set) };
    }
    // SAFETY: the set lives across the call; 0 is the calling thread.
    let result = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
    refuse(result, what, remedy)
}

/// The CPUs that the calling thread may run on.
pub fn affinity() -> Vec<usize> {
    // SAFETY: all zeros is the empty set, filled by the call; the number is in range.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
        (0..libc::CPU_SETSIZE as usize).filter(|&cpu| libc::CPU_ISSET(cpu, &set)).collect()
    }
}

/// The CPU that the calling thread runs on now; it may change at any moment.
pub fn cpu() -> usize {
    // SAFETY: takes nothing and changes nothing.
    unsafe { libc::sched_getcpu() }.max(0) as usize
}

/// Sets how late, in ns, the kernel may run timers of the calling thread so that the CPU wakes up less often; 50 µs unless set. Real-time
/// policies have none.
pub fn set_timer_slack(ns: u64) -> Result<(), Refused> {
    // SAFETY: changes no memory.
    let result = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns.max(1) as libc::c_ulong, 0, 0, 0) };
    refuse(result, || format!("cannot set the timer slack to {ns} ns"), "allow prctl in the sandbox")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do() {
        let refused = set_fifo(1000).unwrap_err().to_string();
        assert!(refused.contains("SCHED_FIFO 1000") && refused.contains("from 1 to 99"), "{refused}");
        for impossible in [&[][..], &[0, 5000]] {
            let refused = set_affinity(impossible).unwrap_err().to_string();
            assert!(refused.contains("processors"), "{refused}");
        }
    }

    #[test]
    fn affinity_can_be_narrowed_and_restored() {
        let all = affinity();
        set_affinity(&all[..1]).unwrap();
        assert_eq!(affinity(), all[..1]);
        set_affinity(&all).unwrap();
        prefault_stack(64 * 1024);
        assert!(all.contains(&cpu()));
        set_timer_slack(1).unwrap();
    }
}
