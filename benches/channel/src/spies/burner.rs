//! Processes that take processor time as spies do, and know nothing of Saltus.

use crate::clock;
use crate::error::{Fallible, check};
use crate::log::program::cpu_of;

/// Spies look so often, ns; burners burn so often.
const PERIOD: u64 = 20_000_000;

/// Burners. Dropped, they are killed.
pub struct Burners(Vec<libc::pid_t>);

impl Burners {
    /// Starts `n` of them on these cores; each burns so much of a core.
    pub fn start(n: usize, each: f64, cores: &[usize]) -> Fallible<Burners> {
        let mut all = Burners(Vec::new());
        for i in 0..n {
            // SAFETY: this process has one thread while it burns; the child makes system calls alone and never returns.
            let pid = check("fork", unsafe { libc::fork() })?;
            if pid == 0 {
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

/// Takes `nanos` of processor time in each period, the first of which begins `later`.
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
