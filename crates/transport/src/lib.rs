//! The [`Transport`] trait, and the types that a provider of domains shares with `saltus-domain`.
//!
//! A provider is a function that makes a [`Transport`] from a [`Url`]. Everything else (keeping messages for slow
//! subscribers, waiting, counting) is in `saltus-domain`. ARCHITECTURE.md explains how to add one.

mod about;
mod descriptor;
mod error;
pub mod losses;
mod pattern;
pub mod recent;
mod traits;
mod transport;
mod url;

pub use about::{About, Count, Of};
pub use descriptor::{Epoll, Event, Ready, Timer};
pub use error::{Error, Result};
pub use pattern::Pattern;
pub use saltus_channel::{Description, Name};
pub use traits::{Discovery, Keeps, Losses, Reach, Senders, Timestamps, Traits};
pub use transport::{
    Abilities, Announces, Arrival, Delivery, Describes, Fd, OpenDelivering, OpenTransport, ReportsLosses,
    Sink, Transport,
};
pub use url::Url;
