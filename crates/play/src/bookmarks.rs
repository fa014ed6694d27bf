//! Named positions in a log, stored with it.

use saltus_log::{Format, Log, add_metadata};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

/// A named position in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// The time of the log, ns since 1970.
    pub time: i64,
    /// Its name, without line breaks.
    pub name: String,
}

/// The bookmarks of a log, in the order of time. They are saved immediately to the file `LOG.saltus-bookmarks` next to the log: one line
/// each, with the time, a tab, and the name. [`settle`](Bookmarks::settle) moves them into an MCAP file, as metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bookmarks {
    /// The path of the log, if it is an MCAP file that can store them.
    log: Option<PathBuf>,
    /// The bookmark file next to the log.
    path: PathBuf,
    /// Whether the bookmark file has bookmarks.
    beside: bool,
    all: Vec<Bookmark>,
}

/// Largest bookmark file that is read.
const LONGEST: u64 = 1 << 20;
/// Largest MCAP file that is rewritten to store bookmarks.
const LARGEST: u64 = 1 << 30;
/// The name of the metadata, and of its entry.
const METADATA: (&str, &str) = ("saltus.bookmarks", "bookmarks");

impl Bookmarks {
    /// Reads the bookmarks of a log. Skips invalid lines.
    ///
    /// # Errors
    /// The bookmark file cannot be read, or is longer than 1 MiB.
    pub fn of(log: &Log) -> io::Result<Bookmarks> {
        let mut name = log.path().as_os_str().to_owned();
        name.push(".saltus-bookmarks");
        let takes = log.format() == Format::Mcap && log.size() <= LARGEST;
        let path = takes.then(|| log.path().into());
        let mut bookmarks = Bookmarks { log: path, path: name.into(), beside: false, all: Vec::new() };
        let reported = log.summary().metadata.iter().rfind(|(name, _)| name == METADATA.0);
        bookmarks.read(reported.and_then(|(_, values)| values.get(METADATA.1)).map_or("", String::as_str));
        match fs::metadata(&bookmarks.path) {
            Ok(found) if found.len() > LONGEST => {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    "the bookmarks are longer than 1 MiB",
                ));
            }
            Ok(_) => {
                bookmarks.beside = true;
                let text = fs::read(&bookmarks.path)?;
                bookmarks.read(&String::from_utf8_lossy(&text));
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        Ok(bookmarks)
    }

    fn read(&mut self, text: &str) {
        for line in text.lines() {
            let Some((Ok(time), name)) = line.split_once('\t').map(|(time, name)| (time.parse(), name))
            else {
                continue;
            };
            let bookmark = Bookmark { time, name: name.into() };
            if !self.all.contains(&bookmark) {
                self.insert(bookmark);
            }
        }
    }
    fn text(&self) -> String {
        self.all.iter().map(|b| format!("{}\t{}\n", b.time, b.name)).collect()
    }

    /// All bookmarks.
    pub fn all(&self) -> &[Bookmark] {
        &self.all
    }
    /// The first bookmark after this time.
    pub fn after(&self, time: i64) -> Option<&Bookmark> {
        self.all.iter().find(|bookmark| bookmark.time > time)
    }
    /// The last bookmark before this time.
    pub fn before(&self, time: i64) -> Option<&Bookmark> {
        self.all.iter().rfind(|bookmark| bookmark.time < time)
    }

    fn insert(&mut self, bookmark: Bookmark) {
        let at = self.all.partition_point(|other| other.time <= bookmark.time);
        self.all.insert(at, bookmark);
    }
    /// Adds a bookmark, and saves all: replaces the bookmark file atomically.
    ///
    /// # Errors
    /// The directory cannot be written to.
    pub fn add(&mut self, time: i64, name: &str) -> io::Result<()> {
        self.insert(Bookmark { time, name: name.replace(['\n', '\r', '\t'], " ") });
        let mut aside = self.path.clone().into_os_string();
        aside.push(format!(".{}", std::process::id()));
        fs::write(&aside, self.text())?;
        fs::rename(&aside, &self.path)?;
        self.beside = true;
        Ok(())
    }

