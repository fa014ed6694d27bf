//! Carries messages from one domain to another, in one direction or both, without loops.
//!
//! ```
//! use saltus_bridge::{Bridge, Route};
//! use saltus_domain::{Domain, Until};
//! let (robot, desk) = (Domain::open("mem://")?, Domain::open("mem://")?);
//! let mut bridge = Bridge::new();
//! bridge.add(Route::new(&robot, &desk).rename("s/^/robot1_/".parse()?))?;
//! let mut subscriber = desk.subscriber("robot1_pose")?;
//! robot.publisher("pose")?.publish(b"x 1.0")?;
//! bridge.step(Until::Poll)?;
//! assert_eq!(subscriber.receive(Until::Poll)?.expect("a message").data, b"x 1.0");
//! # Ok::<(), saltus_domain::Error>(())
//! ```
//!
//! A message that the bridge itself has published is not carried back. If the transport identifies senders, that is
//! exact. Otherwise, a message with the same channel and bytes counts as the bridge's own, once, within 5 s.

mod bridge;
mod echo;
mod pace;
mod rename;
mod route;

pub use bridge::{Bridge, Counts};
pub use echo::Own;
pub use rename::Rename;
pub use route::Route;
