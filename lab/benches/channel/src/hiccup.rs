//! The set `hiccup`: scheduling delays on this machine, idle and under `stress-ng`, with default and with real-time
//! scheduling, after jHiccup's article. It uses the shipped command, and resumes an interrupted run.

use crate::args::{Args, Form};
use crate::clock;
use crate::error::Fallible;
use crate::finish::finish;
use crate::log::program::{self, Program};
use crate::machine::Machine;
use crate::stop;
use saltus_measure::Summary;
use saltus_measure::report::{self, Series};
use serde_json::json;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// The priority of the real-time cases.
const PRIORITY: &str = "80";

/// A case: the load and the scheduling class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    stress: bool,
    real_time: bool,
}

const CASES: [Case; 4] = [
    Case { stress: false, real_time: false },
    Case { stress: false, real_time: true },
    Case { stress: true, real_time: false },
    Case { stress: true, real_time: true },
];

impl Case {
    fn name(self) -> &'static str {
        match (self.stress, self.real_time) {
            (false, false) => "idle",
            (false, true) => "idle-fifo",
            (true, false) => "stress",
            (true, true) => "stress-fifo",
        }
    }
}

/// Measures the missing parts, and reports all of them.
pub fn bench(args: &Args) -> Fallible<ExitCode> {
    let form = if args.short { Form::Short } else { args.form };
    let (parts, length) = form.parts();
    let (machine, saltus) = (Machine::read(parts as usize), program::saltus()?);
    let out = args.out().join(form.name());
    fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let wanted: Vec<Case> = CASES.into_iter().filter(|case| case.name().contains(&args.case)).collect();
    let mut left = wanted
        .iter()
        .flat_map(|case| (0..parts).map(|part| file(&out, *case, part)))
        .filter(|f| !f.exists())
        .count();
    let mut failed = Vec::new();
    for part in 0..parts {
        for &case in &wanted {
            let path = file(&out, case, part);
            if stop::asked() || path.exists() {
                continue;
            }
            let minutes = left as u64 * length / 60;
            eprintln!("{}, part {} of {parts}: about {minutes} min left", case.name(), part + 1);
            match measure(&saltus, case, length, &path) {
                Ok(()) => left -= 1,
                Err(why) if stop::asked() => eprintln!("  given up: {why}"),
                Err(why) => failed.push(format!("{}, part {}: {why}", case.name(), part + 1)),
            }
        }
    }
    let mut all = Vec::new();
    for &case in &wanted {
        all.extend(joined(&out, case, parts)?);
    }
    let (tables, header) = (shows(&all), machine.header(args.set.title()));
    let story = format!("{header}{tables}\n![hiccups]({}/hiccup.svg)\n", form.name());
    fs::write(args.out().join("hiccup.md"), story)?;
    if !all.is_empty() {
        for (name, text) in [
            ("hiccup.html", report::page(&all, &[], false)?),
            ("hiccup.svg", report::figure(&all, &[], true)?),
        ] {
            fs::write(out.join(name), text)?;
        }
        println!("A page and a figure are in {}.", out.display());
    }
    let rows: Vec<_> =
        all.iter().map(|one| json!({ "case": one.name, "ns": Summary::of(&one.times) })).collect();
    finish(args, &machine, &tables, &[], json!({ "form": form.name(), "rows": rows }), &failed)
}

fn file(out: &Path, case: Case, part: u64) -> PathBuf {
    out.join(format!("{}-{part:02}.hlog", case.name()))
}

/// Measures a part. The file gets its name only when it is complete.
fn measure(saltus: &Path, case: Case, seconds: u64, path: &Path) -> Fallible<()> {
    let load = case.stress.then(|| stress(seconds)).transpose()?;
    let begun = path.with_extension("part");
    let mut command = Command::new(saltus);
    command.args(["hiccup", "--quiet", "--duration", &format!("{seconds}s"), "--out"]).arg(&begun);
    if case.real_time {
        command.args(["--no-fallback", "--fifo", PRIORITY]);
    }
    let mut child = command.spawn().map_err(|e| format!("cannot start saltus: {e}"))?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if stop::asked() {
            let _ = child.kill(); // it may have ended by itself, as Ctrl-C asks of it too
        }
        std::thread::sleep(Duration::from_millis(500));
    };
    if let Some(load) = load {
        load.interrupt()?;
        load.end(Duration::from_secs(30))?;
    }
    match (stop::asked(), status.success()) {
        (true, _) => Err("stopped".into()),
        (false, false) => Err(format!("saltus hiccup: {status}").into()),
        (false, true) => Ok(fs::rename(&begun, path)?),
    }
}

