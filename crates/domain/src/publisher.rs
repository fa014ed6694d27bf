//! Publishers.

use crate::Result;
use crate::backend::BackendPublisher;
use saltus_channel::{Description, Name};
use saltus_wire::Message;
use std::fmt;
use std::marker::PhantomData;

/// Publishes bytes in one channel. It never waits for a subscriber.
///
/// Use a publisher from one thread at a time; create another for another thread.
pub struct Publisher {
    backend: Box<dyn BackendPublisher>,
    channel: Name,
}

impl Publisher {
    pub(crate) fn new(backend: Box<dyn BackendPublisher>, channel: Name) -> Publisher {
        Publisher { backend, channel }
    }

    /// Publishes a message. Over `shm://` it never blocks. After the first message it does not allocate, and calls
    /// the kernel only to wake waiting subscribers. Over a network it makes the system calls to send, and may wait
    /// for the pace limit.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let mut publisher = Domain::open("mem://")?.publisher("imu")?;
    /// publisher.publish(b"tilt 0.02")?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    ///
    /// # Errors
    /// A message that the channel or the transport cannot hold; errors of the system, which are returned and not
    /// retried.
    #[inline]
    pub fn publish(&mut self, message: &[u8]) -> Result<()> {
        self.backend.publish(message)
    }

    /// Publishes a message with a given timestamp instead of the present time, for programs that publish a log
    /// again. [`Domain::timestamps`](crate::Domain::timestamps) defines its unit and epoch. Returns the timestamp
    /// that the message got. Over `shm://` that may be later, since a publisher's timestamps never go back, and a
    /// timestamp of the future becomes the present. Ages and latencies then refer to the given time, and of several
    /// publishers of a channel, the one with the later timestamps has the newest message. Otherwise as
    /// [`Publisher::publish`].
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
    /// The value of [`Message::sender`](crate::Message::sender) in messages of this publisher. `None` if the
    /// transport does not identify senders, and over `shm://` before the first message. It may change when a
    /// channel is replaced.
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

    /// Stores a description of the messages with the channel, where that is supported (`shm://`), or declares their
    /// type on the network (`dds://`).
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

    /// Encodes and publishes. Allocates only for a message longer than all before it. Errors are those of
    /// [`Publisher::publish`] and of encoding.
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
