//! types check, show and diff.

mod support;

use std::io::Read;

use support::files::Files;
use support::terminal::pty;
use support::{Place, Running};

const POSE: &str = "package robot;\n\n// Where the robot is.\nstruct pose_t {\n    int64_t utime;\n    // Metres.\n    \
                    double pos[3];\n    const int8_t N = 4;\n    float legs[N];\n    boolean ok;\n}\n";

const PATH: &str = "package robot;\nstruct path_t { string name; int32_t n; pose_t poses[n]; }\n";

#[test]
fn errors_have_colors_on_a_terminal_unless_the_environment_forbids_them() {
    let (place, files) = (Place::new(), Files::new());
    let bad = files.write("a.lcm", "struct a_t { nonsense_t y; }\n");
    let printed = |(name, value): (&str, &str)| {
        let (mut master, terminal) = pty(24, 80);
        let mut command = place.command(["types", "check", &bad]);
        command.env("TERM", "xterm").env_remove("NO_COLOR").env(name, value).stdout(terminal);
        Running::start(&mut command).ended().with(1);
        drop(command);
        let mut text = Vec::new();
        let _ = master.read_to_end(&mut text); // ends with EIO
        String::from_utf8(text).expect("text")
    };
    for (variable, colored) in
        [(("NO_COLOR", ""), true), (("NO_COLOR", "1"), false), (("TERM", "dumb"), false)]
    {
        let text = printed(variable);
        assert!(text.contains("nonsense_t") && text.contains('\x1b') == colored, "{variable:?}: {text:?}");
    }
}

#[test]
fn check_reports_all_errors_of_all_files() {
    let (place, files) = (Place::new(), Files::new());
    files.write("a.lcm", "struct a_t { int8_t x; nonsense_t y; }\n");
    files.write("deep/b.lcm", "struct b_t { int8_t x; int8_t x; }\n");
    files.write("deep/good.lcm", "struct good_t { int8_t x; }\n");
    files.write("not-a-type.txt", "nonsense");
    let ended =
        place.run(["types", "check", files.path().to_str().unwrap()]).saying(1, "2 errors in 3 files");
    for wanted in ["a.lcm:1", "nonsense_t", "b.lcm:1", "`x`"] {
        assert!(ended.text().contains(wanted), "{wanted}: {}", ended.text());
    }
    let json = place.run(["types", "check", &files.at("a.lcm"), &files.at("deep"), "--json"]).with(1).json();
    assert_eq!(json.len(), 2, "{json:?}");
    assert!(json.iter().all(|line| line["severity"] == "error" && line["line"] == 1), "{json:?}");
    assert_eq!(json[0]["column"], 24, "{json:?}");
    assert!(json[0]["file"].as_str().is_some_and(|file| file.ends_with("a.lcm")), "{json:?}");
}

#[test]
fn check_exits_with_0_for_an_intact_log() {
    let (place, files) = (Place::new(), Files::new());
    let pose = files.write("pose.lcm", POSE);
    files.write("path.lcm", PATH);
    place.run(["types", "check", files.path().to_str().unwrap()]).saying(0, "2 types in 2 files, no errors");
    let quiet = place.run(["types", "check", "--quiet", &pose]).with(0);
    assert_eq!((quiet.text(), quiet.err.as_str()), ("", ""));
    // Referenced types are searched for next to the file, and with -I.
    place.run(["types", "check", &files.at("path.lcm")]).with(0);
    let alone = files.write("alone/path.lcm", PATH);
    place.run(["types", "check", &alone]).saying(1, "1 error");
    place.run(["types", "check", &alone, "-I", files.path().to_str().unwrap()]).with(0);
}

#[test]
fn check_reports_unreadable_parts() {
    let (place, files) = (Place::new(), Files::new());
    let missing = place.run(["types", "check", &files.at("missing.lcm")]).saying(1, "missing.lcm");
    assert!(missing.err.contains("no such file or directory"), "{missing:?}");
    place.run(["types", "check", files.path().to_str().unwrap()]).saying(1, "no .lcm file");
    let odd = files.write("odd.lcm", b"struct \x1b[31m_t { int8_t x }\xff");
    let ended = place.run(["types", "check", &odd]).with(1);
    assert!(!ended.text().chars().any(|c| c.is_control() && c != '\n'), "{ended:?}");
}

