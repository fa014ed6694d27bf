//! The thread that takes messages in while nobody waits for them.
//!
//! It sleeps on the same descriptors as the subscribers, behind them in each one's queue, and with `EPOLLEXCLUSIVE`: the
//! kernel wakes the first of the queue that sleeps. So it costs a subscriber that waits nothing, neither a switch of
//! threads nor a system call, and yet takes over when the last one is busy.
//!
//! It does not do so at once. Most who are busy when something comes are so for some microseconds: on a core that two programs share,
//! whoever is woken by a message often runs before its sender sleeps, and answers before the sender waits for the answer. So the
//! thread waits a moment, which a socket has room for, and takes in what is still there then.

use super::{Fd, Inbox};
use crate::descriptor::{Epoll, Event};
use crate::{Error, Result};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// When something has come and nobody waits for it, the thread lets this much time pass before it takes it in, together with what
/// comes meanwhile.
const PAUSE: Duration = Duration::from_micros(100);

/// The thread and its ends.
#[derive(Debug)]
pub(super) struct Helper {
    both: Arc<Both>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Both {
    epoll: Epoll,
    /// Raised once: the thread shall end.
    quit: Event,
}

impl Helper {
    pub fn start(inbox: &Arc<Inbox>, fds: &[Fd]) -> Result<Helper> {
        let both = Arc::new(Both { epoll: Epoll::new()?, quit: Event::new()? });
        both.epoll.add_event(both.quit.raw())?;
        fds.iter().try_for_each(|fd| both.epoll.add(fd.raw, fd.alone))?;
        let (theirs, inbox) = (both.clone(), Arc::downgrade(inbox));
        let thread = saltus_os::process::without_signals(|| {
            let builder = std::thread::Builder::new().name("saltus-intake".into());
            builder.spawn(move || theirs.run(&inbox))
        });
        let thread = thread.map_err(|e| Error::system("start the thread that takes messages in", e))?;
        Ok(Helper { both, thread: Some(thread) })
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
    fn run(&self, inbox: &Weak<Inbox>) {
        loop {
            if self.epoll.wait(u64::MAX).event {
                return;
            }
            std::thread::sleep(PAUSE);
            let Some(inbox) = inbox.upgrade() else { return };
            if let Err(e) = inbox.drain(None, false) {
                inbox.set_fault(e);
            }
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.both.quit.raise();
        let Some(thread) = self.thread.take() else { return };
        // The thread itself may be the last that holds the inbox; it cannot wait for its own end.
        if thread.thread().id() != std::thread::current().id() {
            let _ = thread.join();
        }
    }
}
