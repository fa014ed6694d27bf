//! The thread that takes messages in while nobody waits for them.
//!
//! It sleeps on the same descriptors as the subscribers, behind them in each one's queue, and with `EPOLLEXCLUSIVE`: the
//! kernel wakes the first of the queue that sleeps. So it costs a subscriber that waits nothing, neither a switch of
//! threads nor a system call, and yet takes over when the last one is busy.
//!
//! It does not do so at once. Most who are busy when something comes are so for some microseconds: on a core that two programs share,
//! whoever is woken by a message often runs before its sender sleeps, and answers before the sender waits for the answer. So the
//! thread waits a moment, which a socket has room for. If a subscriber looked meanwhile, the thread need not be woken for each of
//! such messages: it rests, and looks each [`REST`] whether subscribers go on to look. Once one did not, the thread takes in what
//! there is and sleeps on the descriptors again. So it wakes for messages that nobody waits for and, while somebody polls, each [`REST`],
//! whether anything comes or not.

use crate::{Error, Result};
use saltus_os::fork;
use saltus_transport::{Epoll, Event, Fd};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// When something has come and nobody waits for it, the thread lets this much time pass before it takes it in, together with what
/// comes meanwhile.
const PAUSE: Duration = Duration::from_micros(100);

/// How long subscribers that look for themselves are left alone. Who looked just after that time began is found out at the end of
/// the next: at 100 MB/s, 100 kB come meanwhile, which a stock kernel's socket has room for.
const REST: Duration = Duration::from_micros(500);

/// What the thread does.
pub(super) trait Work: Send + Sync + 'static {
    /// Takes in what has arrived, unless another thread does.
    fn take_in(&self) -> Result<()>;
    /// Counts how often subscribers took in what had arrived.
    fn looks(&self) -> u64;
    /// Reports an error to the subscribers.
    fn fail(&self, error: Error);
}

/// The thread and its ends.
#[derive(Debug)]
pub(super) struct Helper {
    both: Arc<Both>,
    thread: Option<JoinHandle<()>>,
    /// Tells the process that started the thread from a forked child, which has none.
    generation: u64,
}

#[derive(Debug)]
struct Both {
    epoll: Epoll,
    /// Raised once: the thread shall end.
    quit: Event,
}

impl Helper {
    pub fn start(work: &Arc<impl Work>, fds: &[Fd]) -> Result<Helper> {
        let both = Arc::new(Both { epoll: Epoll::new()?, quit: Event::new()? });
        both.epoll.add_event(both.quit.raw())?;
        fds.iter().try_for_each(|fd| both.epoll.add(fd.raw, fd.alone))?;
        let (theirs, work) = (both.clone(), work.clone());
        let thread = saltus_os::process::without_signals(|| {
            let builder = std::thread::Builder::new().name("saltus-intake".into());
            builder.spawn(move || theirs.run(&*work))
        });
        let thread = thread.map_err(|e| Error::system("start the thread that takes messages in", e))?;
        Ok(Helper { both, thread: Some(thread), generation: fork::generation() })
    }

    /// Goes to the end of the queue of those who wait for each.
    pub fn queue_anew(&self, fds: &[Fd]) -> Result<()> {
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
            if let Err(e) = work.take_in() {
                work.fail(e);
            }
        }
    }
}

/// Waits until no subscriber looks for itself.
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
        // Only what panics ends in an error, and it was told.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
