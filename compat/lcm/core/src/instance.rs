//! An `lcm_t`.

use crate::pattern::Pattern;
use crate::queue::{Handler, Subscription, Taken};
use crate::shared::{Shared, Woken, left};
use crate::source::Source;
use crate::url;
use saltus_domain::{Error, Result};
use saltus_os::{clock, fork};
use std::ffi::CStr;
use std::os::fd::RawFd;
use std::sync::atomic::{
    AtomicBool, AtomicPtr,
    Ordering::{AcqRel, Acquire, Relaxed},
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a program knows as `lcm_t`.
pub struct Instance {
    url: String,
    /// Leads to a [`State`] that lives as long as the instance.
    state: AtomicPtr<State>,
    /// Whether it was destroyed, by a handler or by another thread.
    closed: AtomicBool,
}

/// What a process has of an instance. A forked child has neither the threads of its parent nor sockets of its own: its first call makes
/// it a new state, with the same subscriptions.
struct State {
    shared: Arc<Shared>,
    source: Box<dyn Source>,
    turn: Turn,
    /// The process that made it.
    generation: u64,
}

impl State {
    fn open(url: &str) -> Result<State> {
        let (shared, source) = url::open(url)?;
        Ok(State { shared, source, turn: Turn::default(), generation: fork::generation() })
    }
    fn is_here(&self) -> bool {
        self.generation == fork::generation()
    }
    /// Whether the queue is that of this process. A handler may have forked, and in the child another thread, which it does not have, may hold
    /// its lock forever.
    fn is_ours(&self) -> bool {
        self.is_here() || !self.source.ends_at_fork()
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Instance {
    /// Connects to the network that a URL names; an empty one: that of `LCM_DEFAULT_URL`, or LCM's default.
    ///
    /// # Errors
    /// It cannot be reached, or the URL is not one.
    pub fn open(url: &str) -> Result<Instance> {
        let url = url::meant(url)?;
        let state = AtomicPtr::new(Box::into_raw(Box::new(State::open(&url)?)));
        Ok(Instance { url, state, closed: AtomicBool::new(false) })
    }

    fn present(&self) -> &State {
        // Acquire: pairs with the release in `after_fork`.
        // SAFETY: it leads to a state that lives as long as the instance.
        unsafe { &*self.state.load(Acquire) }
    }
    /// This process's state.
    fn state(&self) -> Result<&State> {
        let present = self.present();
        if present.is_here() || !present.source.ends_at_fork() {
            return Ok(present);
        }
        self.after_fork(present)
    }
    #[cold]
    fn after_fork(&self, inherited: &State) -> Result<&State> {
        let new = State::open(&self.url)?;
        // A thread of the parent may have had the lock, and is not here to give it back. The subscriptions stay here too: C has their
        // addresses, and if this fails, the next call tries again.
        let subscriptions = inherited.shared.try_queue().map(|queue| queue.inherited());
        for one in subscriptions.unwrap_or_default() {
            new.source.subscribe(&one.pattern)?;
            new.shared.queue().subscribe(&one);
        }
        let (old, new) = (std::ptr::from_ref(inherited).cast_mut(), Box::into_raw(Box::new(new)));
        // Release: pairs with the acquire in `present`. What was inherited stays as it is: it is the parent's.
        match self.state.compare_exchange(old, new, AcqRel, Acquire) {
            // SAFETY: as in `present`.
            Ok(_) => Ok(unsafe { &*new }),
            Err(other) => {
                // SAFETY: this one is known to nobody; the other one as in `present`.
                unsafe {
                    drop(Box::from_raw(new));
                    Ok(&*other)
                }
            }
        }
    }

    /// Handlers are not called any more, and a thread that waits for messages returns.
    pub fn close(&self) {
        self.closed.store(true, Relaxed); // the thread that waits is woken by the event
        let state = self.present();
        if state.is_here() {
            state.shared.raise();
        }
    }

    /// Publishes a message.
    ///
    /// # Errors
    /// It cannot be sent, or its channel's name is not one.
    pub fn publish(&self, channel: &CStr, data: &[u8]) -> Result<()> {
        self.state()?.source.publish(channel.to_bytes(), data)
    }

    /// Calls `handler` for messages on the channels that match. The first subscription may wait for the network's test, for 0.3 s.
    ///
    /// # Errors
    /// The pattern is not a regular expression, or the network does not work.
    pub fn subscribe(&self, pattern: &CStr, handler: Box<dyn Handler>) -> Result<Arc<Subscription>> {
        let pattern = Pattern::new(pattern).map_err(Error::invalid)?;
        let state = self.state()?;
        state.source.subscribe(&pattern)?;
        let new = Subscription::new(pattern, handler);
        state.shared.queue().subscribe(&new);
        Ok(new)
    }

    /// Ends a subscription. `false`: it is not one of this instance.
    ///
    /// # Errors
    /// A forked child cannot connect again.
    pub fn unsubscribe(&self, at: *const Subscription) -> Result<bool> {
        let state = self.state()?;
        let gone = state.shared.queue().unsubscribe(at);
        if let Some(gone) = &gone {
            state.source.unsubscribe(&gone.pattern);
        }
        Ok(gone.is_some())
    }

    /// A descriptor that is readable while a message can be handled without waiting.
    ///
    /// # Errors
    /// A forked child cannot connect again.
    pub fn fd(&self) -> Result<RawFd> {
        self.state()?.source.fd()
    }

    /// Fails if no message can ever arrive.
    ///
    /// # Errors
    /// It is a log that is written.
    pub fn check_receives(&self) -> Result<()> {
        match self.state()?.source.receives() {
            true => Ok(()),
            false => Err(Error::invalid("nothing can be received from a log that is written")),
        }
    }

    /// Waits for a message until `deadline`, monotonic ns (`None`: without a limit); or returns why there is none.
    ///
    /// # Errors
    /// No message can arrive any more.
    pub fn next(self: &Arc<Self>, deadline: Option<u64>) -> Result<std::result::Result<Handled<'_>, Woken>> {
        let state = self.state()?;
        if deadline.is_none() {
            self.check_receives()?;
        }
        loop {
            if self.closed.load(Relaxed) {
                return Err(Error::invalid("this lcm_t was destroyed"));
            }
            if state.shared.queue().is_empty() {
                state.source.pull()?;
            }
            // Only with a message at hand: a thread that waits for one does not keep others past their deadline.
            if !state.shared.queue().is_empty() {
                let Some(turn) = state.take_turn(deadline) else { return Ok(Err(Woken::TimedOut)) };
                let Some(taken) = state.shared.take() else { continue }; // another thread has handled it
                return Ok(Ok(Handled { lcm: self, state, taken, _turn: turn }));
            }
            let is_idle = || state.shared.queue().is_empty() && !self.closed.load(Relaxed);
            let woken = match state.source.is_pulled() {
                true => wait(state.source.fd()?, deadline)?,
                false => state.shared.wait(deadline, is_idle),
            };
            if woken != Woken::Ready {
                return Ok(Err(woken));
            }
        }
    }
}

/// A message that is being handled, by one thread at a time.
pub struct Handled<'a> {
    lcm: &'a Arc<Instance>,
    state: &'a State,
    taken: Taken,
    _turn: Held<'a>,
}

impl Handled<'_> {
    /// Calls the handlers. A C++ exception may leave it, as in LCM.
    pub fn call(mut self) {
        let message = &mut self.taken.message;
        let mut channel = std::mem::take(&mut message.channel);
        channel.push(0);
        let name = CStr::from_bytes_until_nul(&channel).unwrap_or_default();
        for one in self.taken.asked.iter() {
            // Before each: a handler may have ended the subscriptions after it, or the instance.
            if self.lcm.closed.load(Relaxed) {
                return;
            }
            // A handler may have forked. In the child, how many messages are queued says nothing: a new state begins with none.
            let receives = match self.state.is_ours() {
                true => self.state.shared.queue().receives(one),
                false => one.is_live(),
            };
            if receives {
                one.handler.call(name, message);
            }
        }
    }
}

