//! The receiving side of a group.

use super::intake::{Intake, Sink};
use super::reassembly::Limits;
use crate::Result;
use crate::udp::{Options, Receiver};
use saltus_os::clock;
use saltus_os::fd::{AsFd, BorrowedFd};

/// The receiving side of a group: a socket and its protocol state. The descriptor is readable when there are
/// datagrams to drain.
pub struct Listener {
    socket: Receiver,
    intake: Intake,
}

impl Listener {
    /// Opens the socket and joins the group. Makes system calls, does not wait.
    ///
    /// # Errors
    /// An error of the kernel, with a remedy.
    pub fn open(options: &Options) -> Result<Listener> {
        Ok(Listener { socket: Receiver::open(options)?, intake: Intake::new(Limits::within(options.memory)) })
    }

    /// Receives up to `most` datagrams and passes the messages that they complete to `sink`. Returns the number of
    /// datagrams; fewer than `most` means that none is left. Never waits. In the steady state it allocates only for
    /// fragments that arrive out of order.
    ///
    /// # Errors
    /// The kernel's error, if the socket is broken.
    pub fn drain(&mut self, most: usize, mut sink: impl Sink) -> Result<usize> {
        let Listener { socket, intake } = self;
        let now_ns = clock::monotonic();
        socket.drain(most, |datagram| {
            intake.take(datagram.from, datagram.bytes, datagram.stamp_ns, now_ns, &mut sink);
        })
    }

    /// The socket, for its buffer size and the kernel's drop count.
    pub fn socket(&self) -> &Receiver {
        &self.socket
    }
    /// The protocol state, with all its counters.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
