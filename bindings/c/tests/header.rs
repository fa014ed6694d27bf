//! `include/saltus.h` says what the library has, no more and no less, and every compiler takes it.

mod support;

use std::collections::BTreeSet;
use std::process::Command;
use support::*;

/// In the order of the header.
const SOURCES: &[&str] = &[
    "code",
    "types",
    "attributes",
    "channel",
    "publisher",
    "options",
    "subscriber",
    "receive",
    "clock",
    "domain",
    "domain_publisher",
    "domain_message",
    "domain_subscriber",
    "info",
    "dispatcher",
    "log",
    "message",
    "version",
];

/// `SALTUS_UPDATE_HEADER=1` writes the header instead of comparing it.
#[test]
fn header_is_up_to_date() {
    let config = cbindgen::Config::from_file(package().join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        // The message is the domain's own; it stands before what there is for it.
        if *source == "domain_message" {
            builder = builder.with_src(package().join("../../crates/domain/src/raw.rs"));
        }
        builder = builder.with_src(package().join(format!("src/{source}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().expect("a header").write(&mut made);
    let (made, path) = (text(&made), package().join("include/saltus.h"));
    if std::env::var_os("SALTUS_UPDATE_HEADER").is_some() {
        std::fs::write(&path, &made).expect("write the header");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let first = there.lines().zip(made.lines()).position(|(a, b)| a != b);
    assert!(
        there == made,
        "include/saltus.h differs from the sources, first after line {first:?}: regenerate it with \
         `SALTUS_UPDATE_HEADER=1 cargo test -p saltus-c --test header`"
    );
}

/// The functions that the header declares: each name before a parenthesis, outside of comments. Works in a directory of that name.
fn declared(dir: &str) -> BTreeSet<String> {
    let program = "#include <saltus.h>\n";
    let file = scratch(dir).join("declared.c");
    std::fs::write(&file, program).expect("write");
    let plain =
        run(build::compiler(&file).arg("-I").arg(package().join("include")).args(["-E", "-P"]).arg(&file));
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = plain.split('(').filter_map(|part| part.rsplit(|c| !word(c)).next());
    before.filter(|name| name.starts_with("saltus_")).map(String::from).collect()
}

/// The functions that a library gives to programs that link with it.
fn exported(library_file: &str, flag: &str) -> BTreeSet<String> {
    let symbols =
        run(Command::new("nm").args([flag, "--defined-only", "--extern-only"]).arg(library(library_file)));
    let names = symbols.lines().filter_map(|line| line.split_whitespace().nth(2));
    names.map(|name| name.split('@').next().unwrap_or(name).to_string()).collect()
}

#[test]
fn the_library_exports_what_the_header_declares_and_nothing_else() {
    let declared = declared("exported");
    assert!(
        declared.contains("saltus_channel_publish") && declared.contains("saltus_channel_receive"),
        "{declared:?}"
    );
    assert_eq!(exported("libsaltus.so", "-D"), declared);
    let of_archive = exported("libsaltus.a", "-g");
    assert!(declared.is_subset(&of_archive), "missing: {:?}", declared.difference(&of_archive));
}

#[test]
fn every_function_documents_its_cost_and_errors() {
    let header = std::fs::read_to_string(package().join("include/saltus.h")).expect("the header");
    let (mut comment, mut reported) = (String::new(), BTreeSet::new());
    for line in header.lines() {
        if let Some(text) = line.strip_prefix("///") {
            comment += text;
            continue;
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if let Some((before, _)) = line.split_once('(').filter(|_| !line.starts_with(['#', ' ', '/'])) {
            let name = before.rsplit(|c| !word(c)).next().unwrap_or("");
            if name.starts_with("saltus_") {
                let costs = ["Blocks", "llocates", "ernel"].iter().all(|cost| comment.contains(cost));
                assert!(costs || comment.contains("costs: as saltus_channel_create()"), "{name}:{comment}");
                assert!(comment.starts_with(&format!(" {name} ")), "{name} begins its comment: {comment}");
                assert!(
                    !line.starts_with("enum saltus_error ") || comment.contains("Fails: "),
                    "{name}:{comment}"
                );
                reported.insert(name.to_string());
            }
        }
        comment.clear();
    }
    assert_eq!(reported, declared("told"));
}

#[test]
fn names_of_times_end_with_their_unit() {
    let header = std::fs::read_to_string(package().join("include/saltus.h")).expect("the header");
    let is_time = |name: &str| {
        let words = ["timestamp", "time", "arrived", "logged", "age", "created", "now"];
        name.split('_').any(|word| words.contains(&word))
    };
    let mut seen = 0;
    for line in header.lines().map(str::trim) {
        let number = line.strip_prefix("uint64_t ").or(line.strip_prefix("int64_t "));
        // A declaration ends behind the name: of a field, of an argument, or of a function.
        let Some((name, _)) = number.and_then(|rest| rest.split_once([';', ',', '(', ')'])) else { continue };
        if is_time(name) {
            assert!(name.ends_with("_ns") || name.ends_with("_us"), "{line}");
            seen += 1;
        }
    }
    assert!(seen > 9, "{seen} times in the header");
}

#[test]
fn the_header_stands_alone_in_c_and_in_cpp() {
    let dir = scratch("alone");
    for (compiler, standard, file) in [
        ("cc", "c99", "a.c"),
        ("cc", "c11", "b.c"),
        ("cc", "gnu17", "c.c"),
        ("c++", "c++11", "a.cc"),
        ("c++", "c++17", "b.cc"),
        ("c++", "c++20", "c.cc"),
    ] {
        let file = dir.join(file);
        let body = "#include <saltus.h>\n#include <saltus.h>\n\
                    int alone(void);\nint alone(void) { saltus_channel_publisher none = SALTUS_HANDLE_INIT; \
                    return saltus_channel_publish(none, \"x\", 1, 0) == SALTUS_OK \
                    && SALTUS_AFTER(5) != SALTUS_FOREVER; }\n";
        std::fs::write(&file, body).expect("write");
        let warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow"];
        let mut compile = Command::new(compiler);
        compile.arg(format!("-std={standard}")).args(warnings).arg("-I").arg(package().join("include"));
        run(compile.arg("-c").arg(&file).arg("-o").arg(file.with_extension("o")));
    }
}

/// Compiles a program over `saltus.hpp`; returns what the compiler says of errors and warnings.
fn said_of(name: &str, standard: &str, program: &str) -> Vec<String> {
    let file = scratch(name).join("a.cc");
    std::fs::write(&file, format!("#include <saltus.hpp>\n{program}")).expect("write");
    let warnings = [
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wconversion",
        "-Wsign-conversion",
        "-Wshadow",
        "-Wold-style-cast",
    ];
    let mut compile = Command::new("c++");
    compile.arg(format!("-std={standard}")).args(warnings).arg("-I").arg(package().join("include"));
    let output = output(compile.arg("-c").arg(&file).arg("-o").arg(file.with_extension("o")));
    let all = text(&output.stderr);
    let lines = all.lines().filter(|line| line.contains("error: ") || line.contains("warning: "));
    lines.map(String::from).collect()
}

#[test]
fn the_cpp_header_compiles_without_a_warning_in_each_standard() {
    const PROGRAM: &str = "int main() {
    const auto domain = saltus::domain::open();
    if (!domain) { return static_cast<int>(domain.error()); }
    auto subscriber = domain->subscriber(\"imu\").value();
    const auto after = saltus::until(SALTUS_AFTER(5));
    return subscriber.receive(after).has_value() ? 0 : 1;
}
";
    for standard in ["c++17", "c++20"] {
        assert_eq!(said_of(&format!("cpp-{standard}"), standard, PROGRAM), [""; 0], "{standard}");
    }
}

#[test]
fn an_older_standard_gets_one_error_that_names_the_required_one() {
    let printed = said_of("cpp-old", "c++14", "int main() { return saltus::domain::open() ? 0 : 1; }\n");
    assert!(printed[0].contains("#error") && printed[0].contains("-std=c++17"), "{printed:?}");
    // The second ends the compiler.
    assert!(printed.len() == 2 && printed[1].contains("see the error before"), "{printed:?}");
}

#[test]
fn a_class_that_is_not_a_type_gets_one_error_that_names_it() {
    for (name, used) in [
        ("publisher", "auto p = domain.publisher<none>(\"x\").value(); p.publish(none{}).value();"),
        ("subscriber", "auto s = domain.subscriber<none>(\"x\").value(); (void)s.receive(saltus::poll);"),
        (
            "log",
            "auto w = saltus::log_writer::create(\"x\").value(); (void)domain; w.describe<none>().value();",
        ),
    ] {
        let program = format!(
            "struct none {{ int x = 0; }};\nint main() {{ const auto domain = saltus::domain::open().value(); {used} }}\n"
        );
        let printed = said_of(&format!("no-type-{name}"), "c++17", &program);
        assert!(printed.len() == 1 && printed[0].contains("saltus gen --lang cpp"), "{name}: {printed:#?}");
    }
}
