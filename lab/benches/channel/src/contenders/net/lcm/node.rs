//! LCM's library as a module of a workload uses it: one `lcm_t`, one subscription for all inputs, and `poll` on its
//! descriptor until the next period begins.

use super::{BIG, In, Instance, Lcm, Out};
use crate::clock;
use crate::contender::Node;
use crate::contender::{Receiver, Sender};
use crate::error::{Fallible, check};
use std::ffi::CString;
use std::rc::Rc;

/// As much of a message as is read.
const MAX_READ: usize = crate::message::HEAD;

struct Member {
    sender: In,
    /// Its inputs, and the descriptor that becomes readable when a message arrives.
    receiver: Option<(Out, libc::c_int)>,
    buffer: [u8; MAX_READ],
}

/// Joins the group of that URL.
pub fn open(lcm: Lcm, url: &str, channel: &str, pattern: Option<&str>) -> Fallible<Box<dyn Node>> {
    let instance = Instance::open(url)?;
    let subscribe = |pattern: &str| -> Fallible<_> {
        let queue = lcm.big.then_some(BIG.1);
        let receiver = Out::subscribe(instance.clone(), &CString::new(pattern)?, queue)?;
        // SAFETY: the instance is open, and stays so as long as the receiver.
        let fd = check("lcm_get_fileno", unsafe { (instance.functions.fileno)(instance.lcm) })?;
        Ok((receiver, fd))
    };
    let receiver = pattern.map(subscribe).transpose()?;
    let sender = In { instance: Rc::clone(&instance), channel: CString::new(channel)? };
    Ok(Box::new(Member { sender, receiver, buffer: [0; MAX_READ] }))
}

impl Node for Member {
    fn publish(&mut self, message: &[u8]) -> Fallible<()> {
        self.sender.send(message)
    }

    fn receive(&mut self, until: u64, each: &mut dyn FnMut(&[u8]) -> Fallible<()>) -> Fallible<bool> {
        let Some((receiver, fd)) = &mut self.receiver else {
            clock::sleep_until(until);
            return Ok(false);
        };
        let left = until.saturating_sub(clock::now());
        let time =
            libc::timespec { tv_sec: (left / 1_000_000_000) as _, tv_nsec: (left % 1_000_000_000) as _ };
        let mut poll = libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor and the time live across the call; the signal mask is left alone.
        let ready = check("ppoll", unsafe { libc::ppoll(&mut poll, 1, &time, std::ptr::null()) })?;
        if ready > 0 && receiver.wait(&mut self.buffer)? {
            return each(&self.buffer).map(|()| true);
        }
        Ok(false)
    }
}
