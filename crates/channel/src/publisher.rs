//! Publishing messages.

use crate::lease::{Claim, Lease};
use crate::limits::WAKE_AT_ONCE;
use crate::mapping::Mapping;
use crate::message::{Published, PublisherId};
use crate::types::{self, Description};
use crate::{Error, Result, Wake};
use saltus_ring::{Commit, Committed, LaneWriter, Memory, Reservation, Shm, bell};
use std::cell::Cell;
use std::io::IoSlice;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Publishes messages on a channel. It never waits for a reader or another publisher.
///
/// Only one thread may use a publisher at a time; a second thread opens its own.
#[derive(Debug)]
pub struct Publisher {
    mapping: Arc<Mapping>,
    lease: Lease,
    /// Prevents sharing between threads: two threads that write the lane's words at the same time would corrupt the lane.
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
        // The replacing process may have been killed before it marked the channel: no subscriber would read messages published here.
        mapping.check_presence()?;
        let publisher = Publisher { mapping, lease, _one_thread: PhantomData };
        // A publisher that died between its publish and its wake left subscribers asleep; they need not wait for their next check.
        ring(&publisher.lease.writer, &publisher.lease.claim, &publisher.mapping);
        Ok(publisher)
    }

    /// Publishes a copy of `message`. The result never depends on readers. Real-time safe.
    ///
    /// If another process truncates the channel's data during the call, it returns `Ok` though the message is lost; the next call
    /// returns [`Error::Retired`].
    ///
    /// The timestamp is read before the copying, so that a measured latency includes the copying. For messages of up to
    /// 4 KiB it is read afterwards: copying them takes less time than reading the clock, and the memory completes it in that time.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// let published = publisher.publish(b"tilt 0.02")?;
    /// assert_eq!(published.seq, 1);
    /// let mut buf = [0; 512];
    /// assert_eq!(subscriber.newest(&mut buf)?.expect("a message").timestamp, published.timestamp);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn publish(&mut self, message: &[u8]) -> Result<Published> {
        const SMALL: usize = 4096;
        let (mut reservation, claim, mapping) = self.reserve(message.len())?;
        let early = if message.len() > SMALL { Some(mapping.timestamp()) } else { None };
        reservation.fill(0, message);
        let timestamp = early.unwrap_or_else(|| mapping.timestamp());
        Ok(commit(reservation, claim, mapping, message.len(), timestamp))
    }

    /// Publishes a copy of `message` with a timestamp of your own, in ns of the channel's clock, for messages that were published
    /// before. Ages and latencies then refer to that time.
    ///
    /// Timestamps of a publisher never decrease: an older one is raised to the publisher's last. A timestamp in the future is lowered
    /// to now, since all later ones would inherit it. [`Published::timestamp`] is the result. A channel without timestamps ignores it.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, _subscriber) = doc::pair();
    /// let measured = saltus_channel::clock::boottime() - 1_000_000; // a millisecond ago
    /// assert_eq!(publisher.publish_with_timestamp(b"tilt 0.02", measured)?.timestamp, measured);
    /// // It does not go back behind an earlier message.
    /// assert_eq!(publisher.publish_with_timestamp(b"tilt 0.01", 5)?.timestamp, measured);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn publish_with_timestamp(&mut self, message: &[u8], timestamp: u64) -> Result<Published> {
        let (mut reservation, claim, mapping) = self.reserve(message.len())?;
        reservation.fill(0, message);
        let timestamp = timestamp.min(mapping.timestamp());
        Ok(commit(reservation, claim, mapping, message.len(), timestamp))
    }

    /// Publishes the concatenated pieces in `message` as one message. Real-time safe.
    ///
    /// ```
    /// use std::io::IoSlice;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish_vectored(&[IoSlice::new(b"tilt "), IoSlice::new(b"0.02")])?;
    /// let mut buf = [0; 512];
    /// let sample = subscriber.newest(&mut buf)?.expect("a message");
    /// assert_eq!(&buf[..sample.len], b"tilt 0.02");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn publish_vectored(&mut self, message: &[IoSlice<'_>]) -> Result<Published> {
        let len =
            message.iter().try_fold(0usize, |sum, piece| sum.checked_add(piece.len())).unwrap_or(usize::MAX);
        let (mut reservation, claim, mapping) = self.reserve(len)?;
        let timestamp = mapping.timestamp();
        reservation.memory().drain(); // [wf] for streaming stores: none may pass w1 and w2
        let mut rest = bytes(&mut reservation);
        for piece in message {
            let (here, behind) = rest.split_at_mut(piece.len());
            here.copy_from_slice(piece);
            rest = behind;
        }
        reservation.memory().drain(); // streaming stores must be visible before [w4]
        Ok(commit(reservation, claim, mapping, len, timestamp))
    }

    /// Reserves space for a message of up to `len` bytes, to build it in place. Real-time safe.
    ///
    /// The space holds old bytes. The oldest messages stored there are discarded now, even if nothing is published.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// let mut loan = publisher.loan(100)?;
    /// loan[..4].copy_from_slice(&1.5f32.to_le_bytes());
    /// loan.publish(4)?; // the first 4 bytes of it
    /// let mut buf = [0; 512];
    /// assert_eq!(subscriber.newest(&mut buf)?.expect("a message").len, 4);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    #[inline]
    pub fn loan(&mut self, len: usize) -> Result<Loan<'_>> {
        let (mut reservation, claim, mapping) = self.reserve(len)?;
        reservation.memory().drain(); // [wf] for streaming stores: none may pass w1 and w2
        let at = bytes(&mut reservation).as_mut_ptr();
        Ok(Loan { reservation: Some(reservation), claim, mapping, at })
    }

    /// Adds a description of the messages to the channel, so that tools can decode them. Repeating a description adds nothing.
    ///
    /// A new channel that replaces this one has no description. Do not call it in a control loop: it writes a file, may block, and
    /// allocates. Only the size is checked: readers do not trust descriptions.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty or overlong name, and when all descriptions together would exceed 1 MiB;
    /// [`Error::Retired`]; [`Error::NoSpace`]; [`Error::Damaged`] if the channel was made by a version that kept no descriptions.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let publisher = channel.publisher()?;
    /// publisher.describe("robot.imu_t", 0x17, "struct imu_t { float tilt; }")?;
    /// assert_eq!(channel.descriptions()?[0].fingerprint, 0x17);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
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

    /// The publisher's ID, as in each message's metadata. Changes when a forked child publishes.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// let mut buf = [0; 512];
    /// assert_eq!(subscriber.newest(&mut buf)?.expect("a message").publisher, publisher.id());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn id(&self) -> PublisherId {
        PublisherId { lane: self.lease.claim.lane as u32, lease: self.lease.claim.number }
    }
    /// The longest message in bytes.
    ///
    /// ```
    /// use saltus_channel::Error;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, _subscriber) = doc::pair();
    /// assert_eq!(publisher.max_len(), 512);
    /// assert!(matches!(publisher.publish(&[0; 513]), Err(Error::TooLong { .. })));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn max_len(&self) -> usize {
        self.mapping.geometry.attributes.max_message_size as usize
    }
    /// Whether the channel was removed, replaced, or deleted by force. One system call; `publish` itself also notices the first two.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let publisher = domain.create("imu", &Attributes::new())?.publisher()?;
    /// assert!(!publisher.is_retired());
    /// domain.unlink("imu")?;
    /// assert!(publisher.is_retired());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn is_retired(&self) -> bool {
        self.mapping.is_retired()
    }
    pub(crate) fn mapping(&self) -> &Arc<Mapping> {
        &self.mapping
    }

    /// Reserves space for a message of up to `len` bytes. Fails on a retired channel; in a forked child, leases a new lane first.
    #[inline(always)]
    fn reserve(&mut self, len: usize) -> Result<(Reservation<'_, Shm>, &Claim, &Mapping)> {
        if let Some(how) = self.mapping.retired() {
            return Err(self.mapping.retired_error(how));
        }
        if !self.lease.claim.is_ours() {
            self.renew_lease()?;
        }
        match self.lease.writer.reserve(len) {
            Some(reservation) => Ok((reservation, &self.lease.claim, &self.mapping)),
            None => Err(too_long(&self.mapping, len)),
        }
    }

    #[cold]
    fn renew_lease(&mut self) -> Result<()> {
        self.lease = Lease::take(&self.mapping)?;
        Ok(())
    }
}

