//! `udpm://`: both sides of a group.

use super::check::check;
use super::intake::Sink;
use super::listener::Listener;
use super::publisher::Publisher;
use crate::Result;
use crate::udp::Options;
use saltus_os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// A group, to publish to and to receive from.
///
/// Publishing takes `&self` and draining `&mut self`; [`Udpm::split`] gives the two sides to different threads.
pub struct Udpm {
    publisher: Publisher,
    listener: Listener,
}

impl Udpm {
    /// Opens the sockets and joins the group. Makes system calls, does not wait.
    ///
    /// # Errors
    /// An error of the kernel, with a remedy.
    pub fn open(options: &Options) -> Result<Udpm> {
        Ok(Udpm { publisher: Publisher::open(options)?, listener: Listener::open(options)? })
    }
    /// Sends a message. A message longer than a datagram sleeps between bursts, according to [`Options::pace`].
    ///
    /// # Errors
    /// A name or size that is not valid in LCM, [`crate::Error::Full`], or the kernel's error.
    pub fn publish(&self, channel: &[u8], payload: &[u8]) -> Result<()> {
        self.publisher.publish(channel, payload)
    }
    /// Passes the messages of up to `most` datagrams that have arrived to `sink`, and returns the number of
    /// datagrams. Does not wait.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn drain(&mut self, most: usize, sink: impl Sink) -> Result<usize> {
        self.listener.drain(most, sink)
    }
    /// Sends a message to itself, and returns how long it took to return.
    ///
    /// # Errors
    /// The error in this machine's multicast, if the message did not return.
    pub fn check(&mut self, sink: impl Sink) -> Result<Duration> {
        check(&self.publisher, &mut self.listener, sink)
    }
    /// The sending side.
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }
    /// The receiving side.
    pub fn listener(&self) -> &Listener {
        &self.listener
    }
    /// Returns the two sides separately.
    pub fn split(self) -> (Publisher, Listener) {
        (self.publisher, self.listener)
    }
}

impl AsFd for Udpm {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}
