//! Running steps, some in parallel, and reporting their results.

use crate::failures;
use crate::group::{self, Watch};
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, Write, stdout};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Success, or why not.
pub type Outcome = Result<(), String>;

/// The time limit of a step without one of its own: benchmarks take hours.
const LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Which steps a step may run next to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lane {
    /// After the step of this lane before it.
    First,
    /// The same, for a second lane that runs at the same time as the first. A step that builds in the directory in which a step of the other
    /// lane builds waits for it, within its own time limit.
    Second,
    /// Alone: it measures time, or keeps the processors busy.
    Alone,
}

/// A task to run, with a name for people.
pub struct Step {
    /// Its name.
    pub name: String,
    /// The time after which it is killed, with all processes that it started.
    limit: Duration,
    /// Which steps it may run next to.
    lane: Lane,
    action: Box<dyn FnOnce() -> Outcome + Send>,
}

impl Step {
    /// A step that is a function.
    pub fn new(name: &str, action: impl FnOnce() -> Outcome + Send + 'static) -> Step {
        Step { name: name.into(), limit: LIMIT, lane: Lane::First, action: Box::new(action) }
    }

    /// Renames the step.
    pub fn named(self, name: &str) -> Step {
        Step { name: name.into(), ..self }
    }

    /// Sets the time limit.
    pub fn within(self, limit: Duration) -> Step {
        Step { limit, ..self }
    }

    /// Sets the lane: unless set, the first.
    pub fn lane(self, lane: Lane) -> Step {
        Step { lane, ..self }
    }

    /// A step that is a command whose words contain no spaces.
    pub fn line(name: &str, line: &str) -> Step {
        Step::command(name, &[], &line.split_whitespace().collect::<Vec<_>>())
    }

    /// A step that is a command, run in the root of the workspace with `env` set.
    pub fn command(name: &str, env: &[(&str, &str)], line: &[&str]) -> Step {
        let env: Vec<(String, String)> = env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let line: Vec<String> = line.iter().map(|word| word.to_string()).collect();
        Step::new(name, move || {
            let mut command = Command::new(&line[0]);
            plain(&mut command).args(&line[1..]).envs(env).current_dir(root());
            let outcome = if Watch::current().whole {
                shown_whole(&mut command).map(|(status, said)| (status, failures::of(&said)))
            } else if stdout().is_terminal() {
                // On a terminal, cargo prints colors, and the user sees all output.
                status(&mut command).map(|status| (status, Vec::new()))
            } else {
                failures::watch(&mut command, stdout())
            };
            let (status, failures) = outcome.map_err(|e| format!("{}: {e}", line[0]))?;
            let why = || [vec![format!("`{}` ended with {status}", line.join(" "))], failures].concat();
            if status.success() { Ok(()) } else { Err(why().join("\n        ")) }
        })
    }
}

/// Removes the variables that cargo sets for this program from the environment of the cargo that it starts. Otherwise build scripts,
/// such as ring's, would run again whenever builds from here and from elsewhere alternate.
pub fn plain(command: &mut Command) -> &mut Command {
    let ours = std::env::vars_os().map(|(name, _)| name);
    ours.filter(|name| is_of_a_package(&name.to_string_lossy())).for_each(|name| {
        command.env_remove(name);
    });
    command
}

/// Whether cargo sets a variable for the programs of one package.
fn is_of_a_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.starts_with(start))
}

impl Step {
    /// Runs the step.
    pub fn run(self) -> Outcome {
        (self.action)()
    }
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// An error of a file, with the file's name.
pub fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> String {
    move |e| format!("{}: {e}", path.display())
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(failed(path))
}

/// Runs a command in the root of the workspace; returns its output.
pub fn output(command: &mut Command) -> Result<String, String> {
    let ran = scratch().and_then(|mut said| {
        command.stdout(said.try_clone()?);
        let (status, _, complained) = whole(command.current_dir(root()), false)?;
        Ok((status, text(&contents(&mut said)?), text(&complained)))
    });
    let (status, said, complained) = ran.map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() {
        Ok(said)
    } else {
        Err(format!("{command:?} ended with {status}: {complained}{said}"))
    }
}

/// Runs a command as [`output`] does, but shows errors and progress immediately.
pub fn answer(command: &mut Command) -> Result<String, String> {
    let ran = scratch().and_then(|mut said| {
        command.stdout(said.try_clone()?).current_dir(root());
        Ok((group::spawn(command)?.wait()?.0, text(&contents(&mut said)?)))
    });
    let (status, said) = ran.map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(said) } else { Err(format!("{command:?} ended with {status}")) }
}