#[cold]
fn too_long(mapping: &Mapping, len: usize) -> Error {
    let max = mapping.geometry.attributes.max_message_size as usize;
    Error::TooLong { channel: mapping.name.clone(), len, max }
}

/// The bytes of a reservation; streaming (non-temporal) stores may fill them too.
#[inline(always)]
fn bytes<'r>(reservation: &'r mut Reservation<'_, Shm>) -> &'r mut [u8] {
    let at = reservation.memory().address(reservation.at(), reservation.len());
    // A lapped reader may still copy old bytes from here, through atomics or assembly; its validation discards them. If the file is cut
    // short, zeros may replace the bytes at any time, as could the writes of any process that may write the file.
    // SAFETY: the bytes are in the lane, which is mapped for writing as long as the lease lives. The reservation borrows it exclusively, no
    // other process writes there by the protocol, and every value is valid for a byte.
    unsafe { std::slice::from_raw_parts_mut(at, reservation.len()) }
}

/// Publishes the first `len` bytes of `reservation`, and wakes waiting subscribers.
#[inline(always)]
fn commit(
    reservation: Reservation<'_, Shm>,
    claim: &Claim,
    mapping: &Mapping,
    len: usize,
    timestamp: u64,
) -> Published {
    let Committed { seq, timestamp, writer } =
        reservation.commit(Commit { len, timestamp, lease: claim.number });
    ring(writer, claim, mapping);
    Published { seq, timestamp }
}

