//! Looking at a message where it lies.

use crate::backend::Place;
use crate::subscriber::{Turn, within};
use crate::{Error, Message, Result, Subscriber};
use saltus_channel::Until;

/// A message where it lies: over `shm://` in shared memory, where its publisher may overwrite it at any instant; elsewhere in memory
/// that nobody writes any more. The memory stays for as long as anybody has the view, whatever becomes of its subscriber.
///
/// Compute from it what is needed, then [`Subscriber::validate`]: only if that succeeds was the message whole all the while. Before,
/// nothing computed from it may be acted upon, and no length in it trusted. A view that is dropped leaves the message unseen over
/// `shm://`, and received elsewhere.
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
    /// The bytes, if nobody writes them any more; `None` in shared memory.
    pub fn own(&self) -> Option<&[u8]> {
        match &self.place {
            Place::Shared(..) => None,
            Place::Own(bytes, skip) => Some(bytes.get(*skip..).unwrap_or_default()),
        }
    }
    /// Lets bytes go that are not in shared memory: it is empty then, and can still be validated.
    pub fn let_go(&mut self) {
        if let Place::Own(bytes, skip) = &mut self.place {
            (*bytes, *skip) = Default::default();
        }
    }
    /// The first byte, for code that reads in place: by volatile or atomic loads or from other languages, never through a reference.
    pub fn as_ptr(&self) -> *const u8 {
        match &self.place {
            Place::Shared(view, _) => view.as_ptr(),
            Place::Own(bytes, skip) => bytes.get(*skip..).unwrap_or_default().as_ptr(),
        }
    }
}

impl Subscriber {
    /// Looks at a message where it lies, without copying it: the one that [`Subscriber::receive`] would give. `None`: the time is up, or
    /// there is nothing.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut subscriber, mut publisher) = (domain.subscriber("imu")?, domain.publisher("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// let view = subscriber.view(Until::Poll)?.expect("a message");
    /// let len = view.len();
    /// subscriber.validate(&view)?; // only now is it certain
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

    /// Ends a view, and says whether the message was whole all the while. If it was, it counts as received. The message that this
    /// gives has no bytes: they are where the view has them.
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
    /// [`Error::Channel`] with an overrun: it was overwritten meanwhile; forget what was computed, look again. [`Error::Invalid`] if it
    /// is not this subscriber's last view, or something was received since, it itself too.
    pub fn validate(&mut self, view: &View) -> Result<Message<'_>> {
        if view.turn != self.turn {
            return Err(Error::invalid(
                "this view is not the subscriber's last, or something was received since",
            ));
        }
        if let Place::Shared(view, which) = &view.place {
            self.backend.validate(view, *which, &mut self.meta)?;
        }
        self.turn.next(); // it was received: once
        self.last().ok_or_else(|| Error::invalid("this view is not of this subscriber"))
    }
}
