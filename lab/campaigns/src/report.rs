//! Passed and failed checks, counted where the guardian can read them even if a campaign dies.

use crate::shared::Words;
use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::Ordering::Relaxed; // numbers that are read after their writers have ended, or to be printed
use std::time::Instant;

const PASSED: usize = 0;
const FAILED: usize = 1;
const SKIPPED: usize = 2;
/// The present check, as text: the first word is its length.
const NOW: usize = 3;
const WORDS: usize = 64;

/// The error of campaigns and their processes: a sentence.
pub type Failure = Box<dyn std::error::Error>;

/// The results of one campaign.
pub struct Report {
    words: Words,
}

/// Why a check was not run.
#[derive(Debug)]
pub struct Skip(String);

impl Skip {
    /// A failure that counts as skipped.
    pub fn because(why: impl Into<String>) -> Failure {
        Box::new(Skip(why.into()))
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Skip {}

impl Report {
    pub fn new() -> io::Result<Report> {
        Ok(Report { words: Words::new(WORDS)? })
    }

    /// Runs a check and prints one line: its finding, its failure, or why it was skipped.
    pub fn check(&self, name: &str, check: impl FnOnce() -> Result<String, Failure>) {
        self.now(name);
        let start = Instant::now();
        let result = check();
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(found) => self.line(PASSED, "ok  ", &format!("{name}: {found} ({seconds:.1} s)")),
            Err(why) if why.is::<Skip>() => self.line(SKIPPED, "skip", &format!("{name}: {why}")),
            Err(why) => self.fail(&format!("{name}: {why}")),
        }
    }

    /// Counts and prints a failure.
    pub fn fail(&self, text: &str) {
        self.line(FAILED, "FAIL", text);
    }

    fn line(&self, count: usize, mark: &str, text: &str) {
        self.words[count].fetch_add(1, Relaxed);
        say(&format!("  {mark} {text}"));
    }

    /// Records the present check, in case it never ends.
    pub fn now(&self, text: &str) {
        let bytes = &text.as_bytes()[..text.len().min((WORDS - NOW - 1) * 8)];
        for (i, chunk) in bytes.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.words[NOW + 1 + i].store(u64::from_le_bytes(word), Relaxed);
        }
        self.words[NOW].store(bytes.len() as u64, Relaxed);
    }

    /// The last recorded check.
    pub fn last(&self) -> String {
        let len = (self.words[NOW].load(Relaxed) as usize).min((WORDS - NOW - 1) * 8);
        let bytes: Vec<u8> =
            self.words[NOW + 1..].iter().flat_map(|w| w.load(Relaxed).to_le_bytes()).collect();
        String::from_utf8_lossy(&bytes[..len]).into_owned()
    }

    /// Passed, failed, skipped.
    pub fn counts(&self) -> [u64; 3] {
        [PASSED, FAILED, SKIPPED].map(|i| self.words[i].load(Relaxed))
    }
}

/// Prints a figure that `cargo xtask` adds to the record of a campaign.
pub fn figure(name: &str, number: u64) {
    say(&format!("  figure {name}: {number}"));
}

/// Prints a line. A closed output must not prevent cleaning up.
pub fn say(line: &str) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}
