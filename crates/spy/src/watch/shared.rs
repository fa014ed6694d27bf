//! What is watched, and what the threads and the faces share.

use crate::Model;
use saltus_domain::{Domain, Name};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Says whether a channel is wanted.
pub type Wants = Arc<dyn Fn(&Name) -> bool + Send + Sync>;

/// A domain to watch.
#[derive(Clone)]
pub struct Source {
    /// The domain.
    pub domain: Domain,
    /// Which channels: all, if nothing says otherwise.
    pub wants: Option<Wants>,
}

impl Source {
    /// All channels of a domain, those too that come later.
    pub fn all(domain: Domain) -> Source {
        Source { domain, wants: None }
    }
    pub(super) fn wants(&self, name: &Name) -> bool {
        self.wants.as_ref().is_none_or(|wants| wants(name))
    }
}

/// What went wrong with a domain; watching goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// URL of the domain.
    pub domain: String,
    /// What, in words.
    pub words: String,
}

/// Troubles that are remembered; of more the oldest are forgotten.
const TROUBLES: usize = 16;

/// What the threads and the faces share.
pub(super) struct Shared {
    pub model: Mutex<Model>,
    /// How many there were, and the last of them.
    pub troubles: Mutex<(u64, VecDeque<Trouble>)>,
    pub stop: AtomicBool,
}

impl Shared {
    pub fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub fn trouble(&self, domain: &str, words: String) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, last) = &mut *troubles;
        if last.len() >= TROUBLES {
            last.pop_front();
        }
        *count += 1;
        last.push_back(Trouble { domain: domain.into(), words: crate::text::harmless(&words) });
    }
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Acquire) // pairs with the release in `Watch::drop`
    }
}
