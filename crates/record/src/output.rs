//! The writing thread: writes files one after the other.

use crate::account::Account;
use crate::batch::{Batch, Channel};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::name::Naming;
use crate::queue::{Next, Order, Queue};
use crate::report;
use jiff::Zoned;
use saltus_os::limits::Reserve;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Limits for files and flushing.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size of a file in bytes at which a new one starts, to within a batch.
    pub split_bytes: Option<u64>,
    /// Time after which a new file starts.
    pub split_time: Option<Duration>,
    /// Recording ends when the disk has less than this many bytes free.
    pub quota: Option<u64>,
    /// Longest time until written data is flushed to the disk.
    pub sync: Duration,
}

/// The state shared by both threads.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    account: Mutex<Account>,
    files: Mutex<Files>,
}

/// The files of this recording.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// In order of creation. A rotation renames older ones.
    pub paths: Vec<PathBuf>,
    /// Bytes of all files.
    pub bytes: u64,
}

impl Shared {
    pub fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner) // numbers, consistent at any point
    }
    pub fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner) // consistent at any point
    }
}

/// Executes the orders of the queue.
pub(crate) struct Output {
    pub naming: Naming,
    pub limits: Limits,
    pub format: Box<dyn Format>,
    pub shared: Arc<Shared>,
    pub channels: Vec<Channel>,
    pub open: Option<Open>,
    /// Reserved descriptors for the next file: channels may use all others.
    pub reserve: Reserve,
}

/// The file that is being written.
pub(crate) struct Open {
    path: PathBuf,
    since: Instant,
    /// The part of its size that is included in [`Files::bytes`].
    counted: u64,
    synced: Instant,
    /// Whether anything was written since the last flush.
    dirty: bool,
    /// Time of the last check of the free space.
    looked: Option<Instant>,
}

/// Descriptors that a file and its directory use.
pub(crate) const DESCRIPTORS: usize = 6;
/// Time between two checks of the free space.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

impl Output {
    /// Creates the next file.
    pub fn begin(&mut self) -> Result<()> {
        self.reserve.release();
        let (file, path) = self.naming.open(&Zoned::now())?;
        let begun = self.format.begin(file);
        let mut channels = self.channels.iter().enumerate();
        let reported =
            begun.and_then(|()| channels.try_for_each(|(n, channel)| self.format.channel(n as u32, channel)));
        reported.map_err(|e| Error::file("write", &path, e))?;
        self.shared.files().paths.push(path.clone());
        let now = Instant::now();
        let counted = self.format.size();
        self.open = Some(Open { path, since: now, counted, synced: now, dirty: false, looked: None });
        self.reserve.hold(DESCRIPTORS);
        self.check_disk()
    }

    /// Writes until the queue ends.
    pub fn run(mut self, queue: &Queue) -> Result<()> {
        let ended = self.follow(queue);
        if ended.is_err() {
            queue.give_up();
        }
        // After an error the file stays readable, and gets its account if there is space.
        let finished = self.finish();
        ended.and(finished)
    }

    fn follow(&mut self, queue: &Queue) -> Result<()> {
        loop {
            let dirty_until = self.open.as_ref().filter(|o| o.dirty).map(|o| o.synced + self.limits.sync);
            match queue.next(dirty_until) {
                Next::Order(Order::Write(batch)) => {
                    let written = self.write(&batch);
                    queue.done(batch);
                    written?;
                }
                Next::Order(Order::NewFile) => self.finish()?,
                Next::Late => {}
                Next::End => return Ok(()),
            }
            self.sync()?;
            self.check_disk()?;
        }
    }

    fn write(&mut self, batch: &Batch) -> Result<()> {
        let is_full = self.open.as_ref().is_some_and(|open| {
            self.limits.split_bytes.is_some_and(|most| self.format.size() >= most)
                || self.limits.split_time.is_some_and(|most| open.since.elapsed() >= most)
        });
        if is_full && self.naming.has_more() {
            self.finish()?;
        }
        if self.open.is_none() {
            self.begin()?;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        for channel in &batch.channels {
            let reported = self.format.channel(self.channels.len() as u32, channel);
            self.channels.push(channel.clone());
            reported.map_err(|e| Error::file("write", &open.path, e))?;
        }
        let mut written = vec![0; self.channels.len()];
        let result = self.format.write(batch, &mut |head| written[head.channel as usize] += 1);
        let had = batch.counts();
        self.shared.account().settle(&had, &written);
        let size = self.format.size();
        self.shared.files().bytes += size.saturating_sub(open.counted);
        (open.counted, open.dirty) = (size, true);
        result.map_err(|e| Error::file("write", &open.path, e))
    }

    fn sync(&mut self) -> Result<()> {
        let Some(open) = self.open.as_mut().filter(|open| open.dirty) else { return Ok(()) };
        if open.synced.elapsed() < self.limits.sync {
            return Ok(());
        }
        (open.synced, open.dirty) = (Instant::now(), false);
        self.format.sync().map_err(|e| Error::file("write", &open.path, e))
    }

    /// Finishes the file, if any.
    fn finish(&mut self) -> Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let account = report::json(&self.shared.account());
        let finished = self.format.finish(&account).map_err(|e| Error::file("finish", &open.path, e));
        self.shared.files().bytes += self.format.size().saturating_sub(open.counted);
        finished
    }

    /// Fails if the disk has too little free space.
    fn check_disk(&mut self) -> Result<()> {
        let (Some(least), Some(open)) = (self.limits.quota, &mut self.open) else { return Ok(()) };
        if open.looked.is_some_and(|at| at.elapsed() < CHECK_INTERVAL) {
            return Ok(());
        }
        open.looked = Some(Instant::now());
        let left = saltus_os::file::free_space(&open.path)
            .map_err(|e| Error::file("get the free space at", &open.path, e))?;
        if left < least { Err(Error::Quota { path: open.path.clone(), left, least }) } else { Ok(()) }
    }
}
