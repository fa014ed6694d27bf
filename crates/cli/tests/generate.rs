//! gen: generates code for types, and writes only changed files.

mod support;

use std::time::{Duration, SystemTime};

use support::Place;
use support::files::Files;

const POSE: &str = "package robot;\nstruct pose_t { int64_t utime; double pos[3]; }\n";
const PATH: &str = "package robot;\nstruct path_t { int32_t n; pose_t poses[n]; }\n";

const LANGUAGES: [&str; 6] = ["rust", "c", "cpp", "python", "java", "octave"];

#[test]
fn every_language_gets_its_files_and_list_names_them_before() {
    let (place, files) = (Place::new(), Files::new());
    let (pose, path) = (files.write("pose.lcm", POSE), files.write("path.lcm", PATH));
    for lang in LANGUAGES {
        let out = files.at(lang);
        let list = place.run(["gen", "--lang", lang, "--out", &out, "--list", &pose, &path]).with(0);
        assert!(!files.path().join(lang).exists(), "--list writes nothing");
        let names: Vec<&str> = list.text().lines().collect();
        assert!(!names.is_empty(), "{lang}");
        let done = place.run(["gen", "--lang", lang, "--out", &out, "--json", &pose, &path]).with(0).json();
        let made: Vec<&str> = done.iter().map(|line| line["file"].as_str().unwrap()).collect();
        assert_eq!(made, names, "{lang}");
        for name in names {
            let text = std::fs::read_to_string(name).unwrap_or_else(|e| panic!("{lang}: {name}: {e}"));
            assert!(!text.contains(files.path().to_str().unwrap()), "{name} tells where it was made");
        }
    }
}

/// LCM's generator also generates them.
#[test]
fn an_enum_that_no_struct_has_is_made_in_every_language() {
    let (place, files) = (Place::new(), Files::new());
    let mode = files.write("mode.lcm", "package robot;\nenum mode_t { OFF, DRIVE = 5 }\n");
    for lang in LANGUAGES {
        let out = files.at(lang);
        let made = place.run(["gen", "--lang", lang, "--out", &out, "--json", &mode]).with(0).json();
        let texts = made.iter().map(|line| std::fs::read_to_string(line["file"].as_str().unwrap()).unwrap());
        assert!(texts.collect::<String>().contains("DRIVE"), "{lang}: {made:?}");
    }
}

#[test]
fn only_what_changes_is_written() {
    let (place, files) = (Place::new(), Files::new());
    let (pose, out) = (files.write("pose.lcm", POSE), files.at("out"));
    let generate = |more: &[&str]| {
        place.run(["gen", "--lang", "python", "--out", &out, &pose].iter().chain(more).copied()).with(0)
    };
    let dry = generate(&["--dry-run"]);
    assert!(dry.text().contains("created ") && dry.err.contains("would be written"), "{dry:?}");
    assert!(!files.path().join("out").exists(), "a dry run writes nothing");
    let made: Vec<String> =
        generate(&[]).text().lines().map(|l| l.trim_start_matches("created ").to_owned()).collect();
    assert!(!made.is_empty());
    let old = SystemTime::now() - Duration::from_secs(1000);
    for file in &made {
        std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    }
    let again = generate(&[]);
    assert_eq!(again.text(), "", "{again:?}");
    assert!(again.err.contains("unchanged"), "{again:?}");
    for file in &made {
        assert!(
            std::fs::metadata(file).unwrap().modified().unwrap()
                < SystemTime::now() - Duration::from_secs(900)
        );
    }
    files.write("pose.lcm", POSE.replace("double pos[3]", "double pos[4]"));
    let changed = generate(&[]);
    assert!(changed.text().contains("updated ") && !changed.text().contains("created "), "{changed:?}");
    let quiet = generate(&["--quiet"]);
    assert_eq!((quiet.text(), quiet.err.as_str()), ("", ""));
}

#[test]
fn references_are_found_beside_and_with_i_and_are_not_generated_themselves() {
    let (place, files) = (Place::new(), Files::new());
    files.write("pose.lcm", POSE);
    let path = files.write("path.lcm", PATH);
    let alone = files.write("alone/path.lcm", PATH);
    let out = files.at("out");
    let list = |arguments: &[&str]| {
        let line =
            ["gen", "--lang", "python", "--out", &out, "--list"].into_iter().chain(arguments.iter().copied());
        place.run(line)
    };
    let beside = list(&[&path]).with(0);
    assert!(beside.text().contains("path_t") && !beside.text().contains("pose_t"), "{beside:?}");
    let missing = list(&[&alone]).with(1);
    assert!(missing.err.contains("pose_t"), "{missing:?}");
    assert_eq!(list(&[&alone, "-I", files.path().to_str().unwrap()]).with(0).text(), beside.text());
}

