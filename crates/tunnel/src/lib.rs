//! Joins two networks over a lossy link by UDP, such as a radio.
//!
//! ```text
//!   send ──► Outbox ──► Outgoing / Groups ──► Seal ──►  link  ──► Seal ──► Replay ──► Gather ──► events
//!            newest     pieces and parity     secret              genuine   once      restores
//! ```
//!
//! * A message has a **deadline**. A message that misses it is dropped; later messages do not wait for it.
//! * Lost data is **restored** from parity sent along with it (Reed–Solomon), not requested again. Long messages
//!   are cut into pieces and coded individually; short ones are sent immediately and coded together.
//! * Under congestion the **newest** message is sent first, and channels take turns, so that a camera does not
//!   delay a heartbeat.
//! * Everything is **encrypted and authenticated** with a shared key. Datagrams that are not genuine use no memory.
//! * Either end may restart, or change its address, at any time.
//!
//! [`Tunnel`] is the protocol without sockets or a clock, [`Driver`] adds both, and [`Join`] adds a domain.

mod carrier;
mod code;
mod config;
mod driver;
mod error;
mod frame;
mod gather;
mod group;
mod handshake;
mod join;
mod key;
mod measure;
mod name;
mod outbox;
mod outgoing;
pub mod parity;
mod path;
mod replay;
mod seal;
mod sender;
mod session;
mod stats;
mod tunnel;

pub use config::{Config, Mtu, Order, Redundancy, Role};
pub use driver::Driver;
pub use error::{Error, Result};
pub use join::{Here, Join, Notice};
pub use key::Key;
pub use saltus_net::udp::Pace;
pub use session::{Arrived, Event};
pub use stats::{Dropped, Rejected, Stats};
pub use tunnel::{Random, Tunnel};

/// Fills bytes from the system's random generator.
pub fn fill_random(bytes: &mut [u8]) -> Result<()> {
    let failed = |e: getrandom::Error| Error::system("the system returns no random numbers", e.into());
    getrandom::fill(bytes).map_err(failed)
}
