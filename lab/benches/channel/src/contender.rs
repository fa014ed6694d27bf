//! The interface of a contender, which carries messages from one process to another.
//!
//! Calls go through trait objects on purpose: every contender pays exactly one indirect call, and none gains
//! from being inlined into the loop that measures it.

use crate::case::{Case, Mode, Scenario};
use crate::error::Fallible;
use std::process::Command;

/// Requirements of a connection.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Name for things that need one, new for every connection.
    pub name: String,
    /// Whether one process sends and receives.
    pub within: bool,
    /// The scenario.
    pub scenario: Scenario,
    /// Bytes of a message.
    pub size: usize,
    /// Messages kept, if the contender has such a setting.
    pub depth: usize,
    /// How many writers.
    pub writers: usize,
    /// How many readers.
    pub readers: usize,
    /// What the readers do.
    pub mode: Mode,
    /// Network: as [`Case::one_group`].
    pub one_group: bool,
    /// Network: as [`Case::stock`].
    pub stock: bool,
    /// The number of the connection; it determines the network's group.
    pub number: u64,
}

impl Ask {
    /// What a case asks for.
    pub fn of(case: &Case, name: String, number: u64) -> Ask {
        Ask {
            name,
            within: case.is_within(),
            scenario: case.scenario,
            size: case.size,
            depth: case.depth(),
            writers: case.writers,
            readers: case.readers,
            mode: case.mode,
            one_group: case.one_group,
            stock: case.stock,
            number,
        }
    }

    /// Refuses requests that the usual kernel objects cannot meet, with the reason.
    pub fn queue(&self, longest: usize) -> Result<(), &'static str> {
        match self {
            ask if ask.size > longest => Err("message longer than its limit"),
            ask if ask.writers > 1 => Err("measured with one writer only"),
            ask if ask.mode == Mode::Poll && ask.readers > 8 => {
                Err("a queue: its writer waits for each of the many pollers that share a core")
            }
            ask if ask.mode == Mode::Stopped => Err("a queue: its writer waits for a stopped reader"),
            ask if ask.readers == 0 || ask.within => Err("a queue: it fills up without a reader"),
            _ => Ok(()),
        }
    }
}

/// A way to carry messages.
pub trait Contender {
    /// The name in tables and files.
    fn name(&self) -> &'static str;
    /// Its version, if it is not a part of this workspace or of the kernel.
    fn version(&self) -> Option<String> {
        None
    }
    /// Whether it can run this case, or why not.
    fn supports(&self, ask: &Ask) -> Result<(), &'static str>;
    /// Creates what both sides inherit. Runs in the parent, before the fork, which drops it after the run.
    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>>;
    /// Two connections, one per direction, on one group: each process has one domain for both.
    fn pair(&self, _there: &Ask, _back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        Err(format!("{} has no groups", self.name()).into())
    }
    /// Clients of the echo test in a separate program: it prints `ready` when it receives messages, and exits by
    /// itself after the last one. `None`: the harness provides them.
    fn client(&self, _there: &Ask, _back: &Ask) -> Option<Command> {
        None
    }
}

/// One connection, before its ends attach.
pub trait Link {
    /// Attaches writer `index`, in the process that will write.
    fn sender(&self, index: usize) -> Fallible<Box<dyn Sender>>;
    /// Attaches reader `index`, in the process that will read.
    fn receiver(&self, index: usize) -> Fallible<Box<dyn Receiver>>;
}

/// The writing end.
pub trait Sender {
    /// Sends one message. A contender that builds in place writes only the head, as a user would who produces data
    /// there; one that copies, copies all of it.
    fn send(&mut self, message: &[u8]) -> Fallible<()>;
    /// Whether every message reaches every reader, and the sender waits for space. By default the oldest is
    /// overwritten, or a message may be lost.
    fn keeps_all(&self) -> bool {
        false
    }
}

/// The reading end.
pub trait Receiver {
    /// Receives the next message into `buffer` if there is one, without blocking. A contender that reads in place
    /// copies only the head.
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool>;
    /// Receives the next message, blocking until there is one. May return without one after a spurious wake-up; the
    /// caller calls again.
    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool>;
}

/// A module's connection to the others: it publishes on its channel, and receives the channels of its inputs.
pub trait Node {
    /// Publishes.
    fn publish(&mut self, message: &[u8]) -> Fallible<()>;
    /// Passes the next message to `each`, waiting for it until that time; returns whether there was one. Without
    /// inputs, it only waits.
    fn receive(&mut self, until: u64, each: &mut dyn FnMut(&[u8]) -> Fallible<()>) -> Fallible<bool>;
}
