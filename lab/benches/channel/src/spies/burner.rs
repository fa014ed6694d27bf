//! Processes that use as much processor time as spies do, without Saltus.

use crate::clock;
use crate::error::{Fallible, check};
use crate::log::program::cpu_of;
use crate::stop;

/// The period at which spies update and burners burn, in ns.
const PERIOD: u64 = 20_000_000;

/// Burners. They are killed when this is dropped or when this process exits.
pub struct Burners(Vec<libc::pid_t>);

impl Burners {
    /// Starts `n` of them on these cores; each uses the given share of a core.
    pub fn start(n: usize, each: f64, cores: &[usize]) -> Fallible<Burners> {
        let (mut all, us) = (Burners(Vec::new()), std::process::id());
        for i in 0..n {
            // SAFETY: this process has one thread while it burns; the child makes system calls alone and never returns.
            let pid = check("fork", unsafe { libc::fork() })?;
            if pid == 0 {
                stop::end_with(us);
                let _ = saltus_os::rt::set_affinity(cores); // as for spies; a child can tell nobody
                burn(i as u64 * PERIOD / n as u64, (each * PERIOD as f64) as u64);
            }
            all.0.push(pid);
        }
        Ok(all)
    }
    /// Their processor time so far, ns.
    pub fn cpu(&self) -> u64 {
        self.0.iter().map(|pid| cpu_of(*pid as u32)).sum()
    }
}

/// Uses `nanos` of processor time in each period; the first period begins after `later`.
fn burn(later: u64, nanos: u64) -> ! {
    let mut next = clock::now() + later;
    loop {
        clock::sleep_until(next);
        next = clock::now().max(next + PERIOD);
        let end = clock::cpu_used() + nanos;
        while clock::cpu_used() < end {
            (0..1000).for_each(|_| std::hint::spin_loop());
        }
    }
}

impl Drop for Burners {
    fn drop(&mut self) {
        for pid in &self.0 {
            // SAFETY: a child of ours that nobody has waited for.
            unsafe {
                libc::kill(*pid, libc::SIGKILL);
                libc::waitpid(*pid, std::ptr::null_mut(), 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;

    #[test]
    fn burners_exit_with_their_starter_even_if_it_is_killed() {
        let ((mut reader, mut writer), us) = (std::io::pipe().unwrap(), std::process::id());
        let cores = saltus_os::rt::affinity();
        // SAFETY: the child forks once more, writes a few bytes and waits until it is killed; it never returns.
        let starter = check("fork", unsafe { libc::fork() }).unwrap();
        if starter == 0 {
            stop::end_with(us);
            if let Ok(burners) = Burners::start(1, 0.01, &cores) {
                let _ = writer.write_all(&burners.0[0].to_ne_bytes()); // who does not hear it is gone
                loop {
                    // SAFETY: waits for a signal.
                    unsafe { libc::pause() };
                }
            }
            // SAFETY: leaves without running what belongs to the parent.
            unsafe { libc::_exit(1) };
        }
        drop(writer);
        let mut burner = [0; 4];
        reader.read_exact(&mut burner).expect("it burns");
        // SAFETY: a child of ours that nobody has waited for.
        unsafe {
            libc::kill(starter, libc::SIGKILL);
            libc::waitpid(starter, std::ptr::null_mut(), 0);
        }
        // The burner also holds the other end of the pipe.
        let mut poll = libc::pollfd { fd: reader.as_raw_fd(), events: 0, revents: 0 };
        // SAFETY: the one entry lives across the call.
        let ended = unsafe { libc::poll(&mut poll, 1, 30_000) };
        if ended != 1 {
            // SAFETY: sends a signal to what was started here and runs still.
            unsafe { libc::kill(libc::pid_t::from_ne_bytes(burner), libc::SIGKILL) };
        }
        assert_eq!(ended, 1, "the burner has exited");
    }
}
