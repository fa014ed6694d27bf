//! Who may own the channels that a process uses.

use crate::{Error, Result};
use saltus_os::{process, users};
use std::fmt;

/// Users whose channels a process accepts: those named by the URL option `owner=` or the environment variable `SALTUS_OWNER`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners {
    /// `None`: everybody.
    users: Option<Vec<u32>>,
}

impl Owners {
    /// Everybody: the default.
    ///
    /// ```
    /// assert!(saltus_channel::Owners::any().accepts(1000));
    /// ```
    pub fn any() -> Owners {
        Owners { users: None }
    }

    /// These users alone, by their numbers.
    ///
    /// ```
    /// let owners = saltus_channel::Owners::users([0, 1000]);
    /// assert!(owners.accepts(0) && !owners.accepts(1001));
    /// ```
    pub fn users(users: impl IntoIterator<Item = u32>) -> Owners {
        Owners { users: Some(users.into_iter().collect()) }
    }

    /// Users separated by commas: `me` (the effective user of this process), a name such as `root`, or a number; or `any`. Looks names up
    /// in the system's tables; may block.
    ///
    /// # Errors
    /// [`Error::Invalid`] names what is not a user.
    ///
    /// ```
    /// use saltus_channel::Owners;
    /// assert_eq!(Owners::parse("root,1000")?, Owners::users([0, 1000]));
    /// assert!(Owners::parse("no such user").is_err());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Owners> {
        if text == "any" {
            return Ok(Owners::any());
        }
        text.split(',').map(user).collect::<Result<Vec<u32>>>().map(Owners::users)
    }

    /// Whether channels of `user` are accepted. If owners are named, one that this process's user namespace has no number for is not, though
    /// this process, or a user named, may seem to have the same.
    ///
    /// ```
    /// assert!(!saltus_channel::Owners::users([0]).accepts(1000));
    /// ```
    pub fn accepts(&self, user: u32) -> bool {
        self.users.is_none() || self.names(user)
    }

    /// Whether `user` is one of those named.
    pub(crate) fn names(&self, user: u32) -> bool {
        self.users.as_ref().is_some_and(|users| users.contains(&user) && !users::is_unknown(user))
    }

    /// Refuses what belongs to a user that is not accepted. `what` it is, and in what state: "channel `imu` … belongs to".
    pub(crate) fn check(&self, user: u32, what: impl FnOnce() -> String) -> Result<()> {
        if self.accepts(user) {
            return Ok(());
        }
        Err(Error::Forbidden {
            what: format!(
                "{} {}, but `owner={self}` accepts only {}: have it removed, or accept that owner with `?owner=` or SALTUS_OWNER",
                what(),
                users::user_for_people(user),
                self.for_people()
            ),
        })
    }

    fn for_people(&self) -> String {
        let people = self.users.iter().flatten().map(|user| users::user_for_people(*user));
        people.collect::<Vec<_>>().join(" and ")
    }
}

/// In the form that [`Owners::parse`] takes.
impl fmt::Display for Owners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(users) = &self.users else { return f.write_str("any") };
        for (i, user) in users.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            match user {
                0 => write!(f, "{comma}root")?,
                user => write!(f, "{comma}{user}")?,
            }
        }
        Ok(())
    }
}

fn user(text: &str) -> Result<u32> {
    let unknown = || {
        Error::invalid(format!(
            "owner `{text}`: there is no such user; write me, root, a user's name or number, several with commas, or any"
        ))
    };
    match text {
        "me" => Ok(process::user()),
        "root" => Ok(0),
        "" | "any" => Err(unknown()),
        number if number.bytes().all(|b| b.is_ascii_digit()) => number.parse().map_err(|_| unknown()),
        name => users::user_by_name(name)
            .map_err(|e| Error::system(format!("look up user `{name}`"), e))?
            .ok_or_else(unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_users_by_name_and_number() {
        let parse = |text: &str| Owners::parse(text).map(|owners| owners.to_string());
        assert_eq!(parse("root,60001").unwrap(), "root,60001");
        assert_eq!(parse("any").unwrap(), "any");
        assert_eq!(Owners::parse("me").unwrap(), Owners::users([process::user()]));
        for bad in ["", "me,", ",", "no-such-user-of-saltus", "4294967296", "root,any", "a\0b"] {
            let error = parse(bad).unwrap_err();
            assert_eq!(error.code(), if bad.contains('\0') { 13 } else { 12 }, "{bad}: {error}");
        }
    }
}