impl std::fmt::Debug for Handled<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handled").field("message", &self.taken.message).finish_non_exhaustive()
    }
}

impl Drop for Handled<'_> {
    fn drop(&mut self) {
        // A child's new state begins with no message that is being handled.
        if self.state.is_ours() && std::ptr::eq(self.state, self.lcm.present()) {
            self.state.shared.queue().handled(&self.taken.asked);
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: it was made by `Box::into_raw`, and nobody uses it any more.
        drop(unsafe { Box::from_raw(*self.state.get_mut()) });
    }
}

/// Waits until `fd` is readable.
fn wait(fd: RawFd, deadline: Option<u64>) -> Result<Woken> {
    let time = deadline.map(left);
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: the record and the time live across the call; no signal mask is passed.
    match unsafe { libc::ppoll(&mut poll, 1, time, std::ptr::null()) } {
        0 => Ok(Woken::TimedOut),
        1.. => Ok(Woken::Ready),
        _ => match std::io::Error::last_os_error() {
            why if why.kind() == std::io::ErrorKind::Interrupted => Ok(Woken::Interrupted),
            why => Err(Error::system("wait for a message", why)),
        },
    }
}

/// Lets one thread at a time handle messages, and a handler handle the next one.
#[derive(Default)]
struct Turn {
    of: Mutex<(Option<std::thread::ThreadId>, usize)>,
    free: Condvar,
}

