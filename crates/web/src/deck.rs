//! The playback thread behind the page: its requests and its state.

use crate::player::{self, Outlets, Session, TRACKS, Told};
use crate::protocol::Steer;
use crate::{Error, Result, Stop};
use saltus_domain::Domain;
use saltus_log::Log;
use saltus_play::{Bookmarks, Reel};
use saltus_types::Schema;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

/// Most waiting requests. Further ones are refused.
const WAITING: usize = 64;
/// Columns of the density of messages over time.
const BINS: usize = 600;
/// Most events that are sampled for the density of a long log, evenly.
const CHUNK: u64 = 2_000_000;

/// A player in its own thread, controlled by the open pages. It ends with its [`Stop`], or when it is dropped.
pub struct Deck {
    asks: Option<SyncSender<Steer>>,
    reported: Arc<Told>,
    about: Json,
    types: Vec<Arc<Schema>>,
    thread: Option<JoinHandle<()>>,
}

impl Deck {
    /// Opens logs, and plays them into a domain on request. Blocks while it builds the index of a log. `types` are for logs that store no
    /// types.
    ///
    /// # Errors
    /// A log cannot be read, or the logs have no events.
    pub fn start(files: &[PathBuf], domain: &Domain, types: &[Arc<Schema>], stop: &Stop) -> Result<Deck> {
        let logs =
            files.iter().map(|path| Log::open(path).map_err(Error::Log)).collect::<Result<Vec<_>>>()?;
        let mut reel = Reel::new(logs);
        let span = saltus_play::Timeline::span(&mut reel).map_err(Error::Log)?;
        let (first, last) = span.ok_or_else(|| Error::Play("the logs have no events".into()))?;
        let bookmarks = reel.logs().first().map(Bookmarks::of).transpose();
        let bookmarks = bookmarks.map_err(|e| Error::Play(format!("cannot read the bookmarks: {e}")))?;
        let outlets = Outlets::new(domain.clone(), reel.logs(), types);
        let densities = densities(files, &outlets, (first, last))?;
        let known = reel.logs().iter().flat_map(|log| &log.summary().channels);
        let known = known.filter_map(|channel| Some(channel.about.as_ref()?.kind.as_ref()?.schema().clone()));
        let types = types.iter().cloned().chain(known).collect();
        let names = files.iter().map(|path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy());
        let tracks = outlets.tracks.iter().zip(densities).map(
            |(track, bins)| json!({ "channel": track.name(), "messages": track.messages, "bins": bins }),
        );
        let about = json!({
            "files": names.collect::<Vec<_>>(),
            "into": domain.url(),
            "start": first as f64 / 1e9,
            "length": (last - first) as f64 / 1e9,
            "tracks": tracks.take(TRACKS).collect::<Vec<_>>(),
        });
        let reported = Arc::new(Told::default());
        let (asks, asked) = sync_channel(WAITING);
        let mut session =
            Session::new(reel, outlets, bookmarks, (first, last), reported.clone()).map_err(Error::Log)?;
        let stop = stop.clone();
        let run = move || player::run(&mut session, &asked, &stop);
        let thread = saltus_os::process::spawn("saltus-deck", run);
        Ok(Deck { asks: Some(asks), reported, about, types, thread: Some(thread.map_err(Error::System)?) })
    }

    /// The constant part: files, time span, and channels with the density of their messages.
    pub(crate) fn about(&self) -> &Json {
        &self.about
    }
    /// The types of its messages.
    pub(crate) fn types(&self) -> &[Arc<Schema>] {
        &self.types
    }
    /// The current state and its number, if that differs from `number`.
    pub(crate) fn state(&self, known: u64) -> Option<(u64, String)> {
        self.reported.since(known)
    }
    /// Sends a request to the player.
    ///
    /// # Errors
    /// Too many requests wait, or the player has ended. The text is the error.
    pub(crate) fn steer(&self, what: Steer) -> std::result::Result<(), String> {
        let sent = self.asks.as_ref().map(|asks| asks.try_send(what));
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => Err("the player is busy: too many requests at once".into()),
            Some(Err(TrySendError::Disconnected(_))) | None => Err("the player has ended".into()),
        }
    }
}

impl Drop for Deck {
    fn drop(&mut self) {
        // Without senders it ends.
        self.asks = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked already printed its message.
            let _ = thread.join();
        }
    }
}

/// The number of messages of each track in each column of time.
fn densities(files: &[PathBuf], outlets: &Outlets, (first, last): (i64, i64)) -> Result<Vec<Vec<u32>>> {
    let mut all = vec![vec![0u32; BINS]; outlets.tracks.len().min(TRACKS)];
    let width = (last.saturating_sub(first) as u64 / BINS as u64 + 1) as i64;
    for (number, path) in files.iter().enumerate() {
        let mut log = Log::open(path).map_err(Error::Log)?;
        let stride = log.len() / CHUNK + 1;
        for position in (0..log.len()).step_by(stride as usize) {
            let Some(mark) = log.mark(position).map_err(Error::Log)? else { break };
            let track = outlets.track(number, mark.channel).and_then(|track| all.get_mut(track));
            let bin = usize::try_from(mark.time.saturating_sub(first) / width).unwrap_or(0).min(BINS - 1);
            if let Some(track) = track {
                track[bin] = track[bin].saturating_add(stride as u32);
            }
        }
    }
    Ok(all)
}
