//! Shared-memory publish/subscribe channels that keep the most recent messages of each publisher.
//!
//! A [`Publisher`] appends messages and does not depend on readers. A [`Subscriber`] keeps its own position. It receives the
//! **newest** message or the **next** unseen one, polls or waits until a point in time, and learns how many messages it missed.
//! Either may be killed at any instant without effect on the other.
//!
//! ```
//! use saltus_channel::{Attributes, Directory};
//! # let url = &format!("shm:///dev/shm/saltus-doc-{}", std::process::id());
//! let domain = Directory::open(url)?; // for instance "shm://"
//! let channel = domain.open_or_create("imu", &Attributes::new().max_message_size(64))?;
//! let mut publisher = channel.publisher()?;
//! let mut subscriber = channel.subscriber()?;
//! publisher.publish(b"tilt 0.02")?;
//! let mut buf = [0; 64];
//! let info = subscriber.newest(&mut buf)?.expect("something new");
//! assert_eq!((&buf[..info.len], info.missed), (&b"tilt 0.02"[..], 0));
//! # domain.unlink("imu")?;
//! # std::fs::remove_dir_all(domain.path()).unwrap();
//! # Ok::<(), saltus_channel::Error>(())
//! ```
//!
//! # What each call costs
//!
//! | call | blocks | allocates | calls the kernel | may fault |
//! |---|---|---|---|---|
//! | open, create, `publisher()`, `subscriber()`, `info()` | in the file system | yes | yes | yes |
//! | `publish`, `Loan::publish` | never⁴ | no | one wake, if a subscriber sleeps | no¹ |
//! | `loan` | never | no | no | no¹ |
//! | `receive` with `Until::Poll`, `newest`, `next`, `current`, `view` | never | no² | no³ | no¹ |
//! | `receive` with a time to wait, `wait_any` | until then | no² | to sleep | no¹ |
//! | `receive_vec` | as `receive` | when the buffer must grow | as `receive` | as `receive` |
//! | `flush`, `seek_oldest`, `has_unseen`, counts, names, attributes | never | no² | no | no¹ |
//! | `CancelHandle::cancel` (also in signal handlers) | never | no | one wake | no |
//! | first call of `cancel_handle` or `event_fd` | never | yes | a descriptor and a thread | yes |
//! | `is_retired`, `check`, `memory` | never | no | yes | no |
//! | `describe`, `descriptions`, `wait_for`, `list`, `sweep`, `unlink`, `replace`, `chmod`; dropping a handle | in the file system | yes | yes | yes |
//!
//! ¹ With [`Attributes::prefault`], the default. ² The first receive after a new publisher has come maps that
//! publisher's lane. ³ But for the clock where it has no vDSO, and an event descriptor's re-arming.
//! The first publish in a forked child leases a lane of its own, and the first receive makes a file of counters of its
//! own, with all that opening costs. With [`Wake::Always`] every publish makes its call. ⁴ But while a hostile reader truncates the wake
//! page, for as long as that takes it; [`Wake::Always`] excludes it.
//!
//! # Files
//!
//! ```text
//! <domain>/<name>/data     geometry, channel words, publishers' buffers (lanes)   publishers write, subscribers read
//! <domain>/<name>/bell     wake page: the futex, and the words that waiters arm   users who may read the channel also write
//! <domain>/<name>/lease    byte i is locked by the owner of lane i                publishers only
//! <domain>/<name>/types    descriptions of the messages, from `describe`          publishers append, subscribers read
//! <domain>/<name>/subs/    one file of counters per subscriber                    subscribers, if permitted
//! <domain>/<name>/old/     recent channels that this one replaced                 read by processes that had them open
//! <domain>/.deep-*         depth that a subscriber requests                       subscribers of channels not yet created ```

mod attributes;
mod belongings;
mod chain;
mod channel;
mod counters;
mod create;
mod directory;
mod error;
mod event;
mod files;
mod geometry;
mod info;
mod lease;
mod limits;
mod mapped;
mod mapping;
mod message;
mod name;
mod owners;
mod place;
mod publisher;
mod receiver;
mod root;
mod space;
mod stats;
mod subscriber;
#[cfg(test)]
mod testing;
mod types;
mod until;
mod view;
mod wait;
mod wish;

pub use attributes::{Attributes, Group, Wake};
pub use belongings::Belonging;
pub use channel::Channel;
pub use counters::LatencyCounts;
pub use directory::Directory;
pub use error::{Error, Result, Retired};
pub use info::{Info, LaneInfo, SubscriberInfo};
pub use message::{MessageInfo, Published, PublisherId};
pub use name::Name;
pub use owners::Owners;
pub use publisher::{Loan, Publisher};
pub use root::{Root, RootKind};
pub use saltus_os::cancel::CancelHandle;
pub use saltus_os::rt;
pub use saltus_ring::{MAX_LANES, Start, Which};
pub use subscriber::any::wait_any;
pub use subscriber::{Subscriber, SubscriberOptions};
pub use types::Description;
pub use until::Until;
pub use view::{DetachedView, View};
pub use wish::DepthWish;

/// Handling of mapped files that other processes truncate.
///
/// The first channel that a process opens installs a SIGBUS handler. When a data file or a wake page is truncated, the handler
/// maps zeros in
/// its place. Receiving and publishing then return [`Error::Retired`] with [`Retired::CutShort`]. Any other SIGBUS goes to the previous
/// handler, or ends the process.
///
/// If your program installs a SIGBUS handler *after* it opened a channel, that handler replaces this one unless it calls the previous one.
/// Install yours first, or call [`catch`](fault::catch) afterwards. Do not block SIGBUS in threads that use channels: the kernel ends a
/// process that faults while SIGBUS is blocked.
pub mod fault {
    pub use saltus_os::fault::catch;
}

/// The clocks of timestamps and deadlines.
pub mod clock {
    pub use saltus_os::clock::{Clock, boottime, monotonic, now};
}
