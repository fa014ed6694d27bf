//! The queue between the reading and the writing thread, with a limit on its memory.

use crate::batch::Batch;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most empty batches that are kept for reuse.
const SPARE: usize = 8;

/// An order for the writer.
#[derive(Debug)]
pub enum Order {
    /// Write these messages.
    Write(Batch),
    /// Finish the file; the next message starts a new one.
    NewFile,
}

/// The result of waiting for an order.
#[derive(Debug)]
pub enum Next {
    /// The next order.
    Order(Order),
    /// Timed out.
    Late,
    /// The queue has ended.
    End,
}

#[derive(Debug, Default)]
struct State {
    orders: VecDeque<Order>,
    /// Bytes of batches that wait or are being written.
    bytes: usize,
    spare: Vec<Batch>,
    /// Set after the last order.
    ended: bool,
    /// Set when the writer has failed: it writes nothing more.
    broken: bool,
}

/// A queue of orders. Written batches return empty, with their memory.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    news: Condvar,
    most: usize,
}

impl Queue {
    /// A queue for batches of at most `most` bytes in total.
    pub fn new(most: usize) -> Queue {
        Queue { state: Mutex::default(), news: Condvar::new(), most }
    }
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner) // lists and numbers, consistent at any point
    }

    /// The largest batch that fits now. If the queue is empty, any batch fits.
    pub fn room(&self) -> usize {
        let state = self.lock();
        if state.bytes == 0 { usize::MAX } else { self.most.saturating_sub(state.bytes) }
    }
    /// Adds a batch, and replaces it with an empty one.
    pub fn write(&self, batch: Batch) -> Batch {
        let mut state = self.lock();
        state.bytes += batch.size();
        state.orders.push_back(Order::Write(batch));
        self.news.notify_one();
        state.spare.pop().unwrap_or_default()
    }
    /// Adds an order that uses no memory.
    pub fn order(&self, order: Order) {
        self.lock().orders.push_back(order);
        self.news.notify_one();
    }
    /// Ends the queue.
    pub fn end(&self) {
        self.lock().ended = true;
        self.news.notify_one();
    }
    /// Whether the writer has failed.
    pub fn is_broken(&self) -> bool {
        self.lock().broken
    }

    /// Returns the next order. Blocks until there is one, or until `deadline`.
    pub fn next(&self, deadline: Option<Instant>) -> Next {
        let mut state = self.lock();
        loop {
            if let Some(order) = state.orders.pop_front() {
                return Next::Order(order);
            }
            if state.ended {
                return Next::End;
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => return Next::Late,
                Some(left) => self.news.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.news.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
    /// Returns a written batch for reuse.
    pub fn done(&self, mut batch: Batch) {
        let size = batch.size();
        batch.clear();
        let mut state = self.lock();
        state.bytes -= size;
        if state.spare.len() < SPARE {
            state.spare.push(batch);
        }
    }
    /// The batches that were not written.
    pub fn rest(&self) -> Vec<Batch> {
        let orders = std::mem::take(&mut self.lock().orders);
        let batch = |order| if let Order::Write(batch) = order { Some(batch) } else { None };
        orders.into_iter().filter_map(batch).collect()
    }
    /// Marks the writer as failed for the reader. Waiting batches stay.
    pub fn give_up(&self) {
        self.lock().broken = true;
    }
}
