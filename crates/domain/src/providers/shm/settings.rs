//! Sizes of new channels, and limits of their growth.

use crate::{Error, Options, Result};
use saltus_channel::{Attributes, Channel, Directory, Name};
use saltus_transport::Url;
use std::io;

/// Most memory that a channel grows to, unless the URL sets another limit.
const GROW: u64 = 1 << 30;
/// Most memory of a new channel for the depth that waiting subscribers request: any process can make such a
/// request.
const MEMORY_GOAL: u64 = 64 << 20;
/// Most tries to deepen a channel that others keep replacing by a shallow one.
const TRIES: usize = 100;
const OPTIONS: &str = "depth, max_message_size, grow, owner";

/// A URL's settings for channels created in its domain.
#[derive(Debug)]
pub(super) struct Settings {
    pub domain: Directory,
    /// Fixed by the URL.
    depth: Option<u64>,
    /// Fixed by the URL.
    max_message_size: Option<u64>,
    /// Most memory that a channel grows to.
    grow: u64,
}

/// Attributes of a channel whose longest message so far has `len` bytes: with headroom for longer ones, within
/// `memory`.
fn with_headroom(attributes: &Attributes, len: usize, memory: u64) -> Option<Attributes> {
    let len = len as u64;
    let least = attributes.get_max_message_size();
    let ample = len.saturating_mul(2).checked_next_power_of_two();
    let sizes = [ample, len.checked_next_power_of_two(), Some(len)];
    let sized = sizes.into_iter().flatten().map(|size| attributes.clone().max_message_size(size.max(least)));
    sized.into_iter().find(|sized| is_sound(sized) && sized.memory() <= memory)
}

/// Whether a channel can have these attributes.
fn is_sound(attributes: &Attributes) -> bool {
    attributes.memory() > 0
}

impl Settings {
    pub fn of(mut url: Url) -> Result<Settings> {
        let depth = url.take("depth", "the number of messages that a new channel keeps, from 1")?;
        let max_message_size =
            url.take("max_message_size", "the longest message of a new channel in bytes, from 1")?;
        let grow =
            url.take("grow", "the most bytes of memory that a channel grows to; 0 turns growth off")?;
        let owner = url.take::<String>("owner", "users whose channels are accepted")?;
        url.finish(OPTIONS)?;
        let owner = owner.map_or(String::new(), |owner| format!("?owner={owner}"));
        let domain = Directory::open(&format!("shm://{}{owner}", url.network))?;
        if depth == Some(0) || max_message_size == Some(0) {
            return Err(url.invalid("`depth` and `max_message_size` must be at least 1"));
        }
        Ok(Settings { domain, depth, max_message_size, grow: grow.unwrap_or(GROW) })
    }

    /// The attributes of a new channel `name` whose first message has `len` bytes: headroom for messages a few
    /// times longer, and the depth that waiting subscribers request.
    pub fn attributes(&self, name: &Name, len: usize) -> Attributes {
        let default = Attributes::new();
        let sized = |depth: u64| {
            let attributes = default.clone().depth(depth);
            match self.max_message_size {
                Some(size) => attributes.max_message_size(size),
                None => with_headroom(&attributes, len, u64::MAX).unwrap_or(attributes),
            }
        };
        if let Some(depth) = self.depth {
            return sized(depth);
        }
        // More memory only for a subscriber to an existing channel, which then allocates it itself.
        let fits = |depth: u64| {
            let deep = sized(depth);
            is_sound(&deep) && deep.memory() <= self.grow.min(MEMORY_GOAL)
        };
        let wished = self.domain.wished_depth(name.as_bytes(), fits).ok().flatten().unwrap_or(0);
        sized(wished.max(default.get_depth()))
    }

