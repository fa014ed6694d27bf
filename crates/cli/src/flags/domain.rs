//! The domain that a command works on: `--domain`, else the environment, else shared memory.

use std::ffi::OsStr;
use std::sync::Once;

use clap::Arg;
use saltus_channel::{Channel, Directory, Error, Name, Root, RootKind};
use saltus_domain::{Reach, SCHEMES, Scheme};
use saltus_text::escape::{escaped, unescaped};
use saltus_types::nearest;

use crate::exit::{Code, Failure, Outcome, note};

/// The id of the option.
pub(crate) const ID: &str = "domain";

/// The option `--domain`, for the commands that use a domain.
// The environment variable is not read by clap, which would show it in every usage line as a required argument.
pub(crate) fn arg() -> Arg {
    let arg = Arg::new(ID).long(ID).value_name("URL");
    arg.help("Domain to use, else $SALTUS_DOMAIN, else shm://").long_help(domains())
}

/// The domain as typed.
pub(crate) struct Typed(pub(crate) Option<String>);

impl Typed {
    /// The URL of the domain to use. An empty URL counts as absent.
    pub(crate) fn meant(self) -> Outcome<DomainUrl> {
        DomainUrl::of(self.0, saltus_os::process::variable("SALTUS_DOMAIN").unwrap_or_default().into_string())
    }
}

/// The URL of the domain to use.
pub(crate) struct DomainUrl {
    url: Option<String>,
    typed: bool,
}

impl DomainUrl {
    fn of(typed: Option<String>, variable: Result<String, std::ffi::OsString>) -> Outcome<DomainUrl> {
        let no_text = |url| {
            Failure::new(
                Code::Usage,
                format!("SALTUS_DOMAIN is {url:?}: expected a URL such as shm://NAME, in UTF-8"),
            )
        };
        let is_typed = typed.as_ref().is_some_and(|url| !url.is_empty());
        let url = match typed {
            Some(url) => url,
            None => variable.map_err(no_text)?,
        };
        Ok(DomainUrl { url: Some(url).filter(|url| !url.is_empty()), typed: is_typed })
    }

    /// The URL, if one was given.
    pub(crate) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Whether the URL comes from the command line.
    pub(crate) fn is_typed(&self) -> bool {
        self.typed
    }

    pub(crate) fn open(&self) -> Outcome<OpenDomain> {
        OpenDomain::at(self.url())
    }

    /// The domain, if it is in shared memory. Otherwise fails with the reason why `command` does not work there, and with `instead`.
    pub(crate) fn shm_only(&self, command: &str, instead: &str) -> Outcome<Directory> {
        shm_only(self.url(), command, instead)
    }
}

/// An open domain.
pub(crate) enum OpenDomain {
    /// Shared memory, whose channels can be inspected.
    Shm(Directory),
    /// A network or a log, which only carries messages.
    Other(saltus_domain::Domain),
}

impl OpenDomain {
    pub(crate) fn at(url: Option<&str>) -> Outcome<OpenDomain> {
        match url.filter(|url| is_network(url)) {
            None => Ok(OpenDomain::Shm(directory_at(url)?)),
            Some(url) => Ok(OpenDomain::Other(network(url)?)),
        }
    }
}

/// The domain in shared memory at `url`, or `shm://`.
fn directory_at(url: Option<&str>) -> Outcome<Directory> {
    let url = url.unwrap_or("shm://");
    // The provider knows all options that a URL can have, such as `depth`.
    let domain = if url.contains('?') { Some(saltus_domain::Domain::open(url)?) } else { None };
    let directory = match domain.as_ref().and_then(|domain| domain.shared_memory()) {
        Some(directory) => directory.clone(),
        None => Directory::open(url)?,
    };
    warn_of_root(&directory);
    Ok(directory)
}

/// Warns once if `/dev/shm/saltus` exists but cannot be trusted, so that it is not used.
fn warn_of_root(directory: &Directory) {
    static ONCE: Once = Once::new();
    if let Some(warning) = directory.root().and_then(Root::warning) {
        ONCE.call_once(|| note(warning));
    }
}