/// Runs a command to its end, as part of the running step.
///
/// # Errors
/// It cannot be started, or the step's time has expired.
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    match Watch::current().whole {
        true => shown_whole(command).map(|(status, _)| status),
        false => group::spawn(command)?.wait().map(|(status, _)| status),
    }
}

/// Runs a command to its end, then shows all its output.
fn shown_whole(command: &mut Command) -> io::Result<(ExitStatus, Vec<u8>)> {
    let (status, _, said) = whole(command, true)?;
    let name = Path::new(command.get_program()).display().to_string();
    show(&name, &said);
    Ok((status, said))
}

/// Shows the output of a program, in one piece.
pub fn show(name: &str, said: &[u8]) {
    let mut out = stdout().lock();
    let end = if said.is_empty() || said.ends_with(b"\n") { "" } else { "\n" };
    let _ = writeln!(out, "--- {name}"); // perhaps the reader is gone
    let _ = out.write_all(said).and_then(|()| out.write_all(end.as_bytes())).and_then(|()| out.flush());
}

/// Runs a command to its end. Returns how it ended, its CPU time in seconds, and its error output, or with `both` all its output. The
/// output goes to a file, so that processes that the command leaves behind delay nothing.
///
/// # Errors
/// It cannot be started, or the step's time has expired.
pub fn whole(command: &mut Command, both: bool) -> io::Result<(ExitStatus, f64, Vec<u8>)> {
    let mut file = scratch()?;
    if both {
        command.stdout(file.try_clone()?);
    }
    let (status, seconds) = group::spawn(command.stderr(file.try_clone()?))?.wait()?;
    Ok((status, seconds, contents(&mut file)?))
}

