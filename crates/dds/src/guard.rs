//! Binds sockets to the loopback interface. The library listens on all addresses, even with an interface
//! configured, so sockets for this machine only are bound after they are created.

use super::failed::failed;
use saltus_transport::Result;
use std::collections::HashMap;
use std::io;
use std::mem::size_of_val;
use std::os::fd::RawFd;
use std::path::PathBuf;

/// This process's sockets: a unique name of each, and its descriptor. Names are not reused; descriptors are.
pub(super) fn sockets() -> HashMap<PathBuf, RawFd> {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let fd = entry.file_name().to_str()?.parse().ok()?;
        Some((std::fs::read_link(entry.path()).ok()?, fd))
    });
    named.filter(|(name, _)| name.to_string_lossy().starts_with("socket:")).collect()
}

/// Binds the sockets of a participant to the loopback interface: those that are not in `before` and listen on all
/// addresses. No other code may create such sockets in between.
///
/// # Errors
/// Some of the expected sockets are not found, or the kernel refuses.
pub(super) fn keep_here(before: &HashMap<PathBuf, RawFd>, domain: u16, participant: u16) -> Result<()> {
    // RTPS, section 9.6.2: the ports of a participant.
    let first = 7400 + 250 * domain;
    let own = [first + 10 + 2 * participant, first + 11 + 2 * participant];
    let mut found = 0;
    for (_, fd) in sockets().into_iter().filter(|(name, _)| !before.contains_key(name)) {
        let Some(port) = port(fd) else { continue };
        if port == first || port == first + 1 || own.contains(&port) {
            bind(fd).map_err(|e| failed("keep DDS on the loopback interface", e))?;
            found += usize::from(own.contains(&port));
        }
    }
    if found == own.len() {
        return Ok(());
    }
    Err(failed(
        "keep DDS on the loopback interface",
        format!(
            "its sockets are not at the ports {} and {}; name another domain, or an interface by `iface`",
            own[0], own[1]
        ),
    ))
}

/// The port of a socket that is bound to all addresses of IPv4.
fn port(fd: RawFd) -> Option<u16> {
    // SAFETY: all zeros is a valid address.
    let mut address: libc::sockaddr_in = unsafe { std::mem::zeroed() };
    let mut len = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes of an address that stays alive across the call; it refuses
    // descriptors that are not sockets.
    let result = unsafe { libc::getsockname(fd, (&raw mut address).cast(), &mut len) };
    let is_any = address.sin_family == libc::AF_INET as u16 && address.sin_addr.s_addr == 0;
    (result == 0 && is_any).then(|| u16::from_be(address.sin_port))
}

fn bind(fd: RawFd) -> io::Result<()> {
    let name = *b"lo\0";
    // SAFETY: the name stays alive across the call, and has the length given.
    let result = unsafe {
        libc::setsockopt(
            fd,
            libc::SOL_SOCKET,
            libc::SO_BINDTODEVICE,
            name.as_ptr().cast(),
            size_of_val(&name) as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
