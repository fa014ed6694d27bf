//! The background receiver thread, which receives messages while no subscriber waits for them.
//!
//! It waits on the same descriptors as the subscribers, behind them in each descriptor's queue, with
//! `EPOLLEXCLUSIVE`: the kernel wakes the first waiter in the queue. So it costs a waiting subscriber neither a
//! thread switch nor a system call, and yet takes over when the last one is busy.
//!
//! It does not take over immediately, because most subscribers that are busy when a message arrives are busy for a
//! few microseconds only. On a core shared by two programs, a process woken by a message often runs before its
//! sender waits, and answers before the sender waits for the answer. So the thread first pauses, and the socket's
//! buffer holds the messages. If a subscriber drained the socket during the pause, the thread need not be woken for
//! each message: it rests, and checks every [`REST`] whether subscribers keep draining. Once they did not, the
//! thread receives what has arrived and waits on the descriptors again. So it wakes for messages that no subscriber
//! waits for and, while a subscriber polls, every [`REST`], even without traffic.

use crate::{Error, Result};
use saltus_os::fork;
use saltus_transport::{Epoll, Event, Fd};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Delay between the arrival of a message that no subscriber waits for and its receipt, together with later ones.
const PAUSE: Duration = Duration::from_micros(100);

/// How long polling subscribers are left alone. One that polled last just after an interval began is noticed at the
/// end of the next: at 100 MB/s, 100 kB arrive in that time, which fit into a stock kernel's socket buffer.
const REST: Duration = Duration::from_micros(500);

/// The work of the thread.
pub(super) trait Work: Send + Sync + 'static {
    /// Receives what has arrived, unless another thread is doing so.
    fn receive_some(&self) -> Result<()>;
    /// Counts how often subscribers drained the transport.
    fn looks(&self) -> u64;
    /// Reports an error to the subscribers.
    fn fail(&self, error: Error);
}

/// The thread, and the means to stop it.
#[derive(Debug)]
pub(super) struct Helper {
    both: Arc<Both>,
    thread: Option<JoinHandle<()>>,
    /// Distinguishes the process that started the thread from a forked child, which does not have it.
    generation: u64,
}

#[derive(Debug)]
struct Both {
    epoll: Epoll,
    /// Raised once: the thread must exit.
    quit: Event,
}

impl Helper {
    pub fn start(work: &Arc<impl Work>, fds: &[Fd]) -> Result<Helper> {
        let both = Arc::new(Both { epoll: Epoll::new()?, quit: Event::new()? });
        both.epoll.add_event(both.quit.raw())?;
        fds.iter().try_for_each(|fd| both.epoll.add(fd.raw, fd.alone))?;
        let (theirs, work) = (both.clone(), work.clone());
        let thread = saltus_os::process::spawn("saltus-intake", move || theirs.run(&*work));
        let thread = thread.map_err(|e| Error::system("start the background receiver thread", e))?;
        Ok(Helper { both, thread: Some(thread), generation: fork::generation() })
    }

    /// Moves to the end of each descriptor's queue of waiters.
    pub fn requeue(&self, fds: &[Fd]) -> Result<()> {
        fds.iter().try_for_each(|fd| {
            self.both.epoll.remove(fd.raw);
            self.both.epoll.add(fd.raw, fd.alone)
        })
    }
}

impl Both {
    fn run(&self, work: &impl Work) {
        while !self.epoll.wait(u64::MAX).event {
            rest(work);
            if let Err(e) = work.receive_some() {
                work.fail(e);
            }
        }
    }
}

/// Waits until no subscriber polls any more.
fn rest(work: &impl Work) {
    let (mut before, mut time) = (work.looks(), PAUSE);
    loop {
        std::thread::sleep(time);
        let now = work.looks();
        if now == before {
            return;
        }
        (before, time) = (now, REST);
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if self.generation != fork::generation() {
            return std::mem::forget(self.thread.take()); // the parent's, and so is the event
        }
        self.both.quit.raise();
        // Only a panic ends in an error, and that was reported.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