/// Keeps processors, memory and kernel busy until it is dropped. Its time limit is longer than the measurement, so
/// that it never runs forever.
fn stress(seconds: u64) -> Fallible<Program> {
    let mut command = Command::new("stress-ng");
    let timeout = format!("{}s", seconds + 120);
    command.args([
        "--quiet",
        "--cpu",
        "0",
        "--vm",
        "1",
        "--vm-bytes",
        "256M",
        "--switch",
        "1",
        "--timeout",
        &timeout,
    ]);
    let program = Program::start(&mut command).map_err(|e| format!("{e} (package stress-ng)"))?;
    let end = clock::now() + 2_000_000_000;
    while clock::now() < end && !stop::asked() {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(program)
}

/// All parts of a case as one series, whose times are counted together.
fn joined(out: &Path, case: Case, parts: u64) -> Fallible<Option<Series>> {
    let mut text = Vec::new();
    for part in 0..parts {
        let path = file(out, case, part);
        if path.exists() {
            text.extend(fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        }
    }
    if text.is_empty() {
        return Ok(None);
    }
    let all = report::read(&format!("{}.hlog", case.name()), &text[..], None)?;
    let one = all.into_iter().find(|series| series.tag.is_none());
    Ok(one.map(|one| Series { name: case.name().into(), ..one }))
}

/// The results of the cases: percentiles, and sentences that compare them.
fn shows(all: &[Series]) -> String {
    use crate::table::ns;
    let mut text = format!(
        "\n## Hiccups, corrected\n\n  {:<12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        "", "count", "p50", "p99", "p99.9", "p99.99", "max"
    );
    let rows: Vec<(&str, Summary)> =
        all.iter().filter_map(|one| Some((&*one.name, Summary::of(&one.times)?))).collect();
    for (name, s) in &rows {
        let [p50, p99, p999, p9999, max] =
            [s.p50, s.p99, s.p999, s.p9999, s.max].map(|value| ns(value as f64));
        let _ = writeln!(
            text,
            "  {name:<12} {:>10} {p50:>10} {p99:>10} {p999:>10} {p9999:>10} {max:>10}",
            s.count
        );
    }
    let of = |wanted: &str| rows.iter().find(|(name, _)| *name == wanted).map(|(_, s)| s);
    for (one, other) in [("stress", "idle"), ("idle-fifo", "idle"), ("stress-fifo", "stress")] {
        if let (Some(a), Some(b)) = (of(one), of(other)) {
            let times = |a: u64, b: u64| format!("{:.2}", a as f64 / b.max(1) as f64);
            let _ = writeln!(
                text,
                "\n- `{one}` relative to `{other}`: p50 {} times, p99.9 {} times, the longest {} times as long ({} and {}).",
                times(a.p50, b.p50),
                times(a.p999, b.p999),
                times(a.max, b.max),
                ns(a.max as f64),
                ns(b.max as f64)
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_measure::hlog::{Writer, serializer};
    use std::time::SystemTime;

    /// A log with the given number of hiccups of this length.
    fn log(path: &Path, count: u64, ns: u64) {
        let (mut bytes, mut serializer) = (Vec::new(), serializer());
        let mut log =
            Writer::begin(&mut bytes, &mut serializer, "a test", &[], SystemTime::UNIX_EPOCH).expect("begun");
        let mut times = saltus_measure::times();
        times.saturating_record_n(ns, count);
        for tag in [None, Some("raw")] {
            log.interval(&times, Duration::ZERO, Duration::from_secs(1), tag).expect("written");
        }
        fs::write(path, bytes).expect("written");
    }

    #[test]
    fn parts_are_counted_together_and_a_case_that_is_missing_is_left_out() {
        let out = std::env::temp_dir().join(format!("saltus-bench-hiccup-{}", std::process::id()));
        fs::create_dir_all(&out).expect("a directory");
        let [idle, _, stress, _] = CASES;
        log(&file(&out, idle, 0), 900, 1_000);
        log(&file(&out, idle, 2), 100, 2_000);
        log(&file(&out, stress, 0), 10, 4_000);
        let all: Vec<Series> =
            CASES.iter().filter_map(|case| joined(&out, *case, 3).expect("read")).collect();
        fs::remove_dir_all(&out).expect("only ours");
        assert_eq!(
            all.iter().map(|one| (&*one.name, one.times.len())).collect::<Vec<_>>(),
            [("idle", 1000), ("stress", 10)]
        );
        let reported = shows(&all);
        assert!(
            reported.contains("p50 4.00 times") && reported.contains("the longest 2.00 times"),
            "{reported}"
        );
    }
}
