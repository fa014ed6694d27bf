//! Tests under the compilers' sanitizers: memory and leaks, undefined behavior in C and C++, data races.
//!
//! `rustc` has sanitizers but no stable flag for them. `RUSTC_BOOTSTRAP` permits the flag; the compiler stays the same.

use crate::run::{self, Step, root, show, whole};
use crate::tools;
use std::fmt::Write;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// With a target, build scripts and procedural macros are compiled as usual.
const TARGET: &str = "x86_64-unknown-linux-gnu";

const ADDRESS: &str = "-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer";
/// With the portable copy, since this sanitizer sees no inline assembly.
const THREAD: &str = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg tsan";

/// What is tested by which sanitizer.
struct Part {
    name: &'static str,
    /// Whether the short form has it.
    short: bool,
    /// What is set for `rustc`, and the directory below `target` for what it builds; `None` to build as usual.
    rust: Option<(&'static str, &'static str)>,
    line: &'static str,
    /// What must fail: arguments of the line, and what the sanitizer then reports.
    planted: Option<(&'static str, &'static str)>,
}

const PARTS: &[Part] = &[
    Part {
        name: "thread sanitizer: ring",
        short: true,
        rust: Some((THREAD, "tsan")),
        line: "cargo test --locked -p saltus-ring --test threads",
        planted: Some(("--race", "ThreadSanitizer: data race")),
    },
    Part {
        name: "address sanitizer: ring, between threads",
        short: true,
        rust: Some((ADDRESS, "asan")),
        line: "cargo test --locked -p saltus-ring --test threads",
        planted: Some(("--freed", "AddressSanitizer: heap-use-after-free")),
    },
    Part {
        name: "address sanitizer: os, ring",
        short: true,
        rust: Some((ADDRESS, "asan")),
        // Not the program with more rights than its caller: the system hides its memory from the search for leaks.
        line: "cargo test --locked -p saltus-os -p saltus-ring --lib --tests -- --skip to_a_program_with_more_rights",
        planted: None,
    },
    Part {
        name: "address sanitizer: channel, wire, types, log, net",
        short: false,
        rust: Some((ADDRESS, "asan")),
        // Not the test that refuses all system calls: the sanitizer makes some.
        line: "cargo test --locked --no-fail-fast -p saltus-channel -p saltus-wire -p saltus-types -p saltus-log -p saltus-net --tests \
               -- --skip invariant_6_no_system_call",
        planted: None,
    },
    Part {
        name: "address sanitizer: LCM's interface",
        short: false,
        rust: Some((ADDRESS, "asan")),
        // Not the programs of C, which the next part and `process.rs` watch: this library needs its sanitizer in them.
        line: "cargo test --locked -p saltus-lcm -p saltus-lcm-core --lib --test misuse --test machine -- --skip two_unchanged_programs",
        planted: None,
    },
    Part {
        name: "address and undefined behavior: generated C and C++",
        short: false,
        rust: None,
        line: "cargo test --locked -p saltus-gen --test c_code --test cpp_code --test c_random",
        planted: None,
    },
    Part {
        name: "address, undefined behavior and threads: the C and C++ interface and its examples",
        short: false,
        rust: None,
        line: "cargo test --locked -p saltus-c --test sanitizers",
        planted: None,
    },
    Part {
        name: "address sanitizer: the native half of Python",
        short: false,
        rust: Some((ADDRESS, "asan")),
        // Not the tests that compare how much memory the process has, since the sanitizer keeps some, nor those that run cargo.
        line: "python3 bindings/python/test.py --ignore=tests/test_leaks.py --ignore=tests/test_classes.py",
        planted: None,
    },
    Part {
        name: "address sanitizer: the native half of Java",
        short: false,
        rust: Some((ADDRESS, "asan")),
        line: "mvn --batch-mode --no-transfer-progress -Pdebug -f bindings/java test",
        planted: None,
    },
];

/// What the virtual machine needs: it handles these signals itself, and frees little at its end.
const IN_JAVA: &str =
    "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:allow_user_segv_handler=1:detect_leaks=0";

/// The short form, or the full one.
pub fn step(full: bool) -> Step {
    Step::new("sanitizers", move || parts(full).map(drop))
}

