//! Messages from the network.

use super::intake::{Intake, Sink};
use super::reassembly::Limits;
use crate::Result;
use crate::udp::{Options, Receiver};
use saltus_os::clock;
use std::os::fd::{AsFd, BorrowedFd};

/// The receiving side of a group: a socket, and the state behind it. The descriptor is readable when there is something to
/// drain.
pub struct Listener {
    socket: Receiver,
    intake: Intake,
}

impl Listener {
    /// Opens the socket and joins the group. Calls the kernel, does not wait.
    ///
    /// # Errors
    /// Words on what the kernel refused.
    pub fn open(options: &Options) -> Result<Listener> {
        Ok(Listener { socket: Receiver::open(options)?, intake: Intake::new(Limits::default()) })
    }

    /// Takes up to `most` datagrams that have come and gives `sink` the messages that are whole with them. Returns how many
    /// datagrams there were; fewer than `most`: all that had come. Never waits. In the steady state it allocates nothing, but
    /// for fragments that come out of order.
    ///
    /// # Errors
    /// What the kernel said, if the socket is broken.
    pub fn drain(&mut self, most: usize, mut sink: impl Sink) -> Result<usize> {
        let Listener { socket, intake } = self;
        let now_ns = clock::monotonic();
        socket.drain(most, |datagram| {
            intake.take(datagram.from, datagram.bytes, datagram.stamp_ns, now_ns, &mut sink);
        })
    }

    /// The socket: its buffer, and what the kernel dropped.
    pub fn socket(&self) -> &Receiver {
        &self.socket
    }
    /// The state behind it, with all its counters.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
