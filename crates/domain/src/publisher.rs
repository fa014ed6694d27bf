//! Publishing.

use crate::Result;
use crate::backend::BackendPublisher;
use saltus_channel::{Description, Name};
use saltus_wire::Message;
use std::fmt;
use std::marker::PhantomData;

/// Publishes bytes in one channel. It waits for no subscriber.
///
/// One publisher belongs to one thread at a time; another thread makes its own.
pub struct Publisher {
    backend: Box<dyn BackendPublisher>,
    channel: Name,
}

impl Publisher {
    pub(crate) fn new(backend: Box<dyn BackendPublisher>, channel: Name) -> Publisher {
        Publisher { backend, channel }
    }

    /// Publishes a message. Over `shm://` it never blocks and, after the first, neither allocates nor calls the kernel but
    /// to wake who sleeps; over a network it makes the system calls that sending takes, and may wait for the pace set.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let mut publisher = Domain::open("mem://")?.publisher("imu")?;
    /// publisher.publish(b"tilt 0.02")?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    ///
    /// # Errors
    /// A message that the channel or the transport cannot hold; what the system refuses, told and not retried.
    #[inline]
    pub fn publish(&mut self, message: &[u8]) -> Result<()> {
        self.backend.publish(message)
    }

    /// Publishes a message as if it had been published at another time, which [`Domain::timestamps`](crate::Domain::timestamps) says how
    /// to count: for who publishes a log again. Gives the timestamp that it got. Over `shm://` that may be a later one, since a
    /// publisher's timestamps never go back, and the present for one of the future; ages and latencies are then those of the past, and of several publishers of a channel
    /// the one with the later timestamps has the newest message. Otherwise as [`Publisher::publish`].
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let mut publisher = Domain::open("mem://")?.publisher("imu")?;
    /// assert!(publisher.publish_with_timestamp(b"old", 1).is_err(), "mem:// carries no other timestamps");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Publisher::publish`]; a transport that carries no timestamps.
    pub fn publish_with_timestamp(&mut self, message: &[u8], timestamp: i64) -> Result<i64> {
        self.backend.publish_with_timestamp(message, timestamp)
    }

    /// The channel.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// assert_eq!(Domain::open("mem://")?.publisher("imu")?.channel().as_bytes(), b"imu");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn channel(&self) -> &Name {
        &self.channel
    }
    /// What [`Message::sender`](crate::Message::sender) says of messages that this publishes; `None` where a transport does
    /// not tell senders apart, and over `shm://` before the first message. It may change when a channel is replaced.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let (mut publisher, mut subscriber) = (domain.publisher("imu")?, domain.subscriber("imu")?);
    /// publisher.publish(b"tilt 0.02")?;
    /// assert_eq!(subscriber.receive(Until::Poll)?.expect("a message").sender, publisher.sender());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn sender(&self) -> Option<u64> {
        self.backend.sender()
    }

    /// Leaves what the messages are with the channel, where there is a place for it (`shm://`),
    /// or lets the transport carry them as what they are (`dds://`).
    ///
    /// ```
    /// use saltus_domain::{Description, Domain};
    /// let mut publisher = Domain::open("mem://")?.publisher("imu")?;
    /// publisher.describe(&Description { name: "imu_t".into(), fingerprint: 1, schema: String::new() })?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn describe(&mut self, what: &Description) -> Result<()> {
        self.backend.describe(what)
    }
}

impl fmt::Debug for Publisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publisher").field("channel", &self.channel).finish_non_exhaustive()
    }
}

/// Publishes messages of one type.
#[derive(Debug)]
pub struct TypedPublisher<M> {
    publisher: Publisher,
    buf: Vec<u8>,
    of: PhantomData<fn(&M)>,
}

impl<M: Message> TypedPublisher<M> {
    pub(crate) fn new(publisher: Publisher) -> TypedPublisher<M> {
        TypedPublisher { publisher, buf: Vec::new(), of: PhantomData }
    }

    /// Encodes and publishes. Allocates only for a message that is longer than all before it. Errors as
    /// [`Publisher::publish`], and those of encoding.
    pub fn publish(&mut self, message: &M) -> Result<()> {
        self.buf.resize(message.encoded_size(), 0);
        let len = message.encode_to(&mut self.buf)?;
        self.publisher.publish(&self.buf[..len])
    }

    /// The channel.
    pub fn channel(&self) -> &Name {
        self.publisher.channel()
    }
}
