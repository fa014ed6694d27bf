//! Generated Java: compared with LCM's own generator, hostile bytes, odd names, no compiler warnings, formatting.

mod python_support;

use python_support::{Temp, covers, generated, here, lcm_jar, odd, oracle, run, tool};
use saltus_gen::{Lang, Style};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All `.java` files below a directory.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "java") {
            files.push(path);
        }
    }
    files
}

/// Compiles the sources in `from` to `to`, for Java 8, without warnings. The warning about the missing Java 8
/// library depends on the compiler, not on the code, so it is turned off.
fn compile(from: &Path, to: &Path, jar: &Path) {
    let flags = ["--release", "8", "-Xlint:all,-options", "-Werror", "-encoding", "US-ASCII"];
    run(Command::new("javac").args(flags).arg("-cp").arg(jar).arg("-d").arg(to).args(sources(from)));
}

/// Compiles a test program with the classes that it uses.
fn program(name: &str, to: &Path, classes: &str) {
    let file = here("java").join(format!("{name}.java"));
    run(Command::new("javac").args(["-cp", classes, "-d"]).arg(to).arg(file));
}

#[test]
fn java_agrees_with_lcm_and_refuses_hostile_bytes() {
    let temp = Temp::new("java-agrees");
    let jar = lcm_jar();
    oracle(&covers(), &["--java", "--jpath"], &temp.join("oracle"));
    run(Command::new("javac")
        .args(["-nowarn", "-cp"])
        .arg(&jar)
        .arg("-d")
        .arg(temp.join("classes-oracle"))
        .args(sources(&temp.join("oracle"))));
    for (style, name) in [(Style::Lcm, "lcm"), (Style::Modern, "modern")] {
        generated(&covers(), Lang::Java, style, &temp.join(name));
        compile(&temp.join(name), &temp.join(&format!("classes-{name}")), &jar);
    }
    oracle(&covers(), &["--python", "--ppath"], &temp.join("python"));
    let vectors = run(tool("python").arg(here("python").join("vectors.py")).arg(temp.join("python")));
    std::fs::write(temp.join("vectors"), vectors).unwrap();
    program("Check", &temp.join("check"), "");
    let path = format!("{}:{}", temp.join("check").display(), jar.display());
    // Little memory: a decoder that trusts the sizes in a message fails here.
    let mut java = Command::new("java");
    java.args(["-Xmx192m", "-cp", &path, "Check"]).arg(temp.join("vectors"));
    println!("{}", run(java.args(["oracle", "lcm", "modern"].map(|n| temp.join(&format!("classes-{n}"))))));
}

#[test]
fn java_program_of_lcm_runs_unchanged() {
    let temp = Temp::new("java-unchanged");
    let jar = lcm_jar();
    generated(&covers(), Lang::Java, Style::Lcm, &temp.join("code"));
    compile(&temp.join("code"), &temp.join("classes"), &jar);
    let path = format!("{}:{}", temp.join("classes").display(), jar.display());
    program("LcmProgram", &temp.join("classes"), &path);
    run(Command::new("java").args(["-cp", &path, "LcmProgram"]));
}

#[test]
fn java_classes_of_lcm_and_ours_contain_each_other() {
    let temp = Temp::new("java-mixed");
    let jar = lcm_jar();
    let file = temp.join("mix.lcm");
    let text = "package mix;
        struct inner_t { int16_t size; float values[size]; string name; byte blob[size]; int8_t fixed[3]; double pose[2]; double turn[3][3];
            int16_t grid[size][2]; }
        struct outer_t { int32_t n; inner_t many[n]; inner_t one; string name; boolean flag; int32_t after; }";
    std::fs::write(&file, text).unwrap();
    let (theirs, ours) = (temp.join("theirs"), temp.join("ours"));
    oracle(std::slice::from_ref(&file), &["--java", "--jpath"], &theirs);
    generated(&[file], Lang::Java, Style::Lcm, &ours);
    let printed =
        [(&theirs, &theirs), (&ours, &ours), (&theirs, &ours), (&ours, &theirs)].map(|(inner, outer)| {
            let classes = temp.join("classes");
            let _ = std::fs::remove_dir_all(&classes); // not there, the first time
            let mut javac = Command::new("javac");
            javac.args(["-nowarn", "-encoding", "UTF-8", "-cp"]).arg(&jar).arg("-d").arg(&classes);
            javac.arg(here("java").join("Mixed.java")).arg(ours.join("mix/SaltusWire.java"));
            run(javac.arg(inner.join("mix/inner_t.java")).arg(outer.join("mix/outer_t.java")));
            run(Command::new("java")
                .arg("-cp")
                .arg(format!("{}:{}", classes.display(), jar.display()))
                .arg("Mixed"))
        });
    assert!(printed[0].len() > 200 && printed.iter().all(|one| *one == printed[0]), "{printed:?}");
}

#[test]
fn java_takes_odd_names_and_circles() {
    for (style, name) in [(Style::Lcm, "lcm"), (Style::Modern, "modern")] {
        let temp = Temp::new(&format!("java-odd-{name}"));
        generated(&odd(), Lang::Java, style, &temp.join("code"));
        compile(&temp.join("code"), &temp.join("classes"), &lcm_jar());
    }
}

#[test]
fn java_of_very_many_types_takes_no_time_to_speak_of() {
    use std::fmt::Write;
    let temp = Temp::new("java-many");
    let mut text = String::from("package many;\n");
    for i in 0..2000 {
        // Chains of 100, since 128 is the most.
        let inner = if i % 100 == 0 { "int64_t".to_owned() } else { format!("t{}", i - 1) };
        let _ = writeln!(text, "struct t{i} {{ int32_t n; {inner} one, two[n], three[n]; double x[n]; }}");
    }
    std::fs::write(temp.join("many.lcm"), text).unwrap();
    let start = std::time::Instant::now();
    generated(&[temp.join("many.lcm")], Lang::Java, Style::Lcm, &temp.join("code"));
    // Going through all types for each field would take many minutes; this takes a second on a busy machine.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn java_example_runs() {
    let temp = Temp::new("java-example");
    let example = here("").join("../../../examples/types-java");
    generated(&[example.join("joints.lcm")], Lang::Java, Style::Modern, &temp.join("build"));
    let classes = temp.join("classes");
    let files = sources(&temp.join("build"));
    run(Command::new("javac").arg("-d").arg(&classes).args(files).arg(example.join("Joints.java")));
    let printed = run(Command::new("java").arg("-cp").arg(&classes).arg("Joints"));
    assert!(printed.contains("name=[shoulder, elbow], position=[0.5, -1.25], enabled=true"), "{printed}");
    assert!(printed.contains("joints_t.name[n]: truncated"), "{printed}");
}

#[test]
fn java_is_laid_out_by_clang_format() {
    for (style, name) in [(Style::Lcm, "lcm"), (Style::Modern, "modern")] {
        let temp = Temp::new(&format!("java-layout-{name}"));
        let files: Vec<PathBuf> = covers().into_iter().chain(odd()).collect();
        generated(&files, Lang::Java, style, &temp.join("code"));
        let layout = "--style={BasedOnStyle: Google, Language: Java, ColumnLimit: 100, \
                      AlignAfterOpenBracket: AlwaysBreak, BinPackArguments: false, BinPackParameters: false, BreakStringLiterals: false}";
        run(tool("clang-format").args([layout, "--dry-run", "--Werror"]).args(sources(&temp.join("code"))));
    }
}
