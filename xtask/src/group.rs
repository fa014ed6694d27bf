//! Process groups: a step's time limit or Ctrl-C ends a command with all processes that it started in turn. Steps run in parallel, and
//! so do programs within one of them. Each command therefore belongs to the [`Watch`] of the thread that starts it.

use std::cell::RefCell;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

// From the C library, to which the standard library links: four calls need no crate.
unsafe extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
    fn signal(signal: i32, handler: extern "C" fn(i32)) -> usize;
    fn wait4(process: i32, status: *mut i32, options: i32, usage: *mut Usage) -> i32;
    fn _exit(code: i32) -> !;
}

/// `struct rusage` of 64-bit Linux: user time and system time, each in seconds and microseconds; then 14 counters.
#[repr(C)]
#[derive(Default)]
struct Usage {
    user: [i64; 2],
    system: [i64; 2],
    rest: [i64; 14],
}

/// A running group, or none.
struct Slot {
    /// The number of the group; 0: the slot is free.
    group: AtomicI32,
    /// The number of its [`Watch`].
    watch: AtomicU64,
}

/// All running groups. A table and not a list, because a signal handler reads it.
static GROUPS: [Slot; 64] = [const { Slot { group: AtomicI32::new(0), watch: AtomicU64::new(0) } }; 64];
/// Held while a slot is allocated.
static TAKING: Mutex<()> = Mutex::new(());
/// The number of the next watch.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Kills the groups of one watch, or all of them.
fn kill_groups(of: Option<u64>) {
    for slot in &GROUPS {
        let group = slot.group.load(SeqCst);
        if group > 0 && of.is_none_or(|watch| slot.watch.load(SeqCst) == watch) {
            // SAFETY: takes two integers. The group is ours; if it has ended, nothing happens.
            unsafe { kill(-group, SIGKILL) };
        }
    }
}

extern "C" fn end(signal: i32) {
    kill_groups(None);
    // SAFETY: exits immediately, as a signal handler may.
    unsafe { _exit(128 + signal) }
}

/// Adds a group to the table.
fn enter(group: i32, watch: u64) -> io::Result<()> {
    let _taking = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
    leave();
    let free = GROUPS.iter().find(|slot| slot.group.load(SeqCst) == 0);
    let slot = free.ok_or_else(|| io::Error::other("too many commands at the same time"))?;
    slot.watch.store(watch, SeqCst);
    slot.group.store(group, SeqCst);
    Ok(())
}

/// Removes groups without a living process from the table: their numbers will be reused.
fn leave() {
    for slot in &GROUPS {
        let group = slot.group.load(SeqCst);
        // SAFETY: takes two integers, and with 0 sends no signal.
        if group > 0 && unsafe { kill(-group, 0) } != 0 {
            let _ = slot.group.compare_exchange(group, 0, SeqCst, SeqCst);
        }
    }
}

/// The shared state of the commands of one step: their time limit, their cost, and how their output is shown.
pub struct Watch {
    number: u64,
    /// Its time has expired: it starts no more commands.
    over: AtomicBool,
    microseconds: AtomicU64,
    /// What the summary says about it in addition.
    notes: Mutex<Vec<String>>,
    /// Another step runs in parallel: the output of a command is shown whole, when it ends.
    pub whole: bool,
}

thread_local! {
    static CURRENT: RefCell<Arc<Watch>> = RefCell::new(Watch::new(false));
}

impl Watch {
    /// A watch without a limit.
    pub fn new(whole: bool) -> Arc<Watch> {
        let (number, over, microseconds) =
            (NEXT.fetch_add(1, SeqCst), AtomicBool::new(false), AtomicU64::new(0));
        Arc::new(Watch { number, over, microseconds, notes: Mutex::default(), whole })
    }

    /// The watch of this thread.
    pub fn current() -> Arc<Watch> {
        CURRENT.with_borrow(Arc::clone)
    }

    /// Makes this the watch of this thread while `action` runs.
    pub fn during<T>(self: &Arc<Watch>, action: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(self.clone());
        let result = action();
        CURRENT.set(before);
        result
    }

    /// Kills its commands after `limit`, unless the returned value is dropped before.
    pub fn limit(self: &Arc<Watch>, limit: Duration) -> mpsc::Sender<()> {
        let (ends, end) = mpsc::channel::<()>();
        let watch = self.clone();
        thread::spawn(move || {
            if end.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                watch.over.store(true, SeqCst);
                kill_groups(Some(watch.number));
            }
        });
        ends
    }

    /// Whether its time has expired.
    pub fn is_over(&self) -> bool {
        self.over.load(SeqCst)
    }

    /// Adds something to its line in the summary, such as what it could not check.
    pub fn note(&self, text: &str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(text.into());
    }

    /// The notes.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// CPU time of its commands, in seconds. Processes that they left behind are not counted.
    pub fn processor_seconds(&self) -> f64 {
        self.microseconds.load(SeqCst) as f64 / 1e6
    }
}

