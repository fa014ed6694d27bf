//! The user at the other end of a TCP connection within this machine.

use crate::{process, users};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `SOCK_DIAG_BY_FAMILY`: a request about sockets, and its answer.
const BY_FAMILY: u16 = 20;
/// The state of a connection that neither side has closed. Of others the kernel may no longer know the user.
const ESTABLISHED: u8 = 1;
/// Bytes of the head of a netlink message.
const HEAD: usize = 16;
/// Bytes of a socket's two addresses and ports in a request and in its answer: `inet_diag_sockid` without interface and cookie.
const ENDS: usize = 36;
/// Where they are in the request (`inet_diag_req_v2`) and in the answer (`inet_diag_msg`), and where the user is there.
const ENDS_ASKED: usize = HEAD + 8;
const ENDS_TOLD: usize = HEAD + 4;
const USER_TOLD: usize = HEAD + 4 + 48 + 12;
/// The number of the socket's file, which the kernel reads after its user. 0: no program has it open any more.
const FILE_TOLD: usize = USER_TOLD + 4;

/// Whether this system reports which user is at the other end of a connection.
pub const REPORTS_USERS: bool = true;

/// The user who opened the other end of an open connection within this machine and network namespace, as this process's user namespace
/// numbers users. `None`: no socket has these addresses, or it was closed. `local` and `remote` are the addresses of this end. System calls, which do
/// not wait for others.
///
/// # Errors
/// The kernel does not answer such questions: the error says why.
pub fn user(local: SocketAddr, remote: SocketAddr) -> io::Result<Option<u32>> {
    let (local, remote) = (plain(local), plain(remote));
    let (family, asked) = ends(remote, local);
    let mut request = question(family, libc::NLM_F_REQUEST, 1 << ESTABLISHED);
    request[ENDS_ASKED..ENDS_ASKED + ENDS].copy_from_slice(&asked);
    request[ENDS_ASKED + ENDS + 4..].fill(0xff); // no cookie
    let mut answer = [0u8; 512];
    let got = ask(&request, &mut answer)?;
    let answer = &answer[..got];
    let word = |at: usize| Some(u32::from_ne_bytes(*answer.get(at..)?.first_chunk()?));
    let kind = answer.get(4..).and_then(|rest| rest.first_chunk()).map(|kind| u16::from_ne_bytes(*kind));
    match kind {
        Some(BY_FAMILY) => {
            // A socket of IPv6 may have a connection of IPv4: its addresses then have IPv6's form.
            let told = answer.get(ENDS_TOLD..ENDS_TOLD + ENDS);
            let is_it = told == Some(&asked[..]) || told == Some(&ends(mapped(remote), mapped(local)).1[..]);
            // The state may be older than the user. Kernels before 6.17 give a socket without a file the number of root.
            let is_open =
                answer.get(HEAD + 1) == Some(&ESTABLISHED) && word(FILE_TOLD).is_some_and(|file| file > 0);
            Ok(word(USER_TOLD).filter(|_| is_it && is_open))
        }
        _ => match word(HEAD).map(|code| (code as i32).wrapping_neg()) {
            Some(libc::ENOENT) if is_supported(family)? => Ok(None),
            Some(libc::ENOENT) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "the kernel cannot name the user of a connection: load its module `tcp_diag`",
            )),
            Some(code) => Err(io::Error::from_raw_os_error(code)),
            None => Err(io::ErrorKind::InvalidData.into()),
        },
    }
}

/// Whether the other end of a connection belongs to this process's user or to root. See [`user`].
///
/// # Errors
/// The kernel does not answer such questions.
pub fn is_own(local: SocketAddr, remote: SocketAddr) -> io::Result<bool> {
    let own = process::user();
    Ok(user(local, remote)?.is_some_and(|user| user == 0 || (user == own && !users::is_unknown(user))))
}

/// An address in the form of its own family.
fn plain(at: SocketAddr) -> SocketAddr {
    SocketAddr::new(at.ip().to_canonical(), at.port())
}
/// An address in IPv6's form.
fn mapped(at: SocketAddr) -> SocketAddr {
    let ip = match at.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    SocketAddr::new(ip.into(), at.port())
}

