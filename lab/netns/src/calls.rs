//! Makes system calls fail for a process or a thread, as on an older or a stricter machine, by seccomp filters.

use std::io;

/// From here on `call` fails with `errno` in this thread and in threads that it starts; with `first`, only if that
/// is its first argument.
///
/// # Panics
/// If the kernel accepts no filter.
pub fn refuse_call(call: libc::c_long, first: Option<u32>, errno: i32) {
    let mut filter = vec![load(NUMBER)];
    match first {
        None => filter.push(unless(call as u32, 1)),
        Some(first) => filter.extend([unless(call as u32, 3), load(FIRST), unless(first, 1)]),
    }
    filter.extend([verdict(libc::SECCOMP_RET_ERRNO | errno as u32), verdict(libc::SECCOMP_RET_ALLOW)]);
    install(filter);
}

/// From here on the kernel kills this process at every system call of this thread except `call`.
///
/// # Panics
/// If the kernel accepts no filter.
pub fn allow_only(call: libc::c_long) {
    let (allow, kill) = (libc::SECCOMP_RET_ALLOW, libc::SECCOMP_RET_KILL_PROCESS);
    install(vec![load(NUMBER), unless(call as u32, 1), verdict(allow), verdict(kill)]);
}

/// Offsets in `struct seccomp_data` of the call's number and of the lower half of its first argument.
const NUMBER: u32 = 0;
const FIRST: u32 = if cfg!(target_endian = "little") { 16 } else { 20 };

fn op(code: u32, k: u32, skip: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: skip, k }
}

fn load(at: u32) -> libc::sock_filter {
    op(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0)
}

/// Skips this many instructions unless that value was loaded.
fn unless(value: u32, skip: u8) -> libc::sock_filter {
    op(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, skip)
}

fn verdict(what: u32) -> libc::sock_filter {
    op(libc::BPF_RET | libc::BPF_K, what, 0)
}

fn install(mut filter: Vec<libc::sock_filter>) {
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program stays alive across the calls, and the kernel copies it; they only restrict this thread.
    let taken = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) == 0
    };
    assert!(taken, "the kernel takes no filter of system calls: {}", io::Error::last_os_error());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    #[test]
    fn only_the_call_with_that_argument_fails_and_only_in_that_thread() {
        std::thread::spawn(|| {
            refuse_call(libc::SYS_socket, Some(libc::AF_INET6 as u32), libc::EAFNOSUPPORT);
            assert_eq!(UdpSocket::bind("[::1]:0").unwrap_err().raw_os_error(), Some(libc::EAFNOSUPPORT));
            UdpSocket::bind("127.0.0.1:0").unwrap();
            refuse_call(libc::SYS_socket, None, libc::EPERM);
            assert_eq!(UdpSocket::bind("127.0.0.1:0").unwrap_err().raw_os_error(), Some(libc::EPERM));
        })
        .join()
        .unwrap();
        UdpSocket::bind("127.0.0.1:0").unwrap();
    }
}
