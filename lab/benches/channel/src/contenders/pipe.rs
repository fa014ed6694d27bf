//! Pipes, one for each reader; and the ends of byte streams, which the sockets use too.

use crate::case::Mode;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::{Fallible, check};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The requested buffer size, which is the largest that unprivileged processes may set.
const BUFFER: libc::c_int = 1 << 20;

/// See the module.
pub struct Pipe;

struct PipeLink {
    pipes: Vec<(OwnedFd, OwnedFd)>,
    ask: Ask,
}

impl Contender for Pipe {
    fn name(&self) -> &'static str {
        "pipe"
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        ask.queue(usize::MAX)
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let pipe = || -> Fallible<(OwnedFd, OwnedFd)> {
            let mut fds = [0; 2];
            // SAFETY: the call fills two descriptors, which are ours from then on.
            unsafe {
                check("pipe2", libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC))?;
                let ends = (OwnedFd::from_raw_fd(fds[1]), OwnedFd::from_raw_fd(fds[0]));
                check("fcntl(F_SETPIPE_SZ)", libc::fcntl(fds[1], libc::F_SETPIPE_SZ, BUFFER))?;
                Ok(ends)
            }
        };
        let pipes = (0..ask.readers).map(|_| pipe()).collect::<Fallible<_>>()?;
        Ok(Box::new(PipeLink { pipes, ask: ask.clone() }))
    }
}

impl Link for PipeLink {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        Ok(Box::new(Many::new(self.pipes.iter().map(|p| &p.0))?))
    }

    fn receiver(&self, index: usize) -> Fallible<Box<dyn Receiver>> {
        Ok(Box::new(Bytes::new(&self.pipes[index].1, &self.ask)?))
    }
}

/// The writing ends of several streams: each message goes to all of them.
pub struct Many(Vec<File>);

impl Many {
    /// Takes copies of the descriptors.
    pub fn new<'a>(ends: impl Iterator<Item = &'a OwnedFd>) -> Fallible<Many> {
        Ok(Many(ends.map(|end| end.try_clone().map(File::from)).collect::<Result<_, _>>()?))
    }
}

impl Sender for Many {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        for end in &mut self.0 {
            end.write_all(message)?;
        }
        Ok(())
    }

    fn keeps_all(&self) -> bool {
        true
    }
}

/// The reading end of a stream of messages of one size.
pub struct Bytes {
    end: File,
    /// Bytes of the current message received so far; a poll may find only a part.
    have: usize,
}

impl Bytes {
    /// Takes a copy of the descriptor; polled, it does not block.
    pub fn new(end: &OwnedFd, ask: &Ask) -> Fallible<Bytes> {
        if ask.mode == Mode::Poll {
            // SAFETY: sets a flag of a descriptor of ours.
            check("fcntl(F_SETFL)", unsafe {
                libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK | libc::O_RDWR)
            })?;
        }
        Ok(Bytes { end: end.try_clone()?.into(), have: 0 })
    }
}

impl Receiver for Bytes {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        match self.end.read(&mut buffer[self.have..]) {
            Ok(0) => Err("the writer has closed".into()),
            Ok(n) => {
                self.have = (self.have + n) % buffer.len();
                Ok(self.have == 0)
            }
            Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.poll(buffer)
    }
}
