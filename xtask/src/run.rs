//! Running commands one after the other, and saying what became of each.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// Success, or why not.
pub type Outcome = Result<(), String>;

/// Something to run, with a name for people.
pub struct Step {
    /// What it is.
    pub name: String,
    action: Box<dyn FnOnce() -> Outcome>,
}

impl Step {
    /// A step that is a function.
    pub fn new(name: &str, action: impl FnOnce() -> Outcome + 'static) -> Step {
        Step { name: name.into(), action: Box::new(action) }
    }

    /// A step that is a command whose words have no spaces in them.
    pub fn line(name: &str, line: &str) -> Step {
        Step::command(name, &[], &line.split_whitespace().collect::<Vec<_>>())
    }

    /// A step that is a command, run in the root of the workspace with `env` set.
    pub fn command(name: &str, env: &[(&str, &str)], line: &[&str]) -> Step {
        let env: Vec<(String, String)> = env.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let line: Vec<String> = line.iter().map(|word| word.to_string()).collect();
        Step::new(name, move || {
            let mut command = Command::new(&line[0]);
            command.args(&line[1..]).envs(env).current_dir(root());
            let status = command.status().map_err(|e| format!("{}: {e}", line[0]))?;
            if status.success() { Ok(()) } else { Err(format!("`{}` ended with {status}", line.join(" "))) }
        })
    }
}

impl Step {
    /// Runs it.
    pub fn run(self) -> Outcome {
        (self.action)()
    }
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// Runs all steps, whatever becomes of each, and sums up.
pub fn all(steps: Vec<Step>) -> Outcome {
    let mut lines = Vec::new();
    let (mut passed, mut failed) = (0, 0);
    for step in steps {
        eprintln!("\n=== {}", step.name);
        let start = Instant::now();
        let name = step.name.clone();
        let outcome = step.run();
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => {
                passed += 1;
                lines.push(format!("ok      {seconds:7.1} s  {name}"));
            }
            Err(why) => {
                failed += 1;
                lines.push(format!("FAILED  {seconds:7.1} s  {name}: {why}"));
            }
        }
    }
    println!("\n{}\n{passed} passed, {failed} failed", lines.join("\n"));
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} steps failed", passed + failed)) }
}
