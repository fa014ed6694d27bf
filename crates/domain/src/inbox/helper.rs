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

use super::{Core, Fd};
use crate::descriptor::{Epoll, Event};
use crate::{Error, Result};
use saltus_os::fork;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// When something has come and nobody waits for it, the thread lets this much time pass before it takes it in, together with what
/// comes meanwhile.
const PAUSE: Duration = Duration::from_micros(100);

/// How long subscribers that look for themselves are left alone. Who looked just after that time began is found out at the end of
/// the next: at 100 MB/s, 100 kB come meanwhile, which a stock kernel's socket has room for.
const REST: Duration = Duration::from_micros(500);

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
    pub fn start(core: &Arc<Core>, fds: &[Fd]) -> Result<Helper> {
        let both = Arc::new(Both { epoll: Epoll::new()?, quit: Event::new()? });
        both.epoll.add_event(both.quit.raw())?;
        fds.iter().try_for_each(|fd| both.epoll.add(fd.raw, fd.alone))?;
        let (theirs, core) = (both.clone(), core.clone());
        let thread = saltus_os::process::without_signals(|| {
            let builder = std::thread::Builder::new().name("saltus-intake".into());
            builder.spawn(move || theirs.run(&core))
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
    fn run(&self, core: &Core) {
        while !self.epoll.wait(u64::MAX).event {
            rest(core);
            if let Err(e) = core.drain(None, false) {
                core.set_fault(e);
            }
        }
    }
}

/// Waits until no subscriber looks for itself.
fn rest(core: &Core) {
    let (mut before, mut time) = (core.looks(), PAUSE);
    loop {
        std::thread::sleep(time);
        let now = core.looks();
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

#[cfg(test)]
mod tests {
    use super::super::{Inbox, Link, Sink, lock};
    use super::*;
    use saltus_channel::Name;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::ThreadId;
    use std::time::Instant;

    const LONG: Duration = Duration::from_secs(20);

    /// Has something to take in when its event is raised; says when it begins to, and goes on when it is told.
    struct Held {
        event: Arc<Event>,
        begun: Mutex<Sender<()>>,
        go: Mutex<Receiver<()>>,
        closed_by: Arc<Mutex<Option<ThreadId>>>,
    }

    impl Link for Held {
        fn publish(&self, _: &Name, _: &[u8]) -> Result<()> {
            Ok(())
        }
        fn listens_always(&self) -> bool {
            true
        }
        fn drain(&self, _: &mut dyn Sink) -> Result<()> {
            self.event.lower();
            let _ = lock(&self.begun).send(()); // nobody listens at the end
            let _ = lock(&self.go).recv_timeout(LONG);
            Ok(())
        }
        fn fds(&self) -> Vec<Fd> {
            vec![Fd { raw: self.event.raw(), alone: true }]
        }
    }
    impl Drop for Held {
        fn drop(&mut self) {
            *lock(&self.closed_by) = Some(std::thread::current().id());
        }
    }

    struct Ends {
        event: Arc<Event>,
        begun: Receiver<()>,
        go: Sender<()>,
        closed_by: Arc<Mutex<Option<ThreadId>>>,
    }

    fn inbox() -> (Arc<Inbox>, Ends) {
        let (event, closed_by) = (Arc::new(Event::new().unwrap()), Arc::default());
        let ((begun, begins), (go, goes)) = (channel(), channel());
        let (begun, goes) = (Mutex::new(begun), Mutex::new(goes));
        let link = Held { event: event.clone(), begun, go: goes, closed_by: Arc::clone(&closed_by) };
        let inbox = Inbox::new(Box::new(link));
        inbox.listen().unwrap();
        (inbox, Ends { event, begun: begins, go, closed_by })
    }

    #[test]
    fn who_drops_the_last_handle_closes_the_link_though_the_thread_is_taking_in() {
        let (inbox, ends) = inbox();
        ends.event.raise();
        ends.begun.recv_timeout(LONG).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50)); // most likely it is being dropped now
                ends.go.send(())
            });
            drop(inbox);
        });
        assert_eq!(*lock(&ends.closed_by), Some(std::thread::current().id()));
    }

    #[test]
    fn a_forked_child_that_drops_what_it_inherited_does_not_end_its_parents_thread() {
        let (inbox, ends) = inbox();
        // SAFETY: the child uses what it inherited, frees memory, which glibc lets a child do, and ends at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            drop(inbox);
            // SAFETY: ends this process.
            unsafe { libc::_exit(0) }
        }
        let (start, mut status) = (Instant::now(), -1);
        // SAFETY: a child of ours, and room for its status.
        while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
            if start.elapsed() > LONG {
                // SAFETY: it was not waited for yet, so the number is its own.
                unsafe { libc::kill(child, libc::SIGKILL) };
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(status, 0, "the child waits for a thread that it has not");
        ends.go.send(()).unwrap();
        ends.event.raise();
        ends.begun.recv_timeout(LONG).expect("the parent's thread takes in");
        drop(inbox);
    }
}
