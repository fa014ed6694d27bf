//! The algorithm of a Saltus channel: leased single-writer lanes, their merge and their bell.
//!
//! This crate knows no operating system. It takes its memory from outside (the [`Memory`] trait), so that
//! the very same source runs in shared memory, on the heap, under loom and under Miri.
//!
//! * [`LaneLayout`] says where things lie in a lane, and draws it.
//! * [`LaneWriter`] is the one publisher of a lane: reserve, fill, commit. It waits for nobody.
//! * [`reader`] holds the steps of a reader that only reads: inspect, copy, validate.
//! * [`Merge`] is a subscriber's place in all lanes of a channel: *newest*, *next*, *again*, and exact loss.
//! * [`bell`] is the protocol between a publisher and those who sleep: generations, never counters.
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