/// Wakes waiting subscribers, if there are any.
#[inline(always)]
fn ring(writer: &LaneWriter<Shm>, claim: &Claim, mapping: &Mapping) {
    let Some(bell) = &mapping.bell else { return }; // `Publisher::open` ensures it
    let always = mapping.geometry.attributes.wake == Wake::Always;
    if bell::ring(&claim.page.mem, &bell.mem, WAKE_AT_ONCE, always, |k| mapping.wake(k)) {
        writer.count_wake();
    }
}

/// Space in shared memory for a message that is being built. Publish it with [`Loan::publish`], or drop it.
///
/// The bytes may also be filled with streaming (non-temporal) stores: `publish` orders them.
#[derive(Debug)]
pub struct Loan<'a> {
    /// `None` after it is published.
    reservation: Option<Reservation<'a, Shm>>,
    claim: &'a Claim,
    mapping: &'a Mapping,
    at: *mut u8,
}

impl Loan<'_> {
    /// Publishes the first `len` bytes; [`Error::TooSmall`] if that is more than was reserved. Real-time safe.
    #[inline]
    pub fn publish(mut self, len: usize) -> Result<Published> {
        // A forked child has not leased this lane, so it may not publish a message built here.
        if !self.claim.is_ours() {
            return Err(Error::invalid("a loan cannot be published by a forked child: borrow again"));
        }
        if len > self.len() {
            return Err(Error::TooSmall { needed: len, have: self.len() });
        }
        match self.reservation.take() {
            Some(reservation) => {
                reservation.memory().drain(); // streaming stores must be visible before [w4]
                let timestamp = self.mapping.timestamp();
                Ok(commit(reservation, self.claim, self.mapping, len, timestamp))
            }
            None => Err(Error::invalid("the loan was published already")),
        }
    }

    /// The reserved bytes; empty in a forked child, which has no such lane.
    fn len(&self) -> usize {
        if self.claim.is_ours() { self.reservation.as_ref().map_or(0, Reservation::len) } else { 0 }
    }
}

impl Deref for Loan<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: `at` points to the bytes of the reservation, which this holds; `&self` excludes writers.
        unsafe { std::slice::from_raw_parts(self.at, self.len()) }
    }
}

impl DerefMut for Loan<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`; and `&mut self` excludes other uses of the space in this process.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.len()) }
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take()
            && self.claim.is_ours()
        {
            reservation.abandon();
        }
    }
}

// SAFETY: the pointer leads into the publisher's lane, which this borrows; nothing in it is bound to a thread.
unsafe impl Send for Loan<'_> {}
