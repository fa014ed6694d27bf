//! The crew: starts, watches, replaces and stops the processes.
//!
//! A process that ended is replaced immediately. A process that is silent for [`SILENCE`] while others send heartbeats is considered
//! frozen, killed and replaced. But one that waits for a CPU is only late, and a new one would be later. A supervisor of Saltus processes
//! has nothing else to do: channels need no cleanup.

use std::collections::HashMap;
use std::io::PipeWriter;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use saltus_channel::clock;

use super::chaos::Disturbance;
use super::ledger::Heard;
use crate::error::{Error, Result};
use crate::sys;
use crate::wire::{EVENTS, WHAT, types};

/// Longest time without a heartbeat. Processes send one every 5 ms.
const SILENCE: Duration = Duration::from_millis(50);
/// Longest time to start. Doubled after each timeout.
const BEGINNING: Duration = Duration::from_millis(200);
/// Longest time that it may wait for a CPU, or be busy without a heartbeat.
const BUSY: Duration = Duration::from_secs(3);
/// When all are silent, at most this much counts between two checks: the supervisor or the machine may have been stopped.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);
/// After this many consecutive unexpected exits, a program is not started again.
const TRIES: u32 = 5;

/// All roles, in the order of their start. Physics is last: the robot begins to fall when the simulation begins.
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

/// The logger's index among them.
pub const LOGGER: usize = 0;

/// What happened to a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Killed by chaos.
    Killed,
    /// Frozen by chaos.
    Frozen,
    /// Silent for too long, for an unknown reason.
    Silent,
    /// Killed, or asked to end, from outside.
    Hit,
    /// Exited unexpectedly.
    Ended(String),
}

/// Something that happened to a process.
#[derive(Clone, Debug)]
pub struct Incident {
    /// Time since the start.
    pub at: Duration,
    /// Its kind.
    pub what: What,
    /// The role.
    pub role: &'static str,
    /// The process ID.
    pub pid: u32,
    /// Time until its successor's first heartbeat.
    pub away: Option<Duration>,
}

impl Incident {
    /// The text on the screen.
    fn event(&self) -> types::Event {
        let what = match &self.what {
            What::Killed => "killed",
            What::Frozen => "frozen",
            What::Silent => "silent",
            What::Hit => "killed from outside",
            What::Ended(how) => how,
        };
        // Cuts at a character boundary.
        let end = (0..=what.len().min(WHAT)).rev().find(|at| what.is_char_boundary(*at)).unwrap_or(0);
        let ns = |time: Duration| time.as_nanos() as i64;
        let (at, away, pid) = (ns(self.at), self.away.map_or(0, ns), self.pid as i32);
        types::Event { at, away, pid, role: self.role.into(), what: what[..end].into() }
    }
}

/// A role, and the process that has it.
pub struct Member {
    /// Its displayed name, such as `wheel left`.
    pub role: &'static str,
    args: Vec<String>,
    child: Option<Child>,
    /// Whether this process has sent a heartbeat.
    heard: bool,
    /// Time of the last heartbeat, or of the start: boot time, ns.
    last: u64,
    /// Observed silence since then.
    silent: Duration,
    beginning: Duration,
    failed: u32,
    /// Incidents since this role's last heartbeat.
    open: Vec<usize>,
    /// Whether the chaos froze it.
    frozen: bool,
    /// Whether it was killed, and has not ended yet.
    dying: bool,
    /// Whether it reported that it has nothing left to do.
    pub done: bool,
}

/// All processes.
pub struct Crew {
    /// In the order of their start.
    pub members: Vec<Member>,
    /// Incidents.
    pub incidents: Vec<Incident>,
    /// A program that cannot be kept running.
    pub given_up: Option<String>,
    domain: String,
    stderr: PipeWriter,
    /// The role of each process ID, past and present.
    roles: HashMap<u32, usize>,
    /// Time of the last heartbeat of any process, boot time, ns.
    newest: u64,
}

impl Crew {
    /// Starts a process for each role. Their standard error goes to the pipe.
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

    /// The state of all of them, for the screen.
    pub fn state(&self) -> Vec<types::Member> {
        self.members.iter().map(Member::state).collect()
    }

