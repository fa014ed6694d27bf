//! For tests: separate networks without a connection to the outside, [system calls](refuse_call) that fail, and
//! [several users](own_shm).
//!
//! A [`Space`] is a network namespace with a loopback interface that carries multicast. Work runs [in
//! it](Space::run) on a separate thread; threads and programs that it starts are in it too. [`join`] connects two
//! by a virtual cable. The namespace disappears with its last thread and handle; there is nothing to clean up.
//!
//! ```no_run
//! saltus_netns::isolated(|| {
//!     // Multicast stays here. `Command`s started here see this network only.
//! });
//! ```
//!
//! It needs root, or a kernel that allows user namespaces, and the commands `ip` and `unshare`.

mod calls;
mod exec;
mod users;

pub use calls::{allow_only, refuse_call};
pub use users::{as_member, as_user, own_shm};

use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::panic::resume_unwind;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// A separate network.
#[derive(Debug)]
pub struct Space {
    /// Keeps the namespace alive.
    file: File,
}

impl Space {
    /// Creates a network with only a loopback interface, which receives all multicast.
    ///
    /// # Errors
    /// The kernel refuses it to this process: then use [`isolated`].
    ///
    /// # Panics
    /// If the interface cannot be set up.
    pub fn new() -> io::Result<Space> {
        on_a_thread(|| {
            // SAFETY: changes only this thread's view.
            if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
                return Err(io::Error::last_os_error());
            }
            set_up();
            Ok(Space { file: File::open("/proc/thread-self/ns/net")? })
        })
    }

    /// Runs `work` in it, on a separate thread, and waits for it. Panics of `work` are passed on.
    ///
    /// # Panics
    /// If `work` does, or if the namespace cannot be entered.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        on_a_thread(|| {
            // SAFETY: the descriptor is a network namespace; changes only this thread's view.
            let entered = unsafe { libc::setns(self.file.as_raw_fd(), libc::CLONE_NEWNET) };
            assert!(entered == 0, "cannot enter a network namespace: {}", io::Error::last_os_error());
            work()
        })
    }

    /// The path by which others find it while it lives.
    fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }
}

/// Runs a test in a separate network.
///
/// If the kernel refuses that to this process, the test program is restarted for this test only, as root of a user
/// namespace. So this must be the test's first and only statement.
///
/// # Panics
/// If `work` does, or if namespaces are not available.
pub fn isolated(work: impl FnOnce() + Send) {
    match Space::new() {
        Ok(space) => space.run(work),
        Err(why) => exec::this_test_again(&why),
    }
}

/// Runs a test in a separate network and program. For libraries whose threads outlive a test and stay in its
/// network; and where it matters that a descriptor is closed, of which any program started by another test has a
/// copy until its `exec`.
///
/// The test program is restarted for this test only, so this must be the test's first and only statement.
///
/// # Panics
/// If `work` does, or if namespaces are not available.
pub fn isolated_program(work: impl FnOnce()) {
    if exec::is_again() {
        set_up();
        return work();
    }
    let user: &[&str] = if Space::new().is_ok() { &[] } else { &["--user", "--map-root-user"] };
    exec::in_a_network(&[user, &["--net"]].concat());
}

/// Routes multicast in this thread's network to its loopback interface.
fn set_up() {
    ip("link set lo up multicast on");
    ip("route add 224.0.0.0/4 dev lo");
}

/// Connects two spaces by a virtual cable: an interface `name` in each, with these addresses in a network of 256,
/// which receives multicast from now on.
///
/// # Panics
/// If it cannot be created.
pub fn join(name: &str, (a, at_a): (&Space, Ipv4Addr), (b, at_b): (&Space, Ipv4Addr)) {
    a.run(|| ip(&format!("link add {name} type veth peer name {name} netns {}", b.path())));
    for (space, at) in [(a, at_a), (b, at_b)] {
        space.run(|| {
            ip(&format!("address add {at}/24 dev {name}"));
            ip(&format!("link set {name} up"));
            ip(&format!("route replace 224.0.0.0/4 dev {name}"));
        });
    }
    // The kernel registers a moment later that both ends are up, and drops earlier packets.
    for space in [a, b] {
        let is_up = || space.run(|| ip(&format!("-o link show {name}"))).contains("state UP");
        let patience = Instant::now() + Duration::from_secs(10);
        while !is_up() {
            assert!(Instant::now() < patience, "the interface {name} did not come up");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Runs `ip` with these arguments in this thread's network, and returns its output.
///
/// # Panics
/// If it fails, or is not installed.
pub fn ip(words: &str) -> String {
    let output = Command::new("ip").args(words.split_whitespace()).output();
    let output = output.unwrap_or_else(|e| panic!("cannot run `ip` (package iproute2): {e}"));
    assert!(output.status.success(), "`ip {words}`: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs `work` on a thread with this thread's name, and waits for it.
fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let name = thread::current().name().unwrap_or("network").to_owned();
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name).spawn_scoped(scope, work);
        thread.expect("a thread can be had").join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    /// Whether a datagram from a socket of `from` reaches one bound to `at` in `to`.
    fn reaches(from: &Space, to: &Space, at: Ipv4Addr) -> bool {
        let ear = to.run(|| UdpSocket::bind((at, 7000)).unwrap());
        ear.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let mouth = from.run(|| UdpSocket::bind("0.0.0.0:0").unwrap());
        mouth.send_to(b"word", (at, 7000)).is_ok() && ear.recv(&mut [0; 16]).is_ok()
    }

    #[test]
    fn spaces_are_apart_until_they_are_joined() {
        isolated(|| {
            let (a, b) = (Space::new().unwrap(), Space::new().unwrap());
            let home = Ipv4Addr::LOCALHOST;
            assert!(reaches(&a, &a, home) && !reaches(&a, &b, home));
            let (at_a, at_b) = (Ipv4Addr::new(10, 9, 8, 1), Ipv4Addr::new(10, 9, 8, 2));
            join("cable", (&a, at_a), (&b, at_b));
            assert!(reaches(&a, &b, at_b) && reaches(&b, &a, at_a));
        });
    }

    #[test]
    fn programs_that_the_work_starts_are_inside() {
        isolated(|| {
            let links = ip("-o link");
            assert!(links.lines().count() == 1 && links.contains("lo: <LOOPBACK,MULTICAST,UP"), "{links}");
        });
    }

    #[test]
    fn a_program_of_its_own_is_in_a_network_of_its_own() {
        isolated_program(|| {
            // It is another process, in which every thread sees only its own loopback interface.
            let links = thread::spawn(|| ip("-o link")).join().unwrap();
            assert!(links.lines().count() == 1 && links.contains("lo: <LOOPBACK,MULTICAST,UP"), "{links}");
        });
    }

    #[test]
    fn a_panic_comes_through() {
        isolated(|| {
            let space = Space::new().unwrap();
            let panic = std::panic::catch_unwind(|| space.run(|| panic!("what the work says"))).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"what the work says"));
        });
    }
}