#[test]
fn show_prints_all_facts_about_a_type() {
    let (place, files) = (Place::new(), Files::new());
    let pose = files.write("pose.lcm", POSE);
    let shown = place.run(["types", "show", "pose_t", &pose]).with(0);
    for wanted in
        ["robot.pose_t", "Where the robot is.", "pos[3]", "// Metres.", "legs[N]", "N = 4", "pose.lcm:4"]
    {
        assert!(shown.text().contains(wanted), "{wanted}: {}", shown.text());
    }
    let json = &place.run(["types", "show", "robot.pose_t", &pose, "--json"]).with(0).json()[0];
    assert_eq!(json["name"], "robot.pose_t");
    assert_eq!((&json["min_size"], &json["fixed"]), (&57.into(), &true.into()));
    assert_eq!(json["plain"]["size"], 56);
    assert_eq!(json["fields"][1]["doc"], "Metres.");
    assert_eq!(json["fields"][2]["dims"][0]["size"], 4);
    assert_eq!(json["fields"][2]["dims"][0]["constant"], "N");
    assert_eq!(json["consts"][0]["value"], "4");
    assert_eq!(json["fingerprint"].as_str().map(str::len), Some(16));
    let here = &place
        .run([
            "types",
            "show",
            "simple_t",
            "--json",
            &files.write("simple.lcm", "struct simple_t { int64_t utime; double degCelsius; }"),
        ])
        .with(0)
        .json()[0];
    assert_eq!(
        (&here["base_hash"], &here["fingerprint"]),
        (&"503fd1eb265f5375".into(), &"a07fa3d64cbea6ea".into())
    );
}

/// Enums of the old language are types too.
#[test]
fn enums_are_counted_and_shown() {
    let (place, files) = (Place::new(), Files::new());
    let mode = files.write(
        "mode.lcm",
        "package robot;\n// What it does.\nenum mode_t { OFF, DRIVE = 5, // on wheels\n HOLD }",
    );
    place.run(["types", "check", &mode]).saying(0, "1 type in 1 file, no errors");
    for name in ["mode_t", "robot.mode_t"] {
        let shown = place.run(["types", "show", name, &mode]).with(0);
        for wanted in [
            "robot.mode_t",
            "What it does.",
            "mode.lcm:3",
            "int32_t",
            "OFF",
            "= 1",
            "DRIVE",
            "// on wheels",
            "= 6",
        ] {
            assert!(shown.text().contains(wanted), "{wanted}: {}", shown.text());
        }
    }
    let json = &place.run(["types", "show", "mode_t", &mode, "--json"]).with(0).json()[0];
    assert_eq!((&json["values"][1]["name"], &json["values"][1]["value"]), (&"DRIVE".into(), &5.into()));
    let lcm = place.run(["types", "show", "mode_t", &mode, "--lcm"]).with(0);
    let copy = files.write("copy.lcm", lcm.text());
    let again = &place.run(["types", "show", "robot.mode_t", &copy, "--json"]).with(0).json()[0];
    assert_eq!((&again["values"], &again["doc"]), (&json["values"], &json["doc"]));
}

#[test]
fn show_finds_types_in_directories_and_reports_missing_ones() {
    let (place, files) = (Place::new(), Files::new());
    files.write("types/pose.lcm", POSE);
    files.write("types/path.lcm", PATH);
    let types = files.at("types");
    let json = &place.run(["types", "show", "path_t", "-I", &types, "--json"]).with(0).json()[0];
    assert_eq!(json["fields"][2]["type"], "robot.pose_t");
    assert_eq!(json["fields"][2]["dims"][0]["field"], "n");
    assert!(json["plain"].is_null());
    let words = place.run(["types", "show", "path_t", "-I", &types]).with(0);
    assert!(words.text().contains("`name` has no fixed size"), "{words:?}");
    let ended = place.run(["types", "show", "robot.pos_t", "-I", &types]).with(1);
    assert!(ended.err.contains("did you mean `robot.pose_t`"), "{ended:?}");
    place.run(["types", "show", "pose_t"]).saying(2, "-I");
}

