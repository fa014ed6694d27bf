//! The core of a channel: single-writer ring buffers (lanes), the reader that merges them, and the wake-up
//! protocol.
//!
//! This crate does not use an operating system. Its caller provides the memory (the [`Memory`] trait), so that the
//! same source runs in shared memory, on the heap, under loom and under Miri.
//!
//! * [`LaneLayout`] computes and documents the layout of a lane.
//! * [`LaneWriter`] is the only publisher of a lane: reserve, fill, commit. It never waits.
//! * [`reader`] has the steps of a read-only reader: inspect, copy, validate.
//! * [`Merge`] is a subscriber's cursors in all lanes of a channel: *newest*, *next*, *current*, and exact loss
//!   counts.
//! * [`bell`] is the wake-up protocol between publishers and waiting subscribers: generations, never counters.
//!
//! Steps of the algorithm carry marks such as `[w5]` or `[r7]`; `lab/models/MAPPING.md` ties them to the
//! Promela models that were checked exhaustively.
//!
//! # Real time
//!
//! Nothing in this crate blocks, takes a lock, or calls the kernel. Only [`Merge::new`] allocates.

pub mod bell;
mod copy;
mod lanes;
mod layout;
mod memory;
mod merge;
pub mod reader;
mod writer;

pub use lanes::Lanes;
pub use layout::{CACHE_LINE, HEADER_BYTES, LaneLayout, MAX_LANES, MAX_MESSAGE, SLOT_BYTES, round_up};
pub use memory::{Heap, Memory, Shm};
pub use merge::{Candidate, Delivered, Fault, Merge, Pick, Start, TRIES, Which};
pub use writer::{Commit, Committed, Damaged, LaneWriter, Reservation};
