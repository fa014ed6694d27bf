//! ROS 1's master, through which nodes discover each other: a separate process on the loopback of the run.

use crate::error::Fallible;
use crate::{clock, stop};
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Starts the module itself, because few packages contain the command.
const PROGRAM: &str = "import rosmaster; rosmaster.rosmaster_main()";
/// The interpreter that finds Debian's Python modules.
const PYTHON: &str = "/usr/bin/python3";
/// How long it may take to start, in ns.
const PATIENCE: u64 = 60_000_000_000;

/// A running master; dropping it stops the process and removes its files.
pub struct Master {
    process: Child,
    address: SocketAddr,
    home: PathBuf,
}

impl Master {
    /// Starts a master on a free port, and waits until it listens.
    pub fn start() -> Fallible<Master> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let home = std::env::temp_dir().join(format!("saltus-bench-{}-ros", std::process::id()));
        fs::create_dir_all(&home)?;
        let (errors, us) = (home.join("errors"), std::process::id());
        let mut command = Command::new(PYTHON);
        command.args(["-c", PROGRAM, "--core", "-p", &address.port().to_string()]);
        command.env("ROS_MASTER_URI", uri(address)).env("ROS_IP", "127.0.0.1");
        command.env("ROS_HOME", &home).env("ROS_LOG_DIR", &home).env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&errors)?);
        // Ctrl-C goes to the harness only, which then stops the master.
        command.process_group(0);
        // SAFETY: the child makes system calls and nothing else.
        unsafe {
            command.pre_exec(move || {
                stop::end_with(us);
                Ok(())
            });
        }
        let process = command.spawn().map_err(|e| format!("cannot run {PYTHON}: {e}"))?;
        let mut master = Master { process, address, home };
        let until = clock::now() + PATIENCE;
        while TcpStream::connect(address).is_err() {
            if master.process.try_wait()?.is_some() || clock::now() > until {
                let words = fs::read_to_string(&errors).unwrap_or_default();
                return Err(format!("rosmaster does not start (package python3-rosmaster): {words}").into());
            }
            clock::sleep_until(clock::now() + 20_000_000);
        }
        Ok(master)
    }

    /// The address at which nodes find it.
    pub fn uri(&self) -> String {
        uri(self.address)
    }
}

fn uri(address: SocketAddr) -> String {
    format!("http://{address}/")
}

impl Drop for Master {
    fn drop(&mut self) {
        // It may have exited already. Its directory is in the temporary directory.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.home);
    }
}
