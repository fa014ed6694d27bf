//! The targets of recorder and player, judged in words.

use super::play::{PLAYERS, Played, Who as Player};
use super::record::{Case, Run, Who};
use crate::aims::{Aim, Verdict, at_most};
use crate::stats::Ratio;
use crate::table::ns;
use std::fmt::Write;

/// How much later than the machine's own sleep the player may be, in ns.
const LATER: u64 = 20_000;
/// A publisher below this fraction of its rate did not offer the load.
const OFFERED: f64 = 0.98;

/// All of them.
pub fn judge(runs: &[Run], played: &Played) -> Vec<Aim> {
    let mut aims = vec![
        no_loss(runs, Case { size: 64, rate: 1_000_000 }),
        no_loss(runs, Case { size: 1_000_000, rate: 1_000 }),
    ];
    for case in [
        Case { size: 64, rate: 10_000 },
        Case { size: 64, rate: 50_000 },
        Case { size: 64, rate: 100_000 },
        Case { size: 1_000_000, rate: 30 },
        Case { size: 1_000_000, rate: 100 },
    ] {
        let text = format!("processor time per message from shm:// at {case}: at most 0.5 x lcm-logger's");
        let of = |who| {
            let runs = runs.iter().filter(move |run| run.case == case && run.who == who);
            runs.filter_map(|run| Some((run.rep, run.cpu_per_message()?))).collect::<Vec<_>>()
        };
        aims.push(at_most(text, Ratio::of(&of(Who::Shm), &of(Who::Lcm)), 0.5));
    }
    aims.extend([Player::Shm, Player::Precise].map(|who| in_time(played, who)));
    aims
}

fn no_loss(runs: &[Run], case: Case) -> Aim {
    let text = format!("nothing lost of {case} from shm:// to an LCM log");
    let runs: Vec<&Run> = runs.iter().filter(|run| run.case == case && run.who == Who::Shm).collect();
    let whole = runs.iter().filter(|run| run.lost() == 0).count();
    let slow = runs.iter().filter(|run| run.rate < OFFERED * case.rate as f64).count();
    let lost: u64 = runs.iter().map(|run| run.lost()).sum();
    let published: u64 = runs.iter().map(|run| run.published).sum();
    let verdict = match (runs.len(), runs.len() - whole, slow) {
        (0, ..) => Verdict::Unknown,
        (_, 0, 0) => Verdict::Reached,
        (_, 0, _) => Verdict::Unknown,
        _ => Verdict::Missed,
    };
    let found = match runs.len() {
        0 => String::new(),
        n => format!(
            "{whole} of {n} runs whole; {lost} of {published} lost; {slow} publishers below their rate"
        ),
    };
    Aim { text, verdict, found, lost: Vec::new() }
}

fn in_time(played: &Played, who: Player) -> Aim {
    let text = format!("p99 error of `{}`: at most that of clock_nanosleep and 20 us", who.name());
    let p99 = |who| {
        let at = PLAYERS.iter().position(|other| *other == who)?;
        Some(&played.errors[at]).filter(|errors| !errors.is_empty()).map(|e| e.value_at_quantile(0.99))
    };
    let (verdict, found) = match (p99(who), p99(Player::Sleep)) {
        (Some(ours), Some(sleep)) => {
            let verdict = if ours <= sleep + LATER { Verdict::Reached } else { Verdict::Missed };
            (verdict, format!("{} against {}", ns(ours as f64), ns(sleep as f64)))
        }
        _ => (Verdict::Unknown, String::new()),
    };
    Aim { text, verdict, found, lost: Vec::new() }
}

/// The section of the report.
pub fn section(aims: &[Aim]) -> String {
    let mut out = String::from("\n## Aims\n\n");
    for aim in aims {
        let _ = writeln!(out, "  [{:<12}] {}  {}", aim.verdict.name(), aim.text, aim.found);
    }
    out
}
