//! An open channel, from which publishers and subscribers are made.

use crate::chain;
use crate::create;
use crate::geometry;
use crate::mapping::Mapping;
use crate::types::{self, Description};
use crate::{
    Attributes, Directory, Error, Info, Name, Publisher, Result, Subscriber, SubscriberOptions, info,
};
use saltus_os::lock;
use saltus_ring::{Lanes, reader};
use std::sync::Arc;

/// An open channel, from which you make publishers and subscribers. Cheap to clone.
///
/// A channel holds two descriptors. Each subscriber with counters holds one more; publishers hold none.
#[derive(Clone, Debug)]
pub struct Channel {
    mapping: Arc<Mapping>,
}

impl Channel {
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Opens channel `name` of `domain`.
    pub(crate) fn open(domain: &Directory, name: &Name) -> Result<Channel> {
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
    /// The domain that the channel was opened in.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("imu", &Attributes::new())?;
    /// assert_eq!(channel.domain().path(), domain.path());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn domain(&self) -> &Directory {
        &self.mapping.domain
    }
    /// The channel's attributes; mode and group are those at the time of opening.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let attributes = channel.attributes();
    /// assert_eq!((attributes.get_depth(), attributes.get_max_message_size()), (16, 512));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn attributes(&self) -> &Attributes {
        &self.mapping.geometry.attributes
    }

    /// Opens a publisher. It reuses the buffer of a dead publisher, or reserves memory for a new one now.
    ///
    /// [`TooManyPublishers`](crate::Error::TooManyPublishers) if all buffers are in use, [`NoSpace`](crate::Error::NoSpace) if
    /// memory is short,
    /// [`Denied`](crate::Error::Denied) without write permission. No later call can fail for lack of memory.
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

    /// Opens a subscriber with the default options: the current newest message counts as unseen.
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

    /// Opens a subscriber with `options`.
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

    /// The descriptions that publishers added with [`Publisher::describe`](crate::Publisher::describe), each once, in order.
    /// Empty if there are
    /// none. Reads a file, may block, and allocates up to a few MiB.
    ///
    /// Every user who may publish can write any description: parse it with the same care as a message.
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

    /// Checks that the channel's name still leads to it. Publishing does not check this. Only this call and waiting subscribers notice a
    /// channel that was renamed, or whose files another process replaced. Three system calls.
    ///
    /// # Errors
    /// [`Retired`](crate::Error::Retired) if it was removed, replaced, renamed or deleted. The error has the owner of the channel or
    /// file that has its name now.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("imu", &Attributes::new())?;
    /// channel.check()?;
    /// std::fs::rename(domain.path().join("imu"), domain.path().join("stolen")).unwrap();
    /// assert!(channel.check().is_err());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn check(&self) -> Result<()> {
        match self.mapping.retired() {
            Some(how) => Err(self.mapping.retired_error(how)),
            None => self.mapping.check_presence(),
        }
    }

    /// The successor of this retired channel, if [`Directory::succeed`] made it. That successor may itself be retired already.
    ///
    /// Successors other than the newest are kept for ten seconds. At most 16 are kept, and only while they use no more memory than the
    /// newest, or 64 MiB if that is more. A later call skips the removed ones. [`NotFound`](crate::Error::NotFound) if there is
    /// no successor.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (domain, first) = doc::channel();
    /// let second = domain.succeed(&first, &first.attributes().clone().max_message_size(1000))?;
    /// let third = domain.succeed(&second, &second.attributes().clone().max_message_size(2000))?;
    /// assert_eq!(first.successor()?.attributes().get_max_message_size(), 1000);
    /// assert_eq!(second.successor()?.attributes().get_max_message_size(), 2000);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn successor(&self) -> Result<Channel> {
        self.next().map(|(channel, _)| channel)
    }
    /// The successor of this channel, if [`Directory::succeed`] made it. `None` if the channel was removed or replaced otherwise,
    /// or if the link to its successor has expired (see [`Channel::successor`]).
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (domain, first) = doc::channel();
    /// let second = domain.succeed(&first, &first.attributes().clone().max_message_size(1000))?;
    /// assert!(first.continuation()?.is_some());
    /// domain.replace(second.name().as_bytes(), second.attributes())?;
    /// assert!(second.continuation()?.is_none());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn continuation(&self) -> Result<Option<Channel>> {
        match self.next() {
            Ok((channel, goes_on)) => Ok(goes_on.then_some(channel)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn next(&self) -> Result<(Channel, bool)> {
        let old = &*self.mapping;
        let mut tries = 0;
        loop {
            let now = Mapping::open(&old.domain, &old.name)?;
            let (found, goes_on) = chain::after(&old.domain, &old.name, old, now.clone());
            tries += 1;
            // The links just read are complete if the channel still has its name now.
            if now.vanished().is_some() && tries < 100 {
                continue;
            }
            if old.retired().is_none() && found.geometry.id != old.geometry.id {
                // The replacing process was killed before it marked this channel.
                create::retire(&old.dir, geometry::REPLACED);
            }
            return Ok((Channel { mapping: found }, goes_on));
        }
    }
    /// The recent predecessors of this channel that still exist, oldest first. They are retired, but can be read.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (domain, first) = doc::channel();
    /// first.publisher()?.publish(b"tilt 0.02")?;
    /// let second = domain.succeed(&first, &first.attributes().clone().max_message_size(1000))?;
    /// let before: Vec<_> = second.predecessors().collect();
    /// assert!(second.is_empty() && before.len() == 1 && !before[0].is_empty());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn predecessors(&self) -> impl DoubleEndedIterator<Item = Channel> {
        chain::before(&self.mapping).map(|mapping| Channel { mapping })
    }
    /// Removes predecessors of this channel that were replaced more than ten seconds ago, if permissions allow. Returns how many.
    ///
    /// The last predecessor is kept while this channel is empty. If a process was killed before it marked a predecessor of this user as
    /// replaced, this call marks it.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (domain, first) = doc::channel();
    /// let second = domain.succeed(&first, &first.attributes().clone().max_message_size(1000))?;
    /// assert_eq!(second.forget_predecessors(), 0); // it was just now
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn forget_predecessors(&self) -> usize {
        for former in chain::dirs_of(&self.mapping.dir, saltus_os::process::user()) {
            create::retire(&former, geometry::REPLACED);
        }
        chain::trim(&self.mapping.dir, self.is_empty())
    }
    /// Whether no message was ever published on the channel.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// assert!(channel.is_empty());
    /// channel.publisher()?.publish(b"tilt 0.02")?;
    /// assert!(!channel.is_empty());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        let mapping = &*self.mapping;
        (0..mapping.used()).all(|i| mapping.lane(i).is_none_or(|mem| reader::head(mem) == 0))
    }
    /// Whether any publisher is open. Makes one system call for each publisher buffer in use.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (_domain, channel) = doc::channel();
    /// let publisher = channel.publisher()?;
    /// assert!(channel.has_publishers());
    /// drop(publisher);
    /// assert!(!channel.has_publishers());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn has_publishers(&self) -> bool {
        let mapping = &*self.mapping;
        (0..mapping.used()).any(|i| lock::is_locked(&mapping.data, i as u64).unwrap_or(false))
    }

    /// Shared memory in bytes that the channel uses now, without counters of subscribers and descriptions of types.
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

    /// Reads all counters. Costs publishers only cache misses. Calls the kernel and allocates.
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
