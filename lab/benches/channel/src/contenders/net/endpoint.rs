//! The address of one connection of a library that uses Unix sockets and TCP.

use crate::contender::Ask;
use crate::error::Fallible;
use std::ffi::{CStr, CString};
use std::path::PathBuf;

/// An address. Dropping it removes the file of a Unix socket.
pub struct Endpoint {
    address: CString,
    path: Option<PathBuf>,
}

impl Endpoint {
    /// A TCP port, or a new Unix socket.
    pub fn new(ask: &Ask, tcp: bool) -> Fallible<Endpoint> {
        let path = (!tcp).then(|| std::env::temp_dir().join(format!("{}.ipc", ask.name)));
        let address = match &path {
            Some(path) => format!("ipc://{}", path.display()),
            // The run has a separate network, so a port is free unless the run itself uses it.
            None => format!("tcp://127.0.0.1:{}", 10_000 + ask.number % 20_000),
        };
        Ok(Endpoint { address: CString::new(address)?, path })
    }

    /// In the notation of the libraries.
    pub fn address(&self) -> &CStr {
        &self.address
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path); // the library may have done it
        }
    }
}
