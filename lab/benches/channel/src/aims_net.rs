//! The targets of domains over networks, judged like those of the channel.

use crate::aims::{Aim, Rows, Verdict, at_most};
use crate::case::{Case, Mode, Place, Scenario};
use crate::contenders::net::REFERENCE;
use crate::outcome::Metric;
use crate::plan_net::CAMERA;
use crate::results::Results;
use crate::stats::Ratio;

const UDPM: &str = "udpm://";
const SHM: &str = "shm://";
const LCM: &str = "lcm";
const ZENOH: &str = "zenoh";
/// The contender on which `shm://` is built, used directly.
const CHANNEL: &str = "saltus";
/// Contenders that `shm://` must beat in any case.
const OTHERS: [&str; 10] =
    [REFERENCE, LCM, "zmq-ipc", "zmq-tcp", "nng-ipc", "nng-tcp", "cyclonedds", "fastdds", "roscpp", ZENOH];

/// All targets about speed.
pub fn judge(results: &Results) -> Vec<Aim> {
    let case = |scenario| Case { mode: Mode::Sleep, ..Case::new(scenario) };
    let one_core = Case { place: Place::OneCore, ..case(Scenario::Pingpong) };
    let mut aims = vec![at_most(
        "udpm:// on one core, 64 B: at most 1.5 x a raw multicast socket (LCM: 4.2)".into(),
        results.ratio(&one_core, Metric::OneWay, UDPM, REFERENCE),
        1.5,
    )];
    for place in [Place::Anywhere, Place::TwoCores] {
        let case = Case { place, ..case(Scenario::Throughput) };
        aims.push(at_most(
            format!("the time for each message that udpm:// receives in {case}: at most 0.333 x LCM's"),
            results.ratio(&case, Metric::PerMessage, UDPM, LCM),
            1.0 / 3.0,
        ));
    }
    for (rate, size) in [(50_000, 64), (CAMERA, 1 << 20)] {
        for stock in [false, true] {
            aims.push(no_loss(results, Case { rate, size, stock, ..case(Scenario::Rate) }));
        }
    }
    aims.extend(providers(results));
    aims.push(ahead(results));
    aims
}

fn no_loss(results: &Results, case: Case) -> Aim {
    let text = format!("{UDPM} loses nothing in {case}");
    let lost = |who| results.cell(&case, who).map(|cell| 100.0 * cell.missed());
    let (verdict, found) = match (lost(UDPM), lost(LCM)) {
        (None, _) => (Verdict::Unknown, String::new()),
        (Some(ours), lcm) => {
            let theirs = lcm.map_or(String::new(), |lcm| format!(" (LCM {lcm:.2} %)"));
            let verdict = if ours == 0.0 { Verdict::Reached } else { Verdict::Missed };
            (verdict, format!("{ours:.3} % lost{theirs}"))
        }
    };
    Aim { text, verdict, found, lost: Vec::new() }
}

/// The cost that providers add to their middleware used directly. Instructions where one thread does all of it, in
/// and out in one process; processor time where threads of the library take part.
fn providers(results: &Results) -> Vec<Aim> {
    let case = Case { place: Place::OneCore, ..Case::new(Scenario::Instructions) };
    let count = |who| {
        let steps = results.steps.iter().find(|s| s.case == case && s.contender == who)?;
        Some([(0, steps.per_message)])
    };
    let counted = [(SHM, CHANNEL), ("zenoh://", ZENOH)].map(|(ours, base)| {
        let ratio = count(ours).zip(count(base)).and_then(|(ours, base)| Ratio::of(&ours, &base));
        at_most(
            format!("instructions of 64 B through {ours}: at most 1.05 x `{base}` used directly"),
            ratio,
            1.05,
        )
    });
    let case = Case { place: Place::OneCore, mode: Mode::Sleep, ..Case::new(Scenario::Pingpong) };
    let timed = [("zmq://", "zmq-ipc"), ("dds://", "cyclonedds"), ("zenoh://", ZENOH)].map(|(ours, base)| {
        let text = format!("processor time of {case} through {ours}: at most 1.05 x `{base}` used directly");
        at_most(text, results.cpu_ratio(&case, ours, base), 1.05)
    });
    counted.into_iter().chain(timed).collect()
}

