//! The measurements of the shipped command: Saltus, the machine's lower bounds and the kernel's own mechanisms, with
//! the method and the code of the repository's benchmarks. Programs and libraries of other projects are only in
//! those.

use crate::args::{Args, Form};
use crate::case::{Case, Mode, Place, Policy, Scenario, size_name};
use crate::contender::{Ask, Contender, Link};
use crate::diagrams::{Axis, Line, Panel, panels};
use crate::error::Fallible;
use crate::outcome::Metric;
use crate::papers::figure::{self, at};
use crate::plan_own::SIZES;
use crate::results::{Results, Row};
use crate::set::Set;
use crate::{Bench, chosen, json, privilege, stop};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Short windows, which only show that everything runs.
    pub short: bool,
    /// Names of [`scenarios`]; all if empty.
    pub scenarios: Vec<String>,
    /// Names of [`contenders`]; all if empty. The reference is always included.
    pub contenders: Vec<String>,
    /// Repetitions, at least one. By default three, or one in the short form.
    pub reps: Option<u32>,
}

/// The scenarios: names and descriptions.
pub fn scenarios() -> Vec<PossibleValue> {
    Set::Own.scenarios().iter().filter_map(ValueEnum::to_possible_value).collect()
}

/// The contenders, the reference first: names and descriptions.
pub fn contenders() -> Vec<&'static str> {
    Set::Own.contenders().iter().map(|contender| contender.name()).collect()
}

/// The results.
pub struct Run {
    bench: Bench,
    args: Args,
}

/// Measures. Blocks for minutes, or until Ctrl-C. Forks, so the process must have one thread. If the kernel permits
/// it, this process moves to a separate network with only a loopback and stays there. Otherwise contenders that would
/// send packets out of the machine are left out.
///
/// # Errors
/// A name is not one of those above.
pub fn run(options: &Options) -> Fallible<Run> {
    let scenario = |name: &String| Scenario::from_str(name, false);
    let args = Args {
        set: Set::Own,
        scenario: options.scenarios.iter().map(scenario).collect::<Result<_, _>>()?,
        contender: options.contenders.clone(),
        case: String::new(),
        reps: options.reps,
        scale: 1.0,
        short: options.short,
        quick: false,
        form: Form::Short,
        out: None,
    };
    let mut contenders = chosen(Set::Own, &args.contender)?;
    if contenders.iter().any(|c| is_a_network(c.name())) && privilege::own_network().is_err() {
        contenders = contenders.into_iter().map(NoNetwork::instead).collect();
    }
    stop::catch_interrupts();
    Ok(Run { bench: Bench::measured(&args, contenders), args })
}

/// Contenders that search their network for others.
const IN_A_NETWORK: [&str; 4] = ["udpm://", "tcpq://", "dds://", "zenoh://"];

fn is_a_network(name: &str) -> bool {
    IN_A_NETWORK.contains(&name)
}

/// A contender that would send packets out of the machine.
struct NoNetwork(&'static str);

impl NoNetwork {
    fn instead(contender: Box<dyn Contender>) -> Box<dyn Contender> {
        if is_a_network(contender.name()) { Box::new(NoNetwork(contender.name())) } else { contender }
    }
}

const NO_NETWORK: &str = "needs a separate network: run it as root, or under `unshare --user --map-root-user`, with `ip` (iproute2)";

impl Contender for NoNetwork {
    fn name(&self) -> &'static str {
        self.0
    }

    fn supports(&self, _: &Ask) -> Result<(), &'static str> {
        Err(NO_NETWORK)
    }

    fn link(&self, _: &Ask) -> Fallible<Box<dyn Link>> {
        Err(NO_NETWORK.into())
    }
}

impl Run {
    /// The machine, and the tables: percentiles, counts, processor time, and the ratio to the reference.
    pub fn tables(&self) -> String {
        self.bench.tables(&self.args)
    }

    /// The same as JSON: the machine, an object for each row, and what was not measured or failed.
    pub fn lines(&self) -> Vec<Value> {
        let mut document = json::document(&self.bench.results, &self.bench.machine, &[]);
        let mut lines = vec![json!({ "machine": document["machine"].take() })];
        let take = |list: &mut Value| std::mem::take(list.as_array_mut().expect("a list"));
        lines.append(&mut take(&mut document["rows"]));
        for kind in ["skipped", "failed"] {
            lines.extend(take(&mut document[kind]).into_iter().map(|one| json!({ kind: one })));
        }
        lines
    }

    /// Writes `bench.json`, an interval log for each scenario, and the figure `bench.svg` into a directory, which is
    /// created if necessary.
    ///
    /// # Errors
    /// A file or the directory cannot be written.
    pub fn write(&self, out: &Path) -> Fallible<()> {
        self.bench.write(&self.args, &[], out)?;
        let drawn = figure(&self.bench.results);
        if !drawn.is_empty() {
            fs::write(out.join("bench.svg"), panels(&drawn)?)?;
        }
        Ok(())
    }

    /// Failures, as text.
    pub fn failed(&self) -> Vec<String> {
        let failed = self.bench.results.failed.iter();
        failed.map(|(case, who, why)| format!("{who} {case}: {why}")).collect()
    }

    /// Whether it was interrupted.
    pub fn was_interrupted(&self) -> bool {
        stop::asked()
    }
}

/// The percentiles that are drawn.
const DRAWN: [f64; 8] = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];

