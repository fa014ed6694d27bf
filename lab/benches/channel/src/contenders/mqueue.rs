//! POSIX message queues, one for each reader.

use crate::case::Mode;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::{Fallible, check};
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// See the module.
pub struct Mqueue;

struct Queues {
    queues: Vec<OwnedFd>,
    mode: Mode,
}

/// A limit of the kernel.
fn limit(name: &str) -> usize {
    let text = std::fs::read_to_string(format!("/proc/sys/fs/mqueue/{name}")).unwrap_or_default();
    text.trim().parse().unwrap_or(0)
}

impl Contender for Mqueue {
    fn name(&self) -> &'static str {
        "mqueue"
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        ask.queue(limit("msgsize_max"))
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let open = |index: usize| -> Fallible<OwnedFd> {
            let name = CString::new(format!("/{}-{index}", ask.name))?;
            let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_CLOEXEC;
            // SAFETY: an mq_attr of zeros with the fields below is what mq_open wants; the name lives through
            // the calls and is removed at once, so that nothing can be left behind.
            unsafe {
                let mut attributes: libc::mq_attr = std::mem::zeroed();
                attributes.mq_maxmsg = ask.depth.min(limit("msg_max")) as _;
                attributes.mq_msgsize = ask.size as _;
                let fd = check("mq_open", libc::mq_open(name.as_ptr(), flags, 0o600, &mut attributes))?;
                libc::mq_unlink(name.as_ptr());
                Ok(OwnedFd::from_raw_fd(fd))
            }
        };
        let queues = (0..ask.readers).map(open).collect::<Fallible<_>>()?;
        Ok(Box::new(Queues { queues, mode: ask.mode }))
    }
}

impl Link for Queues {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        Ok(Box::new(In(self.queues.iter().map(OwnedFd::try_clone).collect::<Result<_, _>>()?)))
    }

    fn receiver(&self, index: usize) -> Fallible<Box<dyn Receiver>> {
        let polled = self.mode == Mode::Poll;
        Ok(Box::new(Out { queue: self.queues[index].try_clone()?, polled }))
    }
}

struct In(Vec<OwnedFd>);

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        for queue in &self.0 {
            // SAFETY: the message lives through the call.
            check("mq_send", unsafe {
                libc::mq_send(queue.as_raw_fd(), message.as_ptr().cast(), message.len(), 0)
            })?;
        }
        Ok(())
    }

    fn keeps_all(&self) -> bool {
        true
    }
}

struct Out {
    queue: OwnedFd,
    polled: bool,
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let past = if self.polled { std::ptr::from_ref(&zero) } else { std::ptr::null() };
        // SAFETY: the buffer and the time live through the call. A deadline in the past means not to wait;
        // the descriptor itself must stay blocking, since the writer shares its description.
        let got = unsafe {
            libc::mq_timedreceive(
                self.queue.as_raw_fd(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                std::ptr::null_mut(),
                past,
            )
        };
        let error = std::io::Error::last_os_error();
        match (got, error.raw_os_error()) {
            (0.., _) => Ok(true),
            (_, Some(libc::ETIMEDOUT | libc::EAGAIN)) => Ok(false),
            _ => Err(format!("mq_timedreceive: {error}").into()),
        }
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.poll(buffer)
    }
}
