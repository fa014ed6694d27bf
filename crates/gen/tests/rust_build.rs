//! The helper for build scripts.

use saltus_gen::build::{Builder, Error};
use std::fs;
use std::path::PathBuf;

/// A separate directory with these files.
fn dir(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("build-{name}"));
    let _ = fs::remove_dir_all(&dir);
    for (path, text) in files {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

#[test]
fn referenced_types_are_generated_too() {
    let files = [
        ("types/scan_t.lcm", "package robot; struct scan_t { geo.pose_t pose; int32_t n; float ranges[n]; }"),
        ("more/deep/pose_t.lcm", "package geo; struct pose_t { double x[3]; }"),
        ("more/deep/other_t.lcm", "package geo; struct other_t { int8_t x; }"),
    ];
    let dir = dir("refers", &files);
    let builder = Builder::new().file(dir.join("types/scan_t.lcm")).include(dir.join("more"));
    builder.clone().out_dir(dir.join("out")).compile().unwrap();
    let text = |file: &str| fs::read_to_string(dir.join("out").join(file)).unwrap();
    assert!(text("robot.rs").contains("pub pose: super::geo::Pose,"), "{}", text("robot.rs"));
    assert!(text("geo.rs").contains("pub struct Pose {") && !text("geo.rs").contains("Plain"));
    assert!(!text("geo.rs").contains("Other"), "what nobody refers to is left out");

    // Once more, with plain layouts and modules before those of the packages; all files of the directories.
    let builder =
        Builder::new().dir(dir.join("types")).dir(dir.join("more")).plain(true).package_prefix("my");
    builder.out_dir(dir.join("out")).compile().unwrap();
    assert!(text("my/geo.rs").contains("pub struct PosePlain {") && text("my/geo.rs").contains("Other"));
}

#[test]
fn errors_have_the_compilers_format() {
    let dir = dir("wrong", &[("a.lcm", "struct a_t {\n    int32_t x;\n    flot y;\n}\n")]);
    let wrong = Builder::new().file(dir.join("a.lcm")).out_dir(dir.join("out")).compile().unwrap_err();
    let printed = format!("{wrong:?}");
    assert!(
        printed.contains("a.lcm:3:5") && printed.contains("    flot y;") && printed.contains("float"),
        "{printed}"
    );
    assert!(!dir.join("out").exists(), "nothing is written");
}

#[test]
fn no_files_are_an_error() {
    let dir = dir("empty", &[("readme.txt", "")]);
    let nothing = Builder::new().dir(&dir).out_dir(dir.join("out")).compile();
    assert!(matches!(nothing, Err(Error::NoFiles)), "{nothing:?}");
    let missing = Builder::new().dir(dir.join("missing")).out_dir(dir.join("out")).compile();
    assert!(matches!(&missing, Err(Error::Io(e)) if e.to_string().contains("missing")), "{missing:?}");
}
