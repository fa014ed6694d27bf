//! Publishing.

use crate::lease::Lease;
use crate::limits::WAKE_AT_ONCE;
use crate::mapping::Mapping;
use crate::message::{Published, Writer};
use crate::types::{self, Description};
use crate::{Error, Result};
use saltus_os::clock;
use saltus_ring::{Memory, Room, Shm, bell};
use std::cell::Cell;
use std::io::IoSlice;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Publishes into one lane of a channel. It waits for nobody: no reader, no other publisher.
///
/// One publisher belongs to one thread at a time; a second thread opens its own.
#[derive(Debug)]
pub struct Publisher {
    mapping: Arc<Mapping>,
    lease: Lease,
    /// A publisher whose lane's words could be shared by two threads would break the lane.
    _one_thread: PhantomData<Cell<()>>,
}

impl Publisher {
    pub(crate) fn open(mapping: Arc<Mapping>) -> Result<Publisher> {
        if let Some(how) = mapping.retired() {
            return Err(mapping.retired_error(how));
        }
        if !mapping.bell.as_ref().is_some_and(|bell| bell.may_arm) {
            return Err(Error::Denied {
                what: format!("publish in channel `{}`: open its bell for writing", mapping.name),
            });
        }
        let lease = Lease::take(&mapping)?;
        let publisher = Publisher { mapping, lease, _one_thread: PhantomData };
        // A publisher that died between its publish and its wake left sleepers; they need not wait for a slice.
        publisher.ring();
        Ok(publisher)
    }

    /// Publishes a copy of `message`. The result never depends on readers. Real-time safe.
    ///
    /// The stamp is taken before the copying, so that what a reader measures includes it; but for messages of up to
    /// 4 KiB, whose copying takes less than the clock's reading and is done by the memory meanwhile.
    #[inline]
    pub fn publish(&mut self, message: &[u8]) -> Result<Published> {
        const SMALL: usize = 4096;
        self.check()?;
        let room = self.reserve(message.len())?;
        let early = if message.len() > SMALL { Some(self.stamp()) } else { None };
        self.lease.writer.fill(&room, 0, message);
        let stamp = early.unwrap_or_else(|| self.stamp());
        Ok(self.commit(room, message.len(), stamp))
    }

    /// The same with a stamp of one's own, in ns of the channel's clock: for who publishes again what was published before. It is
    /// raised to the publisher's last one if it is below, since stamps in a lane never go back; and it is never of the future, which
    /// all later ones would have to share: [`Published::stamp`] says what it became. Ages and latencies are then those of the past.
    /// A channel without stamps takes none.
    pub fn publish_stamped(&mut self, message: &[u8], stamp: u64) -> Result<Published> {
        self.check()?;
        let room = self.reserve(message.len())?;
        self.lease.writer.fill(&room, 0, message);
        let stamp = stamp.min(self.stamp());
        Ok(self.commit(room, message.len(), stamp))
    }

    /// Publishes the pieces in `message`, one after the other, as one message. Real-time safe.
    pub fn publish_vectored(&mut self, message: &[IoSlice<'_>]) -> Result<Published> {
        let len =
            message.iter().try_fold(0usize, |sum, piece| sum.checked_add(piece.len())).unwrap_or(usize::MAX);
        let stamp = self.stamp();
        let mut loan = self.loan(len)?;
        let mut at = 0;
        for piece in message {
            loan[at..at + piece.len()].copy_from_slice(piece);
            at += piece.len();
        }
        loan.finish(len, Some(stamp))
    }

    /// Borrows room for a message of up to `len` bytes, to build it in place. Real-time safe.
    ///
    /// The room holds old bytes. The oldest messages that lay there are given up now, even if nothing is published.
    #[inline]
    pub fn loan(&mut self, len: usize) -> Result<Loan<'_>> {
        self.check()?;
        let room = self.reserve(len)?;
        let mem = self.lease.writer.memory();
        mem.drain(); // [wf] for streaming stores: none may overtake w1 and w2
        let at = mem.address(room.at(), room.len());
        Ok(Loan { publisher: self, room: Some(room), at })
    }

    /// Leaves with the channel what its messages are, so that tools can read them. Saying the same again adds nothing.
    ///
    /// A new channel in the place of this one knows nothing of it. Not for a control loop: it works on a file, may
    /// block, and allocates. Nothing is checked but the size: readers trust none of it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty or overlong name, and when all descriptions together would exceed 1 MiB;
    /// [`Error::Retired`]; [`Error::NoSpace`]; [`Error::Damaged`] if the channel was made by a version that kept no
    /// descriptions.
    pub fn describe(&self, name: &str, fingerprint: u64, schema: &str) -> Result<()> {
        let mapping = &*self.mapping;
        if let Some(how) = mapping.retired() {
            return Err(mapping.retired_error(how));
        }
        let wanted = Description { name: name.into(), fingerprint, schema: schema.into() };
        if types::append(&mapping.dir, &mapping.name, &wanted)? {
            return Ok(());
        }
        mapping.check_presence()?;
        let what = format!("channel `{}` was made by a version that kept no types", mapping.name);
        Err(Error::Damaged { what })
    }

