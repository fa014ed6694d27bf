//! The owners of the directories that contain channels.

use saltus_channel::{Directory, RootKind};
use saltus_os::file::{self, Stat};
use saltus_os::users;
use std::path::Path;

/// The path to a domain's channels, and the permissions on it, for this user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// The domain's URL.
    pub url: String,
    /// Its directory.
    pub path: String,
    /// The users of the root that contains the domain, in words; `None` if the domain's URL has a path.
    pub root: Option<&'static str>,
    /// Why `/dev/shm/saltus` is not used, and the remedy.
    pub warning: Option<String>,
    /// Why the domain cannot be used, and the remedy.
    pub refused: Option<String>,
    /// The URL of the domain of the same name in the other root, if it has channels.
    pub elsewhere: Option<String>,
    /// The mode of `/dev/shm`, if every user may remove files of others there.
    pub open_shm: Option<u32>,
    /// The mode of the domain's directory, if every user may remove files of others there.
    pub open_domain: Option<u32>,
    /// Leftovers of dead processes of other users: the number of directories, and the owner of the first.
    pub leftovers: Option<(usize, String)>,
}

impl Owners {
    /// Inspects `domain`.
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
