//! Whose the directories are in which channels are.

use saltus_channel::{Directory, RootKind};
use saltus_os::file::{self, Stat};
use saltus_os::users;
use std::path::Path;

/// The way to a domain's channels, as this user finds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// The domain's URL.
    pub url: String,
    /// Its directory.
    pub path: String,
    /// Whose the root is in which it is, in words; `None` if the domain has a path of its own.
    pub root: Option<&'static str>,
    /// Why `/dev/shm/saltus` is not used, with what to do.
    pub warning: Option<String>,
    /// Why the domain cannot be used, with what to do.
    pub refused: Option<String>,
    /// The URL of the domain of the same name in the other root, if channels are there.
    pub elsewhere: Option<String>,
    /// The mode of a file system of shared memory in which everybody may remove what others made.
    pub open_shm: Option<u32>,
    /// The mode of a domain's directory in which that is so.
    pub open_domain: Option<u32>,
    /// What dead processes of others left: how many directories, and whose the first is.
    pub leftovers: Option<(usize, String)>,
}

impl Owners {
    /// Looks.
    pub fn here(domain: &Directory) -> Owners {
        let open = |there: Stat| (there.mode & 0o1002 == 0o002).then_some(there.mode);
        let mode = |path: &Path| file::stat_path(path.as_os_str()).ok().and_then(open);
        let leftovers = domain.leftovers_of_others().ok().flatten();
        Owners {
            url: domain.url(),
            path: domain.path().display().to_string(),
            root: domain.root().map(|root| match root.kind() {
                RootKind::Shared => "shared by several users",
                _ => "of this user alone",
            }),
            warning: domain.root().and_then(|root| root.warning()).map(str::to_owned),
            refused: domain.list().err().map(|error| error.to_string()),
            elsewhere: domain.elsewhere().map(|other| other.url()),
            open_shm: mode(Path::new("/dev/shm")),
            open_domain: mode(domain.path()),
            leftovers: leftovers.map(|(count, user)| (count, users::user_for_people(user))),
        }
    }
}
