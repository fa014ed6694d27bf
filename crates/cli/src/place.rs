//! Where the channels of a command are: in shared memory, with all that can be told of them; or in a domain of another
//! kind, through which messages only pass.

use std::time::{Duration, Instant};

use saltus_channel::Domain;
use saltus_domain::Error;

use crate::failure::{Code, Failure, Outcome, say};

/// A domain, opened by its URL.
pub enum Place {
    /// Shared memory.
    Shm(Domain),
    /// A network, or a log.
    Network(saltus_domain::Domain),
}

impl Place {
    /// Opens it.
    pub fn open(url: Option<&str>) -> Outcome<Place> {
        match url.filter(|url| is_network(url)) {
            None => Ok(Place::Shm(Domain::open(url.unwrap_or("shm://"))?)),
            Some(url) => Ok(Place::Network(network(url)?)),
        }
    }
}

/// Whether the URL is of something else than shared memory.
fn is_network(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, _)| scheme != "shm")
}

/// A domain of any kind, through the interface that they have in common. One that other processes cannot reach is refused.
pub fn network(url: &str) -> Outcome<saltus_domain::Domain> {
    if ["mem://", "memq://"].iter().any(|scheme| url.starts_with(scheme)) {
        let words = format!(
            "{url} is memory of one process alone, and this command is a process of its own: shm:// is for the processes of \
             one machine"
        );
        return Err(Failure::new(Code::Usage, words));
    }
    Ok(saltus_domain::Domain::open(url)?)
}

/// A domain in shared memory; of another one it is told why `command` does nothing there, and what does.
pub fn shm_only(url: Option<&str>, command: &str, instead: &str) -> Outcome<Domain> {
    match url.filter(|url| is_network(url)) {
        None => Ok(Domain::open(url.unwrap_or("shm://"))?),
        Some(url) => Err(Failure::new(
            Code::Usage,
            format!(
                "`saltus {command}` is for domains in shared memory, shm://, and not for {url}: {instead}"
            ),
        )),
    }
}

/// Errors of a network that may pass: it is told of each, and given up when they do not end.
#[derive(Default)]
pub struct Troubles {
    last: Option<Instant>,
}

/// Errors that follow each other faster are one that does not pass.
const APART: Duration = Duration::from_millis(500);

impl Troubles {
    /// Says it and goes on, if that may help.
    pub fn pass(&mut self, error: Error) -> Outcome {
        let may_pass = matches!(error, Error::Network(_));
        if !may_pass || self.last.is_some_and(|at| at.elapsed() < APART) {
            return Err(error.into());
        }
        self.last = Some(Instant::now());
        say(format_args!("{error}; going on"));
        Ok(())
    }
}
