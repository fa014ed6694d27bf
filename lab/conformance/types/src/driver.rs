//! Runs a driver on messages.

use crate::canonical::{hex, unhex};
use crate::corpus::Corpus;
use crate::tools::Result;
use saltus_types::StructId;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// A program that decodes and encodes messages with generated code of one kind.
#[derive(Clone, Debug)]
pub struct Driver {
    /// What it drives: `C`, `LCM's Python`.
    pub name: String,
    /// Whether the code is LCM's.
    pub is_oracle: bool,
    /// The types that it supports.
    pub types: HashSet<StructId>,
    /// Whether strings may have any bytes, and keep them.
    pub any_bytes: bool,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Environment.
    pub environment: Vec<(String, String)>,
    /// Most memory, in KiB of address space; `None` if it is limited in another way.
    pub address_space: Option<u64>,
    /// Directory of its input and output.
    pub dir: PathBuf,
}

/// A driver's answer for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It accepts it.
    Accepted {
        /// The decoded message, in canonical form.
        json: String,
        /// The message encoded again; `None` if it cannot encode it.
        bytes: Option<Vec<u8>>,
    },
    /// It does not.
    Refused,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Refused => f.write_str("refused"),
            Answer::Accepted { json, bytes: None } => write!(f, "{json}, which cannot be encoded"),
            Answer::Accepted { json, bytes: Some(bytes) } => write!(f, "{json} {}", hex(bytes)),
        }
    }
}

impl Driver {
    /// Its answers for these messages.
    ///
    /// # Errors
    /// A driver that crashes, with the message; or whose output is invalid.
    pub fn ask(&self, corpus: &Corpus, messages: &[(StructId, &[u8])]) -> Result<Vec<Answer>> {
        let lines: Vec<String> = messages
            .iter()
            .map(|(id, bytes)| format!("{} {}\n", corpus.schema.get(*id).name, hex(bytes)))
            .collect();
        let (output, complaint) = self.run(&lines)?;
        let mut answers = Vec::with_capacity(messages.len());
        for (printed, (id, _)) in output.lines().zip(messages) {
            let line = lines[answers.len()].trim_end();
            let answer = read_answer(corpus, *id, printed);
            answers.push(answer.map_err(|why| format!("{}: {why}\nabout: {line}", self.name))?);
        }
        match complaint {
            None if answers.len() == messages.len() => Ok(answers),
            complaint => {
                let line = lines.get(answers.len()).map_or("(the end)", |l| l.trim_end());
                let complaint = complaint.unwrap_or_default();
                Err(format!("{} has crashed: {complaint}\nabout: {line}", self.name))
            }
        }
    }

    /// Its output for these lines; and if it failed, why.
    fn run(&self, lines: &[String]) -> Result<(String, Option<String>)> {
        let reported = |e: std::io::Error| format!("{}: {e}", self.name);
        // Several tests may run it concurrently.
        static ASKED: AtomicU64 = AtomicU64::new(0);
        let number = ASKED.fetch_add(1, Ordering::Relaxed);
        let (from, to) = (self.dir.join(format!("lines{number}")), self.dir.join(format!("answers{number}")));
        std::fs::write(&from, lines.concat()).map_err(reported)?;
        let limit = self.address_space.map(|kib| format!("ulimit -v {kib}; ")).unwrap_or_default();
        // A driver that does not finish is stopped.
        let script = format!("{limit}exec timeout 300 \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).args(&self.command);
        let out = command
            .envs(self.environment.iter().map(|(k, v)| (k, v)))
            .stdin(Stdio::from(File::open(&from).map_err(reported)?))
            .stdout(Stdio::from(File::create(&to).map_err(reported)?))
            .stderr(Stdio::piped())
            .output()
            .map_err(reported)?;
        let answers = std::fs::read_to_string(&to).map_err(reported)?;
        let complaint = (!out.status.success())
            .then(|| format!("{}\n{}", out.status, String::from_utf8_lossy(&out.stderr)));
        Ok((answers, complaint))
    }
}

fn read_answer(corpus: &Corpus, id: StructId, printed: &str) -> Result<Answer> {
    if printed == "error" {
        return Ok(Answer::Refused);
    }
    let (json, bytes) = printed.rsplit_once(' ').ok_or_else(|| format!("it says `{printed}`"))?;
    let bytes = match bytes {
        "-" => None,
        digits => Some(unhex(digits).ok_or_else(|| format!("it says `{printed}`"))?),
    };
    crate::canonical::of_driver(&corpus.schema, id, json).map(|json| Answer::Accepted { json, bytes })
}
