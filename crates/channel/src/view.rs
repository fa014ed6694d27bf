//! Accessing a message in shared memory without a copy.

use crate::mapping::Mapping;
use crate::message::MessageInfo;
use crate::receiver::{Mark, Receiver};
use crate::{Error, Result};
use saltus_ring::{Candidate, Lanes, Memory, Shm};
use std::mem::MaybeUninit;
use std::sync::Arc;

/// A message in shared memory, which its publisher may overwrite at any instant.
///
/// Compute what you need from it, then call [`View::validate`]. If that succeeds, the message was whole the whole time. Before, any
/// byte may belong to a later message: do not act on a result, and do not trust a length in it. Dropping a view without validating
/// leaves the message unseen.
///
/// ```
/// # use saltus_channel::*;
/// # let domain = Directory::open(&format!("shm:///dev/shm/saltus-view-{}", std::process::id()))?;
/// # let channel = domain.create("camera", &Attributes::new())?;
/// # channel.publisher()?.publish(&[1, 2, 3])?;
/// let mut subscriber = channel.subscriber()?;
/// if let Some(view) = subscriber.view(Which::Newest, Until::Poll)? {
///     let sum: u64 = (0..view.len()).map(|i| view.byte(i) as u64).sum();
///     let info = view.validate()?; // now the sum may be believed
///     assert_eq!((sum, info.len), (6, 3));
/// }
/// # domain.unlink("camera")?;
/// # std::fs::remove_dir_all(domain.path()).unwrap();
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct View<'a> {
    receiver: &'a mut Receiver,
    candidate: Candidate,
    mem: Shm,
}

impl<'a> View<'a> {
    #[inline]
    pub(crate) fn new(receiver: &'a mut Receiver, candidate: Candidate) -> Option<View<'a>> {
        let mem = *receiver.mapping().lane(candidate.lane)?;
        Some(View { receiver, candidate, mem })
    }

    /// Length in bytes. Not yet validated, but never above the channel's message size limit.
    pub fn len(&self) -> usize {
        self.candidate.meta.len
    }
    /// Whether the message is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether the subscriber had not received the message before. A view of the [current](saltus_ring::Which::Current) message may be of
    /// either kind.
    ///
    /// ```
    /// use saltus_channel::{Until, Which};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// let view = subscriber.view(Which::Current, Until::Poll)?.expect("a message");
    /// assert!(view.is_unseen());
    /// view.validate()?;
    /// assert!(!subscriber.view(Which::Current, Until::Poll)?.expect("the same").is_unseen());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn is_unseen(&self) -> bool {
        self.candidate.meta.seq > self.receiver.merge().cursor(self.candidate.lane)
    }
    /// Byte `i`. Panics beyond the length.
    pub fn byte(&self, i: usize) -> u8 {
        let mut out = [0];
        self.copy_to(i, &mut out);
        out[0]
    }
    /// Copies `out.len()` bytes, starting at byte `at`. Panics beyond the length.
    #[inline]
    pub fn copy_to(&self, at: usize, out: &mut [u8]) {
        assert!(at <= self.len() && out.len() <= self.len() - at, "beyond the end of the message");
        let out: *mut [u8] = out;
        // SAFETY: bytes are a valid form of maybe-initialized bytes; only initialized ones are written.
        let mut out = unsafe { &mut *(out as *mut [MaybeUninit<u8>]) };
        let mut from = self.candidate.meta.at + at;
        let skip = from % 8;
        if skip != 0 && !out.is_empty() {
            // The memory is read in whole words, and the first one begins before `at`.
            let mut word = [MaybeUninit::new(0u8); 8];
            let n = (8 - skip).min(out.len());
            self.mem.copy_out(from - skip, &mut word[..skip + n]);
            let (head, tail) = out.split_at_mut(n);
            head.copy_from_slice(&word[skip..skip + n]);
            (out, from) = (tail, from + n);
        }
        self.mem.copy_out(from, out);
    }
    /// A pointer to the first byte, for code that reads in place.
    ///
    /// The memory may change while you read it. Use volatile or atomic loads, or another language, never a reference. Trust no byte
    /// before [`View::validate`].
    pub fn as_ptr(&self) -> *const u8 {
        self.mem.address(self.candidate.meta.at, self.len())
    }

    /// Checks that no publisher overwrote the message, and counts it as received. Otherwise returns [`Error::Overrun`], and the
    /// subscriber keeps its position.
    #[inline]
    pub fn validate(self) -> Result<MessageInfo> {
        self.receiver.validate(&self.candidate)
    }

    /// Ends the borrow of the subscriber, for languages without borrowing. Validate it with
    /// [`Subscriber::validate`](crate::Subscriber::validate).
    pub fn detach(self) -> DetachedView {
        let View { receiver, candidate, mem } = self;
        DetachedView { mapping: receiver.mapping().clone(), candidate, mem, mark: receiver.mark() }
    }
}

/// A [`View`] that does not borrow its subscriber. Its memory stays mapped while the view exists, even after the subscriber and the
/// channel are gone.
#[derive(Clone, Debug)]
pub struct DetachedView {
    mapping: Arc<Mapping>,
    candidate: Candidate,
    mem: Shm,
    /// The subscriber's moment when it was detached.
    mark: Mark,
}

impl DetachedView {
    /// Length in bytes. Not yet validated, but never above the channel's message size limit.
    pub fn len(&self) -> usize {
        self.candidate.meta.len
    }
    /// Whether the message is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// A pointer to the first byte, for code that reads in place. It is invalid after this view is dropped.
    ///
    /// The memory may change while you read it. Use volatile or atomic loads, or another language, never a reference. Trust no byte
    /// before [`Subscriber::validate`](crate::Subscriber::validate).
    pub fn as_ptr(&self) -> *const u8 {
        self.mem.address(self.candidate.meta.at, self.len())
    }

    /// Whether it is the last view detached from the subscriber of `receiver`, which received nothing since.
    pub(crate) fn is_current(&self, receiver: &Receiver) -> bool {
        receiver.is_at(&self.mark) && Arc::ptr_eq(receiver.mapping(), &self.mapping)
    }
    /// Counts the message as received by the subscriber of `receiver`, if the message is still whole.
    pub(crate) fn validate(&self, receiver: &mut Receiver) -> Result<MessageInfo> {
        if !self.is_current(receiver) {
            return Err(Error::invalid(
                "this view is not the subscriber's last, or something was received since",
            ));
        }
        receiver.validate(&self.candidate)
    }
}
