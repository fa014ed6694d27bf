//! The processes: starting, watching, replacing and stopping them.
//!
//! A process that ended is replaced at once. A process that has said nothing for [`SILENCE`] while others spoke is
//! taken for frozen, killed and replaced; but one that waits for a processor is only late, and a new one would be
//! later. That is all a supervisor of Saltus processes has to do: channels need no cleaning.

use std::collections::HashMap;
use std::io::PipeWriter;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use saltus_channel::clock;

use super::chaos::Deed;
use super::ledger::Heard;
use crate::error::{Error, Result};
use crate::sys;
use crate::wire::{EVENTS, WHAT, types};

/// How long a process may be silent; it beats every 5 ms.
const SILENCE: Duration = Duration::from_millis(50);
/// How long it may take to begin. Doubled each time that was not enough.
const BEGINNING: Duration = Duration::from_millis(200);
/// How long it may wait for a processor, or be busy without a word.
const BUSY: Duration = Duration::from_secs(3);
/// When all are silent, at most this much is counted between two looks: a supervisor that was away itself, or a
/// machine that stood still, is nobody's fault.
const LOOK: Duration = Duration::from_millis(5);
/// A program that ends by itself this often, one start after the other, is given up.
const TRIES: u32 = 5;

/// Everybody, in the order they are started. Physics comes last: the robot begins to fall when the world begins.
pub const ROLES: [&str; 10] = [
    "logger",
    "estimator",
    "balance",
    "wheel left",
    "wheel right",
    "arm shoulder",
    "arm elbow",
    "watch",
    "lidar",
    "physics",
];

/// The logger's place among them.
pub const LOGGER: usize = 0;

/// What happened to a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Killed by chaos.
    Killed,
    /// Frozen by chaos.
    Frozen,
    /// Silent for too long, nobody knows why.
    Silent,
    /// Killed, or asked to end, by somebody else.
    Hit,
    /// Ended by itself, which it should not.
    Ended(String),
}

/// Something that happened to a process.
#[derive(Clone, Debug)]
pub struct Incident {
    /// When, since the start.
    pub at: Duration,
    /// What.
    pub what: What,
    /// To which role.
    pub role: &'static str,
    /// Its process id.
    pub pid: u32,
    /// How long it took until its successor beat for the first time.
    pub away: Option<Duration>,
}

impl Incident {
    /// As the screen shows it.
    fn event(&self) -> types::Event {
        let what = match &self.what {
            What::Killed => "killed",
            What::Frozen => "frozen",
            What::Silent => "silent",
            What::Hit => "killed from outside",
            What::Ended(how) => how,
        };
        // Cut where a character begins.
        let end = (0..=what.len().min(WHAT)).rev().find(|at| what.is_char_boundary(*at)).unwrap_or(0);
        let ns = |time: Duration| time.as_nanos() as i64;
        let (at, away, pid) = (ns(self.at), self.away.map_or(0, ns), self.pid as i32);
        types::Event { at, away, pid, role: self.role.into(), what: what[..end].into() }
    }
}

/// A role, and the process that has it.
pub struct Member {
    /// As it is shown: `wheel left`.
    pub role: &'static str,
    args: Vec<String>,
    child: Option<Child>,
    /// Whether this process has beaten.
    heard: bool,
    /// When it last beat, or was started: boot time, ns.
    last: u64,
    /// For how long we have been looking at it in vain since.
    silent: Duration,
    beginning: Duration,
    failed: u32,
    /// Incidents since this role last beat.
    open: Vec<usize>,
    /// Whether we froze it.
    frozen: bool,
    /// Whether we killed it, and it is not gone yet.
    dying: bool,
    /// Whether it says that it has nothing left to do.
    pub done: bool,
}

/// All of them.
pub struct Crew {
    /// In the order they were started.
    pub members: Vec<Member>,
    /// What happened.
    pub incidents: Vec<Incident>,
    /// A program that cannot be kept running.
    pub given_up: Option<String>,
    domain: String,
    stderr: PipeWriter,
    /// Which role a process id has or had.
    roles: HashMap<u32, usize>,
    /// When anybody last beat, boot time, ns.
    newest: u64,
}

