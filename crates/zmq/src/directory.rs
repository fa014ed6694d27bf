//! A directory in which each publisher has its socket. A new socket appears there when it accepts connections. A
//! dead one refuses them, and the process that finds it removes its file. Each subscribing process keeps a locked
//! file there, so that a new publisher knows which subscribers to wait for.

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

/// Prefix of the names of sockets created here. No name is ever used twice.
const PREFIX: &str = "saltus-";
/// Prefix of the names of subscribing processes' files.
const SUBSCRIBER: &str = ".saltus-sub-";
/// The longest path of a socket.
const MOST_PATH: usize = 107;

/// A directory, and this process's own socket in it.
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
    /// Where the own socket is bound before others may see it.
    pub fn hidden(&self) -> PathBuf {
        self.path.join(format!(".{}", self.own))
    }
    fn own(&self) -> PathBuf {
        self.path.join(&self.own)
    }

    /// Creates the directory, if necessary.
    pub fn make(&self) -> Result<()> {
        let what = || format!("make the directory {}", self.path.display());
        fs::create_dir_all(&self.path).map_err(|e| Error::system(what(), e))
    }
    pub fn is_gone(&self) -> bool {
        !self.path.exists()
    }
    /// Makes the own socket, which listens by now, visible to others.
    pub fn show(&self) -> Result<()> {
        let what = || format!("show the socket {}", self.own().display());
        fs::rename(self.hidden(), self.own()).map_err(|e| Error::system(what(), e))
    }
    /// Removes the own socket, and the subscribing process's file.
    pub fn hide(&self) {
        let _ = fs::remove_file(self.hidden()); // each may exist or not
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
            // A name that is not UTF-8 cannot be passed to the library.
            let shown = name.to_str().is_some_and(|name| !name.starts_with('.') && name != self.own);
            if is_socket && shown {
                others.insert(entry.path());
            }
        }
        Ok(others)
    }

    /// Marks this process as subscribing, as long as the file is open. The file is locked before others can see it,
    /// since they remove unlocked files.
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
    /// The names of other subscribing processes' files. Those of dead processes are removed.
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
            let _ = fs::remove_file(path); // another process may have been faster, or has the permission
        }
        !free
    }

    /// Removes the files of dead processes.
    pub fn sweep(&self) {
        let others = self.others().unwrap_or_default(); // subscribing reports it if it cannot be read
        others.iter().for_each(|socket| remove_dead(socket));
    }

    /// The error of a directory that cannot be watched.
    fn unwatched(&self, e: rustix::io::Errno) -> Error {
        let what = format!("watch the directory {}", self.path.display());
        let reached = |limit: &str| {
            let words =
                format!("this user has no more of them: raise it (`sudo sysctl fs.inotify.{limit}=N`)");
            std::io::Error::other(words)
        };
        Error::system(
            what,
            match e {
                rustix::io::Errno::MFILE => reached("max_user_instances"),
                rustix::io::Errno::NOSPC => reached("max_user_watches"), // it says nothing of a full disk
                e => e.into(),
            },
        )
    }

    /// Watches the directory for added and removed files.
    pub fn watch(&self) -> Result<Watch> {
        let failed = |e: rustix::io::Errno| self.unwatched(e);
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).map_err(failed)?;
        let watch = Watch(fd);
        watch.add(self)?;
        Ok(watch)
    }
}

/// Removes a socket's file if its process is dead. Never removes a socket that others named: its next process uses
/// the same name, and a moment passes between the name's creation and the first `listen`.
fn remove_dead(socket: &Path) {
    let ours = socket.file_name().and_then(|name| name.to_str()).is_some_and(|n| n.starts_with(PREFIX));
    if ours && knock(socket) == Err(rustix::io::Errno::CONNREFUSED) {
        let _ = fs::remove_file(socket); // another process may have been faster, or has the permission
    }
}

/// Connects without waiting, and hangs up.
fn knock(socket: &Path) -> rustix::io::Result<()> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let fd = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    net::connect(&fd, &SocketAddrUnix::new(socket)?)
}

/// Most attempts to read a directory that is replaced each time.
const TRIES: u32 = 16;

/// An `inotify` descriptor.
#[derive(Debug)]
pub(super) struct Watch(OwnedFd);

impl Watch {
    pub fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
    /// Watches the directory with that name, which may be another than before, and returns the sockets of others in
    /// it. Removal of the directory while it is read causes no event, so its identity is checked again afterwards.
    pub fn others(&self, directory: &Directory) -> Result<HashSet<PathBuf>> {
        let mut watched = self.add(directory)?;
        for _ in 0..TRIES {
            let others = directory.others()?;
            let now = self.add(directory)?;
            if std::mem::replace(&mut watched, now) == now {
                return Ok(others);
            }
        }
        let why = std::io::Error::other("another process replaces it repeatedly");
        Err(Error::system(format!("read the directory {}", directory.path.display()), why))
    }
    /// Watches the directory. Returns the number of the watch, which is unique to a directory.
    fn add(&self, directory: &Directory) -> Result<i32> {
        use WatchFlags as W;
        let events = W::CREATE | W::MOVED_TO | W::DELETE | W::MOVED_FROM | W::DELETE_SELF | W::MOVE_SELF;
        let added = inotify::add_watch(&self.0, &directory.path, events | W::ONLYDIR);
        added.map_err(|e| directory.unwatched(e))
    }
    /// Whether anything has happened since the last call.
    pub fn changed(&self) -> bool {
        let (mut events, mut changed) = ([0; 4096], false);
        while rustix::io::read(&self.0, &mut events).is_ok_and(|n| n > 0) {
            changed = true;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of watching a directory in a user namespace with these limits; `None` if there is none.
    fn unwatched(instances: &str, watches: &str) -> Option<String> {
        let (mut from, to) = std::io::pipe().unwrap();
        let path = std::env::temp_dir();
        let directory = Directory::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the child makes system calls and allocates, which glibc allows in a child, and exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let set = |limit: &str, value: &str| fs::write(format!("/proc/sys/user/{limit}"), value);
            // SAFETY: the child has one thread.
            let alone = unsafe { libc::unshare(libc::CLONE_NEWUSER) } == 0;
            let ready = set("max_inotify_instances", instances).and(set("max_inotify_watches", watches));
            let words = match (alone, ready) {
                (true, Ok(())) => directory.watch().map_or_else(|e| e.to_string(), |_| String::new()),
                other => format!("{other:?}"),
            };
            let _ = std::io::Write::write_all(&mut &to, words.as_bytes()); // the parent compares what arrives
            // SAFETY: ends the child.
            unsafe { libc::_exit(0) }
        }
        drop(to);
        let words = std::io::read_to_string(&mut from).unwrap();
        // SAFETY: our own child; its status is not needed.
        unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
        (!words.is_empty()).then_some(words)
    }

    #[test]
    fn a_limit_of_inotify_is_named() {
        assert_eq!(unwatched("1", "1"), None);
        let instances = unwatched("0", "1").expect("no instance may be made");
        assert!(instances.contains("fs.inotify.max_user_instances=N"), "{instances}");
        let watches = unwatched("1", "0").expect("nothing may be watched");
        assert!(watches.contains("fs.inotify.max_user_watches=N"), "{watches}");
    }
}
