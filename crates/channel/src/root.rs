//! The directory of the domains without a path, and its required owner.
//!
//! A process cannot decide it by being first. The shared root `/dev/shm/saltus` is used if root made it (`saltus share`). It is also
//! used if this user owns it and no other user may write it. Otherwise each user has a private root, which is made when it is needed.

mod share;

use crate::place;
use crate::{Error, Result};
use saltus_os::file::{self, Kind, Stat};
use saltus_os::{process, users};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The file system of shared memory.
const SHM: &str = "/dev/shm";
/// The name of the shared root in [`SHM`].
const SHARED: &str = "saltus";
/// The name of the domain `shm://`.
pub(crate) const DEFAULT: &str = "default";

/// The kind of a root, by its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootKind {
    /// `/dev/shm/saltus`, made by root for several users.
    Shared,
    /// `/dev/shm/saltus`, made by this user; no other user may write it.
    Own,
    /// `/dev/shm/saltus-UID`: private to this user.
    Private,
}

/// The directory that contains the domains `shm://` and `shm://NAME`, for this user, at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    kind: RootKind,
    /// Its name in [`SHM`].
    name: String,
    warning: Option<String>,
}

impl Root {
    /// Finds the root that this process uses, from its effective user, and the owner and mode of `/dev/shm/saltus`. Makes one system
    /// call, and reads the system's table of users if an error needs a name. Creates nothing.
    ///
    /// ```
    /// let root = saltus_channel::Root::find();
    /// assert!(root.path().starts_with("/dev/shm"));
    /// ```
    pub fn find() -> Root {
        let me = process::user();
        let warning = match file::stat_path(Path::new(SHM).join(SHARED).as_os_str()) {
            Err(_) => None,
            Ok(there) => match judge(&there, me) {
                Ok(kind) => return Root { kind, name: SHARED.into(), warning: None },
                Err(why) => Some(why),
            },
        };
        let mut root = Root::private(me);
        root.warning = warning
            .map(|why| format!("{why}. Until then this user's channels are in {}", root.path().display()));
        root
    }

    /// The private root of user `id`.
    pub(crate) fn private(id: u32) -> Root {
        Root { kind: RootKind::Private, name: format!("{SHARED}-{id}"), warning: None }
    }

    /// The root that several users would share.
    pub(crate) fn shared() -> Root {
        Root { kind: RootKind::Shared, name: SHARED.into(), warning: None }
    }

    /// The kind of root.
    pub fn kind(&self) -> RootKind {
        self.kind
    }

    /// Its directory, which need not exist.
    pub fn path(&self) -> PathBuf {
        Path::new(SHM).join(&self.name)
    }

