//! Publish and subscribe by URL: what carries the messages is a word in it.
//!
//! ```
//! use saltus_domain::{Domain, Options, Pattern, Until};
//! let domain = Domain::open("mem://")?; // or shm://, udpm://239.255.76.67:7667?ttl=1, …
//! let mut subscriber = domain.subscriber("imu")?; // the newest
//! let mut logger = domain.subscriber_with(Pattern::all(), Options::next(1000))?; // all, in their order
//! let mut publisher = domain.publisher("imu")?;
//! publisher.publish(b"tilt 0.02")?;
//! let message = subscriber.receive(Until::Forever)?.expect("a message");
//! assert_eq!((message.data, message.dropped), (&b"tilt 0.02"[..], 0));
//! assert!(logger.receive(Until::Poll)?.is_some());
//! # Ok::<(), saltus_domain::Error>(())
//! ```
//!
//! | | order | what is told about loss |
//! |---|---|---|
//! | `shm://` `mem://` | each publisher's, exactly; between publishers by stamp | exact, for each channel |
//! | `memq://` | the same; nothing is kept for who comes later | exact, for each channel |
//! | `udpm://` | of arrival | of each sender, over all its channels |
//! | `mpudpm://` | of arrival, for each channel | nothing: what is missed is unknown |
//! | `tcpq://` | each publisher's | nothing: what is missed is unknown, and who sent it |
//! | `zmq://` (a feature) | each publisher's | nothing: what is missed is unknown, and who sent it |
//! | `dds://` (a feature) | each publisher's | of each publisher |
//! | `zenoh://` (a feature) | each publisher's | of each sender, on each channel; unknown of senders other than Saltus |
//! | `file://` | of the log | exact; unknown where the log is damaged |
//!
//! A message that cannot be kept in this process, because its subscriber is slow, is counted as *dropped*, exactly; one that
//! did not come here is *missed*, as far as the transport reveals it. See [`Message`] and [`Missed`].

mod description;
mod descriptor;
mod dispatcher;
mod domain;
mod error;
mod inbox;
mod inlet;
mod message;
mod options;
mod pattern;
mod providers;
mod publisher;
mod raw;
mod subscriber;
mod typed;
mod url;
mod view;
mod wait;

pub use description::description;
pub use dispatcher::{Control, Dispatcher, Id};
pub use domain::Domain;
pub use error::{Error, Result};
pub use message::{Message, Missed};
pub use options::Options;
pub use pattern::Pattern;
pub use providers::PROVIDERS;
pub use publisher::{Publisher, Stamps, TypedPublisher};
pub use raw::RawMessage;
pub use saltus_channel::{CancelHandle, Description, Name, Start, Until};
pub use subscriber::Subscriber;
pub use typed::{Expected, Typed, TypedSubscriber};
pub use view::View;
pub use wait::wait_any;

/// The programs of the guide's page compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/providers.md")]
struct Guide;
