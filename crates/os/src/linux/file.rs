//! Files and directories of shared memory. Opened through descriptors, without following links.

pub use crate::common::file::*;
pub use crate::unix::inode::*;
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

fn c(name: &[u8]) -> io::Result<CString> {
    CString::new(name).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// Opens `name` in `dir`. Never follows a link and never blocks on a FIFO.
pub fn open_at(dir: &File, name: &[u8], mode: Mode) -> io::Result<File> {
    let flags = match mode {
        Mode::Read => libc::O_RDONLY,
        Mode::Write => libc::O_RDWR,
        Mode::Append => libc::O_WRONLY | libc::O_APPEND,
        Mode::Create => libc::O_RDWR | libc::O_CREAT | libc::O_EXCL,
    };
    open(dir.as_raw_fd(), &c(name)?, flags | libc::O_NONBLOCK)
}

/// Opens directory `name` in `dir`. Never follows a link.
pub fn open_dir_at(dir: &File, name: &[u8]) -> io::Result<File> {
    open(dir.as_raw_fd(), &c(name)?, libc::O_RDONLY | libc::O_DIRECTORY)
}

/// Opens the directory `path`; the last part must not be a link.
pub fn open_dir(path: &OsStr) -> io::Result<File> {
    open(libc::AT_FDCWD, &c(path.as_bytes())?, libc::O_RDONLY | libc::O_DIRECTORY)
}

/// Opens the directory `path` like [`open_dir`], but no part of it may be a symbolic link. Makes one system call where the kernel has
/// `openat2`, else one for each part. Fails with `ELOOP` or `ENOTDIR` at a link.
pub fn open_dir_no_links(path: &OsStr) -> io::Result<File> {
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC | libc::O_LARGEFILE;
    // SAFETY: all zeros is a valid record of open options.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    (how.flags, how.resolve) = (flags as u64, libc::RESOLVE_NO_SYMLINKS);
    let name = c(path.as_bytes())?;
    let (at, size) = (std::ptr::from_ref(&how), size_of::<libc::open_how>());
    // SAFETY: the name is a C string, and the record, whose size is passed, lives across the call.
    let fd = unsafe { libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, name.as_ptr(), at, size) };
    match super::check(fd as libc::c_int) {
        // SAFETY: the call returned the descriptor, and only this value owns it.
        Ok(fd) => Ok(unsafe { File::from_raw_fd(fd) }),
        // Before Linux 5.6, or where an old filter of system calls rejects it.
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => open_dir_by_parts(path),
        Err(e) => Err(e),
    }
}

/// Opens the directory `path` part by part; no part may be a symbolic link.
fn open_dir_by_parts(path: &OsStr) -> io::Result<File> {
    let (start, rest) = match path.as_bytes().strip_prefix(b"/") {
        Some(rest) => (c"/", rest),
        None => (c".", path.as_bytes()),
    };
    let mut at = open(libc::AT_FDCWD, start, libc::O_PATH | libc::O_DIRECTORY)?;
    for part in rest.split(|b| *b == b'/').filter(|part| !part.is_empty()) {
        at = open(at.as_raw_fd(), &c(part)?, libc::O_PATH | libc::O_DIRECTORY)?;
    }
    open(at.as_raw_fd(), c".", libc::O_RDONLY | libc::O_DIRECTORY)
}

/// The metadata of `name` in `dir`; of a symbolic link, that of the link itself. One system call.
pub fn stat_at(dir: &File, name: &[u8]) -> io::Result<Stat> {
    stat_of(dir.as_raw_fd(), name, libc::AT_SYMLINK_NOFOLLOW)
}

/// The metadata of `path`; of a symbolic link, that of the link itself. One system call.
pub fn stat_path(path: &OsStr) -> io::Result<Stat> {
    stat_of(libc::AT_FDCWD, path.as_bytes(), libc::AT_SYMLINK_NOFOLLOW)
}

/// The metadata of an open file or directory. One system call.
pub fn stat(file: &File) -> io::Result<Stat> {
    stat_of(file.as_raw_fd(), b"", libc::AT_EMPTY_PATH)
}

/// Allocates nothing: publishing and receiving look who replaced a channel.
fn stat_of(dir: i32, name: &[u8], flags: libc::c_int) -> io::Result<Stat> {
    let mut path = [0; libc::PATH_MAX as usize];
    if name.len() >= path.len() {
        return Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG));
    }
    path[..name.len()].copy_from_slice(name);
    let name = CStr::from_bytes_with_nul(&path[..=name.len()]).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: all zeros is a valid record to be filled in.
    let mut stat: libc::stat64 = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a C string, and the record lives across the call.
    super::check(unsafe { libc::fstatat64(dir, name.as_ptr(), &mut stat, flags) })?;
    let kind = match stat.st_mode & libc::S_IFMT {
        libc::S_IFDIR => Kind::Directory,
        libc::S_IFREG => Kind::File,
        libc::S_IFLNK => Kind::Link,
        libc::S_IFIFO => Kind::Fifo,
        libc::S_IFSOCK => Kind::Socket,
        _ => Kind::Device,
    };
    Ok(Stat { kind, user: stat.st_uid, group: stat.st_gid, mode: stat.st_mode & 0o7777 })
}

