//! Our hub for `tcpq://`, in a separate process.

use crate::error::{Fallible, check};
use crate::stop;
use saltus_net::tcpq;
use std::net::SocketAddr;

/// A running hub; dropping it stops the process.
pub struct Hub {
    address: SocketAddr,
    pid: libc::pid_t,
}

impl Hub {
    /// Starts one, on a port that the kernel chooses.
    pub fn start() -> Fallible<Hub> {
        let mut hub = tcpq::Hub::bind("127.0.0.1:0", tcpq::Limits::default())?;
        let (address, us) = (hub.address(), std::process::id());
        // SAFETY: this process has one thread, so the child's copy is consistent.
        let pid = check("fork", unsafe { libc::fork() })?;
        if pid == 0 {
            stop::end_with(us);
            let code = i32::from(hub.run().is_err());
            // SAFETY: leaves without running the parent's destructors a second time.
            unsafe { libc::_exit(code) };
        }
        Ok(Hub { address, pid })
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // SAFETY: a child of ours that has not been reaped.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}
