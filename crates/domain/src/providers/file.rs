//! `file://`: an LCM log as a network, to play or to write.
//!
//! **Played** (`mode=r`): events are published as they were recorded, `speed` times as fast. Playback starts when a
//! subscriber first checks for events: those that subscribe before that receive the first event. A slow subscriber
//! loses old events, as on any network. At a speed of 0 or less nothing is lost: the log waits until each
//! subscriber that wants the present event has received it. All subscribers then receive the events in the order of
//! the log, and a program processes a log as fast as it can. A subscriber that has received all events gets
//! [`Error::Ended`].
//!
//! **Written** (`mode=w` replaces the log, `mode=a` appends to it): every message is passed to the system
//! immediately. A writer that is killed leaves a readable log, perhaps without the last event. The next writer that
//! appends cuts off an incomplete last event.

mod log;
mod player;
mod publisher;
mod subscriber;

use crate::backend::{BackendPublisher, BackendSubscriber};
use crate::provider::Provider;
use crate::{Error, Options, Pattern, Result};
use publisher::{FilePublisher, Logbook};
use saltus_channel::{Description, Name};
use saltus_transport::Url;
use std::path::Path;
use std::sync::{Arc, Mutex};
use subscriber::FileSubscriber;
pub(crate) use subscriber::Playing;

const OPTIONS: &str = "speed, mode (r, w or a), start_timestamp (µs since 1970)";

/// An open log.
pub(crate) enum File {
    /// A log that is played.
    Read(Arc<Playing>),
    /// A log that is written.
    Write(Arc<Mutex<Logbook>>),
}

pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    Ok(Arc::new(File::open(url)?))
}

impl File {
    fn open(mut url: Url) -> Result<File> {
        let speed: Option<f64> = url.take("speed", "a number; 0 plays as fast as possible")?;
        let start = url.take("start_timestamp", "a time in µs since 1970")?;
        let mode: Option<String> = url.take("mode", "r, w or a")?;
        url.finish(OPTIONS)?;
        if url.network.is_empty() {
            return Err(
                url.invalid("it does not name a file; expected, for example, file:///tmp/robot.log?speed=2")
            );
        }
        let path = Path::new(&url.network);
        match mode.as_deref().unwrap_or("r") {
            "r" => Ok(File::Read(Playing::open(path, speed.unwrap_or(1.0), start)?)),
            mode @ ("w" | "a") if speed.is_some() || start.is_some() => Err(url.invalid(&format!(
                "`speed` and `start_timestamp` are for playing; mode={mode} writes the log"
            ))),
            "w" => Ok(File::Write(Arc::new(Mutex::new(Logbook::create(path)?)))),
            "a" => Ok(File::Write(Arc::new(Mutex::new(Logbook::append(path)?)))),
            _ => Err(url.invalid("`mode` must be r, w or a")),
        }
    }
}

impl Provider for File {
    fn publisher(&self, name: Name, _: Option<&Description>) -> Result<Box<dyn BackendPublisher>> {
        let logbook = match self {
            File::Read(_) => None,
            File::Write(logbook) => Some(logbook.clone()),
        };
        Ok(Box::new(FilePublisher { logbook, name }))
    }
    fn subscriber(&self, pattern: Pattern, options: &Options) -> Result<Box<dyn BackendSubscriber>> {
        match self {
            File::Read(playing) => Ok(Box::new(FileSubscriber::new(playing.clone(), pattern, options)?)),
            File::Write(_) => Err(Error::unsupported(
                "cannot receive from a log that is written; play it with mode=r when it is complete",
            )),
        }
    }
    /// The channels of the events read so far.
    fn names(&self) -> Result<Vec<Name>> {
        Ok(match self {
            File::Read(playing) => playing.names(),
            File::Write(_) => Vec::new(),
        })
    }
    fn learn(&self, _: &Description) {}
    fn shared_memory(&self) -> Option<&saltus_channel::Directory> {
        None
    }
}
