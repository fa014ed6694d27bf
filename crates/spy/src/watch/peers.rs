//! Names of users and of this machine.

use crate::Peer;
use crate::text::{escaped, harmless};
use saltus_os::{process, users};
use std::collections::HashMap;

/// Converts process IDs and users of shared memory to peers.
#[derive(Debug)]
pub(super) struct Peers {
    host: Option<String>,
    users: HashMap<u32, String>,
}

impl Peers {
    pub fn new() -> Peers {
        let host = process::host_name().map(|name| harmless(&name));
        Peers { host, users: HashMap::new() }
    }

    /// The name of a user; the number where it has no name here.
    pub fn user(&mut self, uid: u32) -> String {
        let name = self
            .users
            .entry(uid)
            .or_insert_with(|| users::user_name(uid).map_or_else(|| uid.to_string(), |name| harmless(&name)));
        name.clone()
    }

    pub fn local(&mut self, pid: u32, uid: u32, process: &str) -> Peer {
        Peer {
            pid: Some(pid),
            process: Some(escaped(process.as_bytes())),
            user: Some(self.user(uid)),
            host: self.host.clone(),
            sender: None,
        }
    }
}