/// Whether the URL does not name shared memory, or is invalid.
fn is_network(url: &str) -> bool {
    !Scheme::of(url).is_ok_and(|scheme| scheme.traits.shared_memory)
}

/// The domain, if it is in shared memory. Does not open other domains.
pub(crate) fn in_shared_memory(url: &str) -> Outcome<Option<Directory>> {
    Ok(if is_network(url) { None } else { Some(directory_at(Some(url))?) })
}

/// The URLs that `--domain` accepts in this build.
pub(crate) fn domains() -> String {
    let others = SCHEMES.iter().filter(|s| !s.traits.shared_memory && s.traits.reach != Reach::Process);
    let (built, absent): (Vec<_>, Vec<_>) = others.partition(|scheme| scheme.is_built_in());
    let list = |of: Vec<&Scheme>| of.iter().map(|s| format!("{}://", s.name)).collect::<Vec<_>>().join(", ");
    let more = if absent.is_empty() {
        String::new()
    } else {
        format!(" This build was made without the Cargo features for {}.", list(absent))
    };
    format!(
        "Domain to use, else $SALTUS_DOMAIN, else shm://\n\nshm:// is shared memory, shm://NAME a domain of it, shm:///DIR a directory \
         on a tmpfs. Commands that only move messages also accept {}.{more}",
        list(built)
    )
}

/// Opens a domain of any kind. Fails for one that other processes cannot reach.
pub(crate) fn network(url: &str) -> Outcome<saltus_domain::Domain> {
    if Scheme::of(url).is_ok_and(|scheme| scheme.traits.reach == Reach::Process) {
        let words =
            format!("cannot reach {url}: it is the memory of a single process; use shm:// between processes");
        return Err(Failure::new(Code::Usage, words));
    }
    let domain = saltus_domain::Domain::open(url)?;
    if let Some(directory) = domain.shared_memory() {
        warn_of_root(directory);
    }
    Ok(domain)
}

/// The domain, if it is in shared memory. Otherwise fails with the reason why `command` does not work there, and with `instead`.
pub(crate) fn shm_only(url: Option<&str>, command: &str, instead: &str) -> Outcome<Directory> {
    match url.filter(|url| is_network(url)) {
        None => directory_at(url),
        Some(url) if matches!(Scheme::of(url), Err(saltus_domain::Error::Invalid { .. })) => {
            network(url).and_then(|_| Ok(Directory::open(url)?))
        } // neither occurs
        Some(url) => Err(Failure::new(
            Code::Usage,
            format!("`saltus {command}` works on shared memory, shm://, not on {url}: {instead}"),
        )),
    }
}

/// Prints a hint for a domain without channels: it is unused, or its URL is mistyped.
pub(crate) fn note_empty_domain(domain: &Directory) {
    if domain.list().is_ok_and(|all| all.is_empty()) {
        let url = domain.url();
        let without = Directory::from_env().is_ok_and(|usual| usual.url() == url);
        let option = if without { String::new() } else { format!(" --domain {url}") };
        let place =
            whose(domain).map_or(String::new(), |whose| format!(" ({}, {whose})", domain.path().display()));
        note(format_args!("no channels yet in {url}{place}: try `saltus pub hello hi -r 1{option}`"));
        note_other_root(domain);
    }
}

/// Describes the root that contains the domain, if there is one.
fn whose(domain: &Directory) -> Option<&'static str> {
    Some(match domain.root()?.kind() {
        RootKind::Shared => "shared by several users",
        _ => "of this user alone",
    })
}

/// Reports the path and the users of `shm://` and `shm://NAME`.
pub(crate) fn note_root(domain: &Directory) {
    if let Some(whose) = whose(domain) {
        note(format_args!("{} is {}, {whose}", domain.url(), domain.path().display()));
        note_other_root(domain);
    }
}

