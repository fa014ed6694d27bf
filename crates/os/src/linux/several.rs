//! Sleeping on several words at once.
//!
//! Linux 5.16 and later do it in one system call (`futex_waitv`). Where the call is missing, or a sandbox forbids it, the thread sleeps on
//! the first word itself, and a helper thread sleeps on each other word for it:
//!
//! ```text
//! thread       sleeps on words[0] as `FIRST` <---- wakes `FIRST` until `turn` is another ----+
//! helper of 1  sleeps on words[1] as `HELPER`; when that is woken or has another value: -----+
//! helper of 2  sleeps on words[2] as `HELPER`; the same -------------------------------------+
//! ```
//!
//! A helper keeps its word between waits: most waits only tell it the number of the new wait, under a lock that nobody else wants. It ends
//! with its thread, within 100 ms, or after it was of no use for a second. A wake that reaches a helper whose thread does not wait is passed on to
//! another thread that waits for the same word, so that a helper that stays behind takes no wake from others.
//!
//! The first waits of a thread start its helpers, which inherit its scheduling priority. If none can be started, and in a signal handler
//! that interrupted a wait, the thread checks every 2 ms.

use super::Time64;
use crate::futex::{self, End, Kind, Woken, Word, errno};
use crate::{clock, fork, process};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The most words that one [`wait`] can sleep on.
pub const MOST_WORDS: usize = 128;

/// How long a helper sleeps until it checks whether its thread still waits, in ns.
const CHECK: u64 = 100_000_000;
/// How long a helper without a word stays, in ns.
const IDLE: u64 = 1_000_000_000;

/// Sleeps while all `words` have their values. At most [`MOST_WORDS`]. Blocks. Allocates only where the kernel lacks `futex_waitv`, when it
/// starts a thread.
///
/// # Safety
///
/// The address of each word must be mapped and readable for four bytes, and aligned.
pub unsafe fn wait(words: &[Word], deadline: u64) -> Woken {
    static REFUSED: AtomicBool = AtomicBool::new(false);
    assert!(!words.is_empty() && words.len() <= MOST_WORDS, "from 1 to {MOST_WORDS} words");
    if words.len() == 1 {
        // SAFETY: the caller's promise.
        return unsafe { futex::wait(words[0], deadline) };
    }
    // Relaxed: only caches the kernel's answer.
    if !REFUSED.load(Relaxed) {
        // SAFETY: the caller's promise. A short table is cheaper to fill.
        let answer = unsafe {
            if words.len() <= 4 { waitv::<4>(words, deadline) } else { waitv::<MOST_WORDS>(words, deadline) }
        };
        match answer {
            Some(woken) => return woken,
            None => REFUSED.store(true, Relaxed),
        }
    }
    // SAFETY: the caller's promise.
    unsafe { wait_with_helpers(words, deadline) }
}

/// The system call. `None`: it does not exist or is forbidden.
///
/// # Safety
///
/// The address of each word must be mapped and readable for four bytes, and aligned.
unsafe fn waitv<const N: usize>(words: &[Word], deadline: u64) -> Option<Woken> {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Waiter {
        value: u64,
        at: u64,
        flags: u32,
        reserved: u32,
    }
    const FUTEX_32: u32 = 2;
    let mut waiters = [Waiter { value: 0, at: 0, flags: 0, reserved: 0 }; N];
    for (waiter, word) in waiters.iter_mut().zip(words) {
        let private = if word.shared { 0 } else { libc::FUTEX_PRIVATE_FLAG as u32 };
        *waiter =
            Waiter { value: word.value.into(), at: word.at as u64, flags: FUTEX_32 | private, reserved: 0 };
    }
    let (time, clock) = (Time64::new(deadline), libc::CLOCK_MONOTONIC);
    // SAFETY: the waiters and the time live across the call; the caller vouches for the words.
    let result =
        unsafe { libc::syscall(libc::SYS_futex_waitv, waiters.as_ptr(), words.len(), 0, &time, clock) };
    match errno() {
        _ if result >= 0 => Some(Woken::Look),
        libc::ETIMEDOUT => Some(Woken::TimedOut),
        libc::ENOSYS | libc::EPERM => None,
        _ => Some(Woken::Look),
    }
}

/// Sleeps on the first word, with helpers for the others.
///
/// # Safety
///
/// The address of each word must be mapped and readable for four bytes, and aligned.
unsafe fn wait_with_helpers(words: &[Word], deadline: u64) -> Woken {
    thread_local! {
        static SQUAD: RefCell<Option<Squad>> = const { RefCell::new(None) };
    }
    let waited = SQUAD.try_with(|squad| {
        let mut squad = squad.try_borrow_mut().ok()?; // not in a signal handler within a wait
        if squad.as_ref().is_some_and(|squad| squad.process != fork::generation()) {
            std::mem::forget(squad.take()); // its threads are the parent's
        }
        // SAFETY: the caller's promise.
        unsafe { squad.get_or_insert_with(Squad::new).wait(words, deadline) }
    });
    // Also when the thread is ending, and its squad has ended.
    waited.ok().flatten().unwrap_or_else(|| {
        let soon = clock::monotonic().saturating_add(2_000_000);
        // SAFETY: the caller's promise.
        match unsafe { futex::wait(words[0], soon.min(deadline)) } {
            Woken::TimedOut if soon < deadline => Woken::Look,
            other => other,
        }
    })
}

