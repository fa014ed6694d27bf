//! Help, man pages and completions: generated from one definition of the options.

mod support;

use std::fs;

use support::Place;

/// The commands in the help, and their subcommands: `echo`, `types`, `types check`.
fn commands(place: &Place) -> Vec<String> {
    let mut all = listed(place, &["--help"]);
    for command in all.clone() {
        all.extend(listed(place, &[&command, "--help"]).iter().map(|inner| format!("{command} {inner}")));
    }
    all
}

fn listed(place: &Place, arguments: &[&str]) -> Vec<String> {
    let help = place.run(arguments).with(0);
    // Commands are listed in groups before the options; subcommands in one group.
    let lists = |l: &&str| !l.starts_with("Options:") && !l.starts_with("Arguments:");
    let is_list = arguments.len() == 1 || help.text().contains("\nCommands:\n");
    let listed = help.text().lines().skip_while(|l| !l.starts_with("Usage:")).skip(1).take_while(lists);
    let names = listed.filter(|_| is_list).filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").map(str::to_owned).collect()
}

/// The command line of a command, with these arguments before and after it.
fn line<'a>(before: &[&'a str], command: &'a str, behind: &[&'a str]) -> Vec<&'a str> {
    before.iter().copied().chain(command.split(' ')).chain(behind.iter().copied()).collect()
}

#[test]
fn every_help_has_examples_of_that_command() {
    let place = Place::new();
    let commands = commands(&place);
    for wanted in [
        "mk",
        "rm",
        "ls",
        "info",
        "chmod",
        "pub",
        "echo",
        "spy",
        "stat",
        "hiccup",
        "bench",
        "doctor",
        "report",
        "types",
        "types check",
        "types show",
        "types diff",
        "gen",
        "import",
        "import carmen",
        "log",
        "log info",
        "log cat",
        "log filter",
        "log cut",
        "log merge",
        "log convert",
        "log repair",
        "log export",
        "bridge",
        "hub",
        "tunnel",
        "tunnel key",
        "tunnel listen",
        "tunnel connect",
        "tunnel bench",
        "completions",
        "man",
    ] {
        assert!(commands.iter().any(|c| c == wanted), "{wanted} is listed: {commands:?}");
    }
    assert_eq!(commands.iter().any(|c| c == "demo"), cfg!(feature = "demo"), "{commands:?}");
    assert!(!commands.iter().any(|c| c == "demo-process"), "hidden: {commands:?}");
    for command in &commands {
        for arguments in
            [line(&[], command, &["--help"]), line(&[], command, &["-h"]), line(&["help"], command, &[])]
        {
            let help = place.run(&arguments).with(0);
            let (_, below) =
                help.text().split_once("Examples:\n").unwrap_or_else(|| panic!("{arguments:?}: {help:?}"));
            assert!(below.contains(&format!("saltus {command}")), "{arguments:?}: {below}");
        }
    }
}

#[test]
fn the_examples_are_command_lines_that_parse() {
    let place = Place::new();
    let mut checked = 0;
    for command in commands(&place) {
        let help = place.run(line(&[], &command, &["--help"])).with(0);
        let (_, below) = help.text().split_once("Examples:\n").unwrap();
        for line in below.lines().take_while(|l| l.starts_with("  ")) {
            // Text after three spaces is a comment; text after a pipe, an arrow or two dashes belongs to another program.
            let line = line.trim().rsplit("| saltus").next().unwrap().trim_start_matches("saltus");
            let line = line.split("   ").next().unwrap().split(['|', '>']).next().unwrap();
            let line = line.split(" -- ").next().unwrap();
            let arguments: Vec<&str> = words(line);
            // With --help at the end, a command line is parsed, but not executed.
            place.run(arguments.iter().copied().chain(["--help"])).with(0);
            checked += 1;
        }
    }
    assert!(checked > 25, "{checked} examples");
}

