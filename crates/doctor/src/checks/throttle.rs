//! Checks the share of time for real-time threads.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "rt.throttle",
    title: "throttling of real-time threads",
    reads: &["/proc/sys/kernel/sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_period_us"],
    good: "95 % (the default) or more, or -1",
    why: "The kernel takes the CPU from real-time threads for the rest of each period once they have used their share, 950 ms of \
          a second by default. A loop that sleeps is not affected; one that spins is stopped for 50 ms in every \
          second. -1 removes the limit, and then a real-time thread that never sleeps locks out everything else on its CPU. Since 6.12 \
          another mechanism, the fair server, gives other threads that share.",
    run,
};

const RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";

fn run(host: &Host) -> Finding {
    let period = host.number("/proc/sys/kernel/sched_rt_period_us").filter(|period| *period > 0);
    let (Some(runtime), Some(period)) = (host.number(RUNTIME), period) else {
        return Finding::cannot_tell(format!("{RUNTIME} is hidden"));
    };
    let fix = Fix::typed(["sysctl -w kernel.sched_rt_runtime_us=950000 kernel.sched_rt_period_us=1000000"])
        .and("permanently: the same settings in a file in /etc/sysctl.d");
    let percent = runtime as f64 * 100.0 / period as f64;
    match runtime {
        ..0 => Finding::ok(
            "-1: real-time threads are never throttled; one that never sleeps locks out all others",
        ),
        0 => Finding::problem("0: real-time threads get no time at all", fix),
        _ if percent < 95.0 => {
            Finding::warning(format!("real-time threads get {percent:.0} % of the time"), fix)
        }
        _ => Finding::ok(format!(
            "real-time threads get {percent:.0} % of the time; it is lost only to loops that never sleep"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn the_share_decides() {
        robot().finds(&CHECK, Ok, "never throttled");
        robot().with(RUNTIME, "950000").finds(&CHECK, Ok, "95 %");
        robot().with(RUNTIME, "500000").finds(&CHECK, Warning, "50 %");
        robot().with(RUNTIME, "0").finds(&CHECK, Problem, "no time at all");
        robot().with(RUNTIME, "many").finds(&CHECK, CannotTell, RUNTIME);
    }
}
