//! Finding failed tests in the output of cargo, pytest and Maven, for the summary at the end: of a long log, often only the end is left.

use crate::group;
use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// The most lines that are kept, and the most characters of each.
const LINES: usize = 20;
const CHARACTERS: usize = 300;
/// How long after a program's end its child processes may hold its output.
const REST: Duration = Duration::from_secs(5);

/// Runs a program to its end and copies its standard output to `to` as it arrives. Returns how it ended, and the failures it reported.
///
/// # Errors
/// It cannot be started.
pub fn watch(
    command: &mut Command,
    mut to: impl Write + Send + 'static,
) -> io::Result<(ExitStatus, Vec<String>)> {
    let mut running = group::spawn(command.stdout(Stdio::piped()))?;
    let mut from = running.child.stdout.take().expect("piped");
    let failures = Arc::new(Mutex::new(Failures::default()));
    let (seen, (ends, end)) = (failures.clone(), mpsc::channel::<()>());
    thread::spawn(move || {
        let (_ends, mut bytes) = (ends, [0; 1 << 16]);
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            let _ = to.write_all(&bytes[..n]).and_then(|()| to.flush()); // perhaps the reader is gone
            seen.lock().unwrap_or_else(PoisonError::into_inner).take(&bytes[..n]);
        }
    });
    let (status, _) = running.wait()?;
    let _ = end.recv_timeout(REST); // it ends with the thread
    let mut failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((status, std::mem::take(&mut *failures).lines()))
}

/// The failures in the complete output of a program.
pub fn of(said: &[u8]) -> Vec<String> {
    let mut failures = Failures::default();
    failures.take(said);
    failures.lines()
}

/// Finds failures in output that arrives in arbitrary pieces.
#[derive(Default)]
struct Failures {
    line: Vec<u8>,
    /// The line before announces that the next one has the reason.
    tells: bool,
    kept: Vec<String>,
    more: usize,
}

impl Failures {
    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = (8 * CHARACTERS).saturating_sub(self.line.len()); // enough to recognize a failure
            let is_whole = piece.ends_with(b"\n");
            let words = &piece[..piece.len() - usize::from(is_whole)];
            self.line.extend_from_slice(&words[..words.len().min(room)]);
            if is_whole {
                let line = std::mem::take(&mut self.line);
                self.look(String::from_utf8_lossy(&line).trim());
            }
        }
    }

    fn look(&mut self, line: &str) {
        let panics = line.contains("panicked at ");
        let names = line.starts_with("---- ") && line.ends_with(" stdout ----");
        let fails = line.starts_with("test ") && line.ends_with("... FAILED")
            || (line.starts_with("FAILED ") || line.starts_with("ERROR ")) && line.contains("::") // pytest's
            || line.starts_with("[ERROR] ") && line.contains("<<< "); // Maven's
        if panics || names || fails || self.tells && !line.is_empty() {
            match self.kept.len() < LINES {
                true => self.kept.push(line.chars().take(CHARACTERS).collect()),
                false => self.more += 1,
            }
            self.tells = panics || names;
        }
    }

    fn lines(mut self) -> Vec<String> {
        self.take(b"\n"); // the last line may have no end
        if self.more > 0 {
            self.kept.push(format!("… and {} lines more", self.more));
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
running 2 tests
test good ... ok
test bad ... FAILED

failures:

---- bad stdout ----

thread 'bad' (7) panicked at src/lib.rs:1:2:
assertion `left == right` failed: why
  left: 1
 right: 2
---- worse stdout ----
Error: \"none\"
FAILED tests/test_a.py::test_b - assert 1 == 2
FAILED to be of use
[ERROR] org.saltus.LogTest.times -- Time elapsed: 0.1 s <<< FAILURE!
[ERROR] Errors:
test result: FAILED. 1 passed; 1 failed
";

    fn sh(script: &str) -> (ExitStatus, Vec<String>) {
        watch(Command::new("sh").args(["-c", script, "sh", SAID]), io::sink()).unwrap()
    }

    #[test]
    fn the_tests_that_failed_are_named_with_the_reason() {
        let (status, lines) = sh("printf %s \"$1\"; exit 3");
        assert_eq!(status.code(), Some(3));
        let expected = [
            "test bad ... FAILED",
            "---- bad stdout ----",
            "thread 'bad' (7) panicked at src/lib.rs:1:2:",
            "assertion `left == right` failed: why",
            "---- worse stdout ----",
            "Error: \"none\"",
            "FAILED tests/test_a.py::test_b - assert 1 == 2",
            "[ERROR] org.saltus.LogTest.times -- Time elapsed: 0.1 s <<< FAILURE!",
        ];
        assert_eq!(lines, expected);
        assert_eq!(of(SAID.as_bytes()), expected);
        let mut bytewise = Failures::default();
        SAID.bytes().for_each(|byte| bytewise.take(&[byte]));
        assert_eq!(bytewise.lines(), expected);
    }

    #[test]
    fn all_is_copied_and_little_is_kept() {
        let (mut read, write) = io::pipe().unwrap();
        let script = "for i in 1 2 3 4 5; do printf %s \"$1\"; done; printf 'panicked at %09999d' 0";
        let reader = thread::spawn(move || io::read_to_string(&mut read).unwrap());
        let (status, lines) = watch(Command::new("sh").args(["-c", script, "sh", SAID]), write).unwrap();
        let copy = reader.join().unwrap();
        assert!(status.success() && copy == SAID.repeat(5) + &format!("panicked at {:09999}", 0));
        assert_eq!((lines.len(), &*lines[LINES]), (LINES + 1, "… and 21 lines more"));
        let (_, lines) = sh("printf 'panicked at %09999d\\n' 0");
        assert_eq!(lines[0].len(), CHARACTERS);
    }
}
