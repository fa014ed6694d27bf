//! Networks: a transport, whose messages are stored in channels of this process.

use crate::backend::{BackendPublisher, BackendSubscriber};
use crate::inbox::Inbox;
use crate::inbox::subscriber::{InboxSubscriber, Source};
use crate::provider::Provider;
use crate::{Options, Pattern, Result, Traits};
use saltus_channel::{Description, Name};
use saltus_transport::{OpenDelivering, OpenTransport, Url};
use std::sync::Arc;

/// Opens a network whose messages this process receives when its descriptors are readable.
pub(crate) fn open(mut url: Url, traits: &Traits, open: OpenTransport) -> Result<Arc<dyn Provider>> {
    let memory = url.take_memory()?;
    Ok(Arc::new(Network(Inbox::new(open(url)?, traits, memory))))
}

/// Opens a network that delivers messages from its own threads.
pub(crate) fn open_delivering(
    mut url: Url,
    traits: &Traits,
    open: OpenDelivering,
) -> Result<Arc<dyn Provider>> {
    let memory = url.take_memory()?;
    Ok(Arc::new(Network(Inbox::delivering(traits, memory, |delivery| open(url, delivery))?)))
}

struct Network(Arc<Inbox>);

impl Provider for Network {
    fn publisher(&self, name: Name, what: Option<&Description>) -> Result<Box<dyn BackendPublisher>> {
        announce(&self.0, &name, what)?;
        Ok(Box::new(NetworkPublisher { inbox: self.0.clone(), name, listens: false }))
    }
    fn subscriber(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn BackendSubscriber>> {
        Ok(Box::new(InboxSubscriber::new(Source::Network(self.0.clone()), pattern, options)?))
    }
    fn learn(&self, what: &Description) {
        if let Some(describes) = self.0.transport().abilities().describes {
            describes.learn(what);
        }
    }
    fn names(&self) -> Result<Vec<Name>> {
        Ok(self.0.store().names())
    }
    fn shared_memory(&self) -> Option<&saltus_channel::Directory> {
        None
    }
}

fn announce(inbox: &Inbox, name: &Name, what: Option<&Description>) -> Result<()> {
    inbox.transport().abilities().announces.map_or(Ok(()), |announces| announces.announce(name, what))
}

/// Publishes on a network.
struct NetworkPublisher {
    inbox: Arc<Inbox>,
    name: Name,
    /// Whether the inbox has been notified of this publisher.
    listens: bool,
}

impl BackendPublisher for NetworkPublisher {
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        if !self.listens {
            self.inbox.listen()?;
            self.listens = true;
        }
        self.inbox.publish(&self.name, payload)
    }
    fn sender(&self) -> Option<u64> {
        self.inbox.transport().sender(&self.name)
    }
    fn describe(&mut self, what: &Description) -> Result<()> {
        announce(&self.inbox, &self.name, Some(what))
    }
}
