//! Several users on one machine: what they share, what they cannot do to each other, and what they are told.

mod support;

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use saltus_netns::{as_user, own_shm};
use saltus_os::file;
use support::{Ended, Running};

const ANNA: u32 = 60001;
const BOB: u32 = 60002;

/// The command, as another user, in `shm://`.
fn command(user: u32, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltus"));
    command.args(arguments.split(' ')).env_remove("SALTUS_DOMAIN").env_remove("SALTUS_OWNER");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if user != 0 {
        command.uid(user).gid(user);
    }
    command
}

fn run(user: u32, arguments: &str) -> Ended {
    Running::start(&mut command(user, arguments)).ended()
}

#[test]
fn users_share_channels_only_after_root_permits_it_and_learn_where_others_are() {
    own_shm(|| {
        run(ANNA, "mk mine").with(0);
        run(BOB, "ls").saying(0, "in shm:// (/dev/shm/saltus-60002/default, of this user alone)");
        run(BOB, "share").saying(1, "sudo");
        let done = run(0, "share").with(0);
        for words in ["/dev/shm/saltus/default", "mode 1777", "tee /etc/tmpfiles.d/saltus.conf"] {
            assert!(done.text().contains(words), "{done:?}");
        }
        run(ANNA, "ls").saying(0, "ls --domain shm:///dev/shm/saltus-60001/default");
        run(ANNA, "mk imu").with(0);
        let long = run(BOB, "ls -l --json").with(0).json();
        assert_eq!((long[0]["owner"].as_str(), long[0]["owner_uid"].as_u64()), (None, Some(60001)));
        assert!(
            run(BOB, "ls -l")
                .saying(0, "shm:// is /dev/shm/saltus/default, shared by several users")
                .text()
                .contains("OWNER")
        );
        let info = run(0, "info imu --json").with(0).json();
        assert_eq!((info[0]["owner_uid"].as_u64(), info[0]["root"].as_str()), (Some(60001), Some("shared")));
        assert!(run(0, "info imu").with(0).text().contains("owner        user 60001"));
        let row = run(BOB, "spy --once --json -i 300ms").with(0).json();
        assert_eq!((row[0]["owner"].as_str(), row[0]["owner_uid"].as_u64()), (Some("60001"), Some(60001)));
        run(BOB, "rm imu").saying(1, "belongs to user 60001");
        run(BOB, "mk imu --replace").saying(1, "belongs to user 60001");
        run(BOB, "echo imu -n 1 --domain shm://?owner=root").saying(1, "accepts only root");
        run(0, "share --undo").saying(1, "`imu` in default");
        run(0, "rm imu").with(0);
        run(0, "share --undo").with(0);
        assert!(!std::path::Path::new("/dev/shm/saltus").exists());
        assert_eq!(run(ANNA, "ls").with(0).text(), "mine\n");
    });
}

#[test]
fn a_group_shares_by_one_command_and_it_can_be_given_again() {
    own_shm(|| {
        run(0, "share --group 60009").with(0);
        run(BOB, "ls").saying(1, "join its group");
        let mut member = command(ANNA, "mk imu");
        member.gid(60009);
        Running::start(&mut member).ended().with(0);
        run(0, "share --group 60009 lab").with(0);
        run(0, "share").with(0);
        run(BOB, "ls imu").with(0);
        run(0, "share --group nosuchgroup").saying(2, "no group `nosuchgroup`");
        run(0, "share --group 4294967295").saying(2, "not the number of a group");
        run(0, "share .x").saying(2, "not beginning with a dot");
    });
}

#[test]
fn a_squatter_is_neither_trusted_nor_followed_and_every_user_gets_an_error() {
    own_shm(|| {
        run(BOB, "mk imu --domain shm:///dev/shm/saltus").with(0);
        for user in [ANNA, 0] {
            let words = "/dev/shm/saltus belongs to user 60002, who could replace every channel in it";
            run(user, "mk imu").saying(0, words);
            assert!(fs::exists(format!("/dev/shm/saltus-{user}/default/imu")).unwrap());
        }
        run(ANNA, "record --duration 50ms -o /dev/shm/x.mcap").saying(0, "sudo rm -r /dev/shm/saltus");
        run(0, "share").saying(1, "sudo rm -r /dev/shm/saltus");
        fs::remove_dir_all("/dev/shm/saltus").unwrap();
        std::os::unix::fs::symlink("/tmp", "/dev/shm/saltus").unwrap();
        run(ANNA, "ls").saying(
            0,
            "a symbolic link of root, and is not followed: remove it with `sudo rm /dev/shm/saltus`",
        );
        run(0, "share").saying(1, "a symbolic link");
    });
}

#[test]
fn a_running_publisher_learns_that_its_channel_was_replaced() {
    own_shm(|| {
        // A directory of bob's, in which root publishes.
        run(BOB, "mk other --domain shm:///dev/shm/bobs").with(0);
        let publisher = Running::start(&mut command(0, "pub cmd mine -r 100 --domain shm:///dev/shm/bobs"));
        support::until("the channel", || fs::exists("/dev/shm/bobs/cmd").unwrap());
        run(BOB, "mk stolen --mode 666 --domain shm:///dev/shm/bobs").with(0);
        as_user(BOB, || {
            let place = fs::File::open("/dev/shm/bobs").unwrap();
            file::rename_at(&place, b"cmd", b"stolen", file::Rename::Exchange).unwrap(); // in one step
        });
        publisher.ended().saying(1, "now belongs to user 60002");
    });
}