    /// Who this publisher is, as samples say it. Changes when a forked child publishes.
    pub fn writer(&self) -> Writer {
        Writer { lane: self.lease.lane as u32, lease: self.lease.number }
    }
    /// The longest message in bytes.
    pub fn max_len(&self) -> usize {
        self.mapping.geometry.attributes.frame_size as usize
    }
    /// Whether the channel was removed, replaced, or deleted by force. One system call; `publish` itself notices the
    /// first two.
    pub fn is_retired(&self) -> bool {
        self.mapping.is_retired()
    }
    pub(crate) fn mapping(&self) -> &Arc<Mapping> {
        &self.mapping
    }

    /// A retired channel takes no more; a forked child needs a lane of its own.
    #[inline(always)]
    fn check(&mut self) -> Result<()> {
        if let Some(how) = self.mapping.retired() {
            return Err(self.mapping.retired_error(how));
        }
        if !self.lease.is_ours() {
            self.lease_anew()?;
        }
        Ok(())
    }

    #[cold]
    fn lease_anew(&mut self) -> Result<()> {
        self.lease = Lease::take(&self.mapping)?;
        Ok(())
    }

    #[inline(always)]
    fn stamp(&self) -> u64 {
        let attributes = &self.mapping.geometry.attributes;
        if attributes.stamps { clock::now(attributes.clock) } else { 0 }
    }

    #[inline(always)]
    fn reserve(&mut self, len: usize) -> Result<Room> {
        match self.lease.writer.reserve(len) {
            Some(room) => Ok(room),
            None => Err(self.too_long(len)),
        }
    }

    #[cold]
    fn too_long(&self, len: usize) -> Error {
        Error::TooLong { channel: self.mapping.name.clone(), len, max: self.max_len() }
    }

    #[inline(always)]
    fn commit(&mut self, room: Room, len: usize, stamp: u64) -> Published {
        let (seq, stamp) = self.lease.writer.commit(room, len, stamp, self.lease.number);
        self.ring();
        Published { seq, stamp }
    }

    #[inline(always)]
    fn ring(&self) {
        let Some(bell) = &self.mapping.bell else { return }; // `open` has seen to it
        let page: &Shm = &self.lease.page.mem;
        let always = self.mapping.geometry.attributes.wake == crate::Wake::Always;
        if bell::ring(page, &bell.mem, WAKE_AT_ONCE, always, |k| self.mapping.wake(k)) {
            self.lease.writer.count_wake();
        }
    }
}

/// Room in shared memory for a message that is being built. Give it back by [`Loan::publish`], or drop it.
///
/// The bytes may also be filled with streaming (non-temporal) stores: `publish` orders them.
#[derive(Debug)]
pub struct Loan<'a> {
    publisher: &'a mut Publisher,
    /// `None` once it is published.
    room: Option<Room>,
    at: *mut u8,
}

impl Loan<'_> {
    /// Publishes the first `len` bytes, at most as many as were borrowed, else [`Error::TooSmall`]. Real-time safe.
    #[inline]
    pub fn publish(self, len: usize) -> Result<Published> {
        self.finish(len, None)
    }

    #[inline]
    fn finish(mut self, len: usize, stamp: Option<u64>) -> Result<Published> {
        // A child of a fork has not leased this lane: what it built here is not its to publish.
        if !self.publisher.lease.is_ours() {
            return Err(Error::invalid("a loan cannot be published by a forked child: borrow anew"));
        }
        if len > self.len() {
            return Err(Error::TooSmall { needed: len, have: self.len() });
        }
        self.publisher.lease.writer.memory().drain(); // streaming stores must be seen before [w4]
        let stamp = stamp.unwrap_or_else(|| self.publisher.stamp());
        match self.room.take() {
            Some(room) => Ok(self.publisher.commit(room, len, stamp)),
            None => Err(Error::invalid("the loan was published already")),
        }
    }

    /// Bytes borrowed; none in a forked child, where the lane does not exist.
    fn len(&self) -> usize {
        if self.publisher.lease.is_ours() { self.room.map_or(0, |room| room.len()) } else { 0 }
    }
}

impl Deref for Loan<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the room lies in the lane, mapped for writing as long as the publisher lives, which this borrows
        // for itself alone. No other writer exists. A reader that was overtaken may still copy old bytes from here,
        // through atomics or assembly; what it gets is thrown away by its validation.
        unsafe { std::slice::from_raw_parts(self.at, self.len()) }
    }
}

impl DerefMut for Loan<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`; and `&mut self` excludes other uses of the room in this process.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.len()) }
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if self.room.is_some() && self.publisher.lease.is_ours() {
            self.publisher.lease.writer.count_abandoned();
        }
    }
}

// SAFETY: the pointer leads into the publisher's lane, which this borrows; nothing in it is bound to a thread.
unsafe impl Send for Loan<'_> {}
