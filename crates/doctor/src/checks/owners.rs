//! Checks whether other users could replace or remove channels.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "mem.owners",
    title: "owners of the channels' directories",
    reads: &[
        "owner and mode of /dev/shm, /dev/shm/saltus, /dev/shm/saltus-UID and the domain",
        "whether channels are in the root that is not used",
    ],
    good: "the directories belong to root or to this user, and nobody else may remove what is in them",
    why: "A user who owns a directory, or may write one that is not sticky, can rename and replace every channel in it: programs then read what somebody \
          forged. So shm:// is /dev/shm/saltus only if root made that for all users (`sudo saltus share`), or if it is this user's own; otherwise it is \
          /dev/shm/saltus-UID, of each user alone. Programs that started before that changed still use the other one.",
    run,
};

fn run(host: &Host) -> Finding {
    let Some(owners) = &host.tried.owners else {
        return Finding::cannot_tell("the owners of the directories were not looked at");
    };
    let place = match owners.root {
        Some(whose) => format!("{} is {}, {whose}", owners.url, owners.path),
        None => format!("{} is a directory of its own", owners.url),
    };
    if let Some(mode) = owners.open_shm {
        let found = format!("everybody may remove what others have in /dev/shm (mode {mode:o})");
        return Finding::problem(found, Fix::typed(["chmod 1777 /dev/shm"]));
    }
    if let Some(mode) = owners.open_domain {
        let found = format!("everybody may remove channels of others in {} (mode {mode:o})", owners.path);
        return Finding::problem(found, Fix::typed([format!("chmod +t {}", quoted(&owners.path))]));
    }
    if let Some(why) = &owners.refused {
        return Finding::problem(why, Fix::words("the finding names the command"));
    }
    if let Some(why) = &owners.warning {
        return Finding::warning(why, Fix::words("the finding names the command; then restart the programs"));
    }
    if let Some(url) = &owners.elsewhere {
        let found = format!(
            "{place}, and there are channels in {url} too, of programs that started earlier or as of another version"
        );
        let words = format!("`saltus ls --domain {url}` lists them; restart their programs");
        return Finding::warning(found, Fix::words(words));
    }
    if let Some((count, user)) = &owners.leftovers {
        let found = format!("{place}; {count} leftovers of {user} are there");
        return Finding::warning(
            found,
            Fix::typed([format!("sudo saltus sweep --domain {}", quoted(&format!("shm://{}", owners.path)))]),
        );
    }
    Finding::ok(place)
}

/// Quotes `text` as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Owners;
    use crate::State::*;
    use crate::made::robot;
    use saltus_channel::{Attributes, Directory};
    use saltus_netns::{as_user, own_shm};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    const ANNA: u32 = 60001;
    const BOB: u32 = 60002;

    #[track_caller]
    fn finds(user: u32, url: &str, state: crate::State, words: &str) {
        let owners = as_user(user, || Owners::here(&Directory::open(url).unwrap()));
        robot().tried(|t| t.owners = Some(owners)).finds(&CHECK, state, words);
    }

    fn set_mode(path: &str, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn make(user: u32, url: &str) {
        as_user(user, || Directory::open(url).unwrap().create("imu", &Attributes::new()).unwrap());
    }

    #[test]
    fn each_owner_that_could_do_harm_is_explained_with_the_command() {
        own_shm(|| {
            finds(ANNA, "shm://", Ok, "shm:// is /dev/shm/saltus-60001/default, of this user alone");
            make(ANNA, "shm://");
            make(BOB, "shm:///dev/shm/saltus");
            finds(ANNA, "shm://", Warning, "sudo rm -r /dev/shm/saltus");
            fs::remove_dir_all("/dev/shm/saltus").unwrap();
            saltus_channel::Root::share(&[], None).unwrap();
            finds(ANNA, "shm://", Warning, "saltus ls --domain shm:///dev/shm/saltus-60001/default");
            finds(BOB, "shm://", Ok, "/dev/shm/saltus/default, shared by several users");
            make(BOB, "shm://lab");
            finds(ANNA, "shm://lab", Problem, "/dev/shm/saltus/lab belongs to user 60002");
            finds(ANNA, "shm:///dev/shm/saltus/lab", Ok, "a directory of its own");
            set_mode("/dev/shm/saltus/lab", 0o777);
            finds(ANNA, "shm:///dev/shm/saltus/lab", Problem, "chmod +t '/dev/shm/saltus/lab'");
            set_mode("/dev/shm/saltus", 0o777);
            finds(BOB, "shm://", Warning, "sudo chmod +t /dev/shm/saltus");
            set_mode("/dev/shm", 0o777);
            finds(BOB, "shm://", Problem, "chmod 1777 /dev/shm");
        });
    }

    #[test]
    fn leftovers_of_other_users_are_reported() {
        let owners =
            Owners { url: "shm://".into(), leftovers: Some((2, "anna".into())), ..Owners::default() };
        robot().tried(|t| t.owners = Some(owners)).finds(&CHECK, Warning, "2 leftovers of anna");
    }
}
