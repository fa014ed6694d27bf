//! `file://`: a log of LCM as a network, to be played or to be written.
//!
//! **Played** (`mode=r`), events come as they were recorded, `speed` times as fast, from the moment that a subscriber
//! first looks for them: those who subscribe before that get the first event. A slow subscriber loses old ones, as on any network. With a speed of 0 or less nothing is ever lost: the log
//! stands still until each subscriber that wants the present event has received it. So the events come in the order of the
//! log to all subscribers together, and a program works through a log as fast as it can. When a subscriber has received all,
//! it gets [`Error::Ended`].
//!
//! **Written** (`mode=w` makes the log anew, `mode=a` goes on with it), every message is given to the system at once: who is
//! killed leaves a log that is readable, but perhaps for the last event. What a killed writer left of one is cut off by who
//! goes on with it.

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

/// A log, opened.
pub(crate) enum File {
    /// It is played.
    Read(Arc<Playing>),
    /// It is written.
    Write(Arc<Mutex<Logbook>>),
}

pub(crate) fn open(url: Url) -> Result<Arc<dyn Provider>> {
    Ok(Arc::new(File::open(url)?))
}

impl File {
    fn open(mut url: Url) -> Result<File> {
        let speed: Option<f64> = url.take("speed", "a number; 0 is as fast as it goes")?;
        let start = url.take("start_timestamp", "a time in µs since 1970")?;
        let mode: Option<String> = url.take("mode", "r, w or a")?;
        url.finish(OPTIONS)?;
        if url.network.is_empty() {
            return Err(url.invalid("it names no file; write for instance file:///tmp/robot.log?speed=2"));
        }
        let path = Path::new(&url.network);
        match mode.as_deref().unwrap_or("r") {
            "r" => Ok(File::Read(Playing::open(path, speed.unwrap_or(1.0), start)?)),
            mode @ ("w" | "a") if speed.is_some() || start.is_some() => Err(url.invalid(&format!(
                "`speed` and `start_timestamp` are for playing; with mode={mode} the log is written"
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
                "a log that is written has nothing to receive; play it with mode=r when it is there",
            )),
        }
    }
    /// The channels that events were seen of so far.
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
