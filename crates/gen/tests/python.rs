//! Generated Python: compared with LCM's own generator, hostile bytes, its errors, its formatting and its types.

mod python_support;

use python_support::{Temp, covers, generated, here, odd, oracle, run, tool};
use saltus_gen::{Lang, Style};
use std::path::{Path, PathBuf};

/// LCM's classes, ours in its style, ours in modern style.
fn three(temp: &Temp) -> [PathBuf; 3] {
    let dirs = ["oracle", "lcm", "modern"].map(|d| temp.join(d));
    oracle(&covers(), &["--python", "--ppath"], &dirs[0]);
    generated(&covers(), Lang::Python, Style::Lcm, &dirs[1]);
    generated(&covers(), Lang::Python, Style::Modern, &dirs[2]);
    dirs
}

fn script(name: &str) -> std::process::Command {
    let mut command = tool("python");
    command.args(["-W", "error"]).arg(here("python").join(name));
    command
}

#[test]
fn python_agrees_with_lcm() {
    let temp = Temp::new("python-agrees");
    println!("{}", run(script("against_lcm.py").args(three(&temp))));
}

#[test]
fn python_refuses_hostile_bytes() {
    let temp = Temp::new("python-hostile");
    println!("{}", run(script("hostile.py").args(three(&temp))));
}

#[test]
fn python_names_the_wrong_field() {
    let temp = Temp::new("python-says");
    generated(&covers(), Lang::Python, Style::Modern, &temp.join("modern"));
    run(script("says.py").arg(temp.join("modern")));
}

#[test]
fn python_program_of_lcm_runs_unchanged() {
    let temp = Temp::new("python-unchanged");
    generated(&covers(), Lang::Python, Style::Lcm, &temp.join("lcm"));
    run(script("lcm_program.py").env("PYTHONPATH", temp.join("lcm")));
}

#[test]
fn python_classes_of_lcm_and_ours_contain_each_other() {
    let temp = Temp::new("python-mixed");
    let file = temp.join("mix.lcm");
    let text = "package mix;
        struct inner_t { int16_t size; float values[size]; string name; byte blob[size]; int8_t fixed[3]; }
        struct outer_t { int32_t n; inner_t many[n]; inner_t one; string name; boolean flag; int32_t after; }";
    std::fs::write(&file, text).unwrap();
    let dirs = ["oracle", "lcm", "mixed"].map(|d| temp.join(d));
    oracle(std::slice::from_ref(&file), &["--python", "--ppath"], &dirs[0]);
    generated(&[file], Lang::Python, Style::Lcm, &dirs[1]);
    std::fs::create_dir(&dirs[2]).unwrap();
    run(script("mixed.py").args(&dirs));
}

#[test]
fn python_takes_odd_names_and_circles() {
    for (style, name) in [(Style::Modern, "modern"), (Style::Lcm, "lcm")] {
        let temp = Temp::new(&format!("python-odd-{name}"));
        // Not in `odd`, since mypy takes the names of such types for Python's.
        let files = [odd(), vec![here("python").join("odd/builtin.lcm")]].concat();
        generated(&files, Lang::Python, style, &temp.join("odd"));
        run(script("odd.py").arg(temp.join("odd")).arg(name));
    }
}

#[test]
fn python_packages_are_made_file_by_file() {
    let temp = Temp::new("python-one-by-one");
    let file = |name: &str, text: &str| {
        let path = temp.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let a = file("a.lcm", "package p; struct a_t { int8_t x; } struct b_t { int8_t x; }");
    let c = file("c.lcm", "package p; struct c_t { int8_t x; }");
    let (one, both) = (temp.join("one"), temp.join("both"));
    let init = |dir: &Path| std::fs::read_to_string(dir.join("p/__init__.py")).unwrap();
    for each in [&a, &c, &c] {
        generated(std::slice::from_ref(each), Lang::Python, Style::Modern, &one);
    }
    generated(&[a, c.clone()], Lang::Python, Style::Modern, &both);
    assert_eq!(init(&one), init(&both));
    run(tool("python").args(["-c", "from p import a_t, b_t, c_t; a_t(x=1).encode()"]).current_dir(&one));
    // Removed classes are not imported; nor those that use another runtime module than this run's.
    std::fs::remove_file(one.join("p/a_t.py")).unwrap();
    generated(std::slice::from_ref(&c), Lang::Python, Style::Modern, &one);
    assert!(init(&one).contains("from a.lcm, c.lcm.") && !init(&one).contains("a_t"), "{}", init(&one));
    generated(&[c], Lang::Python, Style::Lcm, &both);
    assert!(init(&both).contains("from c.lcm.") && !init(&both).contains("b_t"), "{}", init(&both));
    // Files of other origin are replaced, as always.
    std::fs::write(one.join("p/__init__.py"), "from .b_t import b_t\n").unwrap();
    generated(&[temp.join("c.lcm")], Lang::Python, Style::Modern, &one);
    assert!(!init(&one).contains("b_t"), "{}", init(&one));
}

#[test]
fn python_is_laid_out_by_black_and_typed_for_mypy() {
    for (style, name) in [(Style::Modern, "modern"), (Style::Lcm, "lcm")] {
        let temp = Temp::new(&format!("python-typed-{name}"));
        let dir = temp.join("code");
        let files: Vec<PathBuf> = covers().into_iter().chain(odd()).collect();
        generated(&files, Lang::Python, style, &dir);
        run(tool("black").args(["--check", "--diff", "--quiet"]).arg(&dir));
        let cache = temp.join("../python-mypy");
        let flags = ["--strict", "--python-version", "3.9", "--cache-dir"];
        run(tool("mypy").args(flags).arg(cache).arg(".").current_dir(&dir));
    }
}

#[test]
fn python_example_runs() {
    let temp = Temp::new("python-example");
    let example = here("").join("../../../examples/types-python");
    generated(&[example.join("scan.lcm")], Lang::Python, Style::Modern, &temp.join("build"));
    let printed = run(tool("python").env("PYTHONPATH", temp.join("build")).arg(example.join("scan.py")));
    assert!(printed.contains("180 ranges of float32, the nearest at 0.5 m"), "{printed}");
    assert!(printed.contains("scan_t.ranges[n]: truncated"), "{printed}");
}