impl Crew {
    /// Starts a process for each role. What they say on standard error goes into the pipe.
    pub fn start(roles: &[(&'static str, Vec<String>)], domain: String, stderr: PipeWriter) -> Result<Crew> {
        let members = roles.iter().map(|(role, args)| Member {
            role,
            args: args.clone(),
            child: None,
            heard: false,
            last: 0,
            silent: Duration::ZERO,
            beginning: BEGINNING,
            failed: 0,
            open: Vec::new(),
            frozen: false,
            dying: false,
            done: false,
        });
        let mut crew = Crew {
            members: members.collect(),
            incidents: Vec::new(),
            given_up: None,
            domain,
            stderr,
            roles: HashMap::new(),
            newest: 0,
        };
        for k in 0..crew.members.len() {
            crew.spawn(k)?;
        }
        Ok(crew)
    }

    /// What is told of all of them.
    pub fn state(&self) -> Vec<types::Member> {
        self.members.iter().map(Member::state).collect()
    }

    /// What happened last.
    pub fn events(&self) -> Vec<types::Event> {
        let newest = self.incidents.len().saturating_sub(EVENTS);
        self.incidents[newest..].iter().map(Incident::event).collect()
    }

    /// The role that this process has or had.
    pub fn role_of(&self, pid: u32) -> Option<usize> {
        self.roles.get(&pid).copied()
    }

    /// A process has said that it lives.
    pub fn heard(&mut self, heard: &Heard, now: Duration) {
        let Some(k) = self.role_of(heard.pid) else { return };
        let m = &mut self.members[k];
        if m.pid() != Some(heard.pid) {
            return; // words of a dead process
        }
        self.newest = self.newest.max(heard.timestamp);
        m.last = heard.timestamp;
        m.silent = Duration::ZERO;
        m.done = heard.done;
        if !m.heard {
            m.heard = true;
            (m.beginning, m.failed) = (BEGINNING, 0);
            for incident in m.open.drain(..) {
                let incident = &mut self.incidents[incident];
                incident.away = Some(now.saturating_sub(incident.at));
            }
        }
    }

    /// Looks after all: replaces the dead, and kills the silent. `since` is the time since the last look.
    pub fn look(&mut self, now: Duration, since: Duration) -> Result<()> {
        for k in 0..self.members.len() {
            if let Some((pid, status)) = self.members[k].ended()? {
                self.replace(k, pid, status, now)?;
                continue;
            }
            let m = &mut self.members[k];
            m.silent += since.min(LOOK);
            let silent = m.silent.max(Duration::from_nanos(self.newest.saturating_sub(m.last)));
            if m.dying || silent <= if m.heard { SILENCE } else { m.beginning } {
                continue;
            }
            let waits = m.pid().is_some_and(sys::wants_processor);
            if waits && silent < BUSY {
                continue;
            }
            if !m.heard {
                m.beginning *= 2;
            }
            if !m.frozen {
                self.note(k, What::Silent, now);
            }
            self.kill(k);
        }
        Ok(())
    }

    /// Those to whom something can be done.
    pub fn candidates(&self) -> Vec<usize> {
        let can = |m: &Member| m.child.is_some() && !m.frozen && !m.dying;
        (0..self.members.len()).filter(|k| can(&self.members[*k])).collect()
    }

    /// Does something to one of the candidates.
    pub fn suffer(&mut self, k: usize, deed: Deed, now: Duration) {
        match deed {
            Deed::Kill => {
                self.note(k, What::Killed, now);
                self.kill(k);
            }
            Deed::Freeze => {
                self.note(k, What::Frozen, now);
                self.members[k].frozen = true;
                self.signal(k, libc::SIGSTOP);
            }
        }
    }

    /// Whether everybody lives and is well.
    pub fn is_whole(&self) -> bool {
        self.members.iter().all(|m| m.child.is_some() && m.heard && !m.frozen && !m.dying)
    }

    /// Asks some to end; `look` must not be called any more.
    pub fn ask_to_end(&self, which: impl Fn(&Member) -> bool) {
        for k in (0..self.members.len()).filter(|k| which(&self.members[*k])) {
            self.signal(k, libc::SIGTERM);
        }
    }

    /// Whether some have ended. Those that ended badly are written into `residue`.
    pub fn have_ended(&mut self, which: impl Fn(&Member) -> bool, residue: &mut Vec<String>) -> Result<bool> {
        let mut all = true;
        for m in self.members.iter_mut().filter(|m| which(m)) {
            match m.ended()? {
                Some((_, status)) if !status.success() => {
                    residue.push(format!("{} ended with {status}", m.role))
                }
                Some(_) => {}
                None => all &= m.child.is_none(),
            }
        }
        Ok(all)
    }

    /// Kills what is left and waits for it. Returns whom it had to kill.
    pub fn end(&mut self) -> Vec<&'static str> {
        let mut killed = Vec::new();
        for m in &mut self.members {
            if let Some(mut child) = m.child.take() {
                let _ = child.kill();
                let _ = child.wait();
                killed.push(m.role);
            }
        }
        killed
    }

    fn spawn(&mut self, k: usize) -> Result<()> {
        let m = &mut self.members[k];
        let mut command = process(&self.domain, &m.args);
        let stderr = self.stderr.try_clone().map_err(Error::system("share the pipe for errors"))?;
        command.stdout(Stdio::null()).stderr(stderr);
        // Ctrl-C is for the supervisor alone; it then asks the others, in the right order.
        command.process_group(0);
        let child = command.spawn().map_err(Error::system(format!("start {}", m.role)))?;
        self.roles.insert(child.id(), k);
        m.child = Some(child);
        (m.heard, m.frozen, m.dying, m.done) = (false, false, false, false);
        (m.last, m.silent) = (clock::boottime(), Duration::ZERO);
        Ok(())
    }

    fn replace(&mut self, k: usize, pid: u32, status: ExitStatus, now: Duration) -> Result<()> {
        if !self.members[k].dying {
            // A program that ends in peace was asked to.
            let hit = status.success() || matches!(status.signal(), Some(libc::SIGKILL | libc::SIGTERM));
            let what = if hit { What::Hit } else { What::Ended(status.to_string()) };
            self.note_pid(k, pid, what, now);
            let m = &mut self.members[k];
            m.failed += 1;
            if m.failed == TRIES {
                self.given_up = Some(format!("{} ends by itself again and again ({status})", m.role));
                return Ok(());
            }
        }
        self.spawn(k)
    }

    fn note(&mut self, k: usize, what: What, now: Duration) {
        if let Some(pid) = self.members[k].pid() {
            self.note_pid(k, pid, what, now);
        }
    }

    fn note_pid(&mut self, k: usize, pid: u32, what: What, now: Duration) {
        let m = &mut self.members[k];
        m.open.push(self.incidents.len());
        let role = m.role;
        self.incidents.push(Incident { at: now, what, role, pid, away: None });
    }

    fn kill(&mut self, k: usize) {
        self.members[k].dying = true;
        self.signal(k, libc::SIGKILL);
    }

    fn signal(&self, k: usize, signal: libc::c_int) {
        if let Some(pid) = self.members[k].pid() {
            sys::signal(pid, signal);
        }
    }
}

impl Member {
    /// The process id, while it lives.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// What is told of it.
    fn state(&self) -> types::Member {
        let state = match self {
            _ if self.frozen => types::Member::FROZEN,
            _ if self.heard && self.child.is_some() => types::Member::RUNNING,
            _ => types::Member::STARTING,
        };
        types::Member { pid: self.pid().unwrap_or(0) as i32, state, role: self.role.into() }
    }

    /// Takes leave of a process that has ended: its id, and how.
    fn ended(&mut self) -> Result<Option<(u32, ExitStatus)>> {
        let Some(child) = &mut self.child else { return Ok(None) };
        let status = child.try_wait().map_err(Error::system(format!("wait for {}", self.role)))?;
        let ended = status.map(|status| (child.id(), status));
        if ended.is_some() {
            self.child = None;
        }
        Ok(ended)
    }
}

/// How a process of the demo is started: this same executable, with another task.
pub fn process(domain: &str, args: &[String]) -> Command {
    // The file itself, not its name: it may have been rebuilt since we were started.
    let mut command = Command::new("/proc/self/exe");
    command.arg("demo-process").args(args);
    command.env("SALTUS_DOMAIN", domain).env(sys::SUPERVISOR, std::process::id().to_string());
    command.stdin(Stdio::null());
    command
}

impl Drop for Crew {
    /// Nobody outlives the supervisor.
    fn drop(&mut self) {
        self.end();
    }
}
