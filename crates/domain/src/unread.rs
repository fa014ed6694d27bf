//! Finds shared-memory channels that a subscriber to many does not read, because the system refuses.

use crate::{Domain, Error, Name, Pattern};
use saltus_os::limits::Reserve;
use std::collections::HashSet;

/// Descriptors held back, so that channels can be checked when the process has no more.
const SPARE: usize = 8;

/// A channel that is not read, or a domain whose channels are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The channel; `None`: the domain's channels could not be listed.
    pub channel: Option<Name>,
    /// The reason.
    pub why: String,
}

/// Finds shared-memory channels that a subscriber to several skips, because it may not read them or the process has
/// no more descriptors. A count of received messages is incomplete without them.
///
/// It checks only when called. On other domains it finds nothing: there is no list of channels to compare with.
///
/// ```
/// use saltus_domain::{Domain, Pattern, UnreadFinder};
/// let domain = Domain::open("mem://")?;
/// assert!(UnreadFinder::new(&domain).look(&Pattern::all(), |_| false).is_empty());
/// # Ok::<(), saltus_domain::Error>(())
/// ```
#[derive(Debug)]
pub struct UnreadFinder {
    domain: Domain,
    spare: Reserve,
    /// Channels that could be opened.
    readable: HashSet<Name>,
}

impl UnreadFinder {
    /// A finder for a domain. It holds a few descriptors.
    pub fn new(domain: &Domain) -> UnreadFinder {
        let mut finder =
            UnreadFinder { domain: domain.clone(), spare: Reserve::default(), readable: HashSet::new() };
        if domain.shared_memory().is_some() {
            finder.spare.hold(SPARE);
        }
        finder
    }

    /// The channels that match `pattern` and that this process does not read. `known` returns whether it certainly
    /// reads a channel.
    pub fn look(&mut self, pattern: &Pattern, known: impl Fn(&Name) -> bool) -> Vec<Unread> {
        let Some(shm) = self.domain.shared_memory().cloned() else { return Vec::new() };
        let mut found = Vec::new();
        let mut names = shm.list();
        if names.is_err() {
            self.spare.release();
            if let Err(why) = &names {
                found.push(Unread { channel: None, why: why.to_string() });
            }
            names = shm.list();
            self.spare.hold(SPARE); // a channel that can be opened now can be opened by subscribers too
        }
        for name in names.unwrap_or_default() {
            if !pattern.matches(name.as_bytes()) || known(&name) || self.readable.contains(&name) {
                continue;
            }
            match shm.open_channel(name.as_bytes()) {
                Ok(_) => drop(self.readable.insert(name)),
                Err(saltus_channel::Error::NotFound { .. }) => {}
                Err(why) => {
                    // It may have been opened while descriptors were still available.
                    self.spare.release();
                    let own = std::process::id();
                    let reads = |info: saltus_channel::Info| {
                        info.subscribers.iter().any(|one| one.alive && one.pid == own)
                    };
                    let joined = shm.open_channel(name.as_bytes()).and_then(|channel| channel.info());
                    if !joined.is_ok_and(reads) {
                        found.push(Unread { channel: Some(name), why: Error::from(why).to_string() });
                    }
                    self.spare.hold(SPARE);
                }
            }
        }
        self.spare.hold(SPARE);
        found
    }
}