#[test]
fn references_that_are_not_generated_are_reported() {
    let (place, files) = (Place::new(), Files::new());
    let pose = files.write("pose.lcm", POSE);
    let path = files.write("path.lcm", PATH);
    for lang in LANGUAGES {
        let out = files.at(lang);
        let generate =
            |file: &str| place.run(["gen", "--quiet", "--lang", lang, "--out", &out, file]).with(0).err;
        let warning = generate(&path);
        assert!(warning.contains("`robot.path_t` has a `robot.pose_t`"), "{lang}: {warning}");
        assert!(warning.contains("name pose.lcm too"), "{lang}: {warning}");
        let both = place.run(["gen", "--quiet", "--lang", lang, "--out", &out, &path, &pose]).with(0);
        assert_eq!(both.err, "", "{lang}");
        // One file at a time, as with LCM's generator. In Rust, the package is one file, which now lacks the other type.
        if lang != "rust" {
            assert_eq!(generate(&path), "", "{lang}");
        }
    }
}

#[test]
fn a_directory_is_all_files_in_it() {
    let (place, files) = (Place::new(), Files::new());
    files.write("types/pose.lcm", POSE);
    files.write("types/deep/path.lcm", PATH);
    let list = place.run(["gen", "--lang", "c", "--list", &files.at("types")]).with(0);
    assert!(list.text().contains("robot_pose_t.h") && list.text().contains("robot_path_t.h"), "{list:?}");
    files.write("none/readme.txt", "");
    place.run(["gen", "--lang", "c", &files.at("none")]).saying(1, "no .lcm file");
}

#[test]
fn features_that_a_language_lacks_are_refused() {
    let (place, files) = (Place::new(), Files::new());
    let pose = files.write("pose.lcm", POSE);
    let generate = |arguments: [&str; 3]| {
        place.run(["gen", "--list", &pose, "--lang"].into_iter().chain(arguments).filter(|a| !a.is_empty()))
    };
    for lang in LANGUAGES {
        let lcm = generate([lang, "--style", "lcm"]);
        match lang {
            "rust" | "octave" => _ = lcm.saying(2, "omit --style lcm"),
            _ => _ = lcm.with(0),
        }
        let plain = generate([lang, "--plain", ""]);
        match lang {
            "rust" | "c" | "cpp" => _ = plain.with(0),
            _ => _ = plain.saying(2, "omit --plain"),
        }
    }
}

/// make, Ninja and CMake read the same rules.
#[test]
fn a_depfile_names_all_type_files_that_were_read() {
    let (place, files) = (Place::new(), Files::new());
    files.write("types and more/pose.lcm", POSE);
    let path = files.write("types and more/path.lcm", PATH);
    let (out, depfile) = (files.at("out"), files.at("rules/path.d"));
    place.run(["gen", "--lang", "c", "--out", &out, "--depfile", &depfile, &path]).with(0);
    let rules = String::from_utf8(files.read("rules/path.d")).unwrap();
    let (targets, sources) = rules.split_once(": ").unwrap();
    for wanted in ["pose.lcm", "path.lcm"] {
        assert!(sources.contains(&format!("types\\ and\\ more/{wanted}")), "{rules}");
    }
    let list = place.run(["gen", "--lang", "c", "--out", &out, "--list", &path]).with(0);
    for file in list.text().lines() {
        assert!(targets.contains(file), "{file}: {rules}");
    }
    let before = std::fs::metadata(&depfile).unwrap().modified().unwrap();
    place.run(["gen", "--lang", "c", "--out", &out, "--depfile", &depfile, &path]).with(0);
    assert_eq!(std::fs::metadata(&depfile).unwrap().modified().unwrap(), before, "it says the same");
}

#[test]
fn errors_in_type_files_are_shown_and_nothing_is_written() {
    let (place, files) = (Place::new(), Files::new());
    let bad = files.write("bad.lcm", "struct bad_t { nonsense_t x; int8_t x; }\n");
    let ended = place.run(["gen", "--lang", "rust", "--out", &files.at("out"), &bad]).with(1);
    assert!(ended.err.contains("nonsense_t") && ended.err.contains("bad.lcm:1"), "{ended:?}");
    assert!(ended.err.ends_with("errors in type files\n"), "{ended:?}");
    assert!(!files.path().join("out").exists());
    place.run(["gen", &bad]).with(2);
    let good = files.write("pose.lcm", POSE);
    files.write("file", "");
    place.run(["gen", "--lang", "rust", "--out", &files.at("file"), &good]).saying(1, "cannot write");
}

#[test]
fn valid_files_are_generated_despite_invalid_ones() {
    let (place, files) = (Place::new(), Files::new());
    files.write("types/pose.lcm", POSE);
    files.write("types/broken.lcm", "package robot;\nstruct broken_t { nosuch_t x; }\n");
    let (types, out) = (files.at("types"), files.at("out"));
    let run =
        |more: &[&str]| place.run(["gen", "--lang", "c", "--out", &out, &types].iter().chain(more).copied());
    run(&[]).with(1);
    assert!(!files.path().join("out").exists(), "nothing is made");
    let ended = run(&["--keep-going"]).with(1);
    assert!(ended.err.contains("nosuch_t") && ended.err.contains("left out 1 file"), "{}", ended.err);
    assert!(ended.text().contains("pose_t") && !ended.text().contains("broken_t"), "{}", ended.text());
    files.write("types/broken.lcm", "package robot;\nstruct broken_t { int8_t x; }\n");
    run(&["--keep-going"]).with(0);
}
