//! The machine a figure was measured on: without it a figure says nothing.

use serde_json::{Value, json};
use std::fmt::Write;
use std::process::Command;

/// What is known about the machine.
#[derive(Clone, Debug)]
pub struct Machine {
    facts: Value,
}

impl Machine {
    /// Looks around.
    pub fn read() -> Machine {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = cpu.lines().find(|l| l.split(':').next().is_some_and(|key| key.trim() == name))?;
            Some(line.split_once(':')?.1.trim().to_string())
        };
        let flags = field("flags").unwrap_or_default();
        let has = |flag: &str| flags.split(' ').any(|f| f == flag);
        let file = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_string();
        let facts = json!({
            "cpu": field("model name").unwrap_or_else(|| std::env::consts::ARCH.into()),
            "cores": std::thread::available_parallelism().map_or(0, usize::from),
            "virtual": has("hypervisor"),
            "avx2": has("avx2"),
            "kernel": file("/proc/sys/kernel/osrelease"),
            "load_average": file("/proc/loadavg"),
            "gcc": version("gcc", "--version"),
            "java": version("java", "-version"),
            "python": version("python3", "--version"),
            "rust": version("rustc", "--version"),
            "lcm": "1.5.3",
            "version": env!("CARGO_PKG_VERSION"),
        });
        Machine { facts }
    }

    /// All facts.
    pub fn facts(&self) -> &Value {
        &self.facts
    }

    /// The header of the report.
    pub fn header(&self) -> String {
        let mut out = String::from("# Marshalling benchmark\n\n");
        for (name, value) in self.facts.as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            let _ = writeln!(out, "  {name:<14} {value}");
        }
        out + CAUTION
    }
}

/// The first line of what a program says about itself, on either output.
fn version(program: &str, flag: &str) -> String {
    let Ok(out) = Command::new(program).arg(flag).output() else { return "unknown".into() };
    let printed = [out.stdout, out.stderr].concat();
    String::from_utf8_lossy(&printed).lines().next().unwrap_or("unknown").into()
}

const CAUTION: &str = "
How to read it: contenders take turns inside every repetition; a turn is many operations, and its time is divided by
their number. Ratios are medians of the ratios within each repetition. Compare ratios, not times of different runs:
a virtual or shared machine is noisy, and moves by tens of per cent. All data is in the cache. Every loop is timed by
its own language's clock; a loop in Java or Python costs more than one in C.
";
