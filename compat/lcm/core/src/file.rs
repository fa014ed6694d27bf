//! `file://`: an event log as a network, played or written.

use crate::eventlog::{Log, Owned};
use crate::pattern::Pattern;
use crate::queue::Message;
use crate::shared::{Shared, now_us};
use crate::source::Source;
use saltus_domain::transport::Timer;
use saltus_domain::{Error, Result};
use saltus_os::clock;
use std::ffi::CString;
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A log that is played or written.
pub(crate) struct File {
    shared: Arc<Shared>,
    mode: Mode,
    /// Raised when an event is due, and after the last one.
    timer: Timer,
    state: Mutex<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Play,
    Write,
}

struct State {
    log: Log,
    speed: f64,
    /// The event to play next; `None` after the last one.
    next: Option<Owned>,
    /// When it is due, monotonic ns, and the wall time in us that it then has.
    due: (u64, i64),
}

impl File {
    pub fn open(path: &str, mode: &str, speed: f64, start: Option<i64>, shared: Arc<Shared>) -> Result<File> {
        if path.is_empty() {
            return Err(Error::invalid(
                "file:// does not name a file; expected, for example, file:///tmp/robot.log?speed=2",
            ));
        }
        let c = CString::new(path).map_err(|_| Error::invalid("the path of a log has a zero byte"))?;
        let log = Log::open(&c, mode.as_bytes()[0])
            .map_err(|e| Error::system(format!("open the log `{path}`"), e))?;
        let timer = Timer::new()?;
        let mode = if mode == "r" { Mode::Play } else { Mode::Write };
        let mut state = State { log, speed, next: None, due: (clock::monotonic(), now_us()) };
        if mode == Mode::Play {
            if let Some(start) = start {
                state.log.seek_to_timestamp(start);
            }
            state.next = state.log.read();
            if state.next.is_none() {
                return Err(Error::invalid(format!(
                    "`{path}` has no event to play: it is empty, or not an LCM log"
                )));
            }
            timer.set(Some(1));
        }
        Ok(File { shared, mode, timer, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner) // whole between any two lines
    }
}

impl Source for File {
    fn publish(&self, channel: &[u8], data: &[u8]) -> Result<()> {
        if self.mode == Mode::Play {
            return Err(Error::invalid(
                "a log that is played cannot be published to: open it with mode=w or mode=a",
            ));
        }
        let written = self.state().log.write(now_us(), channel, data);
        written.map(drop).map_err(|e| Error::system("write an event to the log", e))
    }
    fn subscribe(&self, _: &Pattern) -> Result<()> {
        Ok(())
    }
    fn unsubscribe(&self, _: &Pattern) {}

    fn fd(&self) -> Result<RawFd> {
        Ok(self.timer.raw())
    }

    fn pull(&self) -> Result<()> {
        let mut state = self.state();
        if self.mode == Mode::Write {
            return Ok(());
        }
        let (due, wall) = state.due;
        let Some(event) = &state.next else { return Err(Error::Ended) };
        if clock::monotonic() < due {
            return Ok(());
        }
        let (before, message) = (event.timestamp, Message::new(&event.channel, &event.data, wall));
        state.next = state.log.read();
        let gap = state.next.as_ref().map_or(0, |next| next.timestamp.saturating_sub(before).max(0));
        // At no speed, the next event is due immediately.
        let gap_us = if state.speed > 0.0 { gap as f64 / state.speed } else { 0.0 };
        state.due = (due.saturating_add((gap_us * 1e3) as u64), wall.saturating_add(gap_us as i64));
        self.timer.set(Some(if state.next.is_some() { state.due.0 } else { 1 }));
        self.shared.force(message); // before another thread pulls the next event
        drop(state);
        Ok(())
    }
    fn ends_at_fork(&self) -> bool {
        false
    }
    fn is_pulled(&self) -> bool {
        true
    }
    fn receives(&self) -> bool {
        self.mode == Mode::Play
    }
}
