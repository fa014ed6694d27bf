//! `saltus bench`: finding the separate program, and the message if it is missing.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use support::Place;
use support::files::Files;

/// A program that prints its name and arguments.
fn leave(directory: &Path, says: &str) {
    fs::create_dir_all(directory).unwrap();
    let path = directory.join("saltus-bench");
    fs::write(&path, format!("#!/bin/sh\necho {says} \"$@\"\nexit 7\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn it_is_found_next_to_the_command_and_then_on_the_path() {
    let (place, files) = (Place::new(), Files::new());
    let (beside, path) = (files.path().join("bin"), files.path().join("path"));
    fs::create_dir_all(&beside).unwrap();
    let saltus = beside.join("saltus");
    fs::copy(env!("CARGO_BIN_EXE_saltus"), &saltus).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = place.command_of(&saltus, arguments);
        let output = command.env("PATH", &path).output().expect("the command runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    for (words, remedy) in
        [(&["bench"][..], "cargo xtask bench machine"), (&["tunnel", "bench"], "cargo xtask bench tunnel")]
    {
        let (code, _, err) = run(words);
        assert!(code == Some(1) && err.contains("saltus-bench") && err.contains(remedy), "{code:?} {err}");
        let (code, out, _) = run(&[words, &["--help"]].concat());
        assert!(
            code == Some(0) && out.contains("Examples:") && out.contains("saltus-bench"),
            "{code:?} {out}"
        );
    }
    leave(&path, "path");
    assert_eq!(run(&["bench", "--out", "x y"]), (Some(7), "path --out x y\n".into(), String::new()));
    leave(&beside, "beside");
    assert_eq!(run(&["bench", "--help"]), (Some(7), "beside --help\n".into(), String::new()));
    let reported = run(&["tunnel", "bench", "--loss", "10"]);
    assert_eq!(reported, (Some(7), "beside tunnel --loss 10\n".into(), String::new()));
}
