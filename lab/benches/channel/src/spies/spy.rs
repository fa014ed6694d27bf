//! Spies as a person runs them: the command in a terminal, each in a separate process and terminal.

use crate::clock;
use crate::error::{Fallible, check};
use crate::log::program::cpu_of;
use crate::stop;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long all spies may take to show the channels, and to exit.
const GRACE: u64 = 120_000_000_000;
/// Lines and columns of a terminal: enough for all channels.
const SIZE: (u16, u16) = (40, 160);
/// The timer slack that a program has by default, ns.
const SLACK: libc::c_ulong = 50_000;

/// Spies that watch a domain. Dropping this kills them.
pub struct Spies {
    spies: Vec<Child>,
    reader: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// The state shared with the thread that simulates all terminals.
#[derive(Default)]
struct Shared {
    /// Number of terminals on which the word has appeared.
    seen: AtomicUsize,
    stop: AtomicBool,
}

impl Spies {
    /// Starts `n` spies on these cores, and waits until each of them shows `word`, at most two minutes.
    pub fn start(saltus: &Path, url: &str, n: usize, cores: &[usize], word: &'static str) -> Fallible<Spies> {
        let mut all = Spies { spies: Vec::new(), reader: None, shared: Arc::default() };
        let mut screens = Vec::new();
        for _ in 0..n {
            let (screen, end) = terminal()?;
            let mut command = Command::new(saltus);
            command.args(["spy", "--domain", url]).env("TERM", "xterm-256color");
            command.stdin(end.try_clone()?).stdout(end.try_clone()?).stderr(end);
            let cores = cores.to_vec();
            // SAFETY: system calls on the child's own behalf; nothing is locked, and nothing allocated but the words of a
            // refusal: this process has one thread until all spies run, so that the child's heap is whole.
            unsafe {
                command.pre_exec(move || {
                    saltus_os::rt::set_affinity(&cores).map_err(|_| std::io::Error::last_os_error())?;
                    let done = libc::prctl(libc::PR_SET_TIMERSLACK, SLACK, 0, 0, 0) == 0
                        && libc::setsid() >= 0
                        && libc::ioctl(0, libc::TIOCSCTTY, 0) == 0;
                    if done { Ok(()) } else { Err(std::io::Error::last_os_error()) }
                });
            }
            all.spies.push(command.spawn().map_err(|e| format!("cannot start a spy: {e}"))?);
            screens.push(File::from(screen));
        }
        let (shared, cores) = (all.shared.clone(), cores.to_vec());
        // One thread simulates all terminals, on the spies' cores.
        all.reader = Some(thread::spawn(move || {
            // They were not refused to the spies.
            let _ = saltus_os::rt::set_affinity(&cores);
            read_all(screens, word.as_bytes(), &shared);
        }));
        all.wait_until_seen(word, n)?;
        Ok(all)
    }

    fn wait_until_seen(&mut self, word: &str, n: usize) -> Fallible<()> {
        let end = clock::now() + GRACE;
        while self.shared.seen.load(Acquire) < n {
            if let Some(status) = self.spies.iter_mut().find_map(|spy| spy.try_wait().ok().flatten()) {
                return Err(format!("a spy exited with {status} before it showed {word}").into());
            }
            if stop::asked() || clock::now() > end {
                let seen = self.shared.seen.load(Acquire);
                return Err(format!("{seen} of {n} spies showed {word} in time").into());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Their processor time so far, ns.
    pub fn cpu(&self) -> u64 {
        self.spies.iter().map(|spy| cpu_of(spy.id())).sum()
    }

    /// Interrupts them, as Ctrl-C does. A spy that does not exit by itself with success is an error.
    pub fn end(mut self) -> Fallible<()> {
        for spy in &self.spies {
            // SAFETY: sends a signal to our own child, which has not been waited for.
            check("kill", unsafe { libc::kill(spy.id() as libc::pid_t, libc::SIGINT) })?;
        }
        let end = clock::now() + GRACE;
        for spy in &mut self.spies {
            let status = loop {
                match spy.try_wait()? {
                    Some(status) => break status,
                    None if clock::now() > end => return Err("a spy did not end".into()),
                    None => thread::sleep(Duration::from_millis(2)),
                }
            };
            if !status.success() {
                return Err(format!("a spy exited with {status}").into());
            }
        }
        Ok(())
    }
}

impl Drop for Spies {
    fn drop(&mut self) {
        for spy in &mut self.spies {
            // It may have exited already.
            let _ = spy.kill();
            let _ = spy.wait();
        }
        self.shared.stop.store(true, Release);
        // A thread that panicked has already printed the reason on standard error.
        self.reader.take().map(JoinHandle::join);
    }
}

/// A terminal: the end that displays, and the end that the spy writes to.
fn terminal() -> Fallible<(OwnedFd, OwnedFd)> {
    let (mut screen, mut end) = (0, 0);
    let size = libc::winsize { ws_row: SIZE.0, ws_col: SIZE.1, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: both descriptors and the size live across the call; no name and no settings are asked for.
    check("openpty", unsafe {
        libc::openpty(&mut screen, &mut end, std::ptr::null_mut(), std::ptr::null(), &size)
    })?;
    // SAFETY: both are new and belong to nobody else.
    let both = unsafe { (OwnedFd::from_raw_fd(screen), OwnedFd::from_raw_fd(end)) };
    for fd in [&both.0, &both.1] {
        // SAFETY: sets a flag of our own descriptor: it is not for the spies that come later.
        check("fcntl", unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) })?;
    }
    Ok(both)
}

/// Reads the output on all terminals until it is stopped, and counts those on which `word` has appeared.
fn read_all(mut screens: Vec<File>, word: &[u8], shared: &Shared) {
    let mut polls: Vec<libc::pollfd> = screens.iter().map(|s| poll_for(s.as_raw_fd())).collect();
    let mut texts: Vec<Option<Vec<u8>>> = vec![Some(Vec::new()); screens.len()];
    let mut bytes = vec![0; 1 << 16];
    // Pairs with the release in `drop`.
    while !shared.stop.load(Acquire) {
        // SAFETY: the list lives across the call and has the length told.
        unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, 100) };
        for ((poll, screen), text) in polls.iter_mut().zip(&mut screens).zip(&mut texts) {
            if poll.revents == 0 {
                continue;
            }
            let Ok(n @ 1..) = screen.read(&mut bytes) else {
                poll.fd = -1; // its spy has ended
                continue;
            };
            let Some(so_far) = text else { continue };
            so_far.extend_from_slice(&bytes[..n]);
            if so_far.windows(word.len()).any(|part| part == word) {
                *text = None;
                shared.seen.fetch_add(1, Release);
            } else {
                so_far.drain(..so_far.len().saturating_sub(word.len()));
            }
        }
    }
}

fn poll_for(fd: i32) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}
