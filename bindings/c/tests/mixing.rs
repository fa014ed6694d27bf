//! A handle of one kind does not compile where another kind is wanted, nor does anything else that is not a handle.

mod support;

use std::path::Path;
use std::process::Command;
use support::*;

/// Every kind of handle.
const KINDS: [&str; 9] = [
    "channel",
    "channel_publisher",
    "channel_subscriber",
    "domain",
    "domain_publisher",
    "domain_subscriber",
    "dispatcher",
    "log",
    "log_writer",
];

/// What the compilers say to a file that has `code`; nothing if they take it.
fn printed(dir: &Path, name: &str, code: &str) -> [String; 2] {
    ["c", "cpp"].map(|language| {
        let file = dir.join(format!("{name}.{language}"));
        std::fs::write(&file, format!("#include <saltus.h>\n{code}\n")).expect("write");
        let (compiler, standard) = if language == "c" { ("cc", "c99") } else { ("c++", "c++17") };
        let mut compile = Command::new(compiler);
        compile.arg(format!("-std={standard}")).args(["-pedantic-errors", "-fsyntax-only", "-I"]);
        let output = output(compile.arg(package().join("include")).arg(&file));
        assert_eq!(output.status.success(), output.stderr.is_empty(), "{}", text(&output.stderr));
        text(&output.stderr)
    })
}

/// That both compilers refuse the code because of a type.
fn refused(dir: &Path, name: &str, code: &str) {
    for printed in printed(dir, name, code) {
        let because =
            ["incompatible type", "incompatible pointer type", "could not convert", "cannot convert"];
        assert!(because.iter().any(|why| printed.contains(why)), "{code}: {printed}");
    }
}

#[test]
fn a_handle_is_taken_for_its_own_kind_alone() {
    let dir = scratch("mixing");
    for given in KINDS {
        for wanted in KINDS {
            let name = format!("{given}-as-{wanted}");
            let code = format!(
                "void mix(saltus_{given} given);\nvoid mix(saltus_{given} given) {{ saltus_{wanted}_close(given); }}"
            );
            if given == wanted {
                assert_eq!(printed(&dir, &name, &code), ["", ""]);
            } else {
                refused(&dir, &name, &code);
            }
        }
    }
}

#[test]
fn an_invalid_handle_is_rejected() {
    let dir = scratch("no-handles");
    for (name, code) in [
        ("null", "void mix(void);\nvoid mix(void) { saltus_channel_close(NULL); }"),
        ("number", "void mix(void);\nvoid mix(void) { saltus_channel_close(7); }"),
        ("id", "void mix(saltus_log log);\nvoid mix(saltus_log log) { saltus_log_close(log.id); }"),
        ("pointer", "void mix(saltus_log *log);\nvoid mix(saltus_log *log) { saltus_log_close(log); }"),
        // Where a handle is to be put, and where there are many.
        ("place", "void mix(saltus_log *log);\nvoid mix(saltus_log *log) { saltus_domain_open(NULL, log); }"),
        (
            "array",
            "void mix(saltus_channel_subscriber *all, size_t *index);\n\
             void mix(saltus_channel_subscriber *all, size_t *index) { saltus_domain_wait_any(all, 1, 0, index); }",
        ),
    ] {
        refused(&dir, name, code);
    }
}
