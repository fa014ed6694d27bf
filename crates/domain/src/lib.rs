//! Publish and subscribe by URL: its scheme selects the transport.
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
//! <!-- schemes -->
//!
//! | | order | reported losses |
//! |---|---|---|
//! | `shm://` | each publisher's, exactly | exact, per channel |
//! | `mem://` | each publisher's, exactly | exact, per channel |
//! | `udpm://` | as it arrives | per sender, across its channels |
//! | `mpudpm://` | as it arrives | nothing |
//! | `tcpq://` | each publisher's | nothing |
//! | `zmq://` (a feature) | each publisher's | nothing |
//! | `dds://` (a feature) | each publisher's | per publisher |
//! | `zenoh://` (a feature) | each publisher's | per sender and channel; nothing for senders other than Saltus |
//! | `memq://` | each publisher's, exactly | exact, per channel |
//! | `file://` | the log's | exact; unknown where the log is damaged |
//!
//! <!-- end of schemes -->
//!
//! A message that this process cannot keep, because its subscriber is slow, counts as *dropped*, exactly. A message
//! that did not reach this process is *missed*, as far as the transport reveals it. See [`Message`] and [`Missed`].

mod backend;
mod description;
mod dispatcher;
mod domain;
mod inbox;
mod message;
mod options;
mod provider;
mod providers;
mod publisher;
mod raw;
mod schemes;
mod subscriber;
mod typed;
mod unread;
mod view;
mod wait;

pub use description::description;
pub use dispatcher::{Control, Dispatcher, Id};
pub use domain::Domain;
pub use message::{Message, Missed};
pub use options::Options;
pub use publisher::{Publisher, TypedPublisher};
pub use raw::RawMessage;
pub use saltus_channel::{CancelHandle, Description, Name, Start, Until};
pub use saltus_transport as transport;
pub use saltus_transport::{
    Discovery, Error, Keeps, Losses, Pattern, Reach, Result, Senders, Timestamps, Traits,
};
pub use schemes::{SCHEMES, Scheme, Words, is_same_network};
pub use subscriber::Subscriber;
pub use typed::{Expected, Typed, TypedSubscriber};
pub use unread::{Unread, UnreadFinder};
pub use view::View;
pub use wait::wait_any;

/// Compiles the example programs of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/providers.md")]
struct Guide;