/// A running command.
pub struct Running {
    /// The process.
    pub child: Child,
    watch: Arc<Watch>,
}

/// Starts a command in a new group, without input.
///
/// # Errors
/// It cannot be started, or the step's time has expired.
pub fn spawn(command: &mut Command) -> io::Result<Running> {
    let watch = Watch::current();
    if watch.is_over() {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "the time of the step is over"));
    }
    for number in [SIGINT, SIGTERM] {
        // SAFETY: the handler only makes system calls.
        unsafe { signal(number, end) };
    }
    let running = Running { child: command.stdin(Stdio::null()).process_group(0).spawn()?, watch };
    let group = running.child.id().cast_signed();
    if let Err(e) = enter(group, running.watch.number) {
        // SAFETY: takes two integers. The group is ours.
        unsafe { kill(-group, SIGKILL) };
        running.wait()?;
        return Err(e);
    }
    if running.watch.is_over() {
        kill_groups(Some(running.watch.number)); // the time expired between the two checks
    }
    Ok(running)
}

impl Running {
    /// Waits for its end. Returns how it ended, and the CPU time of it and of the processes that it waited for, in seconds.
    ///
    /// # Errors
    /// The system reports that the process does not exist.
    pub fn wait(self) -> io::Result<(ExitStatus, f64)> {
        let (mut status, mut usage) = (0, Usage::default());
        // SAFETY: both pointers are valid for the call, and no other code waits for this process.
        while unsafe { wait4(self.child.id().cast_signed(), &mut status, 0, &mut usage) } < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        leave();
        let time = |[seconds, micros]: [i64; 2]| (seconds * 1_000_000 + micros).cast_unsigned();
        let micros = time(usage.user) + time(usage.system);
        self.watch.microseconds.fetch_add(micros, SeqCst);
        Ok((ExitStatus::from_raw(status), micros as f64 / 1e6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::time::Instant;

    fn sh(script: &str) -> io::Result<Running> {
        spawn(Command::new("sh").args(["-c", script]).stdout(Stdio::piped()))
    }

    #[test]
    fn a_step_that_takes_too_long_ends_with_all_that_it_started_and_no_other_step() {
        let (slow, other) = (Watch::new(false), Watch::new(false));
        let (began, limit) = (Instant::now(), slow.limit(Duration::from_millis(300)));
        let beside = other.during(|| sh("read x; sleep 1; exit 7")).expect("a shell");
        // Grandchildren hold the output: its reader waits for their end too. There are two commands at the same time.
        let both = slow.during(|| [(); 2].map(|()| sh("sleep 100 & echo begun; wait").expect("a shell")));
        for mut running in both {
            let mut output = String::new();
            running.child.stdout.take().expect("piped").read_to_string(&mut output).expect("text");
            assert_eq!(output, "begun\n");
            assert!(!running.wait().expect("it ends").0.success() && slow.is_over());
        }
        assert!(began.elapsed() < Duration::from_secs(60));
        assert!(slow.during(|| sh("true")).is_err(), "a step whose time is over starts nothing more");
        drop(limit);
        assert!(!other.is_over());
        assert_eq!(beside.wait().expect("it ends").0.code(), Some(7), "the other step goes on");
    }

    #[test]
    fn a_limit_that_is_dropped_kills_nothing() {
        let watch = Watch::new(false);
        drop(watch.limit(Duration::from_millis(50)));
        let running = watch.during(|| sh("sleep 0.3")).expect("a shell");
        assert!(running.wait().expect("it ends").0.success() && !watch.is_over());
    }

    #[test]
    fn cpu_time_of_a_command_is_counted_for_its_step_only() {
        let (busy, idle) = (Watch::new(false), Watch::new(false));
        let computing =
            busy.during(|| sh("(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done)")).expect("a shell");
        let sleeping = idle.during(|| sh("sleep 0.1")).expect("a shell");
        let (_, seconds) = computing.wait().expect("it ends");
        sleeping.wait().expect("it ends");
        assert!(seconds > 0.05, "{seconds}");
        assert!((busy.processor_seconds() - seconds).abs() < 1e-9);
        assert!(idle.processor_seconds() < seconds / 2.0);
    }
}
