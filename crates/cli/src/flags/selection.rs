//! Which channels the NAME arguments of a command mean.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use saltus_channel::{Channel, Domain, Error, Name};

use crate::escape::{escaped, unescaped};
use crate::failure::{self, Code, Failure, Outcome};
use crate::glob::Pattern;

/// Does something with every channel that the arguments mean, once each, going on where one fails. An argument that
/// means none is a failure, unless that is fine.
pub fn for_each(
    domain: &Domain,
    arguments: &[OsString],
    none_is_fine: bool,
    mut action: impl FnMut(&Name) -> Outcome,
) -> Outcome {
    let all = domain.list()?;
    let mut done = BTreeSet::new();
    failure::for_each(arguments, |argument| {
        let meant = meant(&all, argument.as_bytes());
        if meant.is_empty() && !none_is_fine {
            return Err(none(domain, argument));
        }
        failure::for_each(meant, |name| if done.insert(name) { action(name) } else { Ok(()) })
    })
}

/// The channels that the arguments mean, in the order of the domain; all when there are no arguments. Fails with the
/// first argument that means none.
pub fn select(domain: &Domain, arguments: &[OsString]) -> Outcome<Vec<Name>> {
    let all = domain.list()?;
    match arguments.iter().find(|argument| meant(&all, argument.as_bytes()).is_empty()) {
        Some(argument) => Err(none(domain, argument)),
        None => Ok(all_meant(all, arguments)),
    }
}

/// The same, where an argument may mean none just now.
pub fn present(domain: &Domain, arguments: &[OsString]) -> Outcome<Vec<Name>> {
    Ok(all_meant(domain.list()?, arguments))
}

/// Whether one of the arguments means this channel, or there are none.
pub fn includes(arguments: &[OsString], name: &Name) -> bool {
    let all = std::slice::from_ref(name);
    arguments.is_empty() || arguments.iter().any(|argument| !meant(all, argument.as_bytes()).is_empty())
}

/// Tells it when there is no such domain: a name that nobody has used, or a mistake.
pub fn tell_of_no_domain(domain: &Domain) {
    if !domain.path().exists() {
        failure::say(format_args!("there is no domain {} (yet): its first channel makes it", domain.url()));
    }
}

fn all_meant(all: Vec<Name>, arguments: &[OsString]) -> Vec<Name> {
    if arguments.is_empty() {
        return all;
    }
    let meant: BTreeSet<&Name> =
        arguments.iter().flat_map(|argument| meant(&all, argument.as_bytes())).collect();
    meant.into_iter().cloned().collect()
}

/// Opens the one channel of that name, or the one that is printed so.
pub fn open_named(domain: &Domain, argument: &OsStr) -> Outcome<Channel> {
    let name = Name::new(argument.as_bytes())?;
    let printed_so =
        unescaped(argument.as_bytes()).and_then(|bytes| Name::new(bytes).ok()).filter(|n| *n != name);
    match (open(domain, &name), printed_so) {
        (Err(failure), Some(other)) if failure.code() == Some(Code::NotFound) => {
            open(domain, &other).map_err(|_| failure)
        }
        (opened, _) => opened,
    }
}

/// Opens a channel; says whose it is where that is not allowed.
pub fn open(domain: &Domain, name: &Name) -> Outcome<Channel> {
    domain.open_channel(name.as_bytes()).map_err(|error| match error {
        Error::Denied { what } => {
            let owner = std::fs::metadata(directory(domain, name)).map(|m| m.uid());
            let owner = owner.map_or("its owner".into(), |uid| format!("its owner, user {uid},"));
            Failure::new(
                Code::Failed,
                format!("{what}: permission denied; {owner} can allow it with `saltus chmod`"),
            )
        }
        error => error.into(),
    })
}

/// Where a channel's files are.
pub fn directory(domain: &Domain, name: &Name) -> PathBuf {
    domain.path().join(name.file_name())
}

/// What the argument means among all names: exactly that name, else the one printed so, else a pattern.
fn meant<'a>(all: &'a [Name], argument: &[u8]) -> Vec<&'a Name> {
    let exact = |bytes: &[u8]| all.iter().find(|name| name.as_bytes() == bytes);
    let named = exact(argument).or_else(|| unescaped(argument).and_then(|bytes| exact(&bytes)));
    match named {
        Some(name) => vec![name],
        None if Pattern::is_one(argument) => {
            let pattern = Pattern::new(argument);
            all.iter().filter(|name| pattern.matches(name.as_bytes())).collect()
        }
        None => Vec::new(),
    }
}

fn none(domain: &Domain, argument: &OsStr) -> Failure {
    let (argument, url) = (argument.as_bytes(), domain.url());
    let shown = escaped(argument);
    Failure::new(
        Code::NotFound,
        if Pattern::is_one(argument) {
            format!("no channel in {url} matches `{shown}`: `saltus ls` lists them")
        } else {
            format!("there is no channel `{shown}` in {url}: `saltus ls` lists them, `saltus mk` makes one")
        },
    )
}