    /// Why `/dev/shm/saltus` exists but is not used, and the remedy. `None` if it is used, or does not exist.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Opens it, and checks the opened directory. `None` if it does not exist.
    pub(crate) fn open(&self) -> Result<Option<File>> {
        let what = || format!("open {}", self.path().display());
        // The directory is right, the user is another now: no advice to remove it may follow.
        if self.kind == RootKind::Private && self.name != Root::private(process::user()).name {
            return Err(Error::Forbidden {
                what: format!(
                    "{} is the private root of the user who opened the domain, and this process is {} now: open the domain again",
                    self.path().display(),
                    users::user_for_people(process::user())
                ),
            });
        }
        let shm = match File::open(SHM) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|e| Error::system(format!("open {SHM}"), e))?,
        };
        let root = match file::open_dir_at(&shm, self.name.as_bytes()) {
            Ok(root) => root,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(place::error(&what(), &self.path(), e, &self.closed())),
        };
        let there = file::stat(&root).map_err(|e| Error::system(what(), e))?;
        match (judge(&there, process::user()), self.kind) {
            (Ok(found), expected) if found == expected => Ok(Some(root)),
            (Ok(RootKind::Own), RootKind::Private) => Ok(Some(root)),
            // For user root, the shared root and the private one look the same.
            (Ok(RootKind::Shared), RootKind::Private) if process::user() == 0 && !others_write(&there) => {
                Ok(Some(root))
            }
            (Err(_), RootKind::Private) | (Ok(_), RootKind::Private) => {
                Err(Error::Forbidden { what: self.not_private(&there) })
            }
            (Err(why), _) => Err(Error::Forbidden { what: why }),
            (Ok(_), _) => Err(Error::Forbidden {
                what: format!(
                    "{} has another owner than when the domain was opened: open the domain again",
                    self.path().display()
                ),
            }),
        }
    }

    /// Opens it. Creates it if it does not exist and this user may decide that.
    pub(crate) fn make(&self) -> Result<File> {
        if let Some(root) = self.open()? {
            return Ok(root);
        }
        if self.kind != RootKind::Private {
            return Err(Error::Forbidden {
                what: format!(
                    "{} was removed since the domain was opened: open the domain again, or let root make it with `saltus share`",
                    self.path().display()
                ),
            });
        }
        let what = || format!("make {}", self.path().display());
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        place::make_dir(&shm, self.name.as_bytes(), 0o700, None).map_err(|e| Error::system(what(), e))?;
        self.open()?.ok_or_else(|| Error::system(what(), io::ErrorKind::NotFound.into()))
    }

    /// The mode and the group of a new domain in it, whose directory is `root`. [`Error::Forbidden`] if this user may not create one.
    pub(crate) fn domain_mode(&self, root: &File, domain: &str) -> Result<(u32, Option<u32>)> {
        if self.kind != RootKind::Shared {
            return Ok((0o755, None));
        }
        if process::user() == 0 {
            let there =
                file::stat(root).map_err(|e| Error::system(format!("open {}", self.path().display()), e))?;
            return Ok((there.mode, Some(there.group)));
        }
        // An owner other than root could replace the channels of all users.
        if domain == DEFAULT {
            return Err(Error::Forbidden {
                what: format!(
                    "{} has no domain `{domain}` yet, and only root may make the one that all users share: `sudo saltus share`",
                    self.path().display()
                ),
            });
        }
        Ok((0o755, None))
    }

    fn closed(&self) -> String {
        match self.kind {
            RootKind::Shared => format!(
                "its users share channels, and you are not one of them: join its group (`sudo usermod -aG GROUP $USER`, then log in again), let root open it \
                 to all with `sudo saltus share`, or use channels of your own with `SALTUS_DOMAIN=shm://{}/{DEFAULT}`",
                Root::private(process::user()).path().display()
            ),
            // Root's, since the domain was opened; or of an owner who is not known here. Neither is to be removed.
            RootKind::Own if self.is_owned(|user| user == 0) => {
                "root has shared it since the domain was opened: open the domain again".into()
            }
            _ if self.is_owned(|user| user == 0 || users::is_unknown(user)) => self.instead(),
            _ if self.is_owned(|user| user == process::user()) => {
                format!("open it with `chmod u+rwx {}`", self.path().display())
            }
            _ => format!("remove it with `sudo rm -r {}`", self.path().display()),
        }
    }

    fn is_owned(&self, by: impl Fn(u32) -> bool) -> bool {
        file::stat_path(self.path().as_os_str()).is_ok_and(|there| by(there.user))
    }

    /// The remedy for a directory that must stay.
    fn instead(&self) -> String {
        format!("use another directory, such as SALTUS_DOMAIN=shm:///run/user/{}/saltus", process::user())
    }

    fn not_private(&self, there: &Stat) -> String {
        let (path, me) = (self.path(), process::user());
        let path = path.display();
        if place::is_me(there.user) {
            return format!(
                "{path} is your private root, but others may write in it (mode {:o}): `chmod go-w {path}`",
                there.mode
            );
        }
        if users::is_unknown(there.user) {
            return format!(
                "{path} should be your private root, but {}, such as SALTUS_DOMAIN=shm:///run/user/{me}/saltus",
                place::UNKNOWN
            );
        }
        format!(
            "{path} should be your private root, but belongs to {}: have it removed with `sudo rm -r {path}`; until then use \
             another directory, such as SALTUS_DOMAIN=shm:///run/user/{me}/saltus",
            users::user_for_people(there.user)
        )
    }
}