fn open(dir: i32, name: &CStr, flags: libc::c_int) -> io::Result<File> {
    // SAFETY: the name is a C string; only this value owns the descriptor that the call returns.
    unsafe {
        let fd = libc::openat(
            dir,
            name.as_ptr(),
            flags | libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_LARGEFILE,
            0o600,
        );
        Ok(File::from_raw_fd(super::check(fd)?))
    }
}

/// Makes directory `name` in `dir`, with permissions for the owner only until [`set_mode`].
pub fn make_dir_at(dir: &File, name: &[u8]) -> io::Result<()> {
    let name = c(name)?;
    // SAFETY: the name is a C string.
    super::check(unsafe { libc::mkdirat(dir.as_raw_fd(), name.as_ptr(), 0o700) }).map(drop)
}

/// Removes file or empty directory `name` from `dir`.
pub fn remove_at(dir: &File, name: &[u8], is_dir: bool) -> io::Result<()> {
    let name = c(name)?;
    let flags = if is_dir { libc::AT_REMOVEDIR } else { 0 };
    // SAFETY: the name is a C string.
    super::check(unsafe { libc::unlinkat(dir.as_raw_fd(), name.as_ptr(), flags) }).map(drop)
}

/// Renames `old` to `new` within `dir`, in one atomic step.
pub fn rename_at(dir: &File, old: &[u8], new: &[u8], how: Rename) -> io::Result<()> {
    let (old, new) = (c(old)?, c(new)?);
    let flags = if how == Rename::NoReplace { libc::RENAME_NOREPLACE } else { libc::RENAME_EXCHANGE };
    let fd = dir.as_raw_fd();
    // SAFETY: both names are C strings.
    super::check(unsafe { libc::renameat2(fd, old.as_ptr(), fd, new.as_ptr(), flags) }).map(drop)
}

/// Moves `name` of `dir` to directory `to`, as `new`, in one indivisible step. Fails with `AlreadyExists` if that is taken.
pub fn move_at(dir: &File, name: &[u8], to: &File, new: &[u8]) -> io::Result<()> {
    let (name, new) = (c(name)?, c(new)?);
    let (from, to) = (dir.as_raw_fd(), to.as_raw_fd());
    // SAFETY: both names are C strings.
    super::check(unsafe { libc::renameat2(from, name.as_ptr(), to, new.as_ptr(), libc::RENAME_NOREPLACE) })
        .map(drop)
}

/// Gives file `name` of `dir` another name: `new` in directory `to`. Never follows a link.
pub fn link_at(dir: &File, name: &[u8], to: &File, new: &[u8]) -> io::Result<()> {
    let (name, new) = (c(name)?, c(new)?);
    // SAFETY: both names are C strings.
    super::check(unsafe { libc::linkat(dir.as_raw_fd(), name.as_ptr(), to.as_raw_fd(), new.as_ptr(), 0) })
        .map(drop)
}

/// Sets the permissions of an open file, regardless of the umask.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    // SAFETY: the descriptor is open.
    super::check(unsafe { libc::fchmod(file.as_raw_fd(), mode) }).map(drop)
}

/// Sets the group of an open file.
pub fn set_group(file: &File, group: u32) -> io::Result<()> {
    // SAFETY: the descriptor is open; the owner is unchanged.
    super::check(unsafe { libc::fchown(file.as_raw_fd(), u32::MAX, group) }).map(drop)
}

/// Sets the owner of an open file.
pub fn set_owner(file: &File, owner: u32) -> io::Result<()> {
    // SAFETY: the descriptor is open; the group is unchanged.
    super::check(unsafe { libc::fchown(file.as_raw_fd(), owner, u32::MAX) }).map(drop)
}

/// Reserves `len` bytes at `offset`, growing the file if need be. May block; a full file system is an error here
/// and never a fault later.
pub fn reserve(file: &File, offset: u64, len: u64) -> io::Result<()> {
    // In pieces: tmpfs releases all memory of a call that a signal interrupts, and a process may have a fast timer.
    const PIECE: u64 = 4 << 20;
    let (mut at, end) = (offset, offset + len);
    while at < end {
        let piece = PIECE.min(end - at);
        // SAFETY: the descriptor is open.
        match super::check(unsafe { libc::fallocate64(file.as_raw_fd(), 0, at as i64, piece as i64) }) {
            Ok(_) => at += piece,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Free bytes on the file system of an open file, and whether it is a tmpfs.
pub fn file_system(file: &File) -> io::Result<(u64, bool)> {
    let stat = statfs(file)?;
    Ok((stat.f_bavail.saturating_mul(stat.f_bsize as u64), stat.f_type as u32 == libc::TMPFS_MAGIC as u32))
}

/// Size of the file system of an open file, and its free space, in bytes.
pub fn room(file: &File) -> io::Result<(u64, u64)> {
    let stat = statfs(file)?;
    Ok([stat.f_blocks, stat.f_bavail].map(|blocks| blocks.saturating_mul(stat.f_bsize as u64)).into())
}

/// The free bytes for this user on the file system of `path`.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let path = c(path.as_os_str().as_bytes())?;
    // SAFETY: all zeros is a valid record to be filled in.
    let mut stat: libc::statvfs64 = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a C string, and the record lives across the call.
    super::check(unsafe { libc::statvfs64(path.as_ptr(), &mut stat) })?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize as u64))
}