/// The words of a command line; text in single quotes is one word.
fn words(line: &str) -> Vec<&str> {
    let quoted = line.split('\'').enumerate();
    quoted
        .flat_map(|(n, part)| if n % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

#[test]
fn help_fits_a_terminal_of_100_columns() {
    let place = Place::new();
    for command in commands(&place).iter().map(String::as_str).chain(["--help"]) {
        let helps = [line(&["help"], command, &[]), line(&[], command, &["--help"])].map(|l| place.run(l));
        for line in helps.iter().flat_map(|help| help.text().lines()) {
            assert!(line.chars().count() <= 100, "{command}: {line}");
        }
    }
}

#[test]
fn the_same_option_means_the_same_in_every_help() {
    let place = Place::new();
    let mut meanings = std::collections::BTreeMap::new();
    for command in commands(&place) {
        let help = place.run(line(&[], &command, &["-h"])).with(0);
        let lines: Vec<&str> = help.text().lines().collect();
        for (n, line) in lines.iter().enumerate() {
            for option in [
                "--json",
                "--count <N>",
                "--rate <HZ>",
                "--timeout <TIME>",
                "--domain <URL>",
                "--include <DIR>",
            ] {
                if let Some((_, words)) = line.split_once(option).filter(|(before, _)| before.len() <= 6) {
                    let rest = lines[n + 1..].iter().take_while(|l| l.starts_with("          "));
                    let words: Vec<&str> =
                        words.split_whitespace().chain(rest.flat_map(|l| l.split_whitespace())).collect();
                    let before = meanings.entry(option).or_insert_with(|| words.join(" ")).clone();
                    assert_eq!(before, words.join(" "), "{option} in {command}");
                }
            }
        }
    }
    assert_eq!(meanings.len(), 6, "{meanings:?}");
}

#[test]
fn man_pages_are_generated_for_every_command() {
    let place = Place::new();
    let directory = place.path().join("man1");
    place.run(["man", "--out", directory.to_str().unwrap()]).with(0);
    let mut pages =
        commands(&place).iter().map(|c| format!("saltus-{}.1", c.replace(' ', "-"))).collect::<Vec<_>>();
    pages.push("saltus.1".into());
    pages.sort();
    let mut written: Vec<String> =
        fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    written.sort();
    assert_eq!(written, pages);
    for page in pages {
        let text = fs::read_to_string(directory.join(&page)).unwrap();
        let synopsis = text.split(".SH ").find(|section| section.starts_with("SYNOPSIS")).unwrap_or_default();
        let word = |text: &str| synopsis.contains(text);
        assert!(
            page != "saltus-echo.1" || word(r"[\fB\-n\fR|\fB\-\-count\fR \fIN\fR]") && word(r"[\fINAME\fR]"),
            "{synopsis}"
        );
        assert!(
            page != "saltus-log-cut.1"
                || word(r" \fB\-o\fR|\fB\-\-out\fR \fIFILE\fR") && word(r" \fIFILE\fR"),
            "{synopsis}"
        );
        assert!(text.contains(".SH EXAMPLES") && text.contains(".SH OPTIONS"), "{page}: {text}");
        let command = page.trim_end_matches(".1").strip_prefix("saltus-").map(str::to_owned);
        assert_eq!(place.run(["man".to_owned()].into_iter().chain(command)).with(0).text(), text);
    }
    place.run(["man", "nonsense"]).saying(2, "nonsense");
    place.run(["man", "--out", "/dev/null/x"]).saying(1, "/dev/null/x");
}

#[test]
fn completions_are_generated_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(["completions", shell]).with(0);
        for word in ["newest", "if-missing", "chmod", "depfile", "carmen"] {
            assert!(script.text().contains(word), "{shell} knows {word}");
        }
        assert!(!script.text().contains("demo-process"), "{shell} offers no hidden command");
    }
    place.run(["completions", "dos"]).with(2);
    let script = place.run(["completions", "bash"]).with(0);
    let parsed = std::process::Command::new("bash").args(["-n", "-c", script.text()]).status();
    assert!(parsed.expect("bash runs").success(), "bash can read its completions");
}

#[test]
fn bash_completes_channels_and_evaluates_no_name() {
    let place = Place::new();
    for name in ["imu", "image", "$(kill $$)", "gps", "-e.*"] {
        place.run(["pub", "-q", "--", name, "x"]).with(0);
    }
    let script = place.run(["completions", "bash"]).with(0);
    let complete = |words: &[&str]| {
        let shell = format!(
            "saltus() {{ {} \"$@\"; }}; {}\nCOMP_WORDS=({}); COMP_CWORD={}; _saltus_channels saltus; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            env!("CARGO_BIN_EXE_saltus"),
            script.text(),
            words.join(" "),
            words.len() - 1
        );
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &shell]).env("SALTUS_DOMAIN", place.url()).output().expect("bash runs");
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(complete(&["saltus", "echo", "im"]), "image\nimu\n");
    assert_eq!(complete(&["saltus", "stat", "imu", "''"]), "\\$\\(kill\\ \\$\\$\\)\ngps\nimage\nimu\n");
    assert!(complete(&["saltus", "echo", "--ne"]).contains("--newest"));
    assert!(complete(&["saltus", "ec"]).contains("echo"));
    assert!(!complete(&["saltus", "log", "i"]).contains("imu"));
}

/// The domain in the environment is not shown as a required argument.
#[test]
fn usage_lines_show_what_has_to_be_given() {
    let place = Place::new();
    let ended = place.run(["gen", "x.lcm"]).with(2);
    assert!(ended.err.contains("Usage: ") && !ended.err.contains("--domain"), "{ended:?}");
    let help = place.run(["ls", "--help"]).with(0);
    assert!(help.text().contains("SALTUS_DOMAIN"), "{help:?}");
    place.run(["--domain", "shm://UP/", "ls"]).with(2);
}
