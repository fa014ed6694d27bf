//! File names: with the time, numbered, or rotated, as in LCM's logger.

use crate::error::{Error, Result};
use jiff::Zoned;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The use of the given name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Exactly this name. Refuses an existing file.
    Single,
    /// Exactly this name. Replaces an existing file.
    Replace,
    /// Exactly this name. Appends to an existing file; for LCM logs.
    Append,
    /// Numbered from 00: the first free number.
    Increment,
    /// The newest file has the number 0, and at most this many are kept.
    Rotate(u32),
}

/// Creates files by name.
#[derive(Clone, Debug)]
pub struct Naming {
    template: PathBuf,
    /// Whether the template is a pattern of `strftime`.
    timed: bool,
    style: Style,
}

/// The highest number.
const MOST: u32 = 1_000_000;

/// The position of the number: before the ending of an MCAP file, and at the end of other names, as in LCM.
fn numbered(path: &Path, number: &str) -> PathBuf {
    let is_mcap = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mcap"));
    let mut name = OsString::from(if is_mcap { path.with_extension("") } else { path.into() });
    name.push(".");
    name.push(number);
    if let (true, Some(ending)) = (is_mcap, path.extension()) {
        name.push(".");
        name.push(ending);
    }
    name.into()
}

impl Naming {
    /// Names by `template`. With `timed`, it is a pattern of `strftime`, such as `%Y-%m-%d`.
    pub fn new(template: impl Into<PathBuf>, timed: bool, style: Style) -> Result<Naming> {
        let naming = Naming { template: template.into(), timed, style };
        naming.path(&Zoned::now())?;
        Ok(naming)
    }
    /// The name as given.
    pub fn template(&self) -> &Path {
        &self.template
    }
    /// Whether a second file can be created.
    pub fn has_more(&self) -> bool {
        matches!(self.style, Style::Increment | Style::Rotate(_))
    }

    fn path(&self, now: &Zoned) -> Result<PathBuf> {
        if !self.timed {
            return Ok(self.template.clone());
        }
        let bad = |why: String| Error::Name { name: self.template.clone(), why };
        let text = self.template.to_str().ok_or_else(|| bad("it is not UTF-8".into()))?;
        let name = jiff::fmt::strtime::format(text, now);
        name.map(PathBuf::from).map_err(|e| bad(format!("it is not a pattern of strftime: {e}")))
    }

    /// The first missing directory in the path of the next file. It is created with the file.
    pub fn missing_directory(&self) -> Option<PathBuf> {
        let path = self.path(&Zoned::now()).ok()?;
        let missing = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty() && !dir.exists());
        missing.last().map(Path::to_owned)
    }

    /// Creates the next file, with its missing directories.
    pub fn open(&self, now: &Zoned) -> Result<(File, PathBuf)> {
        let path = self.path(now)?;
        let made = match path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            Some(dir) => fs::create_dir_all(dir),
            None => Ok(()),
        };
        made.map_err(|e| Error::file("make the directory of", &path, e))?;
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let opened = match self.style {
            Style::Single => (options.create_new(true).open(&path), path),
            Style::Replace => (options.create(true).truncate(true).open(&path), path),
            Style::Append => (options.create(true).truncate(false).open(&path), path),
            Style::Increment => return increment(options.create_new(true), &path),
            Style::Rotate(count) => {
                let first = rotate(&path, count)?;
                (options.create_new(true).open(&first), first)
            }
        };
        match opened {
            (Ok(file), path) => Ok((file, path)),
            (Err(e), path) if e.kind() == io::ErrorKind::AlreadyExists => Err(Error::Exists { path }),
            (Err(e), path) => Err(Error::file("make", &path, e)),
        }
    }
}

/// Creates the file with the first free number. Two recorders never use the same.
fn increment(options: &OpenOptions, path: &Path) -> Result<(File, PathBuf)> {
    for number in 0..MOST {
        let path = numbered(path, &format!("{number:02}"));
        match options.open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Error::file("make", &path, e)),
        }
    }
    Err(Error::Name { name: path.into(), why: format!("all its numbers up to {MOST} are in use") })
}

/// Renames each file to the next higher number, and removes the last. Returns the free name.
fn rotate(path: &Path, count: u32) -> Result<PathBuf> {
    let name = |number: u32| numbered(path, &number.to_string());
    for number in (0..count.saturating_sub(1)).rev() {
        let (from, to) = (name(number), name(number + 1));
        match fs::rename(&from, &to) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::file("rename", &from, e)),
            _ => {}
        }
    }
    match fs::remove_file(name(0)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::file("remove", &name(0), e)),
        _ => Ok(name(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A temporary directory for this test, removed on drop.
    struct Dir(PathBuf);
    impl Dir {
        fn new(name: &str) -> Dir {
            let dir = std::env::temp_dir().join(format!("saltus-record-{name}-{}", std::process::id()));
            fs::create_dir(&dir).unwrap();
            Dir(dir)
        }
        fn names(&self) -> Vec<String> {
            let mut names: Vec<String> = fs::read_dir(&self.0)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }
    impl Drop for Dir {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn open(naming: &Naming) -> Result<(File, PathBuf)> {
        let noon = jiff::civil::date(2026, 11, 20).at(12, 34, 56, 0);
        naming.open(&noon.to_zoned(jiff::tz::TimeZone::UTC).unwrap())
    }

    #[test]
    fn a_file_that_exists_is_not_touched_unless_that_was_asked_for() {
        let dir = Dir::new("exists");
        let path = dir.0.join("a/b/log");
        let name = |style| Naming::new(&path, false, style).unwrap();
        open(&name(Style::Single)).unwrap().0.write_all(b"whole").unwrap();
        assert!(matches!(open(&name(Style::Single)), Err(Error::Exists { .. })));
        assert_eq!(open(&name(Style::Append)).unwrap().0.metadata().unwrap().len(), 5);
        assert_eq!(open(&name(Style::Replace)).unwrap().0.metadata().unwrap().len(), 0);
    }

    #[test]
    fn numbers_go_before_the_ending_of_mcap_and_behind_that_of_lcm() {
        let dir = Dir::new("numbers");
        for template in ["run.mcap", "run.log"] {
            let naming = Naming::new(dir.0.join(template), false, Style::Increment).unwrap();
            (0..2).for_each(|_| drop(open(&naming).unwrap()));
        }
        assert_eq!(dir.names(), ["run.00.mcap", "run.01.mcap", "run.log.00", "run.log.01"]);
    }

    #[test]
    fn a_rotation_keeps_at_most_the_given_number_of_files() {
        let dir = Dir::new("rotate");
        let naming = Naming::new(dir.0.join("run"), false, Style::Rotate(3)).unwrap();
        for n in 0..5_u8 {
            open(&naming).unwrap().0.write_all(&[n]).unwrap();
        }
        assert_eq!(dir.names(), ["run.0", "run.1", "run.2"]);
        assert_eq!(fs::read(dir.0.join("run.2")).unwrap(), [2]);
    }

    #[test]
    fn the_time_stands_in_the_name() {
        let dir = Dir::new("time");
        let naming = Naming::new(dir.0.join("%Y-%m-%d/run-%H%M"), true, Style::Single).unwrap();
        let (_, path) = open(&naming).unwrap();
        assert_eq!(path, dir.0.join("2026-11-20/run-1234"));
        let error = Naming::new("%!", true, Style::Single).unwrap_err().to_string();
        assert!(error.contains("%!"), "{error}");
    }
}
