//! A directory in which each publisher has its socket. A new one appears there when it can be connected to, and one that is
//! dead refuses: who finds it takes its file away. Each who subscribes has a file there that he holds locked, so that a new
//! publisher knows for whom to wait.

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{FlockOperation, flock};
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use saltus_transport::{Error, Result};
use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// What names of sockets made here begin with. No name is ever used twice.
const PREFIX: &str = "saltus-";
/// What names of the files of those who subscribe begin with.
const SUBSCRIBER: &str = ".saltus-sub-";
/// The longest path of a socket.
const MOST_PATH: usize = 107;

/// A directory, and the socket that is this process's own.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    own: String,
}

impl Directory {
    pub fn new(path: &str) -> Result<Directory> {
        let own = format!("{PREFIX}{}-{:016x}", std::process::id(), RandomState::new().hash_one(0));
        let directory = Directory { path: path.into(), own };
        let len = directory.hidden().as_os_str().len();
        if len > MOST_PATH {
            return Err(Error::invalid(format!(
                "`{path}` is too long for sockets: it may have {} bytes",
                path.len().saturating_sub(len - MOST_PATH)
            )));
        }
        Ok(directory)
    }

    pub fn endpoint(path: &Path) -> String {
        format!("ipc://{}", path.display()) // it was text in a URL
    }
    /// Where the own socket is bound, before others may see it.
    pub fn hidden(&self) -> PathBuf {
        self.path.join(format!(".{}", self.own))
    }
    fn own(&self) -> PathBuf {
        self.path.join(&self.own)
    }

    /// Makes the directory, unless it is there.
    pub fn make(&self) -> Result<()> {
        let what = || format!("make the directory {}", self.path.display());
        fs::create_dir_all(&self.path).map_err(|e| Error::system(what(), e))
    }
    pub fn is_gone(&self) -> bool {
        !self.path.exists()
    }
    /// Lets others see the own socket, which listens by now.
    pub fn show(&self) -> Result<()> {
        let what = || format!("show the socket {}", self.own().display());
        fs::rename(self.hidden(), self.own()).map_err(|e| Error::system(what(), e))
    }
    /// Takes it away, and the file of who subscribes.
    pub fn hide(&self) {
        let _ = fs::remove_file(self.hidden()); // each may be there or not
        let _ = fs::remove_file(self.own());
        let _ = fs::remove_file(self.path.join(self.mark_name()));
    }

    /// Sockets of others.
    pub fn others(&self) -> Result<HashSet<PathBuf>> {
        let failed = |e| Error::system(format!("read the directory {}", self.path.display()), e);
        let mut others = HashSet::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let is_socket = entry.file_type().is_ok_and(|kind| kind.is_socket());
            // What is no text cannot be said to the library.
            let shown = name.to_str().is_some_and(|name| !name.starts_with('.') && name != self.own);
            if is_socket && shown {
                others.insert(entry.path());
            }
        }
        Ok(others)
    }

    /// Tells that this process subscribes, as long as the file is open. Nobody sees the file before it is locked: who looks at one
    /// that is not takes it away.
    pub fn mark(&self) -> Result<File> {
        let path = self.path.join(self.mark_name());
        let unseen = self.path.join(format!(".{}", self.mark_name()));
        let marked = File::create(&unseen).and_then(|file| {
            flock(&file, FlockOperation::NonBlockingLockShared)?;
            fs::rename(&unseen, &path).map(|()| file)
        });
        marked.map_err(|e| Error::system(format!("make the file {}", path.display()), e))
    }
    pub fn mark_name(&self) -> String {
        self.own.replacen(PREFIX, SUBSCRIBER, 1)
    }
    /// The names of others' files that tell that they subscribe. Those of the dead are taken away.
    pub fn subscribers(&self) -> HashSet<String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let others = names.filter(|name| name.starts_with(SUBSCRIBER) && *name != self.mark_name());
        others.filter(|name| self.subscribes(name)).collect()
    }
    fn subscribes(&self, name: &str) -> bool {
        let path = self.path.join(name);
        let Ok(file) = File::open(&path) else { return false };
        let free = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
        if free {
            let _ = fs::remove_file(path); // somebody else may have been faster, or may have to
        }
        !free
    }

    /// Takes the files of the dead away.
    pub fn sweep(&self) {
        let others = self.others().unwrap_or_default(); // who subscribes is told if it cannot be read
        others.iter().for_each(|socket| remove_dead(socket));
    }

    /// What tells that something appears in the directory or goes.
    pub fn watch(&self) -> Result<Watch> {
        let failed = |e: rustix::io::Errno| {
            Error::system(
                "watch a directory (fs.inotify.max_user_instances limits how many may be)",
                e.into(),
            )
        };
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).map_err(failed)?;
        let watch = Watch(fd);
        watch.add(self)?;
        Ok(watch)
    }
}

/// Takes a socket's file away if its process is gone. Never that of a socket that others named: their next process has the
/// same name, and it takes a moment from there being a name to there being one who listens.
fn remove_dead(socket: &Path) {
    let ours = socket.file_name().and_then(|name| name.to_str()).is_some_and(|n| n.starts_with(PREFIX));
    if ours && knock(socket) == Err(rustix::io::Errno::CONNREFUSED) {
        let _ = fs::remove_file(socket); // somebody else may have been faster, or may have to
    }
}

/// Connects without waiting, and hangs up.
fn knock(socket: &Path) -> rustix::io::Result<()> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let fd = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    net::connect(&fd, &SocketAddrUnix::new(socket)?)
}

/// How often a directory is read that is another one each time.
const TRIES: u32 = 16;

/// An `inotify` descriptor.
#[derive(Debug)]
pub(super) struct Watch(OwnedFd);

impl Watch {
    pub fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
    /// Watches the directory of that name, which may be another than before, and gives the sockets of others in it. Nothing tells
    /// of a directory that is removed while somebody reads it, so it is looked for once more behind that.
    pub fn others(&self, directory: &Directory) -> Result<HashSet<PathBuf>> {
        let mut watched = self.add(directory)?;
        for _ in 0..TRIES {
            let others = directory.others()?;
            let now = self.add(directory)?;
            if std::mem::replace(&mut watched, now) == now {
                return Ok(others);
            }
        }
        let why = std::io::Error::other("somebody replaces it again and again");
        Err(Error::system(format!("read the directory {}", directory.path.display()), why))
    }
    /// Watches it. Gives the number of the watch, which a directory keeps, and no other one gets.
    fn add(&self, directory: &Directory) -> Result<i32> {
        use WatchFlags as W;
        let events = W::CREATE | W::MOVED_TO | W::DELETE | W::MOVED_FROM | W::DELETE_SELF | W::MOVE_SELF;
        let added = inotify::add_watch(&self.0, &directory.path, events | W::ONLYDIR);
        let what = || format!("watch the directory {}", directory.path.display());
        added.map_err(|e| Error::system(what(), e.into()))
    }
    /// Whether anything has happened since this was asked last.
    pub fn changed(&self) -> bool {
        let (mut events, mut changed) = ([0; 4096], false);
        while rustix::io::read(&self.0, &mut events).is_ok_and(|n| n > 0) {
            changed = true;
        }
        changed
    }
}