/// Why `name` is not a valid domain name; `None` if it is.
pub(crate) fn check_name(name: &str) -> std::result::Result<(), &'static str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match !name.is_empty() && name.len() <= 63 && !name.starts_with('.') && name.chars().all(legal) {
        true => Ok(()),
        false => Err("its name must have up to 63 letters, digits, `_`, `-`, `.`, not beginning with a dot"),
    }
}

fn others_write(there: &Stat) -> bool {
    there.mode & 0o022 != 0
}

/// The kind of root that `/dev/shm/saltus` is for user `me`, or why it is not used, and the remedy.
fn judge(there: &Stat, me: u32) -> std::result::Result<RootKind, String> {
    let path = format!("{SHM}/{SHARED}");
    let share = "`sudo saltus share` then makes one that all users share";
    if there.kind != Kind::Directory {
        return Err(format!(
            "{path} is {}, and is not followed: remove it with `sudo rm {path}`; {share}",
            place::kind_and_owner(there)
        ));
    }
    let sticky = there.mode & 0o1000 != 0;
    match there.user {
        user if users::is_unknown(user) => Err(format!("{path} is not used: {}", place::UNKNOWN)),
        0 if others_write(there) && !sticky => Err(format!(
            "{path} belongs to root, but others may remove channels there (mode {:o}): `sudo chmod +t {path}`",
            there.mode
        )),
        0 => Ok(RootKind::Shared),
        user if user == me && !others_write(there) => Ok(RootKind::Own),
        user if user == me => Err(format!(
            "{path} belongs to you, but others may write in it (mode {:o}): `chmod go-w {path}`",
            there.mode
        )),
        user => Err(format!(
            "{path} belongs to {}, who could replace every channel in it, and is not used: remove it with `sudo rm -r {path}`; {share}",
            users::user_for_people(user)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: Kind, user: u32, mode: u32) -> Stat {
        Stat { kind, user, group: 0, mode }
    }

    #[test]
    fn only_root_or_oneself_may_own_the_root_of_domains() {
        let dir = |user, mode| judge(&at(Kind::Directory, user, mode), 60001);
        assert_eq!(dir(0, 0o1777), Ok(RootKind::Shared));
        assert_eq!(dir(0, 0o3770), Ok(RootKind::Shared));
        assert_eq!(dir(0, 0o755), Ok(RootKind::Shared));
        assert_eq!(dir(60001, 0o755), Ok(RootKind::Own));
        for (user, mode, word) in [
            (0, 0o777, "sudo chmod +t /dev/shm/saltus"),
            (0, 0o2770, "sudo chmod +t /dev/shm/saltus"),
            (0, 0o775, "sudo chmod +t /dev/shm/saltus"),
            (60001, 0o1777, "chmod go-w /dev/shm/saltus"),
            (60001, 0o775, "chmod go-w /dev/shm/saltus"),
            (60002, 0o755, "belongs to user 60002"),
            (60002, 0o1777, "sudo rm -r /dev/shm/saltus"),
        ] {
            let why = dir(user, mode).unwrap_err();
            assert!(why.contains(word), "{user} {mode:o}: {why}");
        }
        // Root trusts no other user either.
        assert!(judge(&at(Kind::Directory, 60002, 0o1777), 0).is_err());
        for kind in [Kind::Link, Kind::File, Kind::Fifo, Kind::Socket] {
            assert!(judge(&at(kind, 0, 0o777), 60001).unwrap_err().contains("sudo rm /dev/shm/saltus"));
        }
    }
}
