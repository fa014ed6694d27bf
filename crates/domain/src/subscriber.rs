//! Receiving.

use crate::inlet::{Canceller, Inlet, Meta};
use crate::{Message, Options, Result};
use saltus_channel::{Description, Name, Until};
use saltus_ring::Which;
use std::fmt;
use std::os::fd::BorrowedFd;

/// Receives from one channel or many. It only reads: no publisher waits for it.
///
/// One subscriber belongs to one thread at a time.
pub struct Subscriber {
    inlet: Box<dyn Inlet>,
    options: Options,
    meta: Meta,
}

impl Subscriber {
    pub(crate) fn new(inlet: Box<dyn Inlet>, options: Options) -> Subscriber {
        Subscriber { inlet, options, meta: Meta::default() }
    }

    /// Receives, as the subscriber's [`Options`] say: the newest message not seen, or the next. `None`: the time is up, or
    /// there is nothing. The message stays until the next receive.
    ///
    /// Over shared memory it is real-time safe with [`Until::Poll`], once its buffer has grown to the longest message; over a
    /// network it makes system calls.
    pub fn receive(&mut self, until: impl Into<Until>) -> Result<Option<Message<'_>>> {
        self.receive_as(self.options.which(), until.into())
    }
    /// Receives the newest message, whatever the options say, and even if it has been seen.
    pub fn again(&mut self, until: impl Into<Until>) -> Result<Option<Message<'_>>> {
        self.receive_as(Which::Again, until.into())
    }

    fn receive_as(&mut self, which: Which, until: Until) -> Result<Option<Message<'_>>> {
        if self.inlet.take(which, until == Until::Poll, &mut self.meta)? {
            return Ok(Message::new(&self.meta));
        }
        let Some(deadline) = until.deadline() else {
            self.inlet.rest()?;
            return Ok(None);
        };
        loop {
            let woken = self.inlet.wait(deadline)?;
            if self.inlet.take(which, false, &mut self.meta)? {
                return Ok(Message::new(&self.meta));
            }
            if !woken {
                return Ok(None);
            }
        }
    }

    /// The message that was received last.
    pub fn last(&self) -> Option<Message<'_>> {
        Message::new(&self.meta)
    }
    /// Takes the bytes of the message that was received last out, without copying them: who keeps long messages wants that.
    /// They lie behind the first so many, which are not of the message. [`Subscriber::last`] has none then, and the next receive
    /// allocates.
    pub fn take_last(&mut self) -> (Vec<u8>, usize) {
        self.meta.channel = None;
        (std::mem::take(&mut self.meta.buf), std::mem::take(&mut self.meta.skip))
    }
    /// Waits until something may be unseen: `true`; `false`: the time is up.
    pub fn wait(&mut self, until: impl Into<Until>) -> Result<bool> {
        match until.into().deadline() {
            Some(deadline) => self.inlet.wait(deadline),
            None => Ok(self.inlet.unseen()),
        }
    }

    /// Calls `f` for each message until it returns `false` or a wait is called off; waits for ever between them.
    pub fn for_each(&mut self, mut f: impl FnMut(Message<'_>) -> bool) -> Result<()> {
        loop {
            match self.receive(Until::Forever) {
                Ok(Some(message)) if !f(message) => return Ok(()),
                Ok(_) => {}
                Err(crate::Error::Canceled) => return Ok(()),
                Err(e) => return Err(e),
            }
        }
    }

    /// A descriptor for `poll`, `epoll` or an event loop: readable when there may be something. Then receive with
    /// [`Until::Poll`] until there is nothing more; that lowers it until the next message.
    pub fn fd(&mut self) -> Result<BorrowedFd<'_>> {
        // From here on somebody sleeps on it without asking us first.
        let _ = self.inlet.fd()?;
        self.inlet.rest()?;
        self.inlet.fd()
    }

    /// What calls off waits, from another thread or a signal handler.
    pub fn canceller(&mut self) -> Canceller {
        self.inlet.canceller()
    }
    /// Whether waits are called off.
    pub fn is_canceled(&self) -> bool {
        self.inlet.is_canceled()
    }
    /// Whether anything unseen has come to this process. A few loads.
    pub fn has_unseen(&mut self) -> bool {
        self.inlet.unseen()
    }
    /// Names of the channels that it has joined so far.
    pub fn channels(&mut self) -> Vec<Name> {
        self.inlet.channels()
    }
    /// What the publishers of `channel` say about their messages, where there is a place for it (`shm://`). May block.
    pub fn descriptions(&mut self, channel: &Name) -> Vec<Description> {
        self.inlet.descriptions(channel)
    }
}

impl fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriber").field("options", &self.options).finish_non_exhaustive()
    }
}
