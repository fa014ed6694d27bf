//! The aims of domains over networks, judged as those of the channel are.

use crate::aims::{Aim, Verdict, at_most};
use crate::case::{Case, Mode, Place, Scenario};
use crate::contenders::net::REFERENCE;
use crate::outcome::Metric;
use crate::plan_net::CAMERA;
use crate::results::Results;
use crate::stats::Ratio;

const UDPM: &str = "udpm://";
const SHM: &str = "shm://";
const LCM: &str = "lcm";
/// What `shm://` is made of, used directly.
const CHANNEL: &str = "saltus";

/// All aims of the issue that are about speed.
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
    aims.push(provider(results));
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

/// Instructions of the provider over its middleware, in and out in one process.
fn provider(results: &Results) -> Aim {
    let case = Case { place: Place::OneCore, ..Case::new(Scenario::Instructions) };
    let count = |who| {
        let steps = results.steps.iter().find(|s| s.case == case && s.contender == who)?;
        Some([(0, steps.per_message)])
    };
    let ratio = count(SHM).zip(count(CHANNEL)).and_then(|(ours, base)| Ratio::of(&ours, &base));
    let text = "instructions of 64 B through shm://: at most 1.05 x those of the channel used directly";
    at_most(text.into(), ratio, 1.05)
}

/// `shm://` ahead of everyone who goes between processes, in every row.
fn ahead(results: &Results) -> Aim {
    let (mut won, mut lost) = (0, Vec::new());
    for ours in results.cells.iter().filter(|c| c.contender == SHM && !c.case.is_within()) {
        let others =
            |c: &&crate::results::Cell| c.case == ours.case && ![SHM, CHANNEL].contains(&c.contender);
        for other in results.cells.iter().filter(others) {
            for metric in Metric::ALL {
                match results.ratio(&ours.case, metric, SHM, other.contender) {
                    Some(r) if r.median <= 1.0 => won += 1,
                    Some(r) => lost.push(format!(
                        "{} {} {}: {:.2} ({:.2}..{:.2})",
                        other.contender,
                        ours.case,
                        metric.name(),
                        r.median,
                        r.min,
                        r.max
                    )),
                    None => {}
                }
            }
        }
    }
    let verdict = match (won, lost.len()) {
        (0, 0) => Verdict::Unknown,
        (_, 0) => Verdict::Reached,
        _ => Verdict::Missed,
    };
    let found = format!("ahead in {won} of {} rows", won + lost.len());
    Aim { text: "shm:// ahead of all in every row".into(), verdict, found, lost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::add;

    #[test]
    fn nothing_measured_is_nothing_reached() {
        assert!(judge(&Results::default()).iter().all(|aim| aim.verdict == Verdict::Unknown));
    }

    #[test]
    fn a_row_in_which_shm_is_behind_is_named() {
        let mut results = Results::default();
        let case = Case { mode: Mode::Sleep, ..Case::new(Scenario::Pingpong) };
        add(&mut results, case, SHM, Metric::OneWay, &[100.0]);
        add(&mut results, case, LCM, Metric::OneWay, &[400.0]);
        assert_eq!(ahead(&results).verdict, Verdict::Reached);
        add(&mut results, case, REFERENCE, Metric::OneWay, &[90.0]);
        let aim = ahead(&results);
        assert_eq!((aim.verdict, aim.lost.len()), (Verdict::Missed, 1));
        assert!(aim.lost[0].starts_with(REFERENCE), "{:?}", aim.lost);
    }
}