/// The address family of a socket, and its ends: source port, destination port, source address, destination address.
fn ends(source: SocketAddr, destination: SocketAddr) -> (u8, [u8; ENDS]) {
    let mut ends = [0; ENDS];
    ends[..2].copy_from_slice(&source.port().to_be_bytes());
    ends[2..4].copy_from_slice(&destination.port().to_be_bytes());
    for (at, ip) in [(4, source.ip()), (20, destination.ip())] {
        match ip {
            IpAddr::V4(ip) => ends[at..at + 4].copy_from_slice(&ip.octets()),
            IpAddr::V6(ip) => ends[at..at + 16].copy_from_slice(&ip.octets()),
        }
    }
    (if source.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 } as u8, ends)
}

/// Whether the kernel can answer: it has `tcp_diag`. Asks for the list of all sockets in none of the states, which is empty.
fn is_supported(family: u8) -> io::Result<bool> {
    let mut answer = [0u8; 512];
    ask(&question(family, libc::NLM_F_REQUEST | libc::NLM_F_DUMP, 0), &mut answer)?;
    Ok(answer[4..6] == (libc::NLMSG_DONE as u16).to_ne_bytes())
}

/// A question about TCP sockets in one of these states, a bit for each.
fn question(family: u8, flags: libc::c_int, states: u32) -> [u8; ENDS_ASKED + 48] {
    let mut question = [0u8; ENDS_ASKED + 48];
    let len = question.len() as u32;
    question[..4].copy_from_slice(&len.to_ne_bytes());
    question[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
    question[6..8].copy_from_slice(&(flags as u16).to_ne_bytes());
    question[HEAD] = family;
    question[HEAD + 1] = libc::IPPROTO_TCP as u8;
    question[HEAD + 4..HEAD + 8].copy_from_slice(&states.to_ne_bytes());
    question
}

/// Sends a question to the kernel, and returns the length of its answer.
fn ask(request: &[u8], answer: &mut [u8]) -> io::Result<usize> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: makes a descriptor.
    let fd = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_SOCK_DIAG) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was just made, and nothing else owns it.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: the buffer has the length passed. The kernel answers before `send` returns.
    let sent = unsafe { libc::send(fd.as_raw_fd(), request.as_ptr().cast(), request.len(), 0) };
    if sent < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above.
    let got =
        unsafe { libc::recv(fd.as_raw_fd(), answer.as_mut_ptr().cast(), answer.len(), libc::MSG_DONTWAIT) };
    usize::try_from(got).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    /// Whether this kernel can answer; a test that needs it says that it is skipped.
    fn can_ask() -> bool {
        let can = is_supported(libc::AF_INET as u8).unwrap();
        if !can {
            eprintln!("skipped: this kernel has no `tcp_diag`");
        }
        can
    }
    fn pair(listen: &str, connect: &str) -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind(listen).unwrap();
        let theirs = TcpStream::connect((connect, listener.local_addr().unwrap().port())).unwrap();
        (listener.accept().unwrap().0, theirs)
    }
    fn user_of(here: &TcpStream) -> Option<u32> {
        user(here.local_addr().unwrap(), here.peer_addr().unwrap()).unwrap()
    }

    #[test]
    fn the_user_of_the_other_end_is_known_until_it_closes() {
        if !can_ask() {
            let (here, _theirs) = pair("127.0.0.1:0", "127.0.0.1");
            let error = user(here.local_addr().unwrap(), here.peer_addr().unwrap()).unwrap_err();
            return assert!(error.to_string().contains("tcp_diag"), "{error}");
        }
        for (listen, connect) in [
            ("127.0.0.1:0", "127.0.0.1"),
            ("[::1]:0", "::1"),
            ("[::]:0", "127.0.0.1"),
            ("127.0.0.1:0", "::ffff:127.0.0.1"), // as Java connects
            ("[::]:0", "::ffff:127.0.0.1"),
        ] {
            let (here, theirs) = pair(listen, connect);
            assert_eq!(user_of(&here), Some(process::user()), "{listen}");
            assert!(is_own(here.local_addr().unwrap(), here.peer_addr().unwrap()).unwrap());
            let ends = (here.local_addr().unwrap(), here.peer_addr().unwrap());
            drop(theirs);
            assert_eq!(user(ends.0, ends.1).unwrap(), None, "of a closed connection nothing is known");
        }
    }

    #[test]
    fn where_only_somebody_listens_there_is_no_other_end() {
        if !can_ask() {
            return;
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(user("127.0.0.1:9".parse().unwrap(), address).unwrap(), None);
    }
}