/// Output in the type language is a valid type file with the same types.
#[test]
fn show_prints_an_equivalent_type_file() {
    let (place, files) = (Place::new(), Files::new());
    files.write("types/pose.lcm", POSE);
    files.write("types/path.lcm", PATH);
    let lcm = place.run(["types", "show", "path_t", "-I", &files.at("types"), "--lcm"]).with(0);
    let copy = files.write("copy.lcm", lcm.text());
    let of = |arguments: &[&str]| {
        let line = ["types", "show", "path_t", "--json"].into_iter().chain(arguments.iter().copied());
        place.run(line).with(0).json()[0]["fingerprint"].clone()
    };
    assert_eq!(of(&[&copy]), of(&["-I", &files.at("types")]));
}

#[test]
fn diff_shows_the_change_of_each_field() {
    let (place, files) = (Place::new(), Files::new());
    let old = files.write("old.lcm", "struct pose_t { int64_t utime; double x; double y; float heading; }");
    let new = files.write("new.lcm", "struct pose_t { int64_t utime; double x; float y; double z; }");
    let ended = place.run(["types", "diff", &old, &new]).with(6);
    for wanted in ["`y`", "`z`"] {
        assert!(ended.text().contains(wanted), "{wanted}: {}", ended.text());
    }
    let same = place.run(["types", "diff", &old, &format!("{old}:pose_t")]).with(0);
    assert!(same.text().contains("same"), "{same:?}");
    let lines = place.run(["types", "diff", &old, &new, "--json"]).with(6).json();
    assert!(!lines.is_empty());
    place.run(["types", "diff", &old, "pose_t"]).saying(2, "-I");
    let two = files.write("two.lcm", "struct a_t { int8_t x; } struct b_t { int8_t x; }");
    place.run(["types", "diff", &two, &format!("{old}:pose_t")]).saying(2, "a_t, b_t");
    place.run(["types", "diff", &format!("{two}:a_t"), &format!("{two}:b_t")]).with(0);
    files.write("dir/pose.lcm", "struct pose_t { int64_t utime; double x; float y; double z; }");
    place.run(["types", "diff", &new, "pose_t", "-I", &files.at("dir")]).with(0);
}

#[test]
fn diff_compares_all_types_of_two_files() {
    let (place, files) = (Place::new(), Files::new());
    let old =
        files.write("old.lcm", "struct a_t { int8_t x; } struct b_t { int8_t x; } struct c_t { int8_t x; }");
    let new =
        files.write("new.lcm", "struct d_t { int8_t x; } struct b_t { int8_t x; } struct a_t { int16_t x; }");
    let ended = place.run(["types", "diff", &old, &new]).with(6);
    let lines: Vec<&str> = ended.text().lines().collect();
    assert!(lines[0].starts_with("a_t: fingerprint "), "{lines:?}");
    assert_eq!(lines[1], "  field `x` was int8_t and is now int16_t");
    assert!(lines[2].starts_with("b_t: the same: "), "{lines:?}");
    assert_eq!(lines[3..], ["c_t was removed", "d_t was added"]);
    let json = place.run(["types", "diff", &old, &new, "--json"]).with(6).json();
    let reported: Vec<(&str, &str)> =
        json.iter().map(|l| (l["type"].as_str().unwrap(), l["change"].as_str().unwrap())).collect();
    assert_eq!(reported, [("a_t", "retyped"), ("c_t", "removed"), ("d_t", "added")]);
    place.run(["types", "diff", &old, &old]).with(0);
    let one = files.write("one.lcm", "struct a_t { int8_t x; }");
    place.run(["types", "diff", &old, &one]).saying(6, "");
}
