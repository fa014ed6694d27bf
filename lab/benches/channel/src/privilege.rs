//! A separate network and `/dev/shm`, and the privileges that a measured process must not have.

use crate::error::{Fallible, check};
use std::process::Command;

/// `CAP_NET_ADMIN`: with it a process may have receive buffers beyond the system's limit.
const NET_ADMIN: u32 = 12;
/// `_LINUX_CAPABILITY_VERSION_3`.
const VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct Header {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Data {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Moves this process, which has one thread, into a network with nothing but a loopback, to which all multicast goes.
pub fn own_network() -> Fallible<()> {
    let ip = |words: &str| {
        let output = Command::new("ip").args(words.split(' ')).output();
        output.map_err(|e| format!("cannot run `ip` (package iproute2): {e}"))
    };
    ip("-V")?; // without it, the new network would have no loopback
    // SAFETY: changes only what this process sees.
    check("unshare(CLONE_NEWNET)", unsafe { libc::unshare(libc::CLONE_NEWNET) })
        .map_err(|e| format!("{e}: run as root, or under `unshare --user --map-root-user`"))?;
    for words in ["link set lo up multicast on", "route add 224.0.0.0/4 dev lo"] {
        let output = ip(words)?;
        if !output.status.success() {
            return Err(format!("`ip {words}`: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    Ok(())
}

/// Gives this process, which must have one thread, a separate `/dev/shm`, so that peers neither find nor leave files
/// in the system's.
pub fn own_shared_memory() -> Fallible<()> {
    let none = std::ptr::null();
    // SAFETY: changes only what this process sees; the texts end with a zero.
    unsafe {
        check("unshare(CLONE_NEWNS)", libc::unshare(libc::CLONE_NEWNS))?;
        let private = libc::MS_REC | libc::MS_PRIVATE;
        check("mount(/)", libc::mount(none, c"/".as_ptr(), none, private, none.cast()))?;
        let (tmpfs, flags) = (c"tmpfs".as_ptr(), libc::MS_NOSUID | libc::MS_NODEV);
        let mode = c"mode=1777".as_ptr().cast();
        check("mount(/dev/shm)", libc::mount(tmpfs, c"/dev/shm".as_ptr(), tmpfs, flags, mode))?;
    }
    Ok(())
}

/// Gives up the right to receive buffers beyond `net.core.rmem_max`, which most users do not have.
pub fn as_a_user() -> Fallible<()> {
    let header = Header { version: VERSION, pid: 0 };
    let mut data = [Data::default(); 2];
    // SAFETY: the header and two sets of words of the layout that this version means live across the calls.
    unsafe {
        check("capget", libc::syscall(libc::SYS_capget, &header, data.as_mut_ptr()))?;
        for set in [&mut data[0].effective, &mut data[0].permitted, &mut data[0].inheritable] {
            *set &= !(1 << NET_ADMIN);
        }
        check("capset", libc::syscall(libc::SYS_capset, &header, data.as_ptr()))?;
    }
    Ok(())
}
