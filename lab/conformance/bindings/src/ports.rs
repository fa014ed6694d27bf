//! Reserves the UDP ports of killed programs, so that later programs do not get them.
//!
//! Receivers of multicast identify senders by their addresses. The kernel may give a new program the port of one
//! that has just died: then both are one sender, and the new one's first messages are mistaken for the old one's.

use saltus_conformance_types::tools::Result;
use saltus_netns::Space;
use std::net::{Ipv4Addr, UdpSocket};
use std::path::Path;

/// Ports that are reserved as long as this lives.
#[derive(Default)]
pub struct Ports(Vec<UdpSocket>);

impl Ports {
    /// Reserves `ports`, which must be free, in that network.
    ///
    /// # Errors
    /// One is in use.
    pub fn keep(&mut self, ports: &[u16], space: &Space) -> Result<()> {
        for port in ports {
            let bound = space.run(|| UdpSocket::bind((Ipv4Addr::UNSPECIFIED, *port)));
            self.0.push(bound.map_err(|e| format!("UDP port {port} of the killed one: {e}"))?);
        }
        Ok(())
    }
}

/// The UDP ports of a live process.
///
/// # Errors
/// The system does not report them, or there are none.
pub fn of(process: u32) -> Result<Vec<u16>> {
    let root = Path::new("/proc").join(process.to_string());
    let reported = |e: std::io::Error| format!("the UDP ports of process {process}: {e}");
    let mut inodes = Vec::new();
    for entry in std::fs::read_dir(root.join("fd")).map_err(reported)? {
        // A descriptor closed in the meantime has no target.
        let Ok(target) = std::fs::read_link(entry.map_err(reported)?.path()) else { continue };
        let target = target.to_string_lossy().into_owned();
        inodes.extend(
            target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']')).map(String::from),
        );
    }
    let table = std::fs::read_to_string(root.join("net/udp")).map_err(reported)?;
    let ports: Vec<u16> = table.lines().skip(1).filter_map(|line| port(line, &inodes)).collect();
    if ports.is_empty() { Err(format!("process {process} has no UDP port")) } else { Ok(ports) }
}

/// The local port in a line of `/proc/PID/net/udp`, if its socket is one of these.
fn port(line: &str, inodes: &[String]) -> Option<u16> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (local, inode) = (fields.get(1)?, fields.get(9)?);
    let (_, port) = local.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    (port != 0 && inodes.iter().any(|mine| mine == inode)).then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ports_of_this_process_are_found() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        assert!(of(std::process::id()).unwrap().contains(&port));
        drop(socket);
        assert!(!of(std::process::id()).unwrap_or_default().contains(&port));
    }
}
