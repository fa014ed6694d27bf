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
    pub fn name(&self) -> &Name {
        &self.mapping.name
    }
    /// The domain it was opened in.
    pub fn domain(&self) -> &Domain {
        &self.mapping.domain
    }
    /// What it was created with; mode and group as they were when it was opened.
    pub fn attributes(&self) -> &Attributes {
        &self.mapping.geometry.attributes
    }

    /// Leases a lane to publish in: one of a dead publisher, or a new one, whose memory is reserved now.
    ///
    /// [`NoLane`](crate::Error::NoLane) if all are leased, [`NoSpace`](crate::Error::NoSpace) if memory is short,
    /// [`Denied`](crate::Error::Denied) without
    /// permission to write. Nothing later can fail for lack of memory.
    pub fn publisher(&self) -> Result<Publisher> {
        Publisher::open(self.mapping.clone())
    }

    /// Joins the channel as a subscriber, with the defaults: the present newest message counts as unseen.
    pub fn subscriber(&self) -> Result<Subscriber> {
        self.subscriber_with(SubscriberOptions::new())
    }

    /// Joins the channel as a subscriber.
    pub fn subscriber_with(&self, options: SubscriberOptions) -> Result<Subscriber> {
        Subscriber::open(self.mapping.clone(), options)
    }

    /// What publishers have said about their messages, each once, in the order in which it was said. Empty if nobody
    /// said anything. Works on a file, may block, and allocates up to a few MiB.
    ///
    /// Whoever may publish may have written anything: parse it as you would parse a message.
    pub fn descriptions(&self) -> Result<Vec<Description>> {
        match types::read(&self.mapping.dir, &self.mapping.name)? {
            Some(found) => Ok(found),
            None => self.mapping.check_presence().map(|()| Vec::new()),
        }
    }

    /// Whether the channel was removed, replaced, or deleted by force. One system call.
    pub fn is_retired(&self) -> bool {
        self.mapping.is_retired()
    }

    /// Shared memory in bytes that the channel takes now, counters of subscribers and descriptions of types aside.
    pub fn memory(&self) -> u64 {
        self.mapping.memory()
    }

    /// Reads all counters. Costs publishers nothing but cache misses. Calls the kernel and allocates.
    pub fn info(&self) -> Result<Info> {
        info::read(&self.mapping)
    }
}

impl Publisher {
    /// The channel.
    pub fn channel(&self) -> Channel {
        Channel { mapping: self.mapping().clone() }
    }
}

impl Subscriber {
    /// The channel.
    pub fn channel(&self) -> Channel {
        Channel { mapping: self.mapping().clone() }
    }
}
