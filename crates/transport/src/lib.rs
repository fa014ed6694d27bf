//! What a provider of domains needs: the [`Transport`] trait, and the words that it and `saltus-domain` have in common.
//!
//! A provider is a function that makes a [`Transport`] from a [`Url`]; everything else (keeping messages for slow subscribers,
//! waiting, accounting) is done once, in `saltus-domain`. ARCHITECTURE.md says how to add one.

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
