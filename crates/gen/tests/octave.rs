//! Generated functions for Octave: the example, and a round trip of every construct.

mod python_support;

use python_support::{Temp, covers, generated, here, oracle, run, tool};
use saltus_gen::{Lang, Style};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The generated functions, and the compiled classes.
fn built(temp: &Temp, files: &[PathBuf], packages: &[&str]) -> [PathBuf; 2] {
    let (build, classes) = (temp.join("build"), temp.join("classes"));
    generated(files, Lang::Octave, Style::Modern, &build);
    let mut javac = Command::new("javac");
    javac.args(["--release", "8", "-Xlint:all,-options", "-Werror", "-d"]).arg(&classes);
    for package in packages {
        for entry in std::fs::read_dir(build.join("java").join(package)).unwrap() {
            javac.arg(entry.unwrap().path());
        }
    }
    run(&mut javac);
    [build, classes]
}

/// Octave, with the location of Java: the directory above the compiler's, with links resolved.
fn octave(script: &Path) -> Command {
    let javac = run(Command::new("bash").args(["-c", "readlink -f \"$(command -v javac)\""]));
    let home = Path::new(javac.trim()).ancestors().nth(2).unwrap();
    let mut command = Command::new("octave-cli");
    command.env("JAVA_HOME", home).arg("--no-init-file").arg(script);
    command
}

#[test]
fn octave_example_runs() {
    let temp = Temp::new("octave-example");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/types-octave");
    let printed = run(octave(&example.join("path_example.m")).args(built(
        &temp,
        &[example.join("path.lcm")],
        &["robot"],
    )));
    let expected = "98 bytes of class uint8
2 points, the first is door at 1.5, -2
utime 9007199254740993, costs [1 2 3;4 5 6] of single
";
    assert!(printed.starts_with(expected), "{printed}");
    assert!(printed.contains("path_t.points[n]: truncated"), "{printed}");
}

#[test]
fn octave_brings_every_message_back() {
    let temp = Temp::new("octave-all");
    oracle(&covers(), &["--python", "--ppath"], &temp.join("python"));
    let vectors = run(tool("python").arg(here("python").join("vectors.py")).arg(temp.join("python")));
    std::fs::write(temp.join("vectors"), vectors).unwrap();
    let dirs = built(&temp, &covers(), &["lcmtypes", "worked", "exlcm", "cover", "paper"]);
    let printed = run(octave(&here("octave").join("back.m")).args(dirs).arg(temp.join("vectors")));
    assert!(printed.contains("messages came back"), "{printed}");
}
