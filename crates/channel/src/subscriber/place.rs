//! A subscriber's position in its channel: its counts, and moving without receiving.

use super::Subscriber;
use saltus_ring::Which;

impl Subscriber {
    /// Skips all unseen messages, which count as missed.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// subscriber.flush();
    /// assert_eq!((subscriber.has_unseen(), subscriber.missed()), (false, 1));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn flush(&mut self) {
        self.receiver.flush();
    }
    /// Moves back to the oldest message kept. A message received again is counted again, and in [`Subscriber::rewound`].
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"old")?;
    /// publisher.publish(b"new")?;
    /// let mut buf = [0; 512];
    /// subscriber.newest(&mut buf)?;
    /// subscriber.seek_oldest();
    /// subscriber.next(&mut buf)?;
    /// assert_eq!((&buf[..3], subscriber.rewound()), (&b"old"[..], 2));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn seek_oldest(&mut self) {
        self.receiver.seek_oldest();
        self.rearm_event_fd();
    }
    /// Skips the oldest unseen messages until at most `keep` are left; they count as missed. Returns how many.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// for message in [b"one", b"two", b"six"] {
    ///     publisher.publish(message)?;
    /// }
    /// assert_eq!(subscriber.limit(1), 2);
    /// let mut buf = [0; 512];
    /// subscriber.next(&mut buf)?;
    /// assert_eq!(&buf[..3], b"six");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn limit(&mut self, keep: u64) -> u64 {
        self.receiver.limit(keep)
    }
    /// The timestamp of the message that `which` would return now; `None` if it would return none. Does not move the position.
    ///
    /// ```
    /// use saltus_channel::Which;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// assert_eq!(subscriber.peek(Which::Next), None);
    /// let published = publisher.publish(b"tilt 0.02")?;
    /// assert_eq!(subscriber.peek(Which::Next), Some(published.timestamp));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn peek(&mut self, which: Which) -> Option<u64> {
        self.receiver.peek(which)
    }
    /// The number of unseen messages, including those already overwritten.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, subscriber) = doc::pair();
    /// publisher.publish(b"old")?;
    /// publisher.publish(b"new")?;
    /// assert_eq!(subscriber.unseen_count(), 2);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn unseen_count(&self) -> u64 {
        self.receiver.unseen_count()
    }
    /// Messages received.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// subscriber.newest(&mut [0; 512])?;
    /// assert_eq!(subscriber.received(), 1);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn received(&self) -> u64 {
        self.receiver.merge().received()
    }
    /// Messages missed. Received plus missed is the number of messages published since the subscriber joined, up to its position.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"old")?;
    /// publisher.publish(b"new")?;
    /// subscriber.newest(&mut [0; 512])?;
    /// assert_eq!((subscriber.received(), subscriber.missed()), (1, 1));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn missed(&self) -> u64 {
        self.receiver.merge().missed()
    }
    /// Messages that [`Subscriber::seek_oldest`] made unseen again. Received plus missed is the number of messages published since the
    /// subscriber joined, plus these.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, mut subscriber) = doc::pair();
    /// publisher.publish(b"tilt 0.02")?;
    /// subscriber.newest(&mut [0; 512])?;
    /// subscriber.seek_oldest();
    /// subscriber.newest(&mut [0; 512])?;
    /// assert_eq!((subscriber.received(), subscriber.rewound()), (2, 1));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn rewound(&self) -> u64 {
        self.receiver.merge().rewound()
    }
    /// Whether any message is unseen. A few loads.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, mut publisher, subscriber) = doc::pair();
    /// assert!(!subscriber.has_unseen());
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.has_unseen());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn has_unseen(&self) -> bool {
        self.receiver.has_unseen()
    }
    /// Whether the channel is marked as removed or replaced, so that no message will follow the unseen ones. One load.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (domain, channel) = doc::channel();
    /// let subscriber = channel.subscriber()?;
    /// assert!(!subscriber.has_ended());
    /// domain.unlink(channel.name().as_bytes())?;
    /// assert!(subscriber.has_ended());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn has_ended(&self) -> bool {
        self.mapping().retired().is_some()
    }
}
