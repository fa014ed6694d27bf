//! The domain that a command works on: `--domain`, else the environment, else shared memory.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use clap::Args;
use saltus_channel::{Channel, Domain, Error, Name};
use saltus_domain::{Reach, SCHEMES, Scheme};
use saltus_text::escape::unescaped;

use crate::exit::{Code, Failure, Outcome, say};

/// The domain, as it was typed.
#[derive(Args)]
pub(crate) struct DomainFlag {
    /// Where the channels are.
    // Read by ourselves: clap would show it in every usage line as if it had to be given.
    #[arg(long, global = true, value_name = "URL", help = domains())]
    #[arg(help_heading = "Everywhere")]
    domain: Option<String>,
}

impl DomainFlag {
    /// The domain that is meant. An empty URL is as good as none.
    pub(crate) fn meant(self) -> Outcome<DomainUrl> {
        DomainUrl::of(self.domain, std::env::var_os("SALTUS_DOMAIN").unwrap_or_default().into_string())
    }
}

/// The domain that is meant.
pub(crate) struct DomainUrl {
    url: Option<String>,
    typed: bool,
}

impl DomainUrl {
    fn of(typed: Option<String>, variable: Result<String, std::ffi::OsString>) -> Outcome<DomainUrl> {
        let no_text = |url| {
            Failure::new(Code::Usage, format!("SALTUS_DOMAIN is {url:?}, which is no text: write shm://NAME"))
        };
        let is_typed = typed.as_ref().is_some_and(|url| !url.is_empty());
        let url = match typed {
            Some(url) => url,
            None => variable.map_err(no_text)?,
        };
        Ok(DomainUrl { url: Some(url).filter(|url| !url.is_empty()), typed: is_typed })
    }

    /// Its URL, if there is one.
    pub(crate) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Whether the URL is from the command line.
    pub(crate) fn is_typed(&self) -> bool {
        self.typed
    }

    /// Opens it.
    pub(crate) fn open(&self) -> Outcome<OpenDomain> {
        OpenDomain::at(self.url())
    }

    /// A domain in shared memory; of another one it is told why `command` does nothing there, and what does.
    pub(crate) fn shm_only(&self, command: &str, instead: &str) -> Outcome<Domain> {
        shm_only(self.url(), command, instead)
    }
}

/// A domain, opened by its URL.
pub(crate) enum OpenDomain {
    /// Shared memory, with all that can be told of its channels.
    Shm(Domain),
    /// A network, or a log, through which messages only pass.
    Other(saltus_domain::Domain),
}

impl OpenDomain {
    /// Opens it.
    pub(crate) fn at(url: Option<&str>) -> Outcome<OpenDomain> {
        match url.filter(|url| is_network(url)) {
            None => Ok(OpenDomain::Shm(Domain::open(url.unwrap_or("shm://"))?)),
            Some(url) => Ok(OpenDomain::Other(network(url)?)),
        }
    }
}
/// Whether the URL is of something else than shared memory, or of nothing.
fn is_network(url: &str) -> bool {
    !Scheme::of(url).is_ok_and(|scheme| scheme.traits.shared_memory)
}

/// What `--domain` takes, by what this build has.
pub(crate) fn domains() -> String {
    let others = SCHEMES.iter().filter(|s| !s.traits.shared_memory && s.traits.reach != Reach::Process);
    let (built, absent): (Vec<_>, Vec<_>) = others.partition(|scheme| scheme.is_built_in());
    let list = |of: Vec<&Scheme>| of.iter().map(|s| format!("{}://", s.name)).collect::<Vec<_>>().join(", ");
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
pub(crate) fn network(url: &str) -> Outcome<saltus_domain::Domain> {
    if Scheme::of(url).is_ok_and(|scheme| scheme.traits.reach == Reach::Process) {
        let words = format!(
            "{url} is memory of one process alone, and this command is a process of its own: shm:// is for the processes of \
             one machine"
        );
        return Err(Failure::new(Code::Usage, words));
    }
    Ok(saltus_domain::Domain::open(url)?)
}

/// A domain in shared memory; of another one it is told why `command` does nothing there, and what does.
pub(crate) fn shm_only(url: Option<&str>, command: &str, instead: &str) -> Outcome<Domain> {
    match url.filter(|url| is_network(url)) {
        None => Ok(Domain::open(url.unwrap_or("shm://"))?),
        Some(url) if matches!(Scheme::of(url), Err(saltus_domain::Error::Invalid { .. })) => {
            network(url).and_then(|_| Ok(Domain::open(url)?))
        } // neither can be
        Some(url) => Err(Failure::new(
            Code::Usage,
            format!(
                "`saltus {command}` is for domains in shared memory, shm://, and not for {url}: {instead}"
            ),
        )),
    }
}

/// Tells it when there is no such domain: a name that nobody has used, or a mistake.
pub(crate) fn tell_of_no_domain(domain: &Domain) {
    if !domain.path().exists() {
        say(format_args!("there is no domain {} (yet): its first channel makes it", domain.url()));
    }
}

/// Opens the one channel of that name, or the one that is printed so.
pub(crate) fn open_named(domain: &Domain, argument: &OsStr) -> Outcome<Channel> {
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
pub(crate) fn open(domain: &Domain, name: &Name) -> Outcome<Channel> {
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
pub(crate) fn directory(domain: &Domain, name: &Name) -> PathBuf {
    domain.path().join(name.file_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(typed: Option<&str>, variable: &str) -> (Option<String>, bool) {
        let meant = DomainUrl::of(typed.map(str::to_owned), Ok(variable.to_owned())).unwrap();
        (meant.url().map(str::to_owned), meant.is_typed())
    }

    #[test]
    fn what_is_typed_comes_before_the_variable() {
        let url = |text: &str| Some(text.to_owned());
        assert_eq!(meant(None, ""), (None, false));
        assert_eq!(meant(None, "shm://b"), (url("shm://b"), false));
        assert_eq!(meant(Some("shm://a"), "shm://b"), (url("shm://a"), true));
        assert_eq!(meant(Some(""), "shm://b"), (None, false), "empty takes the variable away");
    }

    #[test]
    fn a_variable_that_is_no_text_is_a_usage_error() {
        use std::os::unix::ffi::OsStringExt;
        let variable = Err(std::ffi::OsString::from_vec(vec![0xff]));
        let failure = DomainUrl::of(None, variable).err().expect("it is refused");
        assert_eq!(failure.code(), Some(Code::Usage));
    }

    #[test]
    fn commands_for_shared_memory_say_what_to_do_elsewhere() {
        let failure = shm_only(Some("udpm://"), "rm", "`saltus ls` lists what comes").expect_err("refused");
        assert_eq!(failure.code(), Some(Code::Usage));
        assert!(failure.to_string().contains("`saltus rm`") && failure.to_string().contains("saltus ls"));
    }
}