/// The helpers of a thread.
struct Squad {
    team: Arc<Team>,
    helpers: Vec<(Arc<Helper>, JoinHandle<()>)>,
    /// The number of waits so far.
    waits: u64,
    /// The process that the threads are of.
    process: u64,
}

/// What a thread and its helpers share. Relaxed: the lock of a task orders the start of a wait, and a stale value afterwards costs
/// a helper one more look.
#[derive(Default)]
struct Team {
    /// The wait in progress; 0 between waits.
    turn: AtomicU64,
    /// The wait that a helper has ended, for a thread that is about to sleep.
    ended: AtomicU64,
}

#[derive(Default)]
struct Helper {
    task: Mutex<Task>,
    /// It has a word, or is dismissed.
    posted: Condvar,
}

#[derive(Default)]
struct Task {
    /// What to sleep on. None: the helper is idle.
    word: Option<Word>,
    /// What it sleeps on, or is about to. It differs from `word` if the word has got another value since.
    asleep: Option<Word>,
    /// The wait that it sleeps for, and the word on which the thread sleeps then.
    turn: u64,
    first: Option<Word>,
    dismissed: bool,
    /// The thread has ended.
    gone: bool,
}

impl Helper {
    fn task(&self) -> MutexGuard<'_, Task> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner) // nothing in here panics halfway
    }
}

impl Squad {
    fn new() -> Squad {
        Squad { team: Arc::default(), helpers: Vec::new(), waits: 0, process: fork::generation() }
    }

    /// `None`: it has not slept, because a helper cannot be started.
    ///
    /// # Safety
    ///
    /// The address of each word must be mapped and readable for four bytes, and aligned.
    unsafe fn wait(&mut self, words: &[Word], deadline: u64) -> Option<Woken> {
        self.waits += 1;
        let (first, turn) = (words[0], self.waits);
        self.team.turn.store(turn, Relaxed);
        let posted = words[1..].iter().enumerate().all(|(i, word)| self.post(i, *word, first, turn));
        let woken = posted.then(|| {
            if self.team.ended.load(Relaxed) == turn {
                return Woken::Look;
            }
            // SAFETY: the caller's promise.
            match unsafe { futex::sleep(first, deadline, Kind::FIRST) } {
                End::TimedOut => Woken::TimedOut,
                End::Woken | End::Other => Woken::Look,
            }
        });
        self.team.turn.store(0, Relaxed);
        woken
    }

    /// Lets a helper sleep on `word`: the one that has its address, an idle one or a new one. `false`: none can be started.
    fn post(&mut self, i: usize, word: Word, first: Word, turn: u64) -> bool {
        let has = |helper: &Helper| helper.task().word.is_some_and(|other| other.at == word.at);
        let found = match self.helpers.get(i) {
            Some((helper, _)) if has(helper) => Some(i),
            _ => self.helpers.iter().position(|(helper, _)| has(helper)),
        };
        let found = found.or_else(|| {
            self.helpers.retain(|(helper, _)| !helper.task().gone);
            self.helpers.iter().position(|(helper, _)| helper.task().word.is_none())
        });
        let Some(found) = found.or_else(|| self.start()) else { return false };
        let helper = &self.helpers[found].0;
        let mut task = helper.task();
        if task.gone {
            drop(task); // since it was found idle
            return self.post(i, word, first, turn);
        }
        if task.turn == turn {
            // The same address again, as of two subscribers of one channel. With another value it has changed since the first.
            if task.word != Some(word) {
                self.team.ended.store(turn, Relaxed);
            }
            return true;
        }
        (task.turn, task.first) = (turn, Some(first));
        if task.word == Some(word) {
            return true;
        }
        task.word = Some(word);
        match task.asleep {
            // The word has got another value, so that a helper that is about to sleep does not.
            Some(old) if old != word => futex::wake_kind(old, Kind::HELPER),
            _ => helper.posted.notify_one(),
        }
        true
    }