/// The number of files that can still be made on the file system of an open file; `None` if it has no limit. One system call.
pub fn inodes(file: &File) -> io::Result<Option<u64>> {
    let stat = statfs(file)?;
    Ok((stat.f_files > 0).then_some(stat.f_ffree))
}

fn statfs(file: &File) -> io::Result<libc::statfs64> {
    // SAFETY: all zeros is a valid record to be filled in.
    let mut stat: libc::statfs64 = unsafe { std::mem::zeroed() };
    // SAFETY: the record lives across the call.
    super::check(unsafe { libc::fstatfs64(file.as_raw_fd(), &mut stat) })?;
    Ok(stat)
}

/// The number of links to an open file: 0 after it was removed. One system call.
pub fn links(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.nlink())
}

/// Whether an open file or directory has not been changed for more than two seconds.
///
/// A process that makes a file in several steps takes less time between them. An older unfinished file is a leftover of a dead process.
pub fn is_old(file: &File) -> bool {
    let now = (crate::clock::now(crate::clock::Clock::Realtime) / 1_000_000_000) as i64;
    file.metadata().is_ok_and(|m| now - m.ctime() > 2)
}

/// All names in a directory, unsorted, without `.` and `..`. Allocates.
///
/// # Errors
/// There are more than [`MOST_NAMES`], or the kernel's error.
pub fn names(dir: &File) -> io::Result<Vec<Vec<u8>>> {
    let names = names_at_most(dir, MOST_NAMES + 1)?;
    if names.len() > MOST_NAMES {
        let words = format!("it has more than {MOST_NAMES} entries, which its owner or root must reduce");
        return Err(io::Error::other(words));
    }
    Ok(names)
}

/// Up to [`MOST_NAMES`] names in a directory, as [`names`] returns them; none if it cannot be read. Allocates.
pub fn first_names(dir: &File) -> Vec<Vec<u8>> {
    names_at_most(dir, MOST_NAMES).unwrap_or_default()
}

/// The first `most` names in a directory, as [`names`] returns them, for a directory that another user may have filled. Allocates.
pub fn names_at_most(dir: &File, most: usize) -> io::Result<Vec<Vec<u8>>> {
    read(dir)?.take(most).collect()
}

/// All names in a directory, one after the other as they are read, however many there are; none if it cannot be read. Allocates. For
/// decisions for which no name may be missing.
pub fn each_name(dir: &File) -> impl Iterator<Item = Vec<u8>> + use<> {
    read(dir).into_iter().flatten().map_while(Result::ok)
}

fn read(dir: &File) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>> + use<>> {
    let entries = std::fs::read_dir(format!("/proc/self/fd/{}", dir.as_raw_fd()))?;
    Ok(entries.map(|entry| Ok(entry?.file_name().as_bytes().to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_part_of_a_path_may_be_a_symbolic_link_with_any_kernel() {
        let here = std::env::temp_dir().canonicalize().unwrap();
        let here = here.join(format!("saltus-links-{}", std::process::id()));
        std::fs::create_dir_all(here.join("real/inner")).unwrap();
        symlink("real", here.join("link")).unwrap();
        symlink("inner", here.join("real/last")).unwrap();
        std::fs::write(here.join("file"), "").unwrap();
        for open in [open_dir_no_links, open_dir_by_parts] {
            let open = |path: &str| open(here.join(path).as_os_str());
            let opened = open("real/inner").unwrap();
            assert_eq!(stat(&opened).unwrap().kind, Kind::Directory);
            assert_eq!(names(&open("real").unwrap()).unwrap().len(), 2, "it can be read");
            for bad in ["link/inner", "link", "real/last", "file", "file/x"] {
                let code = open(bad).unwrap_err().raw_os_error();
                assert!(matches!(code, Some(libc::ELOOP | libc::ENOTDIR)), "{bad}: {code:?}");
            }
            assert_eq!(open("none/inner").unwrap_err().kind(), io::ErrorKind::NotFound);
        }
        assert_eq!(stat_path(here.join("link").as_os_str()).unwrap().kind, Kind::Link);
        std::fs::remove_dir_all(here).unwrap();
    }
}
