//! Places of a log with names, kept beside it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A place that somebody wants to find again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// The time of the log, ns since 1970.
    pub time: i64,
    /// What it is; no line breaks.
    pub name: String,
}

/// The bookmarks of a log, in the order of time. They lie in `LOG.saltus-bookmarks`, a line each: the time, a tab, the name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bookmarks {
    path: PathBuf,
    all: Vec<Bookmark>,
}

/// Longest file that is read.
const LONGEST: u64 = 1 << 20;

impl Bookmarks {
    /// Those of the log at `path`. Lines that make no sense are passed over.
    ///
    /// # Errors
    /// They are there, and cannot be read, or are longer than anybody writes.
    pub fn of(path: &Path) -> io::Result<Bookmarks> {
        let mut name = path.as_os_str().to_owned();
        name.push(".saltus-bookmarks");
        let mut bookmarks = Bookmarks { path: name.into(), all: Vec::new() };
        let text = match fs::metadata(&bookmarks.path) {
            Ok(found) if found.len() > LONGEST => {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    "the bookmarks are longer than 1 MiB",
                ));
            }
            Ok(_) => String::from_utf8_lossy(&fs::read(&bookmarks.path)?).into_owned(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(e),
        };
        for line in text.lines() {
            if let Some((Ok(time), name)) = line.split_once('\t').map(|(time, name)| (time.parse(), name)) {
                bookmarks.insert(Bookmark { time, name: name.into() });
            }
        }
        Ok(bookmarks)
    }

    /// All of them.
    pub fn all(&self) -> &[Bookmark] {
        &self.all
    }
    /// The first one after this time.
    pub fn after(&self, time: i64) -> Option<&Bookmark> {
        self.all.iter().find(|bookmark| bookmark.time > time)
    }
    /// The last one before this time.
    pub fn before(&self, time: i64) -> Option<&Bookmark> {
        self.all.iter().rfind(|bookmark| bookmark.time < time)
    }

    fn insert(&mut self, bookmark: Bookmark) {
        let at = self.all.partition_point(|other| other.time <= bookmark.time);
        self.all.insert(at, bookmark);
    }
    /// Adds one, and writes all of them: the file is replaced as a whole.
    ///
    /// # Errors
    /// The directory cannot be written to.
    pub fn add(&mut self, time: i64, name: &str) -> io::Result<()> {
        self.insert(Bookmark { time, name: name.replace(['\n', '\r', '\t'], " ") });
        let text: String = self.all.iter().map(|b| format!("{}\t{}\n", b.time, b.name)).collect();
        let mut aside = self.path.clone().into_os_string();
        aside.push(format!(".{}", std::process::id()));
        fs::write(&aside, text)?;
        fs::rename(&aside, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bookmarks_are_there_the_next_time_and_rubbish_is_passed_over() {
        let log = std::env::temp_dir().join(format!("saltus-play-bookmarks-{}.log", std::process::id()));
        let mut bookmarks = Bookmarks::of(&log).unwrap();
        assert!(bookmarks.all().is_empty());
        bookmarks.add(300, "it fell\nhere").unwrap();
        bookmarks.add(-5, "before").unwrap();
        let again = Bookmarks::of(&log).unwrap();
        assert_eq!(again, bookmarks);
        assert_eq!(again.all()[1], Bookmark { time: 300, name: "it fell here".into() });
        assert_eq!((again.after(0), again.before(0)), (Some(&again.all()[1]), Some(&again.all()[0])));
        assert_eq!((again.after(300), again.before(-5)), (None, None));
        fs::write(&again.path, b"what\n7\tseven\n\xff\t\n").unwrap();
        assert_eq!(Bookmarks::of(&log).unwrap().all(), [Bookmark { time: 7, name: "seven".into() }]);
        fs::remove_file(&again.path).unwrap();
    }
}
