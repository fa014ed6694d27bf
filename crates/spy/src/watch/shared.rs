//! The watched domains, and the state shared by threads and front ends.

use crate::Model;
use saltus_domain::{Domain, Name};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A filter for channels.
pub type Wants = Arc<dyn Fn(&Name) -> bool + Send + Sync>;

/// A domain to watch.
#[derive(Clone)]
pub struct Source {
    /// The domain.
    pub domain: Domain,
    /// The filter; `None` selects all channels.
    pub wants: Option<Wants>,
}

impl Source {
    /// All channels of a domain, also those created later.
    pub fn all(domain: Domain) -> Source {
        Source { domain, wants: None }
    }
    pub(super) fn wants(&self, name: &Name) -> bool {
        self.wants.as_ref().is_none_or(|wants| wants(name))
    }
}

/// A problem with a domain. Watching continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// URL of the domain.
    pub domain: String,
    /// The message.
    pub words: String,
}

/// Most problems that are remembered. The oldest are forgotten.
const TROUBLES: usize = 16;

/// The state shared by threads and front ends.
pub(super) struct Shared {
    pub model: Mutex<Model>,
    /// Their total number, and the last ones.
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