    /// Replaces `old` by a channel that accepts messages of `len` bytes. `false`: this process may not, or the URL
    /// fixes the size.
    pub fn grow(&self, old: &Channel, len: usize) -> Result<bool> {
        if self.max_message_size.is_some() || self.grow == 0 {
            return Ok(false);
        }
        let attributes = old.attributes();
        let Some(larger) = with_headroom(attributes, len, self.grow) else {
            let (depth, name) = (attributes.get_depth(), old.name());
            let needed = attributes.clone().max_message_size(len as u64).memory();
            let why = format!(
                "with a depth of {depth} it would take {needed} B, and it grows by itself to at most {} B; \
                 create it with `{}`, with the same depth or a smaller one, or open the domain with `?grow={needed}`",
                self.grow,
                self.mk(name, depth, len as u64)
            );
            return Err(Error::system(
                format!("make channel `{name}` hold a message of {len} B"),
                io::Error::new(io::ErrorKind::StorageFull, why),
            ));
        };
        self.succeed(old, &larger)
    }

    /// Replaces `old` by `larger`. `false`: this process may not.
    fn succeed(&self, old: &Channel, larger: &Attributes) -> Result<bool> {
        match self.domain.succeed(old, larger) {
            // It was removed, or replaced again: the next open finds that out.
            Ok(_) | Err(saltus_channel::Error::NotFound { .. }) => Ok(true),
            Err(saltus_channel::Error::Denied { .. }) => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    /// The depth that `options` require of a channel. A URL that sets the depth has decided it already.
    pub fn demanded(&self, options: &Options) -> Option<u64> {
        options.demanded().filter(|_| self.depth.is_none())
    }

    /// Rejects a depth that no channel can have.
    pub fn check_depth(&self, name: &Name, depth: u64) -> Result<()> {
        let shortest = Attributes::new().depth(depth);
        let size = shortest.get_max_message_size();
        if is_sound(&shortest) && shortest.memory() <= self.grow.max(GROW) {
            return Ok(());
        }
        Err(self.too_deep(name, depth, size))
    }

    fn too_deep(&self, name: &Name, depth: u64, size: u64) -> Error {
        let bytes = u128::from(depth) * u128::from(size);
        Error::invalid(format!(
            "channel `{name}` cannot keep {depth} messages of up to {size} B by itself: that takes more than {bytes} B, and it grows to at most {} B. \
             Subscribe with a smaller depth, make it with `{}`, or open the domain with `?grow=BYTES`",
            self.grow,
            self.mk(name, depth, size)
        ))
    }

    /// Replaces `channel` by one that keeps `depth` messages, if it keeps fewer.
    pub fn deepen(&self, channel: &Channel, depth: u64) -> Result<()> {
        let mut channel = channel.clone();
        for _ in 0..TRIES {
            let (attributes, name) = (channel.attributes(), channel.name());
            let (kept, size) = (attributes.get_depth(), attributes.get_max_message_size());
            if kept >= depth {
                return Ok(());
            }
            let deeper = attributes.clone().depth(depth);
            if !is_sound(&deeper) || deeper.memory() > self.grow {
                return Err(self.too_deep(name, depth, size));
            }
            if !self.succeed(&channel, &deeper)? {
                let why = format!(
                    "this process may not replace it: its owner can with `{}`, or creates it deep enough with `?depth={depth}` in the URL of the domain",
                    self.mk(name, depth, size)
                );
                return Err(Error::system(
                    format!("make channel `{name}` keep {depth} messages, it keeps {kept}"),
                    io::Error::new(io::ErrorKind::PermissionDenied, why),
                ));
            }
            channel = match self.domain.open_channel(name.as_bytes()) {
                Ok(now) => now,
                Err(saltus_channel::Error::NotFound { .. }) => return Ok(()), // removed: its next creator sets the depth
                Err(e) => return Err(e.into()),
            };
        }
        Err(Error::invalid(format!("channel `{}` is repeatedly replaced by a shallower one", channel.name())))
    }

    /// The command that creates such a channel.
    fn mk(&self, name: &Name, depth: u64, size: u64) -> String {
        let url = self.domain.url();
        let url = if url.contains('?') { format!("'{url}'") } else { url };
        format!("saltus mk {name} --replace --depth {depth} --max-size {size} --domain {url}")
    }
}
