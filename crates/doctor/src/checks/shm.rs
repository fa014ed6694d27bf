//! Checks the space for channels, and for dead channels.

use std::collections::BTreeSet;

use crate::{Check, Finding, Fix, Host, State};

pub const CHECK: Check = Check {
    id: "mem.shm",
    title: "shared memory",
    reads: &["/proc/self/mounts", "the size and free space of /dev/shm", "the channels of the domain"],
    good: "a tmpfs of more than 64 MiB, a tenth of it free, no channel whose publishers are all dead",
    why: "Channels are files on a tmpfs, and their memory is reserved at creation, which fails without enough space. Docker gives a \
          container 64 MiB by default. Channels stay when their publishers die, so that their messages can still be \
          read; those of programs that never return occupy memory until they are removed.",
    run,
};

const MIB: u64 = 1 << 20;

fn run(host: &Host) -> Finding {
    let (Some(mounts), Some(room)) = (host.read("/proc/self/mounts"), host.tried.shm) else {
        return Finding::cannot_tell("/dev/shm or the table of mounts is hidden");
    };
    // The last mount with that name is on top.
    let mount = mounts.lines().rev().find_map(|line| Some(line.split_once(" /dev/shm ")?.1));
    let (kind, options) = mount.map_or((None, ""), |rest| {
        let mut words = rest.split(' ');
        (words.next(), words.next().unwrap_or_default())
    });
    let has = |option| options.split(',').any(|it| it == option);
    let noexec = if has("noexec") { ", noexec (irrelevant for channels)" } else { "" };
    let closed = match host.tried.closed {
        0 => String::new(),
        n => format!(", {} of other users that this user cannot open", channels(n)),
    };
    let found = format!("{} MiB of {} MiB free{noexec}", room.free / MIB, room.size / MIB);
    let larger = || {
        let size = (2 * room.size / MIB).max(1024);
        Fix::typed([format!("mount -o remount,size={size}M /dev/shm")]).and(
            "permanently in /etc/fstab; Docker: --shm-size=1g, or --ipc=host to share the host's channels",
        )
    };
    match kind {
        Some("tmpfs") if has("ro") => {
            let fix = Fix::typed(["mount -o remount,rw /dev/shm"]);
            return Finding::problem("/dev/shm is read-only", fix);
        }
        Some("tmpfs") => {}
        other => {
            let what = other.map_or("nothing is mounted there".into(), |kind| format!("it is a {kind}"));
            let fix = Fix::typed(["mount -t tmpfs -o size=1G,mode=1777 tmpfs /dev/shm"]);
            return Finding::problem(format!("/dev/shm is not a tmpfs: {what}"), fix);
        }
    }
    if room.free < MIB {
        return Finding::problem(format!("{found}: no space for a channel{closed}"), larger());
    }
    let mut notes = Vec::new();
    let mut fix = Fix::default();
    if room.size <= 64 * MIB || room.free < room.size / 10 {
        notes.push(format!("{found}: that is little"));
        fix = larger();
    }
    match &host.tried.dead {
        Ok(dead) if !dead.is_empty() => {
            let memory: u64 = dead.iter().map(|dead| dead.memory).sum();
            let users: BTreeSet<u32> = dead.iter().map(|dead| dead.user).collect();
            let users: Vec<String> = users.iter().map(u32::to_string).collect();
            notes.push(format!(
                "{} whose publishers are all dead, with {} KiB, created by user {}",
                channels(dead.len()),
                memory / 1024,
                users.join(", ")
            ));
            let clean = "`saltus doctor --clean` removes dead channels";
            fix.words = if fix.words.is_empty() { clean.into() } else { format!("{}; {clean}", fix.words) };
        }
        Ok(_) => {}
        Err(why) if notes.is_empty() => {
            return Finding::cannot_tell(format!("{found}{closed}; the channels are hidden: {why}"));
        }
        Err(_) => {}
    }
    match notes.is_empty() {
        true => Finding::ok(format!("{found}{closed}, no dead channel")),
        false => Finding { state: State::Warning, found: notes.join("; ") + &closed, fix },
    }
}

fn channels(n: usize) -> String {
    if n == 1 { "1 channel".into() } else { format!("{n} channels") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Room;
    use crate::State::*;
    use crate::made::robot;
    use crate::residue;
    use saltus_channel::{Attributes, Directory};

    #[test]
    fn room_counts() {
        robot().finds(&CHECK, Ok, "7168 MiB of 8192 MiB free");
        let with = |size: u64, free: u64| {
            robot().tried(|t| t.shm = Some(Room { size: size * MIB, free: free * MIB }))
        };
        with(64, 60).finds(&CHECK, Warning, "--shm-size");
        with(8192, 500).finds(&CHECK, Warning, "size=16384M");
        with(8192, 0).finds(&CHECK, Problem, "no space for a channel");
        let mounts = "/proc/self/mounts";
        robot()
            .with(mounts, "a /dev/shm tmpfs rw\n/dev/sda1 /dev/shm ext4 rw\n")
            .finds(&CHECK, Problem, "ext4");
        robot().with(mounts, "proc /proc proc rw\n").finds(&CHECK, Problem, "nothing is mounted");
        robot().with(mounts, "tmpfs /dev/shm tmpfs ro,nosuid 0 0\n").finds(&CHECK, Problem, "remount,rw");
        robot().with(mounts, "tmpfs /dev/shm tmpfs rw,noexec 0 0\n").finds(&CHECK, Ok, "noexec");
        robot().tried(|t| t.closed = 2).finds(
            &CHECK,
            Ok,
            "2 channels of other users that this user cannot open",
        );
        robot().tried(|t| t.dead = Err("denied".into())).finds(&CHECK, CannotTell, "denied");
    }

    #[test]
    fn dead_channels_count() {
        let url = format!("shm:///dev/shm/saltus-test-{}-doctor-shm", std::process::id());
        let domain = Directory::open(&url).unwrap();
        let channel = domain.create("imu", &Attributes::new()).unwrap();
        channel.publisher().unwrap().publish(b"x").unwrap();
        let dead = residue::dead(&domain);
        std::fs::remove_dir_all(domain.path()).unwrap();
        let left = robot().tried(|t| t.dead = dead.map_err(|e| e.to_string()));
        left.finds(&CHECK, Warning, "1 channel whose publishers");
        let little = left.tried(|t| {
            t.shm = Some(Room { size: 64 * MIB, free: 60 * MIB });
            t.closed = 1;
        });
        let found = little.finds(&CHECK, Warning, "that is little; 1 channel whose").found;
        assert_eq!(found.matches("1 channel of other users that").count(), 1, "{found}");
    }
}
