//! Log files: messages with the channel they came on and the time they came at.
//!
//! A format is a pair of state machines without input or output: a writer turns events into bytes, a reader is fed
//! bytes and gives events. Files, pipes and clocks are the caller's. [`lcm`] is the format of `lcm-logger`.
//!
//! Nothing here blocks or calls the kernel. Readers trust nothing: they never panic, and keep no more in memory than
//! the longest event that they were told to believe.

mod event;
pub mod lcm;

pub use event::Event;
