//! An open channel: what publishers and subscribers are made from.

use crate::mapping::Mapping;
use crate::types::{self, Description};
use crate::{Attributes, Domain, Info, Name, Publisher, Result, Subscriber, SubscriberOptions, info};
use std::sync::Arc;

/// An open channel. Cheap to clone; publishers and subscribers are made from it.
///
/// It holds two descriptors, and each subscriber made from it one more if it keeps counters; publishers hold none.
#[derive(Clone, Debug)]
pub struct Channel {
    mapping: Arc<Mapping>,
}

impl Channel {
    /// Opens channel `name` of `domain`.
    pub(crate) fn open(domain: &Domain, name: &Name) -> Result<Channel> {
        Mapping::open(domain, name).map(|mapping| Channel { mapping })
    }

    /// The channel's name.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("robot/imu", &Attributes::new())?;
    /// assert_eq!(channel.name().to_string(), "robot/imu");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn name(&self) -> &Name {
        &self.mapping.name
    }
    /// The domain it was opened in.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("imu", &Attributes::new())?;
    /// assert_eq!(channel.domain().path(), domain.path());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn domain(&self) -> &Domain {
        &self.mapping.domain
    }
    /// What it was created with; mode and group as they were when it was opened.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let attributes = channel.attributes();
    /// assert_eq!((attributes.get_frames(), attributes.get_frame_size()), (16, 512));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn attributes(&self) -> &Attributes {
        &self.mapping.geometry.attributes
    }

    /// Leases a lane to publish in: one of a dead publisher, or a new one, whose memory is reserved now.
    ///
    /// [`NoLane`](crate::Error::NoLane) if all are leased, [`NoSpace`](crate::Error::NoSpace) if memory is short,
    /// [`Denied`](crate::Error::Denied) without permission to write. Nothing later can fail for lack of memory.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let mut publisher = channel.publisher()?;
    /// assert_eq!(publisher.publish(b"tilt 0.02")?.seq, 1);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn publisher(&self) -> Result<Publisher> {
        Publisher::open(self.mapping.clone())
    }

    /// Joins the channel as a subscriber, with the defaults: the present newest message counts as unseen.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// channel.publisher()?.publish(b"tilt 0.02")?;
    /// let mut subscriber = channel.subscriber()?;
    /// assert!(subscriber.has_unseen());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn subscriber(&self) -> Result<Subscriber> {
        self.subscriber_with(SubscriberOptions::new())
    }

    /// Joins the channel as a subscriber.
    ///
    /// ```
    /// use saltus_channel::{Start, SubscriberOptions};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// channel.publisher()?.publish(b"tilt 0.02")?;
    /// let later = channel.subscriber_with(SubscriberOptions::new().start(Start::Now))?;
    /// assert!(!later.has_unseen());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn subscriber_with(&self, options: SubscriberOptions) -> Result<Subscriber> {
        Subscriber::open(self.mapping.clone(), options)
    }

    /// What publishers have said about their messages, each once, in the order in which it was said. Empty if nobody
    /// said anything. Works on a file, may block, and allocates up to a few MiB.
    ///
    /// Whoever may publish may have written anything: parse it as you would parse a message.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// assert!(channel.descriptions()?.is_empty());
    /// channel.publisher()?.describe("robot.imu_t", 0x17, "struct imu_t { float tilt; }")?;
    /// assert_eq!(channel.descriptions()?[0].name, "robot.imu_t");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn descriptions(&self) -> Result<Vec<Description>> {
        match types::read(&self.mapping.dir, &self.mapping.name)? {
            Some(found) => Ok(found),
            None => self.mapping.check_presence().map(|()| Vec::new()),
        }
    }

    /// Whether the channel was removed, replaced, or deleted by force. One system call.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("imu", &Attributes::new())?;
    /// assert!(!channel.is_retired());
    /// domain.unlink("imu")?;
    /// assert!(channel.is_retired());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn is_retired(&self) -> bool {
        self.mapping.is_retired()
    }

    /// Shared memory in bytes that the channel takes now, counters of subscribers and descriptions of types aside.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// assert_eq!(channel.memory(), channel.attributes().memory());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn memory(&self) -> u64 {
        self.mapping.memory()
    }

    /// Reads all counters. Costs publishers nothing but cache misses. Calls the kernel and allocates.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let mut publisher = channel.publisher()?;
    /// publisher.publish(b"tilt 0.02")?;
    /// let info = channel.info()?;
    /// assert_eq!((info.published(), info.lanes[0].alive), (1, true));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn info(&self) -> Result<Info> {
        info::read(&self.mapping)
    }
}

impl Publisher {
    /// The channel.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let publisher = channel.publisher()?;
    /// assert_eq!(publisher.channel().name(), channel.name());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn channel(&self) -> Channel {
        Channel { mapping: self.mapping().clone() }
    }
}

impl Subscriber {
    /// The channel.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let subscriber = channel.subscriber()?;
    /// assert_eq!(subscriber.channel().name(), channel.name());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn channel(&self) -> Channel {
        Channel { mapping: self.mapping().clone() }
    }
}