/// The full form, which then writes the record.
pub fn record() -> Step {
    Step::new("sanitizers", || {
        let passed = parts(true)?;
        if passed.is_empty() {
            return Err("nothing ran; no record is written".into());
        }
        let path = root().join("lab/records/sanitizers.json");
        std::fs::write(&path, written(&passed)?).map_err(run::failed(&path))
    })
}

/// Runs all parts, even if some fail; returns how many tests passed in each.
fn parts(full: bool) -> Result<Vec<(&'static Part, u64)>, String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        eprintln!("xtask: NOT RUN: sanitizers: tried on Linux on x86-64 only");
        return Ok(Vec::new());
    }
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    for part in PARTS.iter().filter(|part| full || part.short) {
        match part.run() {
            Ok(tests) => passed.push((part, tests)),
            Err(why) => failed.push(why),
        }
    }
    for (part, tests) in &passed {
        eprintln!("{}: {tests} tests passed", part.name);
    }
    if failed.is_empty() { Ok(passed) } else { Err(failed.join("\n        ")) }
}

impl Part {
    /// Runs it, and what must fail; returns how many tests passed.
    fn run(&self) -> Result<u64, String> {
        let tests = match self.test("")? {
            (true, said) => passed(&said),
            (false, _) => return Err(format!("{}: `{}` failed: see above", self.name, self.line)),
        };
        if let Some((arguments, report)) = self.planted {
            let (well, said) = self.test(&format!(" -- {arguments}"))?;
            if well || !said.contains(report) {
                return Err(format!("{}: {arguments} was not found: {said}", self.name));
            }
        }
        if tests == 0 { Err(format!("{}: no test ran", self.name)) } else { Ok(tests) }
    }

    /// Runs the line with more words. Returns whether it ended well, and its output.
    fn test(&self, more: &str) -> Result<(bool, String), String> {
        let line = format!("{}{more}", self.line);
        let mut words = line.split(' ');
        let program = words.next().unwrap_or_default();
        let mut command = Command::new(program);
        run::plain(&mut command).args(words).current_dir(root());
        if let Some((flags, dir)) = self.rust {
            command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", flags).env("CARGO_BUILD_TARGET", TARGET);
            // The library handles SIGBUS itself; memory that is kept back after `free` counts in tests that bound memory.
            command.env("ASAN_OPTIONS", "handle_sigbus=0:quarantine_size_mb=16");
            command.env("CARGO_TARGET_DIR", root().join("target").join(dir)).env("CARGO_INCREMENTAL", "0");
        }
        if program == "python3" {
            tools::install(&["python3-venv"])?;
            // Python itself is not built for the sanitizer, so its runtime comes first; what Python leaves at its end is no leak.
            command
                .env("SALTUS_PRELOAD", library("libasan.so")?)
                .env("ASAN_OPTIONS", "handle_sigbus=0:detect_leaks=0");
            command.env("MATURIN_PEP517_ARGS", "--profile=dev");
        }
        if program == "mvn" {
            tools::install(&["default-jdk-headless", "maven"])?;
            command.args(for_java(&root().join("target/asan"))?);
        }
        let (status, _, said) = whole(&mut command, true).map_err(|e| format!("{program}: {e}"))?;
        if more.is_empty() {
            show(self.name, &said);
        }
        Ok((status.success(), String::from_utf8_lossy(&said).into_owned()))
    }
}

/// Arguments of Maven: the types of the examples, the library for the sanitizer, and a `java` with the sanitizer's runtime, in which only
/// the tests run.
fn for_java(target: &Path) -> Result<Vec<String>, String> {
    let (types, bin) = (target.join("java-types"), target.join("bin"));
    let mut generate = Command::new("cargo");
    run::plain(&mut generate).args([
        "run",
        "--locked",
        "--quiet",
        "-p",
        "saltus-cli",
        "--",
        "gen",
        "--lang",
        "java",
    ]);
    run::output(generate.arg("--out").arg(&types).arg("bindings/java/examples/types"))?;
    std::fs::create_dir_all(&bin).map_err(run::failed(&bin))?;
    let java = bin.join("java");
    let script =
        format!("#!/bin/sh\nLD_PRELOAD={} ASAN_OPTIONS={IN_JAVA} exec java \"$@\"\n", library("libasan.so")?);
    std::fs::write(&java, script).map_err(run::failed(&java))?;
    std::fs::set_permissions(&java, Permissions::from_mode(0o755)).map_err(run::failed(&java))?;
    Ok(vec![
        format!("-Dtypes={}", types.display()),
        format!("-Dcargo.target={}", target.display()),
        format!("-Dcargo.output={TARGET}/debug"),
        format!("-Djvm={}", java.display()),
    ])
}

