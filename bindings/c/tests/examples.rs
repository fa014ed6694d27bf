//! The programs in `examples/c` compile without a warning, run, say what they should, and leave nothing behind. (Those over domains
//! are tested with what is installed, in `install.rs`.)

mod support;

use support::*;

#[test]
fn those_over_channels() {
    examples::channels(&Build::plain("examples", &[]));
}

#[test]
fn signal_cancel() {
    examples::signal_cancel(&Build::plain("signal_cancel", &[]));
}

#[test]
fn the_readme_shows_the_program_that_is_tested() {
    let program = std::fs::read_to_string(repository().join("examples/c/hello.c")).expect("hello.c");
    let readme = std::fs::read_to_string(package().join("README.md")).expect("README.md");
    assert!(readme.contains(&format!("```c\n{program}```")), "README.md and examples/c/hello.c differ");
}