/// `shm://` faster than every contender that carries messages between processes, in every row.
fn ahead(results: &Results) -> Aim {
    let mut rows = Rows::default();
    for ours in results.cells.iter().filter(|c| c.contender == SHM && !c.case.is_within()) {
        let others =
            |c: &&crate::results::Cell| c.case == ours.case && ![SHM, CHANNEL].contains(&c.contender);
        for other in results.cells.iter().filter(others) {
            for metric in Metric::ALL {
                let ratio = results.ratio(&ours.case, metric, SHM, other.contender);
                rows.add(ratio, 1.0, || format!("{} {} {}", other.contender, ours.case, metric.name()));
            }
        }
    }
    let mut aim = rows.judge("shm:// faster than all others in every row");
    let is_absent = |name: &&str| results.cells.iter().all(|c| c.contender != *name);
    let absent: Vec<&str> = OTHERS.into_iter().filter(is_absent).collect();
    if aim.verdict != Verdict::Unknown && !absent.is_empty() {
        aim.found += &format!("; not in this run: {}", absent.join(", "));
        if aim.verdict == Verdict::Reached {
            aim.verdict = Verdict::Unknown;
        }
    }
    aim
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rep::Rep;
    use crate::results::tests::add;
    use crate::run::Measured;
    use std::time::SystemTime;

    #[test]
    fn an_unmeasured_target_is_not_met() {
        assert!(judge(&Results::default()).iter().all(|aim| aim.verdict == Verdict::Unknown));
    }

    #[test]
    fn a_row_in_which_shm_is_behind_is_named() {
        let mut results = Results::default();
        let case = Case { mode: Mode::Sleep, ..Case::new(Scenario::Pingpong) };
        add(&mut results, case, SHM, Metric::OneWay, &[100.0]);
        for other in OTHERS {
            let aim = ahead(&results);
            assert_eq!(aim.verdict, Verdict::Unknown, "{other} is not in it");
            add(&mut results, case, other, Metric::OneWay, &[400.0]);
        }
        assert_eq!(ahead(&results).verdict, Verdict::Reached);
        add(&mut results, case, UDPM, Metric::OneWay, &[90.0]);
        let aim = ahead(&results);
        assert_eq!((aim.verdict, aim.lost.len()), (Verdict::Missed, 1));
        assert!(aim.lost[0].starts_with(UDPM), "{:?}", aim.lost);
    }

    #[test]
    fn missing_contenders_are_named() {
        let mut results = Results::default();
        let case = Case { mode: Mode::Sleep, ..Case::new(Scenario::Pingpong) };
        add(&mut results, case, SHM, Metric::OneWay, &[100.0]);
        add(&mut results, case, LCM, Metric::OneWay, &[90.0]);
        let aim = ahead(&results);
        assert_eq!(aim.verdict, Verdict::Missed);
        assert!(
            aim.found.ends_with(
                ": multicast, zmq-ipc, zmq-tcp, nng-ipc, nng-tcp, cyclonedds, fastdds, roscpp, zenoh"
            ),
            "{}",
            aim.found
        );
    }

    #[test]
    fn a_provider_that_takes_more_processor_time_than_its_middleware_is_seen() {
        let mut results = Results::default();
        let case = Case { place: Place::OneCore, mode: Mode::Sleep, ..Case::new(Scenario::Pingpong) };
        for (who, cpu) in [("zenoh://", 110), (ZENOH, 100), ("zmq://", 104), ("zmq-ipc", 100)] {
            let mut measured = Measured { messages: 10, ..Measured::default() };
            measured.outcome.cpu = cpu;
            results.add(case, who, Rep::new(0, SystemTime::UNIX_EPOCH, measured).expect("packed"));
        }
        let aims = providers(&results);
        let verdict = |words: &str| aims.iter().find(|a| a.text.contains(words)).map(|a| a.verdict);
        assert_eq!(
            verdict("through zenoh://: at most 1.05 x `zenoh`"),
            Some(Verdict::Unknown),
            "not counted"
        );
        assert_eq!(verdict("64B through zenoh://"), Some(Verdict::Missed));
        assert_eq!(verdict("64B through zmq://"), Some(Verdict::Reached));
        assert_eq!(verdict("64B through dds://"), Some(Verdict::Unknown));
    }
}
