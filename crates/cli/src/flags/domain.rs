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

/// Whether the URL is of something else than shared memory, or of nothing.
fn is_network(url: &str) -> bool {
    !url.starts_with("shm://")
}

/// What `--domain` takes, by what this build has.
pub fn domains() -> String {
    let networks =
        saltus_domain::PROVIDERS.iter().filter(|(name, _)| !matches!(*name, "shm" | "mem" | "memq"));
    let (built, absent): (Vec<_>, Vec<_>) = networks.partition(|(_, built)| *built);
    let list = |of: Vec<&(&str, bool)>| {
        of.iter().map(|(name, _)| format!("{name}://")).collect::<Vec<_>>().join(", ")
    };
    let more = if absent.is_empty() {
        String::new()
    } else {
        format!("; {} are Cargo features that this build does not have", list(absent))
    };
    format!(
        "Where the channels are: shm:// is shared memory, shm://NAME a domain of it with a name, shm:///DIR a directory \
         on a tmpfs; pub, echo, ls and stat also take {}{more} [env: SALTUS_DOMAIN]",
        list(built)
    )
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
        Some(url) if !url.contains("://") => network(url).and_then(|_| Ok(Domain::open(url)?)), // neither can be
        Some(url) => Err(Failure::new(
            Code::Usage,
            format!(
                "`saltus {command}` is for domains in shared memory, shm://, and not for {url}: {instead}"
            ),
        )),
    }
}

/// Errors of a network that may pass: it is told of each, and given up when they do not end. Damaged messages are passed over without
/// an end, and told of now and then.
#[derive(Default)]
pub struct Troubles {
    last: Option<Instant>,
    undecodable: Option<Instant>,
}

/// Errors that follow each other faster are one that does not pass.
const APART: Duration = Duration::from_millis(500);

impl Troubles {
    /// Says it and goes on, if that may help.
    pub fn pass(&mut self, error: Error) -> Outcome {
        let (last, ends) = match error {
            Error::Undecodable { .. } => (&mut self.undecodable, false),
            Error::Network(_) => (&mut self.last, true),
            error => return Err(error.into()),
        };
        if last.is_some_and(|at| at.elapsed() < APART) {
            return if ends { Err(error.into()) } else { Ok(()) };
        }
        *last = Some(Instant::now());
        say(format_args!("{error}; going on"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_messages_end_nothing_however_many_there_are() {
        let mut troubles = Troubles::default();
        for _ in 0..3 {
            troubles.pass(Error::Undecodable { what: "a message".into() }).expect("it goes on");
        }
        assert!(troubles.pass(Error::Invalid { what: "a value".into() }).is_err());
    }
}