    /// Moves the bookmarks of the bookmark file into an MCAP file, after it was read. A copy with the bookmarks replaces the log in one
    /// step. Returns `false`, and leaves the bookmark file, if there are no bookmarks, if the log is not an MCAP file, if it is larger than
    /// 1 GiB, or if it was not finished properly. Blocks during the copy.
    ///
    /// # Errors
    /// The copy cannot be written. The log and the bookmark file are unchanged.
    pub fn settle(&mut self) -> saltus_log::Result<bool> {
        let Some(log) = self.log.as_ref().filter(|_| self.beside) else { return Ok(false) };
        let values = BTreeMap::from([(METADATA.1.to_string(), self.text())]);
        if !add_metadata(log, METADATA.0, &values)? {
            return Ok(false);
        }
        // If the file stays, it only repeats the log's bookmarks.
        self.beside = fs::remove_file(&self.path).is_err();
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_log::{Event, Writer, WriterOptions};
    use std::path::Path;

    fn log(format: Format, name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("saltus-play-marks-{}-{name}", std::process::id()));
        let mut writer = Writer::new(Vec::new(), format, WriterOptions::new()).unwrap();
        writer.write(&Event { channel: b"A", data: b"x", log_time: 1000, ..Event::default() }).unwrap();
        fs::write(&path, writer.finish().unwrap()).unwrap();
        path
    }
    fn of(log: &Path) -> Bookmarks {
        Bookmarks::of(&Log::open(log).unwrap()).unwrap()
    }

    #[test]
    fn bookmarks_persist_and_invalid_ones_are_skipped() {
        let log = log(Format::Lcm, "log");
        let mut bookmarks = of(&log);
        assert!(bookmarks.all().is_empty());
        bookmarks.add(300, "it fell\nhere").unwrap();
        bookmarks.add(-5, "before").unwrap();
        let again = of(&log);
        assert_eq!(again, bookmarks);
        assert_eq!(again.all()[1], Bookmark { time: 300, name: "it fell here".into() });
        assert_eq!((again.after(0), again.before(0)), (Some(&again.all()[1]), Some(&again.all()[0])));
        assert_eq!((again.after(300), again.before(-5)), (None, None));
        assert!(!bookmarks.settle().unwrap(), "an LCM log cannot store them");
        fs::write(&again.path, b"what\n7\tseven\n\xff\t\n").unwrap();
        assert_eq!(of(&log).all(), [Bookmark { time: 7, name: "seven".into() }]);
        fs::remove_file(&again.path).unwrap();
        fs::remove_file(&log).unwrap();
    }

    #[test]
    fn an_mcap_file_takes_them_in_and_stays_the_log_that_it_was() {
        let log = log(Format::Mcap, "mcap");
        let mut bookmarks = of(&log);
        assert!(!bookmarks.settle().unwrap(), "no bookmarks");
        bookmarks.add(300, "one").unwrap();
        assert!(bookmarks.settle().unwrap() && !bookmarks.path.exists());
        assert!(!bookmarks.settle().unwrap(), "already in the log");
        let mut again = of(&log);
        assert_eq!(again.all(), bookmarks.all());
        again.add(200, "two").unwrap();
        assert_eq!(of(&log).all(), again.all(), "in both places, once each");
        assert!(again.settle().unwrap());
        assert_eq!(of(&log).all().iter().map(|b| b.time).collect::<Vec<_>>(), [200, 300]);
        let mut whole = Log::open(&log).unwrap();
        assert!(whole.damage().is_none() && whole.next().unwrap().unwrap().data == b"x");
        // For a log whose writer was killed, they stay in the bookmark file.
        let bytes = fs::read(&log).unwrap();
        fs::write(&log, &bytes[..bytes.len() - 20]).unwrap();
        let mut killed = of(&log);
        killed.add(400, "three").unwrap();
        assert!(!killed.settle().unwrap() && killed.path.exists());
        assert_eq!(fs::read(&log).unwrap(), bytes[..bytes.len() - 20]);
        fs::remove_file(&killed.path).unwrap();
        fs::remove_file(&log).unwrap();
    }
}
