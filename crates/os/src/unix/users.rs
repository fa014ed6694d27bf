//! Users and groups: their numbers and their names. Reads the system's tables; every function blocks and allocates.

use std::ffi::{CStr, CString};
use std::io;

/// Maximum size of an entry of the tables, in bytes.
const LONGEST: usize = 1 << 20;

/// The ID of the user with this name.
///
/// # Errors
/// The tables cannot be read, or the name has a zero byte.
pub fn user_by_name(name: &str) -> io::Result<Option<u32>> {
    let name = CString::new(name).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: all zeros is a valid record to be filled in.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    lookup(|buffer, found| {
        let (at, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        let mut there = std::ptr::null_mut();
        // SAFETY: the name, the record, the buffer and the result pointer live across the call; the length is the buffer's.
        let error = unsafe { libc::getpwnam_r(name.as_ptr(), &mut entry, at, len, &mut there) };
        *found = (!there.is_null()).then_some(entry.pw_uid);
        error
    })
}

/// The id of the group of that name.
///
/// # Errors
/// The tables cannot be read, or the name has a zero byte.
pub fn group_by_name(name: &str) -> io::Result<Option<u32>> {
    let name = CString::new(name).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: all zeros is a valid record to be filled in.
    let mut entry: libc::group = unsafe { std::mem::zeroed() };
    lookup(|buffer, found| {
        let (at, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        let mut there = std::ptr::null_mut();
        // SAFETY: the name, the record, the buffer and the result pointer live across the call; the length is the buffer's.
        let error = unsafe { libc::getgrnam_r(name.as_ptr(), &mut entry, at, len, &mut there) };
        *found = (!there.is_null()).then_some(entry.gr_gid);
        error
    })
}

/// The name of a user, if the system's tables have it.
pub fn user_name(id: u32) -> Option<String> {
    // SAFETY: all zeros is a valid record to be filled in.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    lookup(|buffer, found| {
        let (at, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        let mut there = std::ptr::null_mut();
        // SAFETY: the record, the buffer and the result pointer live across the call; the length is the buffer's.
        let error = unsafe { libc::getpwuid_r(id, &mut entry, at, len, &mut there) };
        // SAFETY: the call has filled the record in; its name is a C string in the buffer.
        *found = (!there.is_null()).then(|| unsafe { text(entry.pw_name) });
        error
    })
    .ok()
    .flatten()
}

/// The name of a group, if the system's tables have it.
pub fn group_name(id: u32) -> Option<String> {
    // SAFETY: all zeros is a valid record to be filled in.
    let mut entry: libc::group = unsafe { std::mem::zeroed() };
    lookup(|buffer, found| {
        let (at, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        let mut there = std::ptr::null_mut();
        // SAFETY: the record, the buffer and the result pointer live across the call; the length is the buffer's.
        let error = unsafe { libc::getgrgid_r(id, &mut entry, at, len, &mut there) };
        // SAFETY: the call has filled the record in; its name is a C string in the buffer.
        *found = (!there.is_null()).then(|| unsafe { text(entry.gr_name) });
        error
    })
    .ok()
    .flatten()
}

/// A user for people: `anna (user 1000)`, or `user 1000` if the tables have no name, or `root`.
pub fn user_for_people(id: u32) -> String {
    match user_name(id) {
        Some(name) if id == 0 => name,
        Some(name) => format!("{name} (user {id})"),
        None => format!("user {id}"),
    }
}

/// A group as shown to people: its name, or `group 1000` if the tables have none.
pub fn group_for_people(id: u32) -> String {
    group_name(id).unwrap_or_else(|| format!("group {id}"))
}

/// # Safety
/// `name` is null or a C string.
unsafe fn text(name: *const libc::c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// Calls `ask` with a buffer that grows to the size of the entry.
fn lookup<T>(mut ask: impl FnMut(&mut [u8], &mut Option<T>) -> libc::c_int) -> io::Result<Option<T>> {
    let mut buffer = vec![0; 4096];
    loop {
        let mut found = None;
        match ask(&mut buffer, &mut found) {
            0 => return Ok(found),
            libc::ERANGE if buffer.len() < LONGEST => buffer.resize(buffer.len() * 4, 0),
            libc::EINTR => {}
            // Some tables return this error for an entry that does not exist.
            libc::ENOENT | libc::ESRCH => return Ok(None),
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_and_groups_have_names_and_numbers() {
        assert_eq!(user_by_name("root").unwrap(), Some(0));
        assert_eq!((user_name(0).as_deref(), group_name(0).as_deref()), (Some("root"), Some("root")));
        assert_eq!(group_by_name("root").unwrap(), Some(0));
        assert_eq!(group_by_name("no-such-group-of-saltus").unwrap(), None);
        assert_eq!(user_by_name("no-such-user-of-saltus").unwrap(), None);
        assert!(user_by_name("a\0b").is_err());
        assert_eq!((user_name(3_999_999_999), group_name(3_999_999_999)), (None, None));
        assert_eq!(user_for_people(0), "root");
        assert_eq!(user_for_people(3_999_999_999), "user 3999999999");
    }
}
