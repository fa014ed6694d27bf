//! Looking at a message where it lies.

use crate::mapping::Shared;
use crate::message::Sample;
use crate::{Error, Result, Subscriber};
use saltus_ring::{Candidate, Lanes, Memory, Shm};
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A message in shared memory, which its publisher may overwrite at any instant.
///
/// Compute from it what you need, then [`View::validate`]: only if that succeeds was the message whole all the while.
/// Before, any byte may be of a later message: nothing computed from it may be acted upon, and no length in it trusted.
/// Dropping a view without validating leaves the message unseen.
///
/// ```
/// # use saltus_channel::*;
/// # let domain = Domain::open(&format!("shm:///dev/shm/saltus-view-{}", std::process::id()))?;
/// # let channel = domain.create("camera", &Attributes::new())?;
/// # channel.publisher()?.publish(&[1, 2, 3])?;
/// let mut subscriber = channel.subscriber()?;
/// if let Some(view) = subscriber.view(Which::Newest, Until::Poll)? {
///     let sum: u64 = (0..view.len()).map(|i| view.byte(i) as u64).sum();
///     let sample = view.validate()?; // now the sum may be believed
///     assert_eq!((sum, sample.len), (6, 3));
/// }
/// # domain.unlink("camera")?;
/// # std::fs::remove_dir_all(domain.path()).unwrap();
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct View<'a> {
    subscriber: &'a mut Subscriber,
    candidate: Candidate,
    mem: Shm,
}

impl<'a> View<'a> {
    #[inline]
    pub(crate) fn new(subscriber: &'a mut Subscriber, candidate: Candidate) -> Option<View<'a>> {
        let mem = *subscriber.shared.lane(candidate.lane)?;
        Some(View { subscriber, candidate, mem })
    }

    /// Length in bytes, not yet validated but never beyond the channel's frame size.
    pub fn len(&self) -> usize {
        self.candidate.meta.len
    }
    /// Whether the message is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Byte `i`. Panics beyond the length.
    pub fn byte(&self, i: usize) -> u8 {
        let mut out = [0];
        self.copy_to(i, &mut out);
        out[0]
    }
    /// Copies `out.len()` bytes from byte `at` on. Panics beyond the length.
    #[inline]
    pub fn copy_to(&self, at: usize, out: &mut [u8]) {
        assert!(at <= self.len() && out.len() <= self.len() - at, "beyond the end of the message");
        let out: *mut [u8] = out;
        // SAFETY: bytes are a valid form of maybe-initialised bytes; only initialised ones are written.
        let mut out = unsafe { &mut *(out as *mut [MaybeUninit<u8>]) };
        let mut from = self.candidate.meta.at + at;
        let skip = from % 8;
        if skip != 0 && !out.is_empty() {
            // Shared words are read whole, and the first one begins before `at`.
            let mut word = [MaybeUninit::new(0u8); 8];
            let n = (8 - skip).min(out.len());
            self.mem.copy_out(from - skip, &mut word[..skip + n]);
            let (head, tail) = out.split_at_mut(n);
            head.copy_from_slice(&word[skip..skip + n]);
            (out, from) = (tail, from + n);
        }
        self.mem.copy_out(from, out);
    }
    /// The first byte, for code that reads in place.
    ///
    /// The memory may change while it is read: read it by volatile or atomic loads or from other languages, never
    /// through a reference, and believe nothing before [`View::validate`].
    pub fn as_ptr(&self) -> *const u8 {
        self.mem.address(self.candidate.meta.at, self.len())
    }

    /// Whether the message was whole all the while. Then it counts as received; else [`Error::Overrun`], and the
    /// subscriber keeps its place.
    #[inline]
    pub fn validate(self) -> Result<Sample> {
        let View { subscriber, candidate, .. } = self;
        subscriber.validate_candidate(&candidate)
    }

    /// Lets go of the subscriber: for languages that cannot borrow. [`Subscriber::validate`] ends it.
    pub fn detach(self) -> DetachedView {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let View { subscriber, candidate, mem } = self;
        subscriber.looked = NEXT.fetch_add(1, Ordering::Relaxed); // only each number once
        let (number, counts) = (subscriber.looked, subscriber.counts());
        DetachedView { shared: subscriber.shared.clone(), candidate, mem, number, counts }
    }
}

/// A [`View`] that does not borrow its subscriber. Its memory stays mapped for as long as anybody has it, even when the subscriber
/// and the channel are no more.
#[derive(Clone, Debug)]
pub struct DetachedView {
    shared: Arc<Shared>,
    candidate: Candidate,
    mem: Shm,
    /// Which look of all that this process ever took.
    number: u64,
    /// What the subscriber had counted then.
    counts: [u64; 3],
}

impl DetachedView {
    /// As [`View::len`].
    pub fn len(&self) -> usize {
        self.candidate.meta.len
    }
    /// Whether the message is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// As [`View::as_ptr`]. It leads nowhere once nobody has this view.
    pub fn as_ptr(&self) -> *const u8 {
        self.mem.address(self.candidate.meta.at, self.len())
    }
}

impl Subscriber {
    fn validate_candidate(&mut self, candidate: &Candidate) -> Result<Sample> {
        if !self.merge.validate(&*self.shared, candidate) {
            return Err(self.overrun());
        }
        let delivered = self.merge.commit(candidate);
        Ok(self.delivered(delivered))
    }
    fn counts(&self) -> [u64; 3] {
        [self.merge.received(), self.merge.missed(), self.merge.rewound()]
    }

    /// Whether this is the view that was detached from this subscriber last, and nothing was received or passed over since.
    pub fn is_looking_at(&self, view: &DetachedView) -> bool {
        self.looked == view.number && self.counts() == view.counts && Arc::ptr_eq(&self.shared, &view.shared)
    }
    /// [`View::validate`] for a view that was detached. [`Error::Invalid`] if it [is not looked at](Self::is_looking_at) any more.
    pub fn validate(&mut self, view: &DetachedView) -> Result<Sample> {
        if !self.is_looking_at(view) {
            return Err(Error::invalid(
                "this view is not the subscriber's last, or something was received since",
            ));
        }
        self.validate_candidate(&view.candidate)
    }

    /// Looks at a message in place through `look`, and hands out its result only if the message was whole all the
    /// while. `look` may be called several times.
    pub fn look<R>(
        &mut self,
        which: crate::Which,
        until: impl Into<crate::Until>,
        mut look: impl FnMut(&View<'_>) -> R,
    ) -> Result<Option<(R, Sample)>> {
        let until = until.into();
        for _ in 0..saltus_ring::TRIES {
            let Some(view) = self.view(which, until)? else { return Ok(None) };
            let result = look(&view);
            match view.validate() {
                Ok(sample) => return Ok(Some((result, sample))),
                Err(Error::Overrun { .. }) => continue,
                Err(e) => return Err(e),
            }
        }
        Err(self.overrun())
    }
}
