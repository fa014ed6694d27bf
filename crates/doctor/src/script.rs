//! The remedies as a script, to be reviewed before it is run.

use std::fmt::Write;

use crate::{Check, Finding, State};

/// A shell script of all commands. Other remedies, and the reasons, are comments.
pub fn script<'a>(found: impl IntoIterator<Item = (&'a Check, &'a Finding)>) -> String {
    let mut text = String::from(
        "#!/bin/sh\n# Written by `saltus doctor --fix-script`. Read it before you run it as root: nothing here was done yet.\n\
         # What is written below /proc and /sys lasts until the machine is started again.\n",
    );
    for (check, finding) in found {
        if finding.state == State::Ok || finding.state == State::CannotTell {
            continue;
        }
        let _ = writeln!(text, "\n# {}: {}", check.id, one_line(&finding.found));
        if !finding.fix.words.is_empty() {
            let _ = writeln!(text, "# {}", one_line(&finding.fix.words));
        }
        for command in &finding.fix.commands {
            let _ = writeln!(text, "{command}");
        }
    }
    text
}

/// Removes characters that would end a comment, or control a terminal.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fix;
    use crate::checks::ALL;
    use crate::made::neglected;
    use std::process::{Command, Stdio};

    #[test]
    fn remarks_cannot_become_commands() {
        let found = Finding::warning("a\nrm -rf /", Fix::typed(["true"]).and("b\n\rfalse"));
        let ok = Finding::ok("fine");
        let text = script([(&ALL[0], &found), (&ALL[1], &ok)]);
        let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
        assert_eq!(lines, ["true"]);
        assert!(text.contains(": a rm -rf /\n") && !text.contains("fine"), "{text}");
    }

    #[test]
    fn the_findings_of_all_checks_form_a_valid_shell_script() {
        let machine = neglected();
        let found: Vec<Finding> = ALL.iter().map(|check| check.run(machine.host())).collect();
        for (check, finding) in ALL.iter().zip(&found) {
            assert!(finding.state >= State::Warning, "{}: {finding:?}", check.id);
            assert_ne!(finding.fix, Fix::default(), "{}", check.id);
        }
        let text = script(ALL.iter().zip(&found));
        let remarks = text.lines().filter(|line| line.starts_with("# app: ")).count();
        assert!(remarks == 1 && !text.lines().any(|line| line.starts_with("rm ")), "{text}");
        let read =
            Command::new("sh").args(["-n", "-c", &text]).stdin(Stdio::null()).output().expect("sh runs");
        assert!(read.status.success(), "{}: {text}", String::from_utf8_lossy(&read.stderr));
    }
}
