//! The attributes of a new channel.

use crate::{Error, Result};
use saltus_os::clock::Clock;
use saltus_ring::{LaneLayout, MAX_LANES, MAX_MESSAGE};

/// When publishers wake waiting subscribers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wake {
    /// When a waiting subscriber has armed the wake page. Costs nothing when no subscriber sleeps.
    #[default]
    OnDemand,
    /// At every publish, by one system call. For subscribers without write access to the wake page.
    Always,
}

/// The group of a channel's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// By number.
    Id(u32),
    /// By name, as in `/etc/group`.
    Name(String),
}

/// The attributes of a new channel. A builder; the defaults are Ach's 16 messages of 512 bytes.
///
/// ```
/// use saltus_channel::Attributes;
/// let a = Attributes::new().depth(64).max_message_size(1500).mode(0o640);
/// assert_eq!(a.memory(), 122_880);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    pub(crate) depth: u64,
    pub(crate) max_message_size: u64,
    pub(crate) reserve_publishers: u32,
    pub(crate) mode: u32,
    pub(crate) group: Option<Group>,
    pub(crate) timestamps: bool,
    pub(crate) clock: Clock,
    pub(crate) wake: Wake,
    pub(crate) prefault: bool,
    pub(crate) lock_memory: bool,
}

impl Default for Attributes {
    fn default() -> Self {
        Attributes {
            depth: 16,
            max_message_size: 512,
            reserve_publishers: 1,
            mode: 0o644,
            group: None,
            timestamps: true,
            clock: Clock::Boottime,
            wake: Wake::OnDemand,
            prefault: true,
            lock_memory: false,
        }
    }
}

impl Attributes {
    /// The defaults: 16 messages of 512 B, memory for one publisher, mode 0644, timestamps by boot time.
    pub fn new() -> Attributes {
        Attributes::default()
    }
    /// The number of newest messages kept per publisher (1 to 2^24).
    pub fn depth(mut self, depth: u64) -> Self {
        self.depth = depth;
        self
    }
    /// The longest message in bytes (1 to 2^40).
    pub fn max_message_size(mut self, bytes: u64) -> Self {
        self.max_message_size = bytes;
        self
    }
    /// The number of publishers whose memory is reserved at creation (1 to 1,024). Further publishers reserve theirs when they open.
    pub fn reserve_publishers(mut self, publishers: u32) -> Self {
        self.reserve_publishers = publishers;
        self
    }
    /// Permission bits: write permission allows publishing, read permission subscribing. The owner needs both.
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }
    /// The group of the files. Default: the creating process's.
    pub fn group(mut self, group: Group) -> Self {
        self.group = Some(group);
        self
    }
    /// Whether messages carry the time of their publication. A channel without timestamps can have only one publisher.
    pub fn timestamps(mut self, timestamps: bool) -> Self {
        self.timestamps = timestamps;
        self
    }
    /// The clock of the timestamps.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }
    /// When publishers wake waiting subscribers.
    pub fn wake(mut self, wake: Wake) -> Self {
        self.wake = wake;
        self
    }
    /// Whether every process that opens the channel maps all its pages immediately, so that it does not fault later.
    pub fn prefault(mut self, prefault: bool) -> Self {
        self.prefault = prefault;
        self
    }
    /// Whether every process that opens the channel locks its mapped buffers into memory, so that they are never swapped to disk.
    pub fn lock_memory(mut self, lock: bool) -> Self {
        self.lock_memory = lock;
        self
    }

    /// The number of newest messages kept per publisher.
    pub fn get_depth(&self) -> u64 {
        self.depth
    }
    /// The longest message in bytes.
    pub fn get_max_message_size(&self) -> u64 {
        self.max_message_size
    }
    /// The number of publishers whose memory was reserved at creation.
    pub fn get_reserve_publishers(&self) -> u32 {
        self.reserve_publishers
    }
    /// Permission bits.
    pub fn get_mode(&self) -> u32 {
        self.mode
    }
    /// The requested group, or the group of the files.
    pub fn get_group(&self) -> Option<&Group> {
        self.group.as_ref()
    }
    /// Whether messages carry timestamps.
    pub fn get_timestamps(&self) -> bool {
        self.timestamps
    }
    /// The clock of the timestamps.
    pub fn get_clock(&self) -> Clock {
        self.clock
    }
    /// When publishers wake waiting subscribers.
    pub fn get_wake(&self) -> Wake {
        self.wake
    }
    /// Whether opening maps all pages.
    pub fn get_prefault(&self) -> bool {
        self.prefault
    }
    /// Whether opening locks memory.
    pub fn get_lock_memory(&self) -> bool {
        self.lock_memory
    }

    /// Shared memory in bytes that creating the channel reserves; 0 if the attributes are invalid.
    pub fn memory(&self) -> u64 {
        // The geometry and the words of the channel take two pages, the wake page one, the lease file none.
        self.layout().map_or(0, |layout| 3 * 4096 + self.reserve_publishers as u64 * layout.stride())
    }

    /// The geometry of a lane, if all attributes are valid.
    pub(crate) fn layout(&self) -> Result<LaneLayout> {
        let max = MAX_LANES as u32;
        if self.reserve_publishers == 0 || self.reserve_publishers > max {
            return Err(Error::invalid(format!(
                "memory for {} publishers: a channel can reserve it for 1 to {max}",
                self.reserve_publishers
            )));
        }
        if !self.timestamps && self.reserve_publishers > 1 {
            return Err(Error::invalid(
                "a channel without timestamps can have only one publisher: keep the timestamps",
            ));
        }
        let blind = self.mode & 0o222 & !((self.mode & 0o444) >> 1);
        if self.mode & !0o666 != 0 || self.mode & 0o600 != 0o600 || blind != 0 {
            return Err(Error::invalid(format!(
                "mode {:04o}: its owner must be able to read and write (0600), a user who may write must also be able to read, and there is nothing to execute",
                self.mode
            )));
        }
        LaneLayout::new(self.depth, self.max_message_size).ok_or_else(|| {
            Error::invalid(format!(
                "a depth of {} with messages of up to {} B: the depth must be from 1 to 2^24, the size from 1 to {MAX_MESSAGE} B, and all together at most 64 TiB",
                self.depth, self.max_message_size
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_attributes_are_refused_in_words() {
        let a = Attributes::new;
        for (bad, word) in [
            (a().depth(0), "depth of 0"),
            (a().max_message_size(0), "up to 0 B"),
            (a().reserve_publishers(0), "0 publishers"),
            (a().reserve_publishers(1025), "1025 publishers"),
            (a().mode(0o444), "0444"),
            (a().mode(0o1666), "1666"),
            (a().mode(0o755), "execute"),
            (a().mode(0o620), "able to read"),
            (a().timestamps(false).reserve_publishers(2), "timestamps"),
            (a().depth(1 << 24).max_message_size(1 << 40), "64 TiB"),
        ] {
            let text = bad.layout().unwrap_err().to_string();
            assert!(text.contains(word), "{text}");
        }
    }
}
