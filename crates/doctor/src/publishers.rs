//! Running publishers.

use std::collections::BTreeMap;

use saltus_channel::{Directory, Error};

/// A publishing process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publisher {
    /// Its process ID, in its own namespace.
    pub pid: u32,
    /// Its name, unescaped: any text.
    pub process: String,
}

/// The live publishers of a domain, each process once. Channels that cannot be opened are left out.
pub fn living(domain: &Directory) -> Result<Vec<Publisher>, Error> {
    let mut found = BTreeMap::new();
    for name in domain.list()? {
        let Ok(info) = domain.open_channel(name.as_bytes()).and_then(|channel| channel.info()) else {
            continue;
        };
        let living = info.lanes.into_iter().filter(|lane| lane.alive);
        found.extend(living.map(|lane| (lane.pid, lane.process)));
    }
    Ok(found.into_iter().map(|(pid, process)| Publisher { pid, process }).collect())
}
