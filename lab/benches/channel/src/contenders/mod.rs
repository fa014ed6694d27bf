//! The contenders, one file each.

mod ring;

pub mod eventfd;
#[cfg(feature = "iceoryx2")]
pub mod iceoryx2;
pub mod memcpy;
pub mod mqueue;
pub mod net;
pub mod pipe;
pub mod saltus;
pub mod seqlock;
pub mod socket;
pub mod stream;
mod version;

use crate::contender::Contender;

pub use seqlock::{REFERENCE, TIMED};

/// All contenders, the reference first.
pub fn all() -> Vec<Box<dyn Contender>> {
    let mut all: Vec<Box<dyn Contender>> = vec![
        Box::new(seqlock::Seqlock { timed: false }),
        Box::new(seqlock::Seqlock { timed: true }),
        Box::new(memcpy::Memcpy),
        Box::new(saltus::Saltus::Copy),
        Box::new(saltus::Saltus::Loan),
        Box::new(saltus::Saltus::Bare),
    ];
    #[cfg(feature = "iceoryx2")]
    for in_place in [false, true] {
        all.push(Box::new(iceoryx2::Iceoryx2 { in_place }));
    }
    let kernel: [Box<dyn Contender>; 7] = [
        Box::new(pipe::Pipe),
        Box::new(mqueue::Mqueue),
        Box::new(eventfd::Eventfd),
        Box::new(stream::Stream { tcp: false }),
        Box::new(socket::Datagram { udp: false }),
        Box::new(socket::Datagram { udp: true }),
        Box::new(stream::Stream { tcp: true }),
    ];
    all.extend(kernel);
    all
}