    /// The last incidents.
    pub fn events(&self) -> Vec<types::Event> {
        let newest = self.incidents.len().saturating_sub(EVENTS);
        self.incidents[newest..].iter().map(Incident::event).collect()
    }

    /// The past or present role of this process.
    pub fn role_of(&self, pid: u32) -> Option<usize> {
        self.roles.get(&pid).copied()
    }

    /// Handles a heartbeat.
    pub fn heard(&mut self, heard: &Heard, now: Duration) {
        let Some(k) = self.role_of(heard.pid) else { return };
        let m = &mut self.members[k];
        if m.pid() != Some(heard.pid) {
            return; // a heartbeat of a dead process
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

    /// Checks all processes: replaces dead ones, and kills silent ones. `since` is the time since the last check.
    pub fn look(&mut self, now: Duration, since: Duration) -> Result<()> {
        for k in 0..self.members.len() {
            if let Some((pid, status)) = self.members[k].ended()? {
                self.replace(k, pid, status, now)?;
                continue;
            }
            let m = &mut self.members[k];
            m.silent += since.min(CHECK_INTERVAL);
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

    /// The possible victims of an action.
    pub fn candidates(&self) -> Vec<usize> {
        let can = |m: &Member| m.child.is_some() && !m.frozen && !m.dying;
        (0..self.members.len()).filter(|k| can(&self.members[*k])).collect()
    }

    /// Applies an action to one of the candidates.
    pub fn suffer(&mut self, k: usize, deed: Disturbance, now: Duration) {
        match deed {
            Disturbance::Kill => {
                self.note(k, What::Killed, now);
                self.kill(k);
            }
            Disturbance::Freeze => {
                self.note(k, What::Frozen, now);
                self.members[k].frozen = true;
                self.signal(k, libc::SIGSTOP);
            }
        }
    }

    /// Whether all processes are alive and send heartbeats.
    pub fn is_whole(&self) -> bool {
        self.members.iter().all(|m| m.child.is_some() && m.heard && !m.frozen && !m.dying)
    }

    /// Asks some processes to end. Do not call `look` afterwards.
    pub fn ask_to_end(&self, which: impl Fn(&Member) -> bool) {
        for k in (0..self.members.len()).filter(|k| which(&self.members[*k])) {
            self.signal(k, libc::SIGTERM);
        }
    }

    /// Whether these processes have ended. Adds failures to `residue`.
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

    /// Kills the remaining processes, and waits for them. Returns their roles.
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
        // Only the supervisor receives Ctrl-C; it then stops the others in the right order.
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
            // A program that ends without an error was asked to.
            let hit = status.success() || matches!(status.signal(), Some(libc::SIGKILL | libc::SIGTERM));
            let what = if hit { What::Hit } else { What::Ended(status.to_string()) };
            self.note_pid(k, pid, what, now);
            let m = &mut self.members[k];
            m.failed += 1;
            if m.failed == TRIES {
                self.given_up = Some(format!("{} repeatedly exits unexpectedly ({status})", m.role));
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
    /// The process ID, while it is alive.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Its state, for the screen.
    fn state(&self) -> types::Member {
        let state = match self {
            _ if self.frozen => types::Member::FROZEN,
            _ if self.heard && self.child.is_some() => types::Member::RUNNING,
            _ => types::Member::STARTING,
        };
        types::Member { pid: self.pid().unwrap_or(0) as i32, state, role: self.role.into() }
    }

    /// Waits for a process that has ended. Returns its ID and status.
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

/// The command that starts a process of the demo: this executable with other arguments.
pub fn process(domain: &str, args: &[String]) -> Command {
    // The running file, not its name: it may have been rebuilt since the start.
    let mut command = Command::new("/proc/self/exe");
    command.arg("demo-process").args(args);
    command.env("SALTUS_DOMAIN", domain).env(sys::SUPERVISOR, std::process::id().to_string());
    command.stdin(Stdio::null());
    command
}

impl Drop for Crew {
    /// Kills all processes, so that none outlives the supervisor.
    fn drop(&mut self) {
        self.end();
    }
}