/// A thread's turn, until it is dropped.
struct Held<'a>(&'a State);

impl Turn {
    fn of(&self) -> MutexGuard<'_, (Option<std::thread::ThreadId>, usize)> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner) // two words, whole between any two lines
    }
}

impl State {
    /// `None`: another thread's handlers were still running at `deadline`, monotonic ns.
    fn take_turn(&self, deadline: Option<u64>) -> Option<Held<'_>> {
        let me = Some(std::thread::current().id());
        let mut of = self.turn.of();
        while of.1 > 0 && of.0 != me {
            of = match deadline.map(|deadline| deadline.saturating_sub(clock::monotonic())) {
                None => self.turn.free.wait(of).unwrap_or_else(PoisonError::into_inner),
                Some(0) => return None,
                Some(left) => {
                    let waited = self.turn.free.wait_timeout(of, Duration::from_nanos(left));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        *of = (me, of.1 + 1);
        Some(Held(self))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !self.0.is_ours() {
            return; // a handler has forked: another thread of the parent may have had the lock
        }
        let turn = &self.0.turn;
        let mut of = turn.of();
        of.1 -= 1;
        if of.1 == 0 {
            turn.free.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Message;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Says that it was called, and returns when it may.
    struct Slow(Mutex<(Sender<()>, Receiver<()>)>);
    impl Handler for Slow {
        fn call(&self, _: &CStr, _: &mut Message) {
            let both = self.0.lock().unwrap();
            both.0.send(()).unwrap();
            both.1.recv().unwrap();
        }
    }

    #[test]
    fn a_deadline_also_ends_a_wait_for_another_threads_handler() {
        let lcm = Arc::new(Instance::open("memq://").unwrap());
        let ((called, is_called), (end, ended)) = (channel(), channel());
        lcm.subscribe(c"A", Box::new(Slow(Mutex::new((called, ended))))).unwrap();
        lcm.publish(c"A", b"1").unwrap();
        lcm.publish(c"A", b"2").unwrap();
        std::thread::scope(|scope| {
            let handling = scope.spawn(|| lcm.next(None).unwrap().unwrap().call());
            is_called.recv().unwrap();
            for time in [0, 10_000_000] {
                let woken = lcm.next(Some(clock::monotonic() + time)).unwrap().err();
                assert_eq!(woken, Some(Woken::TimedOut));
            }
            end.send(()).unwrap();
            end.send(()).unwrap();
            handling.join().unwrap();
        });
        // It is this thread's turn now, and the message was not lost.
        lcm.next(Some(clock::monotonic())).unwrap().unwrap().call();
    }
}
