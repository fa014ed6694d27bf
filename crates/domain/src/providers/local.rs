//! Channels inside this process, for `mem://` and `memq://`.

use crate::Result;
use crate::backend::BackendPublisher;
use crate::inbox::channel::ChannelEnd;
use crate::inbox::store::Store;
use saltus_channel::Name;
use saltus_os::clock;
use saltus_transport::About;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Publishes in a channel of this process.
pub(crate) struct MemPublisher {
    store: Arc<Store>,
    end: ChannelEnd,
    sender: u64,
    sequence: u64,
}

impl MemPublisher {
    pub fn new(store: Arc<Store>, name: &Name) -> MemPublisher {
        /// Numbers the publishers of this process.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let end = ChannelEnd::new(store.channel(name));
        MemPublisher { store, end, sender: NEXT.fetch_add(1, Relaxed), sequence: 0 }
    }
}

impl BackendPublisher for MemPublisher {
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        let now = clock::boottime();
        self.sequence += 1;
        let about = About {
            published: now,
            arrived: now,
            sender: self.sender,
            sequence: self.sequence,
            lost: 0,
            count: 0,
        };
        self.end.publish(&about, payload)?;
        self.store.wake(self.end.channel().name(), None);
        Ok(())
    }
    fn sender(&self) -> Option<u64> {
        Some(self.sender)
    }
}
