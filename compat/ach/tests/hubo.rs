//! A robot like Hubo: nine programs of Ach on nine channels, killed and stopped at random. See `examples/hubo/robot.c`.

mod support;

use std::path::Path;
use std::process::{Command, Output};
use support::*;

fn robot(name: &str, arguments: &[&str]) -> Output {
    let sources = ["examples/hubo/robot.c", "examples/hubo/programs.c"];
    let (program, domain) = (compile_all(&scratch(name), &sources, Build::Plain), TestDomain::new());
    let tools = Path::new(env!("CARGO_BIN_EXE_ach")).parent().unwrap();
    let mut command = Command::new(program);
    command.args(arguments).env("SALTUS_DOMAIN", domain.url());
    command.env("PATH", format!("{}:{}", tools.display(), std::env::var("PATH").unwrap()));
    let output = output(&mut command);
    assert_eq!(domain.entries(), [""; 0], "it left something");
    output
}

#[test]
fn a_robot_of_programs_of_ach_walks_while_they_are_killed() {
    let output = robot("hubo-walks", &["12", "4711"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.ends_with("verdict: the robot walked\n"), "{out}{err}");
    let kills: u32 = out.split(' ').next().unwrap().parse().unwrap();
    assert!(kills > 20, "{out}");
}

/// With another order of events each time.
#[test]
#[ignore = "a minute: `cargo xtask test --all` runs it"]
fn it_walks_for_a_minute() {
    let seed = std::process::id().to_string();
    let output = robot("hubo-minute", &["60", &seed]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success() && out.ends_with("verdict: the robot walked\n"),
        "seed {seed}: {out}{err}"
    );
}

#[test]
fn the_verdict_can_be_that_the_robot_fell() {
    for (without, why) in [
        ("daemon", "the daemon does not run"),
        ("walker", "it does not walk"),
        ("console", "the boards do not answer"),
    ] {
        let output = robot(&format!("hubo-{without}"), &["3", "1", without]);
        let out = text(&output.stdout);
        assert!(out.ends_with(&format!("verdict: it fell: {why}\n")), "{out}{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(1));
    }
}
