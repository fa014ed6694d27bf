//! The check that every scan arrived: compares the logger's scans with the file, line by line.

use std::path::Path;

use saltus_carmen::Log;
use saltus_channel::Directory;

use crate::channels::LIDAR;
use crate::error::{Error, Result};
use crate::wire::types::{Logged, Scan};
use crate::wire::{self, Message, START, chain};

/// The account of a log's scans.
#[derive(Clone, Debug, Default)]
pub struct Scans {
    /// The file.
    pub file: String,
    /// Scans in the file.
    pub in_file: i64,
    /// Scans that the driver published.
    pub published: i64,
    /// Scans that the logger received.
    pub logged: i64,
    /// Scans that did not continue the chain.
    pub breaks: i64,
    /// Whether the chain over the logger's scans equals that over the same number of lines of the file.
    pub same: bool,
    /// Other lines in the file.
    pub counts: String,
}

impl Scans {
    /// Reads the newest messages of driver and logger, and the file again.
    pub fn compare(domain: &Directory, file: &Path) -> Result<Scans> {
        let logged = newest::<Logged>(domain, "log/lidar")?.unwrap_or_default();
        let published = newest::<Scan>(domain, LIDAR)?;
        let open = || Log::open(file);
        let mut log = open().map_err(Error::system(format!("open the log {}", file.display())))?;
        let (mut in_file, mut so_far, mut same) = (0, START, logged.scan == 0);
        while let Some((_, line)) = log.next_scan() {
            in_file += 1;
            so_far = chain(so_far, line);
            same |= in_file == logged.scan && so_far == logged.chain;
        }
        Ok(Scans {
            file: file.display().to_string(),
            in_file,
            published: published.map_or(0, |scan| scan.index),
            logged: logged.scan,
            breaks: logged.breaks,
            same,
            counts: log.counts().to_string(),
        })
    }

    /// Describes errors, if any.
    pub fn failure(&self) -> Option<String> {
        let what = if self.breaks > 0 {
            format!("{} scans were lost, changed or duplicated", self.breaks)
        } else if self.logged != self.published {
            format!("{} scans were published and {} logged", self.published, self.logged)
        } else if !self.same {
            "the logged scans differ from the file".into()
        } else if self.published == 0 {
            "no scan was published".into()
        } else {
            return None;
        };
        Some(format!("lidar: {what}"))
    }
}

/// The newest message of a channel, by any publisher.
fn newest<M: Message>(domain: &Directory, channel: &str) -> Result<Option<M>> {
    let channel = domain.open_channel(channel)?;
    let mut buf = vec![0; channel.attributes().get_max_message_size() as usize];
    match channel.subscriber()?.current(&mut buf) {
        Ok(sample) => Ok(sample.and_then(|sample| wire::read(&buf[..sample.len]).ok())),
        Err(saltus_channel::Error::Overrun { .. }) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_between_file_and_logger_is_reported() {
        let fine = Scans { in_file: 9, published: 9, logged: 9, same: true, ..Scans::default() };
        assert_eq!(fine.failure(), None);
        for (harm, words) in [
            (Scans { breaks: 1, ..fine.clone() }, "lost, changed or duplicated"),
            (Scans { logged: 8, ..fine.clone() }, "9 scans were published and 8 logged"),
            (Scans { same: false, ..fine.clone() }, "differ from the file"),
            (Scans { published: 0, logged: 0, ..fine.clone() }, "no scan"),
        ] {
            assert!(harm.failure().is_some_and(|f| f.contains(words)), "{words}");
        }
    }
}