#[test]
fn a_channel_grows_in_its_directory_after_root_shares_channels() {
    own_shm(|| {
        let mut publisher = Running::start(command(ANNA, "pub log --lines").stdin(Stdio::piped()));
        let mut input = publisher.input();
        input.write_all(b"short\n").unwrap();
        support::until("the channel", || fs::exists("/dev/shm/saltus-60001/default/log").unwrap());
        run(0, "share").with(0);
        input.write_all(&[&[b'y'; 1_000_000][..], b"\n"].concat()).unwrap();
        drop(input);
        publisher.ended().saying(0, "published 2 messages");
        assert!(!fs::exists("/dev/shm/saltus/default/log").unwrap(), "not in the other root");
    });
}

#[test]
fn sweeping_a_user_leaves_the_live_channels_of_others_alone() {
    own_shm(|| {
        run(0, "share").with(0);
        run(0, "mk roots").with(0);
        run(BOB, "mk bobs").with(0);
        // The shared root belongs to root, and serves everybody.
        let swept = run(0, "sweep --user root --yes").with(0);
        assert_eq!(swept.text().lines().last(), Some("1 item removed"), "{swept:?}");
        assert_eq!(run(BOB, "ls").with(0).text(), "bobs\n");
        // As does a directory of anna's that bob uses. A file `data` there makes it no channel.
        run(ANNA, "mk annas --domain shm:///dev/shm/saltus-lab").with(0);
        run(BOB, "mk bobs --domain shm:///dev/shm/saltus-lab").with(0);
        as_user(BOB, || fs::write("/dev/shm/saltus-lab/data", "").unwrap());
        let swept = run(0, "sweep --user 60001 --yes").with(0);
        assert!(swept.text().starts_with("/dev/shm/saltus-lab/annas  1 channel"), "{swept:?}");
        run(BOB, "ls bobs --domain shm:///dev/shm/saltus-lab").with(0);
        let swept = run(0, "sweep --user 60002 --yes --json").with(0);
        assert_eq!(swept.json()[0]["removed"], 3);
        assert!(swept.err.contains("/dev/shm/saltus-lab/bobs  1 channel"), "{swept:?}");
        run(0, "sweep --user 60001 --yes").saying(0, "");
        assert!(!fs::exists("/dev/shm/saltus-lab").unwrap(), "empty, it is anna's");
        assert!(fs::exists("/dev/shm/saltus/default").unwrap());
    });
}

#[test]
fn foreign_files_in_a_channel_do_not_keep_it_from_removal() {
    own_shm(|| {
        run(0, "share").with(0);
        run(ANNA, "mk left").with(0);
        as_user(BOB, || {
            fs::create_dir("/dev/shm/saltus/default/left/subs/x").unwrap();
            fs::write("/dev/shm/saltus/default/left/subs/x/data", "").unwrap();
        });
        run(0, "sweep --user 60001 --yes").with(0);
        assert!(!fs::exists("/dev/shm/saltus/default/left").unwrap());
    });
}

#[test]
fn an_owner_that_a_container_does_not_know_is_not_trusted_nor_to_be_removed() {
    own_shm(|| {
        run(0, "share").with(0);
        run(BOB, "mk imu").with(0);
        // Without a map, root outside and this process itself have the number of unknown users.
        let contained = |arguments: &str| {
            let mut command = command(0, arguments);
            // SAFETY: a system call alone, before the program is started.
            unsafe {
                command.pre_exec(|| match libc::unshare(libc::CLONE_NEWUSER) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                })
            };
            Running::start(&mut command).ended()
        };
        let listed = contained("ls").saying(0, "unknown in this user namespace");
        assert!(!listed.err.contains("rm -r"), "{listed:?}");
        contained("ls imu --domain shm:///dev/shm/saltus/default").with(0);
        for owner in ["me", "65534"] {
            let url = format!("echo imu -n 1 --domain shm:///dev/shm/saltus/default?owner={owner}");
            contained(&url).saying(1, "accepts only");
        }
        let private = contained("mk nav").saying(1, "unknown in this user namespace");
        assert!(!private.err.contains("rm -r"), "{private:?}");
    });
}

#[test]
fn everything_of_a_deleted_user_is_listed_and_removed_by_one_command() {
    own_shm(|| {
        run(0, "share").with(0);
        run(0, "mk kept").with(0);
        run(ANNA, "mk left").with(0);
        run(ANNA, "mk hers --domain shm://lab").with(0);
        run(ANNA, "mk own --domain shm:///dev/shm/saltus-of-anna").with(0);
        fs::create_dir("/dev/shm/other").unwrap();
        std::os::unix::fs::chown("/dev/shm/other", Some(ANNA), None).unwrap();
        run(ANNA, "sweep --user 60001").saying(2, "add --yes");
        run(BOB, "sweep --user nosuchuser --yes").saying(2, "no user `nosuchuser`");
        let refused = run(BOB, "sweep --user 60001 --yes");
        assert!(refused.code != Some(0) && refused.err.contains("root can remove it"), "{refused:?}");
        let swept = run(0, "sweep --user 60001 --yes").with(0);
        let listed: Vec<&str> = swept.text().lines().map(|line| line.split("  ").next().unwrap()).collect();
        let expected = [
            "/dev/shm/saltus/default/left",
            "/dev/shm/saltus/lab",
            "/dev/shm/saltus-of-anna",
            "3 items removed",
        ];
        assert_eq!(listed, expected);
        assert_eq!(run(0, "ls").with(0).text(), "kept\n");
        assert!(fs::exists("/dev/shm/other").unwrap(), "what is not of Saltus stays");
        let nothing = run(0, "sweep --user 60001 --yes").with(0);
        assert!(nothing.text().contains("nothing in /dev/shm/saltus* belongs to user 60001"));
        assert_eq!(run(0, "sweep --user 60001 --yes --json").with(0).json()[0]["removed"], 0);
    });
}