/// A file without a name, which is deleted when its last descriptor is closed.
fn scratch() -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("saltus-xtask-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let path = std::env::temp_dir().join(name);
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

fn contents(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into()
}

/// The result of a step.
struct Ended {
    name: String,
    outcome: Outcome,
    seconds: f64,
    busy: f64,
}

impl Ended {
    fn took(&self) -> String {
        took(self.seconds, self.busy)
    }
}

fn took(seconds: f64, busy: f64) -> String {
    format!("{seconds:7.1} s, {busy:7.1} s of processors")
}

/// Runs one step. With `whole`, others may run beside it, and what its commands print is shown when they end.
fn one(step: Step, whole: bool) -> Ended {
    eprintln!("\n=== {}", step.name);
    let (start, watch) = (Instant::now(), Watch::new(whole));
    let (name, minutes, limit) = (step.name.clone(), step.limit.as_secs() / 60, watch.limit(step.limit));
    let outcome = watch.during(|| step.run());
    drop(limit);
    let outcome = match watch.is_over() {
        true => Err(format!("killed: it took longer than its limit, {minutes} min")),
        false => outcome,
    };
    let name = [vec![name], watch.notes()].concat().join("; ");
    let ended =
        Ended { name, outcome, seconds: start.elapsed().as_secs_f64(), busy: watch.processor_seconds() };
    eprintln!("=== {}: {}", ended.name, ended.took());
    ended
}

/// Runs the steps between two that run alone, or one that does: each lane in a thread of its own.
fn stage(steps: Vec<Step>) -> Vec<Ended> {
    let (second, first): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(|step| step.lane == Lane::Second);
    let whole = !first.is_empty() && !second.is_empty();
    let lane = |steps: Vec<Step>| steps.into_iter().map(|step| one(step, whole)).collect::<Vec<Ended>>();
    thread::scope(|scope| {
        let second = scope.spawn(|| lane(second));
        let first = lane(first);
        [first, second.join().unwrap_or_else(|panic| resume_unwind(panic))].into_iter().flatten().collect()
    })
}

/// Runs all steps, even if some fail, and prints a summary. A step that runs [`Lane::Alone`] waits for all steps before it, and all
/// steps after it wait for it.
pub fn all(steps: Vec<Step>) -> Outcome {
    let began = Instant::now();
    let mut stages: Vec<Vec<Step>> = Vec::new();
    for step in steps {
        let apart = |stage: &Vec<Step>| step.lane == Lane::Alone || stage[0].lane == Lane::Alone;
        match stages.last_mut() {
            Some(stage) if !apart(stage) => stage.push(step),
            _ => stages.push(vec![step]),
        }
    }
    let ended: Vec<Ended> = stages.into_iter().flat_map(stage).collect();
    let failed = ended.iter().filter(|step| step.outcome.is_err()).count();
    let lines = ended.iter().map(|step| match &step.outcome {
        Ok(()) => format!("ok      {}  {}", step.took(), step.name),
        Err(why) => format!("FAILED  {}  {}: {why}", step.took(), step.name),
    });
    let total = took(began.elapsed().as_secs_f64(), ended.iter().map(|step| step.busy).sum());
    let lines = lines.collect::<Vec<_>>().join("\n");
    println!("\n{lines}\n        {total}  in all: {} passed, {failed} failed", ended.len() - failed);
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} steps failed", ended.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Runs to their end steps that record when they begin and end.
    fn noted(plan: &[(&'static str, Lane, u64)]) -> (Outcome, Vec<String>) {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let step = |&(name, lane, millis): &(&'static str, Lane, u64)| {
            let notes = notes.clone();
            let note = move |what: &str| notes.lock().unwrap().push(format!("{name} {what}"));
            let action = move || {
                note("begins");
                thread::sleep(Duration::from_millis(millis));
                note("ends");
                if name == "bad" { Err("why".into()) } else { Ok(()) }
            };
            Step::new(name, action).lane(lane)
        };
        let outcome = all(plan.iter().map(step).collect());
        let notes = notes.lock().unwrap().clone();
        (outcome, notes)
    }

    #[test]
    fn each_lane_keeps_its_order_and_a_step_that_runs_alone_waits_for_both() {
        use Lane::{Alone, First, Second};
        let plan =
            [("a", First, 900), ("x", Second, 200), ("y", Second, 200), ("z", Alone, 50), ("b", First, 1)];
        let (outcome, mut notes) = noted(&plan);
        assert_eq!(outcome, Ok(()));
        notes[..2].sort();
        let expected = [
            "a begins", "x begins", "x ends", "y begins", "y ends", "a ends", "z begins", "z ends",
            "b begins", "b ends",
        ];
        assert_eq!(notes, expected);
    }

    #[test]
    fn a_step_that_fails_ends_no_other_and_fails_the_run() {
        for lane in [Lane::First, Lane::Second, Lane::Alone] {
            let plan = [("bad", Lane::First, 100), ("good", lane, 300), ("next", Lane::First, 1)];
            let (outcome, notes) = noted(&plan);
            assert_eq!(outcome, Err("1 of 3 steps failed".into()));
            assert_eq!(notes.len(), 6, "{notes:?}");
        }
    }

    #[test]
    fn each_step_has_its_own_limit() {
        let sleep = |name: &str, seconds: &str| Step::command(name, &[], &["sleep", seconds]);
        let plan = vec![
            sleep("killed", "100").within(Duration::from_millis(300)),
            sleep("not killed", "1").within(Duration::from_secs(60)).lane(Lane::Second),
        ];
        assert_eq!(all(plan), Err("1 of 2 steps failed".into()));
    }

    #[test]
    fn output_is_read_whole_and_leftover_children_delay_nothing() {
        let mut sh = Command::new("sh");
        sh.args(["-c", "echo out; echo err >&2; (sleep 0.5; echo late) & exit 3"]);
        let (status, _, said) = whole(&mut sh, true).unwrap();
        assert_eq!((status.code(), text(&said).as_str()), (Some(3), "out\nerr\n"));
        assert_eq!(output(Command::new("echo").arg("word")), Ok("word\n".into()));
        let failed = output(Command::new("sh").args(["-c", "echo why >&2; exit 1"])).unwrap_err();
        assert!(failed.contains("why"), "{failed}");
    }
}