/// A library of the C compiler.
fn library(name: &str) -> Result<String, String> {
    let path = run::output(Command::new("cc").arg(format!("-print-file-name={name}")))?;
    let path = path.trim();
    if path.contains('/') { Ok(path.into()) } else { Err(format!("cc has no {name}: install g++")) }
}

/// How many tests passed, by the words of cargo, of pytest or of Maven, which says it in sum last.
fn passed(said: &str) -> u64 {
    let mut of_maven =
        said.lines().filter_map(|line| line.split_once("Tests run: ")?.1.split_once(',')?.0.parse().ok());
    if let Some(sum) = of_maven.next_back() {
        return sum;
    }
    let number = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| word.trim_matches([',', ';']) == "passed")?;
        words.get(at.checked_sub(1)?)?.parse::<u64>().ok()
    };
    said.lines().filter_map(number).sum()
}

/// The record: each part, how it is run, and how many tests passed.
fn written(passed: &[(&Part, u64)]) -> Result<String, String> {
    let said = |program: &str, args: &[&str]| -> Result<String, String> {
        let text = run::output(Command::new(program).args(args))?;
        Ok(text.lines().next().unwrap_or_default().to_string())
    };
    let mut text = String::from("{\n  \"command\": \"cargo xtask sanitize --write\",\n");
    let _ = writeln!(text, "  \"date\": \"{}\",", said("date", &["-u", "+%F"])?);
    let _ = writeln!(text, "  \"commit\": \"{}\",", said("git", &["rev-parse", "--short", "HEAD"])?);
    let _ = writeln!(
        text,
        "  \"compilers\": [\"{}\", \"{}\"],\n  \"sanitizers\": [",
        said("rustc", &["--version"])?,
        said("cc", &["--version"])?
    );
    let line = |(part, tests): &(&Part, u64)| {
        let flags = part.rust.map_or(String::new(), |(flags, _)| format!(", \"rustflags\": \"{flags}\""));
        format!(
            "    {{\"what\": \"{}\", \"command\": \"{}\"{flags}, \"passed\": {tests}, \"failed\": 0}}",
            part.name, part.line
        )
    };
    text += &passed.iter().map(line).collect::<Vec<_>>().join(",\n");
    Ok(text + "\n  ]\n}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_cargo_pytest_and_maven_are_counted() {
        let cargo = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: ok. 12 passed; 0 failed;";
        assert_eq!(passed(cargo), 15);
        assert_eq!(passed("===== 140 passed, 2 skipped in 9.8s ====="), 140);
        let maven = "[INFO] Tests run: 13, Failures: 0, Errors: 0 -- in A\n[INFO] Tests run: 50, Failures: 0, Errors: 0";
        assert_eq!(passed(maven), 50);
        assert_eq!(passed("no tests ran"), 0);
    }

    #[test]
    fn the_packages_that_are_named_exist() {
        for part in PARTS {
            assert!(
                part.planted.is_none() || part.line.ends_with("--test threads"),
                "its arguments are those of threads.rs"
            );
            let packages = part.line.split(' ').filter_map(|word| word.strip_prefix("saltus-"));
            for name in packages {
                let dir = match name {
                    "c" => "bindings/c".into(),
                    "ach" | "lcm" => format!("compat/{name}"),
                    "lcm-core" => "compat/lcm/core".into(),
                    _ => format!("crates/{name}"),
                };
                assert!(run::read(&root().join(dir).join("Cargo.toml")).is_ok(), "{}", part.line);
            }
        }
    }
}
