//! Joins two networks over a lossy link by UDP, such as a radio.
//!
//! ```text
//!   send ──► Outbox ──► Outgoing / Groups ──► Seal ──►  link  ──► Seal ──► Replay ──► Gather ──► events
//!            newest     pieces and parity     secret              genuine   once      restores
//! ```
//!
//! * A message has a **deadline**. What has not arrived by then is dropped, and nothing ever waits for it.
//! * What is lost is **restored** from parity that was sent along (Reed–Solomon), not asked for again. Long messages are cut
//!   into pieces and coded alone, short ones are sent at once and coded together.
//! * Under congestion the **newest** goes first, and channels take turns, so that a camera does not stop a pulse.
//! * Everything is **encrypted and authenticated** with a shared key. What is not genuine costs no memory.
//! * Either end may start again, or come from another address, at any time.
//!
//! [`Tunnel`] is the protocol without sockets and without a clock, [`Driver`] gives it both, and [`Join`] a domain.

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
pub mod simulated;
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

/// Fills bytes from the system's generator.
pub fn fill_random(bytes: &mut [u8]) -> Result<()> {
    let failed = |e: getrandom::Error| Error::system("the system gives no random numbers", e.into());
    getrandom::fill(bytes).map_err(failed)
}