    /// Starts a helper; returns its position.
    fn start(&mut self) -> Option<usize> {
        // The thread calls the kernel and nothing else. With `mlockall`, its whole stack is in memory.
        const STACK: usize = 64 << 10;
        let (helper, team) = (Arc::<Helper>::default(), self.team.clone());
        let run = {
            let helper = helper.clone();
            move || help(&helper, &team)
        };
        let builder = std::thread::Builder::new().name("saltus-sleep".into()).stack_size(STACK);
        let thread = process::without_signals(|| builder.spawn(run)).ok()?;
        self.helpers.push((helper, thread));
        Some(self.helpers.len() - 1)
    }
}

impl Drop for Squad {
    fn drop(&mut self) {
        if self.process != fork::generation() {
            return std::mem::take(&mut self.helpers).into_iter().for_each(std::mem::forget);
        }
        for (helper, _) in &self.helpers {
            helper.task().dismissed = true;
        }
        for (helper, thread) in self.helpers.drain(..) {
            helper.posted.notify_one();
            // Its word may be gone, so nobody wakes it there. It checks soon.
            let _ = thread.join(); // it does not panic
        }
    }
}

/// The thread of a helper.
fn help(helper: &Helper, team: &Team) {
    let mut task = helper.task();
    while !task.dismissed {
        let Some(word) = task.word else {
            let waited = helper.posted.wait_timeout(task, Duration::from_nanos(IDLE));
            let (back, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            task = back;
            if timeout.timed_out() && task.word.is_none() {
                break;
            }
            continue;
        };
        task.asleep = Some(word);
        drop(task);
        // SAFETY: the address is aligned; the word may be unmapped by now, which the kernel reports, or be another one, which costs a look.
        let end = unsafe { futex::sleep(word, clock::monotonic().saturating_add(CHECK), Kind::HELPER) };
        task = helper.task();
        task.asleep = None;
        let (current, turn) = (task.word == Some(word), task.turn);
        let mut used = false;
        if current && end == End::TimedOut {
            if team.turn.load(Relaxed) != turn {
                task.word = None;
            }
        } else if current {
            let first = task.first;
            task.word = None;
            drop(task);
            used = first.is_some_and(|first| end_wait(team, turn, first));
            task = helper.task();
        }
        // Of a private word all are woken, and it may be gone by now.
        if end == End::Woken && !used && word.shared {
            // SAFETY: as above.
            unsafe { futex::wake(word.at, 1, word.shared) };
        }
    }
    task.gone = true;
}

/// Ends the wait with that number, if it continues. Returns whether it did.
fn end_wait(team: &Team, turn: u64, first: Word) -> bool {
    let mut used = false;
    while team.turn.load(Relaxed) == turn {
        used = true;
        team.ended.store(turn, Relaxed);
        futex::wake_kind(first, Kind::FIRST);
        // The thread may not sleep yet: then this wake was lost.
        if team.turn.load(Relaxed) == turn {
            process::sleep_until(clock::monotonic() + 20_000);
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::thread;

    const LONG: u64 = 20_000_000_000;

    fn word(word: &AtomicU32, value: u32) -> Word {
        Word { at: word.as_ptr(), value, shared: true }
    }

    /// Without the system call, on words of this process.
    fn slept(words: &[Word], ns: u64) -> Woken {
        // SAFETY: the words of these tests live longer than their waits.
        unsafe { wait_with_helpers(words, clock::monotonic() + ns) }
    }

    fn change(word: &AtomicU32) {
        word.fetch_add(1, SeqCst);
        // SAFETY: the word is there.
        unsafe { futex::wake(word.as_ptr(), 1, true) };
    }

    #[test]
    fn a_wait_ends_at_its_deadline() {
        let (a, b) = (AtomicU32::new(1), AtomicU32::new(1));
        let deadline = clock::monotonic() + 10_000_000;
        // SAFETY: the words live on this stack.
        let woken = unsafe { wait(&[word(&a, 1), word(&b, 1)], deadline) };
        assert_eq!(woken, Woken::TimedOut);
        assert!(clock::monotonic() >= deadline);
        assert_eq!(slept(&[word(&a, 1), word(&b, 1)], 10_000_000), Woken::TimedOut);
        assert!(clock::monotonic() >= deadline + 10_000_000);
    }

    #[test]
    fn a_changed_word_ends_a_wait_at_once() {
        let (a, b) = (AtomicU32::new(1), AtomicU32::new(2));
        // SAFETY: the words live on this stack.
        let woken = unsafe { wait(&[word(&a, 1), word(&b, 1)], u64::MAX) };
        assert_eq!(woken, Woken::Look);
        assert_eq!(slept(&[word(&a, 1), word(&b, 1)], LONG), Woken::Look);
        assert_eq!(slept(&[word(&b, 1), word(&a, 1)], LONG), Woken::Look);
    }

    #[test]
    fn an_address_may_be_there_twice_and_ends_the_wait_if_its_values_differ() {
        let (a, b) = (AtomicU32::new(1), AtomicU32::new(2));
        assert_eq!(slept(&[word(&a, 1), word(&b, 2), word(&b, 2)], 1_000_000), Woken::TimedOut);
        for old_first in [true, false] {
            let values = if old_first { [1, 2] } else { [2, 1] };
            let list = [word(&a, 1), word(&b, values[0]), word(&b, values[1])];
            // SAFETY: the words live on this stack. With a new helper, which starts after both are posted.
            let woken = unsafe { Squad::new().wait(&list, clock::monotonic() + LONG) };
            assert_eq!(woken, Some(Woken::Look));
        }
    }

    /// Two threads answer each other, each change on another word, and sleep until the answer is there. A lost wake would be a timeout.
    #[test]
    fn without_the_system_call_every_change_of_every_word_ends_the_wait() {
        const ROUNDS: u32 = 3000;
        let words: [AtomicU32; 8] = Default::default();
        let (asks, answers) = words.split_at(4);
        let turn = |mine: &[AtomicU32], theirs: &[AtomicU32], asks: bool| {
            let mut values = [0; 4];
            for round in 0..ROUNDS {
                let at = (round % 4) as usize;
                if asks {
                    change(&mine[at]);
                }
                while theirs[at].load(SeqCst) == values[at] {
                    let list: Vec<Word> = (0..4).map(|i| word(&theirs[i], values[i])).collect();
                    assert_eq!(slept(&list, LONG), Woken::Look, "round {round}");
                }
                values[at] += 1;
                if !asks {
                    change(&mine[at]);
                }
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| turn(answers, asks, false));
            turn(asks, answers, true);
        });
    }

    #[test]
    fn without_the_system_call_a_wait_sleeps_until_something_happens() {
        let words: [AtomicU32; 3] = Default::default();
        let list = [0, 1, 2].map(|i| word(&words[i], 0));
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(30));
                change(&words[2]);
            });
            assert_eq!(slept(&list, LONG), Woken::Look);
            assert_eq!(words[2].load(SeqCst), 1, "it did not end before");
        });
    }

    #[test]
    fn a_wake_that_a_helper_takes_between_waits_is_passed_on() {
        let (a, b) = (AtomicU32::new(0), AtomicU32::new(0));
        assert_eq!(slept(&[word(&a, 0), word(&b, 0)], 1_000_000), Woken::TimedOut);
        let tid = AtomicU32::new(0);
        thread::scope(|scope| {
            let behind = scope.spawn(|| {
                tid.store(process::thread_id(), SeqCst);
                // SAFETY: the word lives on the stack of this test.
                unsafe { futex::wait(word(&b, 0), clock::monotonic() + LONG) }
            });
            // Queued behind the helper, or the other way round: the wake of one must reach it in any case.
            let in_futex = || {
                let call = format!("/proc/self/task/{}/syscall", tid.load(SeqCst));
                std::fs::read_to_string(call)
                    .is_ok_and(|call| call.starts_with(&format!("{} ", futex::FUTEX)))
            };
            while !in_futex() {
                thread::yield_now();
            }
            // SAFETY: the word lives on this stack.
            unsafe { futex::wake(b.as_ptr(), 1, true) };
            assert_eq!(behind.join().unwrap(), Woken::Look);
        });
    }

    #[test]
    fn helpers_end_with_their_thread_or_when_no_wait_needs_them() {
        let words: [AtomicU32; 5] = Default::default();
        let list = [0, 1, 2, 3, 4].map(|i| word(&words[i], 0));
        let mut squad = Squad::new();
        // SAFETY: the words live on this stack.
        let wait = |squad: &mut Squad, list: &[Word]| unsafe {
            assert_eq!(squad.wait(list, clock::monotonic() + 1_000_000), Some(Woken::TimedOut));
        };
        wait(&mut squad, &list);
        let all: Vec<_> = squad.helpers.iter().map(|(helper, _)| Arc::downgrade(helper)).collect();
        assert_eq!(all.len(), 4);
        let end = clock::monotonic() + LONG;
        while all[3].upgrade().is_some_and(|helper| !helper.task().gone) {
            assert!(clock::monotonic() < end, "it goes on for a word that no wait needs");
            wait(&mut squad, &list[..2]);
        }
        wait(&mut squad, &list); // starts the others again
        drop(squad);
        assert!(all.iter().all(|helper| helper.upgrade().is_none()), "each thread has one");
    }

    #[test]
    fn a_child_of_a_fork_starts_helpers_of_its_own() {
        let (a, b) = (AtomicU32::new(0), AtomicU32::new(0));
        let list = [word(&a, 0), word(&b, 0)];
        assert_eq!(slept(&list, 1_000_000), Woken::TimedOut);
        // SAFETY: the child only waits, and ends without running what belongs to its parent.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                change(&b);
                libc::_exit(i32::from(slept(&list, LONG) != Woken::Look));
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            status
        };
        assert_eq!(status, 0);
    }
}
