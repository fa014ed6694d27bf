//! Views: reading a message in place.

use crate::backend::Place;
use crate::subscriber::{Turn, within};
use crate::{Error, Message, Result, Subscriber};
use saltus_channel::Until;

/// A message in place. Over `shm://` it is in shared memory, where its publisher may overwrite it at any time;
/// elsewhere it is in memory that is no longer written. The memory stays valid as long as the view, even without
/// its subscriber.
///
/// Compute results from it, then call [`Subscriber::validate`]: only if that succeeds was the message whole
/// throughout. Before that, do not act on results and do not trust any length in the message. A dropped view leaves
/// the message unseen over `shm://`, and received elsewhere.
#[derive(Clone, Debug)]
pub struct View {
    place: Place,
    turn: Turn,
}

impl View {
    /// Length in bytes, not yet validated.
    pub fn len(&self) -> usize {
        match &self.place {
            Place::Shared(view, _) => view.len(),
            Place::Own(bytes, skip) => bytes.len().saturating_sub(*skip),
        }
    }
    /// Whether the message is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The bytes, if they are no longer written; `None` in shared memory.
    pub fn own(&self) -> Option<&[u8]> {
        match &self.place {
            Place::Shared(..) => None,
            Place::Own(bytes, skip) => Some(bytes.get(*skip..).unwrap_or_default()),
        }
    }
    /// Releases bytes that are not in shared memory: the view is then empty, and can still be validated.
    pub fn release(&mut self) {
        if let Place::Own(bytes, skip) = &mut self.place {
            (*bytes, *skip) = Default::default();
        }
    }
    /// The first byte, for code that reads in place: by volatile or atomic loads or from other languages, never
    /// through a reference.
    pub fn as_ptr(&self) -> *const u8 {
        match &self.place {
            Place::Shared(view, _) => view.as_ptr(),
            Place::Own(bytes, skip) => bytes.get(*skip..).unwrap_or_default().as_ptr(),
        }
    }
}

impl Subscriber {
    /// Returns the message that [`Subscriber::receive`] would return, in place and without a copy. `None`: timed
    /// out, or no message.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// let view = subscriber.view(Until::Poll)?.expect("a message");
    /// let len = view.len();
    /// subscriber.validate(&view)?; // the results are valid only from here on
    /// assert_eq!(len, 9);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn view(&mut self, until: impl Into<Until>) -> Result<Option<View>> {
        let which = self.options.which();
        let turn = self.turn.next();
        let place = within(&mut *self.backend, until.into(), |backend, poll| {
            backend.look(which, poll, &mut self.meta)
        })?;
        Ok(place.map(|place| View { place, turn }))
    }

    /// Ends a view and checks whether the message was whole throughout. If it was, it counts as received. The
    /// returned message has no bytes: they are in the view.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// let view = subscriber.view(Until::Poll)?.expect("a message");
    /// assert_eq!(subscriber.validate(&view)?.dropped, 0);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Channel`] with an overrun: the message was overwritten in the meantime; discard the results and
    /// view again. [`Error::Invalid`] if the view is not this subscriber's last, or a message was received since,
    /// including this one.
    pub fn validate(&mut self, view: &View) -> Result<Message<'_>> {
        if view.turn != self.turn {
            return Err(Error::invalid(
                "this view is not the subscriber's last, or something was received since",
            ));
        }
        if let Place::Shared(view, which) = &view.place {
            self.backend.validate(view, *which, &mut self.meta)?;
        }
        self.turn.next(); // it is received, once
        self.last().ok_or_else(|| Error::invalid("this view belongs to another subscriber"))
    }
}
