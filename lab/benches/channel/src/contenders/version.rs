//! The version of a peer.

use std::process::{Command, Stdio};

/// The installed version of a Debian package; `None` if it is not installed, or if the system has no `dpkg`.
pub fn package(name: &str) -> Option<String> {
    let mut query = Command::new("dpkg-query");
    let output = query.args(["-W", "-f=${Version}", name]).stderr(Stdio::null()).output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !version.is_empty()).then_some(version)
}

/// The version of a crate in this build.
#[cfg(any(feature = "iceoryx2", feature = "zenoh"))]
pub fn locked(name: &str) -> Option<String> {
    in_lock(include_str!("../../../../../Cargo.lock"), name)
}

#[cfg(any(feature = "iceoryx2", feature = "zenoh", test))]
fn in_lock(lock: &str, name: &str) -> Option<String> {
    let (_, after) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    after.split('"').next().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_that_of_the_name_alone() {
        let lock = "[[package]]\nname = \"zenoh-util\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"zenoh\"\nversion = \"1.10.0\"\n";
        assert_eq!(in_lock(lock, "zenoh").as_deref(), Some("1.10.0"));
        assert_eq!(in_lock(lock, "iceoryx2"), None);
        assert_eq!(package("no-such-package-of-saltus"), None);
    }
}
