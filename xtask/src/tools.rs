//! Installing what the tests need beyond the Rust toolchain and a C compiler.

use crate::run::Outcome;
use std::process::{Command, Stdio};

/// Installs Debian packages that are not there yet. Needs root, or `sudo` without a password.
pub fn install(packages: &[&str]) -> Outcome {
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("=== installing {}", missing.join(" "));
    apt(&["update", "-qq"])?;
    let mut line = vec!["install", "-y", "-qq", "--no-install-recommends"];
    line.extend(&missing);
    apt(&line).map_err(|why| format!("{why}; install {} by hand", missing.join(" ")))
}

fn is_installed(package: &str) -> bool {
    let query =
        Command::new("dpkg-query").args(["-W", "-f=${Status}", package]).stderr(Stdio::null()).output();
    query.is_ok_and(|out| out.stdout.ends_with(b"ok installed"))
}

fn apt(args: &[&str]) -> Outcome {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout == b"0\n");
    let mut command = if is_root { Command::new("apt-get") } else { Command::new("sudo") };
    if !is_root {
        command.args(["-n", "apt-get"]);
    }
    let status = command.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("apt-get {} ended with {status}", args.join(" "))),
        Err(e) => Err(format!("apt-get cannot be run: {e}")),
    }
}