/// Latency by percentile in the cases that resemble most programs, and latency by message size.
fn figure(results: &Results) -> Vec<Panel> {
    let pingpong = Case { mode: Mode::Sleep, ..Case::new(Scenario::Pingpong) };
    let one_core = Case { place: Place::OneCore, ..pingpong };
    let paced = Case { scenario: Scenario::Paced, ..pingpong };
    let mut all: Vec<Panel> = [
        ("Round trip on one core, halved", one_core, Metric::OneWay),
        ("Round trip on two cores, halved", pingpong, Metric::OneWay),
        ("1 kHz to one reader, since due", paced, Metric::Response),
        ("1 kHz to eight readers, since due", Case { readers: 8, ..paced }, Metric::Response),
    ]
    .into_iter()
    .filter_map(|(what, case, metric)| by_percentile(results, what, &case, metric))
    .collect();
    let is_wanted = |case: &Case| {
        case.scenario == Scenario::Pingpong && case.place == Place::OneCore && case.policy == Policy::Default
    };
    let rows: Vec<Row<'_>> = results.rows(Scenario::Pingpong);
    let rows: Vec<Row<'_>> =
        rows.into_iter().filter(|row| row.metric == Metric::OneWay && is_wanted(&row.cell.case)).collect();
    let lines = figure::lines(&rows, |case| case.size as f64, |row| at(row, 0.5));
    if lines.iter().any(|line| line.points.len() > 1) {
        let sizes: Vec<String> = SIZES.iter().map(|size| size_name(*size)).collect();
        all.push(Panel {
            title: format!("Round trip on one core, halved, p50: {}", sizes.join(", ")),
            x: ("bytes of a message".into(), Axis::Log),
            y: ("p50".into(), Axis::Time),
            lines,
        });
    }
    all
}

fn by_percentile(results: &Results, what: &str, case: &Case, metric: Metric) -> Option<Panel> {
    let rows = results.rows(case.scenario).into_iter();
    let rows = rows.filter(|row| row.cell.case == *case && row.metric == metric && !row.times.is_empty());
    let line = |row: Row<'_>| {
        // Finer percentiles would stand for less than one message.
        let known = DRAWN.iter().filter(|q| (1.0 - **q) * row.times.len() as f64 >= 1.0);
        let mut points: Vec<(f64, f64)> = known.map(|q| (1.0 / (1.0 - q), at(&row, *q))).collect();
        points.push((row.times.len() as f64, at(&row, 1.0)));
        Line { name: row.cell.contender.into(), points }
    };
    let lines: Vec<Line> = rows.map(line).collect();
    (!lines.is_empty()).then(|| Panel {
        title: format!(
            "{what}, {}, {} B",
            if case.mode == Mode::Sleep { "asleep" } else { "polled" },
            case.size
        ),
        x: (
            "one in N is longer: 100 is the 99th percentile; the last point is the maximum".into(),
            Axis::Log,
        ),
        y: ("latency".into(), Axis::Time),
        lines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::add;

    #[test]
    fn the_shipped_command_has_no_peers_and_knows_its_names() {
        let names = contenders();
        assert_eq!(names[0], "seqlock");
        for ours in ["saltus", "shm://", "udpm://", "pipe", "unix-stream", "eventfd", "mqueue", "memcpy"] {
            assert!(names.contains(&ours), "{ours} is not in {names:?}");
        }
        for peer in ["lcm", "zmq-ipc", "cyclonedds", "iceoryx2", "zenoh", "mem://"] {
            assert!(!names.contains(&peer), "{peer} is in {names:?}");
        }
        assert_eq!(scenarios().len(), Set::Own.scenarios().len());
        let unknown = Options { contenders: vec!["tin-cans".into()], ..Options::default() };
        assert!(run(&unknown).err().is_some_and(|e| e.to_string().contains("tin-cans")));
    }

    #[test]
    fn contenders_that_would_leave_the_machine_are_omitted_with_a_reason() {
        let all: Vec<_> = Set::Own.contenders().into_iter().map(NoNetwork::instead).collect();
        let case = Case { mode: Mode::Sleep, ..Case::new(Scenario::Pingpong) };
        let ask = Ask::of(&case, String::new(), 0);
        let why = |name: &str| all.iter().find(|c| c.name() == name).map(|c| c.supports(&ask));
        assert_eq!(why("udpm://"), Some(Err(NO_NETWORK)));
        assert_eq!(why("shm://"), Some(Ok(())));
    }

    #[test]
    fn percentiles_are_drawn_as_far_as_there_are_messages() {
        let mut results = Results { reference: "seqlock", ..Results::default() };
        let case = Case { mode: Mode::Sleep, place: Place::OneCore, ..Case::new(Scenario::Pingpong) };
        let times: Vec<f64> = (1..=100).map(f64::from).map(|us| us * 1_000.0).collect();
        add(&mut results, case, "pipe", Metric::OneWay, &times);
        add(&mut results, Case { size: 4 << 10, ..case }, "pipe", Metric::OneWay, &times);
        let all = figure(&results);
        assert_eq!(all.len(), 2, "{all:?}");
        let points = &all[0].lines[0].points;
        assert_eq!(points.len(), 6, "{points:?}");
        assert!(points.windows(2).all(|two| two[0].0 <= two[1].0 && two[0].1 <= two[1].1), "{points:?}");
        assert_eq!(all[1].lines[0].points.len(), 2);
    }
}
