//! Shared-memory channels: a place of recent samples, written without waiting and read without asking.
//!
//! A [`Publisher`] appends and never learns who reads. A [`Subscriber`] keeps its own place and asks for the
//! **newest** message, or the **next** it has not seen, or waits until a point in time, and is told what it missed.
//! Either may be killed at any instant and the other does not notice.
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
//! | `cancel_handle`, `event_fd` for the first time | never | yes | a descriptor and a thread | yes |
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
//! <domain>/<name>/data     geometry, words of the channel, lanes      publishers write, subscribers read
//! <domain>/<name>/bell     the futex, and what sleepers arm           who may read writes
//! <domain>/<name>/lease    byte i is locked by the owner of lane i    publishers only
//! <domain>/<name>/types    what its messages are, by `describe`       publishers append, subscribers read
//! <domain>/<name>/subs/    one file of counters per subscriber        subscribers, if they may
//! <domain>/<name>/old/     channels that it succeeded a moment ago    read by who had them open
//! <domain>/.deep-*         what depth a subscriber waits for          subscribers of channels to come
//! ```

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

/// Files that other processes cut short while they are mapped here.
///
/// The first channel that a process opens installs a handler of SIGBUS. When a data file or a wake page is cut short, the handler puts zeros in
/// its place, and receiving and publishing return [`Error::Retired`] with [`Retired::CutShort`]. All other SIGBUS go to the handler that was
/// there before, or end the process.
///
/// A program that installs a handler of SIGBUS *after* it has opened a channel takes ours away, unless its handler calls the one before it. Install
/// yours first, or call [`catch`](fault::catch) afterwards. No thread that uses channels may block SIGBUS: the kernel ends a process that faults
/// while it is blocked.
pub mod fault {
    pub use saltus_os::fault::catch;
}

/// The clocks that timestamps and deadlines are told in.
pub mod clock {
    pub use saltus_os::clock::{Clock, boottime, monotonic, now};
}
