//! A program that runs with more rights than its caller does not trust the caller's environment.

use saltus_os::process;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::Command;

const NAME: &str = "SALTUS_TEST_OF_PRIVILEGES";

/// Another user, who owns the copy of this program.
const OTHER: u32 = 60001;

/// A copy of this program, removed at the end.
struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0); // the test has failed already if it is not there
    }
}

/// What the copy finds in its environment.
fn found(copy: &Copy) -> String {
    let mut child = Command::new(&copy.0);
    let out =
        child.args(["child", "--exact", "--ignored", "--nocapture"]).env(NAME, "given").output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let said = String::from_utf8(out.stdout).unwrap();
    said.lines().find_map(|line| line.split_once("found: ")).expect("a line of the child").1.to_string()
}

#[test]
fn the_callers_variables_mean_nothing_to_a_program_with_more_rights() {
    if process::user() != 0 {
        eprintln!("NOT RUN: only root can give a program to another user");
        return;
    }
    let here = std::env::current_exe().unwrap();
    let copy = Copy(here.with_file_name(format!("privileged-{}", std::process::id())));
    fs::copy(&here, &copy.0).unwrap();
    chown(&copy.0, Some(OTHER), Some(OTHER)).unwrap();
    for (mode, expected) in [(0o755, "Some(\"given\")"), (0o4755, "None"), (0o2755, "None")] {
        fs::set_permissions(&copy.0, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(found(&copy), expected, "mode {mode:o}");
    }
}

#[test]
#[ignore = "the test above starts it"]
fn child() {
    println!("found: {:?}", process::variable(NAME));
}
