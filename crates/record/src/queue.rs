//! The queue between the thread that reads and the one that writes: bounded by the memory that it may take.

use crate::batch::Batch;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Emptied batches that are kept for their memory.
const SPARE: usize = 8;

/// What the writer is told.
#[derive(Debug)]
pub enum Order {
    /// Write these messages.
    Write(Batch),
    /// End the file; the next message begins a new one.
    NewFile,
}

/// What a writer gets when it asks.
#[derive(Debug)]
pub enum Next {
    /// The next order.
    Order(Order),
    /// There was none in time.
    Late,
    /// There will be none any more.
    End,
}

#[derive(Debug, Default)]
struct State {
    orders: VecDeque<Order>,
    /// Bytes of batches that wait, or are being written.
    bytes: usize,
    spare: Vec<Batch>,
    /// There will be no more orders.
    ended: bool,
    /// The writer has given up: nothing will be written any more.
    broken: bool,
}

/// A queue of orders. Batches come back empty, with their memory.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    news: Condvar,
    most: usize,
}

impl Queue {
    /// A queue for batches of at most so many bytes in all.
    pub fn new(most: usize) -> Queue {
        Queue { state: Mutex::default(), news: Condvar::new(), most }
    }
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner) // lists and numbers, whole between any two lines
    }

    /// How large a batch there is room for now. One batch always has room.
    pub fn room(&self) -> usize {
        let state = self.lock();
        if state.bytes == 0 { usize::MAX } else { self.most.saturating_sub(state.bytes) }
    }
    /// Hands a batch over, and gives an empty one in its place.
    pub fn write(&self, batch: Batch) -> Batch {
        let mut state = self.lock();
        state.bytes += batch.size();
        state.orders.push_back(Order::Write(batch));
        self.news.notify_one();
        state.spare.pop().unwrap_or_default()
    }
    /// Hands an order over that takes no memory.
    pub fn order(&self, order: Order) {
        self.lock().orders.push_back(order);
        self.news.notify_one();
    }
    /// There will be nothing more.
    pub fn end(&self) {
        self.lock().ended = true;
        self.news.notify_one();
    }
    /// Whether the writer has given up.
    pub fn is_broken(&self) -> bool {
        self.lock().broken
    }

    /// The next order. Blocks until there is one, or until `deadline`.
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
    /// Gives a batch back that was written.
    pub fn done(&self, mut batch: Batch) {
        let size = batch.size();
        batch.clear();
        let mut state = self.lock();
        state.bytes -= size;
        if state.spare.len() < SPARE {
            state.spare.push(batch);
        }
    }
    /// The batches that nobody took.
    pub fn rest(&self) -> Vec<Batch> {
        let orders = std::mem::take(&mut self.lock().orders);
        let batch = |order| if let Order::Write(batch) = order { Some(batch) } else { None };
        orders.into_iter().filter_map(batch).collect()
    }
    /// Gives up: the reader is told, and batches that wait are left.
    pub fn give_up(&self) {
        self.lock().broken = true;
    }
}
