//! Where a library that speaks over Unix sockets and TCP listens, for one connection.

use crate::contender::Ask;
use crate::error::Fallible;
use std::ffi::{CStr, CString};
use std::path::PathBuf;

/// An address; a Unix socket's file goes with it.
pub struct Endpoint {
    address: CString,
    path: Option<PathBuf>,
}

impl Endpoint {
    /// A port of TCP, or a Unix socket of its own.
    pub fn new(ask: &Ask, tcp: bool) -> Fallible<Endpoint> {
        let path = (!tcp).then(|| std::env::temp_dir().join(format!("{}.ipc", ask.name)));
        let address = match &path {
            Some(path) => format!("ipc://{}", path.display()),
            // The network is the run's own: a port is free unless the run itself has it.
            None => format!("tcp://127.0.0.1:{}", 10_000 + ask.number % 20_000),
        };
        Ok(Endpoint { address: CString::new(address)?, path })
    }

    /// As the libraries write it.
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