/// Reports channels in the other root, which programs started at another time may use.
fn note_other_root(domain: &Directory) {
    if let Some(other) = domain.elsewhere() {
        note(format_args!(
            "there are channels in {} too, of programs that started when that was {}: `saltus ls --domain {}` lists them, and a restart brings \
             them here",
            other.path().display(),
            domain.url(),
            other.url()
        ));
    }
}

/// The failure to find a channel, in the same words in every command. Suggests a similar name.
pub(crate) fn absent(name: &[u8], all: &[Name], url: &str) -> Failure {
    let shown = escaped(name);
    let known: Vec<String> = all.iter().map(|name| escaped(name.as_bytes())).collect();
    let remedy = match nearest(&shown, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if shown.contains(['*', '?', '[']) => {
            "here it is a name, not a pattern; `saltus echo -e REGEX` prints several channels".into()
        }
        None => "`saltus ls` lists all channels".into(),
    };
    Failure::new(Code::NotFound, format!("no channel `{shown}` in {url}: {remedy}"))
}

/// Opens the channel with this name, or the one whose escaped name is `name`.
pub(crate) fn open_named(domain: &Directory, argument: &OsStr) -> Outcome<Channel> {
    let name = Name::new(argument.as_encoded_bytes())?;
    let printed_so =
        unescaped(argument.as_encoded_bytes()).and_then(|bytes| Name::new(bytes).ok()).filter(|n| *n != name);
    match (open(domain, &name), printed_so) {
        (Err(failure), Some(other)) if failure.code() == Some(Code::NotFound) => {
            open(domain, &other).map_err(|_| failure)
        }
        (opened, _) => opened,
    }
}

/// Opens a channel. If permission is denied, the failure names the channel's owner.
pub(crate) fn open(domain: &Directory, name: &Name) -> Outcome<Channel> {
    domain.open_channel(name.as_bytes()).map_err(|error| match error {
        Error::NotFound { .. } => absent(name.as_bytes(), &domain.list().unwrap_or_default(), &domain.url()),
        Error::Denied { what } => {
            let there = domain.path().join(name.file_name());
            let owner = saltus_os::file::stat_path(there.as_os_str()).map(|there| there.user);
            let owner = owner.map_or("its owner".into(), |uid| format!("its owner, user {uid},"));
            Failure::new(
                Code::Failed,
                format!("{what}: permission denied; {owner} can allow it with `saltus chmod`"),
            )
        }
        error => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(typed: Option<&str>, variable: &str) -> (Option<String>, bool) {
        let meant = DomainUrl::of(typed.map(str::to_owned), Ok(variable.to_owned())).unwrap();
        (meant.url().map(str::to_owned), meant.is_typed())
    }

    #[test]
    fn the_option_takes_precedence_over_the_variable() {
        let url = |text: &str| Some(text.to_owned());
        assert_eq!(meant(None, ""), (None, false));
        assert_eq!(meant(None, "shm://b"), (url("shm://b"), false));
        assert_eq!(meant(Some("shm://a"), "shm://b"), (url("shm://a"), true));
        assert_eq!(meant(Some(""), "shm://b"), (None, false), "empty overrides the variable");
    }

    #[test]
    fn a_variable_that_is_no_text_is_a_usage_error() {
        use std::os::unix::ffi::OsStringExt;
        let variable = Err(std::ffi::OsString::from_vec(vec![0xff]));
        let failure = DomainUrl::of(None, variable).err().expect("refused");
        assert_eq!(failure.code(), Some(Code::Usage));
    }

    #[test]
    fn commands_for_shared_memory_name_the_remedy_elsewhere() {
        let failure = shm_only(Some("udpm://"), "rm", "`saltus ls` lists channels").expect_err("refused");
        assert_eq!(failure.code(), Some(Code::Usage));
        assert!(failure.to_string().contains("`saltus rm`") && failure.to_string().contains("saltus ls"));
    }
}
