//! Several users on one machine: the owner of the root of domains, trust, and protection from other users.

use saltus_channel::*;
use saltus_netns::{as_member, as_user, own_shm, refuse_call};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::time::Duration;

const ANNA: u32 = 60001;
const BOB: u32 = 60002;
const SHARED: &str = "/dev/shm/saltus";

fn shm() -> Directory {
    Directory::open("shm://").unwrap()
}

fn make(name: &str) -> Result<Channel> {
    shm().create(name, &Attributes::new())
}

fn mode(path: &str) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// The state that `saltus share` leaves.
fn share(mode: u32, group: u32) {
    for path in [SHARED.to_string(), format!("{SHARED}/default")] {
        fs::create_dir(&path).unwrap();
        chown(&path, Some(0), Some(group)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[track_caller]
fn forbidden<T: std::fmt::Debug>(result: Result<T>, words: &[&str]) {
    let error = result.expect_err("it must be refused");
    assert!(matches!(error, Error::Forbidden { .. }) && error.code() == 8, "{error:?}");
    for word in words {
        assert!(error.to_string().contains(word), "no {word:?} in: {error}");
    }
}

#[test]
fn the_first_user_owns_only_its_own_channels() {
    own_shm(|| {
        as_user(ANNA, || make("mine").unwrap());
        assert_eq!((mode("/dev/shm/saltus-60001"), mode("/dev/shm/saltus-60001/default")), (0o700, 0o755));
        as_user(BOB, || {
            assert_eq!(shm().list().unwrap(), []);
            assert_eq!(make("mine").unwrap().info().unwrap().owner, BOB);
            assert_eq!(shm().path(), Path::new("/dev/shm/saltus-60002/default"));
            assert!(fs::read_dir("/dev/shm/saltus-60001").is_err(), "anna's are hers alone");
        });
        make("imu").unwrap();
        assert_eq!(shm().path(), Path::new("/dev/shm/saltus-0/default"));
        assert_eq!(Root::find().kind(), RootKind::Private);
        assert!(!Path::new(SHARED).exists(), "the shared root is not created unasked");
    });
}

#[test]
fn a_root_of_roots_is_shared_and_nobody_can_take_anothers_channel() {
    own_shm(|| {
        share(0o1777, 0);
        let imu = make("imu").unwrap();
        assert_eq!(imu.domain().path(), Path::new("/dev/shm/saltus/default"));
        as_user(ANNA, || {
            assert_eq!(shm().root().unwrap().kind(), RootKind::Shared);
            make("nav").unwrap();
            forbidden(shm().unlink("imu"), &["belongs to root", "saltus rm imu"]);
            forbidden(shm().replace("imu", &Attributes::new()), &["belongs to root"]);
            assert!(fs::rename(format!("{SHARED}/default/imu"), format!("{SHARED}/default/x")).is_err());
            assert!(fs::rename(format!("{SHARED}/default"), format!("{SHARED}/x")).is_err());
            let left: Vec<String> = names(&format!("{SHARED}/default"));
            assert_eq!(left, ["imu", "nav"], "nothing of an attempt is left");
        });
        as_user(BOB, || {
            assert_eq!(shm().list().unwrap().len(), 2);
            assert_eq!(shm().open_channel("nav").unwrap().info().unwrap().owner, ANNA);
        });
    });
}

fn names(path: &str) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_shared_name_not_owned_by_root_is_rejected_with_an_explanation() {
    own_shm(|| {
        type Squat = fn(&Path);
        let squats: [(Squat, &str); 5] = [
            (|path| fs::create_dir(path).unwrap(), "belongs to user 60002, who could replace"),
            (
                |path| {
                    fs::create_dir(path).unwrap();
                    fs::set_permissions(path, fs::Permissions::from_mode(0o1777)).unwrap();
                },
                "sudo rm -r /dev/shm/saltus",
            ),
            (|path| symlink("/tmp", path).unwrap(), "a symbolic link of user 60002"),
            (|path| drop(File::create(path).unwrap()), "a file of user 60002"),
            (
                |path| {
                    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
                    // SAFETY: a C string.
                    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o666) }, 0);
                },
                "a FIFO of user 60002",
            ),
        ];
        for (squat, words) in squats {
            as_user(BOB, || squat(Path::new(SHARED)));
            for user in [ANNA, 0] {
                as_user(user, || {
                    let root = Root::find();
                    assert_eq!(root.kind(), RootKind::Private);
                    let warning = root.warning().unwrap();
                    assert!(warning.contains(words), "no {words:?} in: {warning}");
                    assert!(warning.contains(&format!("/dev/shm/saltus-{user}")), "{warning}");
                    make("imu").unwrap();
                    shm().unlink("imu").unwrap();
                });
            }
            let _ = fs::remove_dir(SHARED).or_else(|_| fs::remove_file(SHARED));
        }
        // It belongs to root, but every user may remove every entry.
        fs::create_dir(SHARED).unwrap();
        fs::set_permissions(SHARED, fs::Permissions::from_mode(0o777)).unwrap();
        as_user(ANNA, || {
            assert!(Root::find().warning().unwrap().contains("sudo chmod +t /dev/shm/saltus"));
        });
    });
}

#[test]
fn a_private_directory_is_a_valid_root() {
    own_shm(|| {
        as_user(ANNA, || {
            fs::create_dir(SHARED).unwrap();
            assert_eq!(Root::find().kind(), RootKind::Own);
            make("imu").unwrap();
            assert!(Path::new("/dev/shm/saltus/default/imu").exists());
            fs::set_permissions(SHARED, fs::Permissions::from_mode(0o777)).unwrap();
            assert_eq!(Root::find().kind(), RootKind::Private);
            assert!(Root::find().warning().unwrap().contains("chmod go-w /dev/shm/saltus"));
        });
    });
}

#[test]
fn a_private_root_of_another_user_is_refused_with_the_reason() {
    own_shm(|| {
        as_user(BOB, || {
            fs::create_dir("/dev/shm/saltus-60001").unwrap();
            fs::set_permissions("/dev/shm/saltus-60001", fs::Permissions::from_mode(0o777)).unwrap();
        });
        as_user(ANNA, || {
            let words = ["belongs to user 60002", "sudo rm -r /dev/shm/saltus-60001", "SALTUS_DOMAIN"];
            forbidden(make("imu"), &words);
            forbidden(shm().list(), &words);
            forbidden(shm().open_channel("imu"), &words);
        });
        assert_eq!(names("/dev/shm/saltus-60001"), [""; 0]);
        fs::remove_dir("/dev/shm/saltus-60001").unwrap();
        as_user(ANNA, || {
            symlink("/dev/shm", "/dev/shm/saltus-60001").unwrap();
            forbidden(make("imu"), &["symbolic link"]);
            fs::remove_file("/dev/shm/saltus-60001").unwrap();
            make("imu").unwrap();
            fs::set_permissions("/dev/shm/saltus-60001", fs::Permissions::from_mode(0o770)).unwrap();
            forbidden(shm().list(), &["chmod go-w /dev/shm/saltus-60001"]);
        });
    });
}

#[test]
fn a_valid_directory_is_never_reported_for_removal() {
    own_shm(|| {
        // Opened by root, used by a user: a daemon that drops its privileges.
        make("imu").unwrap();
        let of_root = shm();
        let refused = as_user(ANNA, || {
            forbidden(
                of_root.list(),
                &["saltus-0", "this process is user 60001 now", "open the domain again"],
            );
            of_root.create("nav", &Attributes::new()).unwrap_err().to_string()
        });
        assert!(!refused.contains("rm -r"), "{refused}");
        // Opened while it was anna's own; root has shared it with a group since.
        let own = as_user(ANNA, || {
            fs::create_dir(SHARED).unwrap();
            shm()
        });
        fs::remove_dir(SHARED).unwrap();
        share(0o3770, 60009);
        let refused = as_user(ANNA, || own.list().unwrap_err().to_string());
        assert!(refused.contains("open the domain again") && !refused.contains("rm -r"), "{refused}");
    });
}

#[test]
fn a_domain_of_another_user_is_refused_unless_that_user_is_named() {
    own_shm(|| {
        share(0o1777, 0);
        as_user(ANNA, || {
            Directory::open("shm://lab").unwrap().create("imu", &Attributes::new()).unwrap();
        });
        assert_eq!(mode("/dev/shm/saltus/lab"), 0o755);
        for user in [BOB, 0] {
            as_user(user, || {
                let lab = Directory::open("shm://lab").unwrap();
                let words = ["/dev/shm/saltus/lab belongs to user 60001", "shm://lab?owner=60001"];
                forbidden(lab.open_channel("imu"), &words);
                forbidden(lab.list(), &words);
                forbidden(lab.create("x", &Attributes::new()), &words);
                let lab = Directory::open("shm://lab?owner=60001,me").unwrap();
                assert_eq!(lab.open_channel("imu").unwrap().info().unwrap().owner, ANNA);
                // A URL with a path selects exactly this directory.
                Directory::open("shm:///dev/shm/saltus/lab").unwrap().open_channel("imu").unwrap();
            });
        }
        // But not that everybody may replace what is in it.
        let by_path = Directory::open("shm:///dev/shm/saltus/lab").unwrap();
        fs::set_permissions(by_path.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let words = ["others may remove channels", "chmod +t /dev/shm/saltus/lab"];
        as_user(BOB, || forbidden(by_path.open_channel("imu"), &words));
        as_user(BOB, || forbidden(by_path.create("nav", &Attributes::new()), &words));
        fs::set_permissions(by_path.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        as_user(BOB, || by_path.open_channel("imu").map(drop).unwrap());
        // The one that all share is root's to make.
        fs::remove_dir(format!("{SHARED}/default")).unwrap();
        as_user(ANNA, || forbidden(make("imu"), &["sudo saltus share"]));
        make("imu").unwrap();
        assert_eq!(mode("/dev/shm/saltus/default"), 0o1777);
        as_user(ANNA, || make("nav").unwrap());
        fs::set_permissions(format!("{SHARED}/default"), fs::Permissions::from_mode(0o777)).unwrap();
        as_user(ANNA, || forbidden(shm().list(), &["chmod +t /dev/shm/saltus/default"]));
    });
}

#[test]
fn a_group_shares_and_other_users_learn_how_to_join() {
    own_shm(|| {
        share(0o3770, 60009);
        as_member(ANNA, &[60009], || make("imu").unwrap());
        as_member(BOB, &[60009], || {
            assert_eq!(shm().open_channel("imu").unwrap().info().unwrap().owner, ANNA);
            forbidden(shm().unlink("imu"), &["belongs to user 60001"]);
        });
        as_user(BOB, || {
            let words = [
                "belongs to root and group 60009",
                "usermod -aG",
                "SALTUS_DOMAIN=shm:///dev/shm/saltus-60002/default",
            ];
            forbidden(shm().list(), &words);
            forbidden(make("imu"), &words);
        });
    });
}

#[test]
fn each_part_of_a_given_path_is_checked_and_named() {
    own_shm(|| {
        let at = |path: &str| Directory::open(&format!("shm:///dev/shm/{path}")).unwrap();
        fs::create_dir_all("/dev/shm/real/domain").unwrap();
        symlink("real", "/dev/shm/link").unwrap();
        symlink("domain", "/dev/shm/real/last").unwrap();
        File::create("/dev/shm/file").unwrap();
        std::os::unix::net::UnixListener::bind("/dev/shm/socket").unwrap();
        fs::create_dir("/dev/shm/closed").unwrap();
        fs::set_permissions("/dev/shm/closed", fs::Permissions::from_mode(0o700)).unwrap();
        at("real/domain").create("imu", &Attributes::new()).unwrap();
        as_user(ANNA, || {
            for (path, words) in [
                ("link/domain", "/dev/shm/link is a symbolic link of root to real"),
                ("real/last", "/dev/shm/real/last is a symbolic link of root to domain"),
                ("file", "/dev/shm/file is a file of root, not a directory"),
                ("socket/domain", "/dev/shm/socket is a socket of root"),
                (
                    "closed/domain",
                    "/dev/shm/closed belongs to root and root, and is closed to this user (mode 700)",
                ),
            ] {
                forbidden(at(path).open_channel("imu"), &[words]);
                forbidden(at(path).list(), &[words]);
                forbidden(at(path).create("imu", &Attributes::new()), &[words]);
            }
            at("real/domain").open_channel("imu").unwrap();
        });
        let none = at("none/domain").create("imu", &Attributes::new()).unwrap_err().to_string();
        assert!(none.contains("there is no directory /dev/shm/none: make it first"), "{none}");
        // Other objects in place of a channel, or of its data.
        let channel = |name: &str| at("real/domain").open_channel(name).unwrap_err().to_string();
        symlink("imu", "/dev/shm/real/domain/nav").unwrap();
        assert!(channel("nav").contains("a symbolic link of root"), "{}", channel("nav"));
        let data = "/dev/shm/real/domain/imu/data";
        fs::rename(data, "/dev/shm/data").unwrap();
        symlink("/dev/shm/data", data).unwrap();
        assert!(channel("imu").contains("its data is a symbolic link of root"), "{}", channel("imu"));
        fs::remove_file(data).unwrap();
        std::os::unix::net::UnixListener::bind(data).unwrap();
        assert!(channel("imu").contains("its data is a socket of root"), "{}", channel("imu"));
    });
}

#[test]
fn links_are_not_followed_without_openat2_either() {
    own_shm(|| {
        fs::create_dir_all("/dev/shm/real/domain").unwrap();
        symlink("real", "/dev/shm/link").unwrap();
        // ENOSYS: before Linux 5.6; EPERM: older filters of system calls.
        for errno in [libc::ENOSYS, libc::EPERM] {
            let without = || {
                refuse_call(libc::SYS_openat2, None, errno);
                let at = |path: &str| Directory::open(&format!("shm:///dev/shm/{path}/domain")).unwrap();
                at("real").create(format!("imu{errno}"), &Attributes::new()).unwrap();
                forbidden(at("link").list(), &["/dev/shm/link is a symbolic link of root to real"]);
            };
            std::thread::scope(|scope| scope.spawn(without).join().unwrap());
        }
    });
}

#[test]
fn a_channel_of_another_owner_is_refused_where_one_is_demanded() {
    own_shm(|| {
        share(0o1777, 0);
        as_user(BOB, || shm().create("imu", &Attributes::new().mode(0o666)).unwrap());
        let demanding = |owner: &str| Directory::open(&format!("shm://?owner={owner}")).unwrap();
        for owner in ["root", "me", "0,60001"] {
            let words = ["channel `imu`", "belongs to user 60002", "accepts only root"];
            forbidden(demanding(owner).open_channel("imu"), &words);
            forbidden(demanding(owner).open_or_create("imu", &Attributes::new()), &words);
            forbidden(demanding(owner).wait_for("imu", Until::Poll), &words);
        }
        demanding("root,60002").open_channel("imu").unwrap();
        // It does not help that only its directory belongs to root.
        chown(format!("{SHARED}/default/imu"), Some(0), None).unwrap();
        forbidden(demanding("root").open_channel("imu"), &["belongs to user 60002"]);
        shm().unlink("imu").unwrap();
        as_user(ANNA, || {
            forbidden(demanding("root").create("nav", &Attributes::new()), &["would belong to user 60001"]);
            assert_eq!(names(&format!("{SHARED}/default")), [""; 0]);
            demanding("me").create("nav", &Attributes::new()).unwrap();
        });
    });
}

#[test]
fn users_of_a_replaced_channel_learn_the_new_owner() {
    own_shm(|| {
        // A directory of anna, who may rename all its entries.
        as_user(ANNA, || fs::create_dir("/dev/shm/annas").unwrap());
        fs::set_permissions("/dev/shm/annas", fs::Permissions::from_mode(0o1777)).unwrap();
        let domain = Directory::open("shm:///dev/shm/annas").unwrap();
        let channel = domain.create("cmd", &Attributes::new()).unwrap();
        let mut subscriber = channel.subscriber().unwrap();
        let mut buf = [0; 8];
        as_user(ANNA, || fs::rename("/dev/shm/annas/cmd", "/dev/shm/annas/stolen").unwrap());
        let gone = subscriber.wait_next(Duration::from_secs(20), &mut buf).unwrap_err();
        assert!(matches!(gone, Error::Retired { how: Retired::Removed, by: None, .. }), "{gone:?}");
        as_user(ANNA, || domain.create("cmd", &Attributes::new().mode(0o666)).unwrap());
        let mut subscriber = channel.subscriber().unwrap();
        let taken = subscriber.wait_next(Duration::from_secs(20), &mut buf).unwrap_err();
        assert!(matches!(taken, Error::Retired { how: Retired::Replaced, by: Some(ANNA), .. }), "{taken:?}");
        assert!(taken.to_string().contains("`cmd` now belongs to user 60001"), "{taken}");
        // A process that requires an owner does not follow.
        let demanding = domain.clone().owned_by(Owners::users([0]));
        forbidden(demanding.open_channel("cmd"), &["belongs to user 60001"]);
        assert!(channel.successor().is_ok(), "without a demand it is followed");
    });
}

#[test]
fn create_and_sweep_skip_other_users_files_and_root_removes_them_unread() {
    own_shm(|| {
        share(0o1777, 0);
        let left = |name: &str| format!("{SHARED}/default/{name}");
        as_user(BOB, || {
            make("model").unwrap();
            for i in 0..3 {
                let aside = left(&format!(".new-{i:016x}"));
                fs::rename(left("model"), &aside).unwrap();
                make("model").unwrap();
            }
            // And one that nobody can hold, or so it seems.
            fs::create_dir(left(".new-fifo")).unwrap();
            let lease = std::ffi::CString::new(left(".new-fifo/lease")).unwrap();
            // SAFETY: a C string.
            assert_eq!(unsafe { libc::mkfifo(lease.as_ptr(), 0o666) }, 0);
        });
        std::thread::sleep(Duration::from_millis(3_100)); // younger directories may be just being made
        as_user(ANNA, || {
            make("own").unwrap();
            assert_eq!(shm().sweep().unwrap(), 0);
            assert_eq!(shm().leftovers_of_others().unwrap(), Some((4, BOB)));
        });
        assert_eq!(names(&format!("{SHARED}/default")).len(), 6);
        // Of a stranger's data nothing is read or written: it stays as it was, as long as anything refers to it.
        let data = File::open(left(".new-0000000000000000/data")).unwrap();
        assert_eq!(shm().sweep().unwrap(), 4);
        let mut state = [0xff; 8];
        std::os::unix::fs::FileExt::read_exact_at(&data, &mut state, 4096 + 256).unwrap();
        assert_eq!(&state, b"live\0\0\0\0", "not even marked as removed");
        assert_eq!(names(&format!("{SHARED}/default")), ["model", "own"]);
        assert_eq!(shm().leftovers_of_others().unwrap(), None);
    });
}

#[test]
fn another_users_directory_in_a_channel_is_reported_and_root_removes_it() {
    own_shm(|| {
        share(0o1777, 0);
        as_user(ANNA, || make("imu").unwrap());
        let deep = format!("{SHARED}/default/imu/subs/x{}", "/x".repeat(500));
        as_user(BOB, || fs::create_dir_all(deep).unwrap());
        as_user(ANNA, || {
            forbidden(
                shm().unlink("imu"),
                &["is removed", "user 60002", "sudo saltus sweep --domain 'shm:///dev/shm/saltus/default'"],
            );
            assert_eq!(shm().list().unwrap(), []);
        });
        let husk = names(&format!("{SHARED}/default"));
        assert_eq!(names(&format!("{SHARED}/default/{}", husk[0])), ["subs"], "its memory is free");
        std::thread::sleep(Duration::from_millis(3_100));
        as_user(ANNA, || {
            assert_eq!(shm().sweep().unwrap(), 0);
            assert_eq!(shm().leftovers_of_others().unwrap(), Some((1, BOB)));
        });
        assert_eq!(shm().sweep().unwrap(), 1);
        assert_eq!(names(&format!("{SHARED}/default")), [""; 0]);
    });
}

#[test]
fn the_other_root_is_known_where_channels_are_in_it() {
    own_shm(|| {
        as_user(ANNA, || {
            make("early").unwrap();
            assert_eq!(shm().elsewhere(), None);
        });
        share(0o1777, 0);
        as_user(ANNA, || {
            let there = shm().elsewhere().unwrap();
            assert_eq!(there.path(), Path::new("/dev/shm/saltus-60001/default"));
        });
        // A directory that is not trusted is reported too: programs of older versions use it.
        fs::remove_dir_all(SHARED).unwrap();
        as_user(BOB, || {
            fs::create_dir(SHARED).unwrap();
            make("old").unwrap();
        });
        as_user(ANNA, || {
            shm().unlink("early").unwrap();
            assert_eq!(shm().elsewhere().unwrap().path(), Path::new("/dev/shm/saltus/default"));
        });
    });
}

#[test]
fn what_is_put_in_the_place_of_a_users_files_while_they_are_removed_stays() {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    own_shm(|| {
        // Both lie in a directory of Anna's, which she may rename as she likes.
        let (mine, other) = ("/dev/shm/saltus-x/mine", "/dev/shm/saltus-x/other");
        let make = |path: &str, user: u32| {
            fs::create_dir_all(path).unwrap();
            fs::write(format!("{path}/file"), "").unwrap();
            chown(path, Some(user), Some(user)).unwrap();
        };
        make(mine, ANNA);
        make(other, BOB);
        fs::write("/dev/shm/saltus-x/root", "").unwrap(); // the directory is root's: each part is listed by itself
        let over = AtomicBool::new(false);
        // Held while the two change places, and while they must not.
        let turn = std::sync::Mutex::new(());
        let exchange = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|path| std::ffi::CString::new(path).unwrap());
            // SAFETY: two C strings.
            unsafe {
                libc::renameat2(libc::AT_FDCWD, a.as_ptr(), libc::AT_FDCWD, b.as_ptr(), libc::RENAME_EXCHANGE)
            };
        };
        let entries = || fs::read_dir("/dev/shm/saltus-x").unwrap().flatten();
        let swap = || {
            let _turn = turn.lock();
            exchange(mine, other);
            // She sees the name that is given to a directory to remove, too.
            let asides = entries().filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"."));
            asides.for_each(|aside| exchange(aside.path().to_str().unwrap(), other));
        };
        let is_whole = |user: u32| {
            let theirs = entries().filter(|entry| entry.metadata().is_ok_and(|m| m.uid() == user));
            theirs.filter(|entry| entry.path().join("file").exists()).count() == 1
        };
        /// Ends the thread, also when the test fails.
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Relaxed);
            }
        }
        std::thread::scope(|threads| {
            let end = End(&over);
            threads.spawn(|| {
                while !over.load(Relaxed) {
                    swap();
                }
            });
            let (mut removed, mut lost) = (0, 0);
            for _ in 0..2000 {
                for one in Belonging::of_user(ANNA).unwrap() {
                    removed += usize::from(one.remove().unwrap_or(false));
                }
                let _turn = turn.lock();
                lost += usize::from(!is_whole(BOB));
                if lost > 0 {
                    break;
                }
                if !is_whole(ANNA) {
                    let empty = entries().find(|entry| entry.metadata().is_ok_and(|m| m.uid() == ANNA));
                    let free = if Path::new(mine).exists() { other } else { mine };
                    make(empty.map_or(free.into(), |entry| entry.path()).to_str().unwrap(), ANNA);
                }
            }
            drop(end);
            assert_eq!(lost, 0, "Bob's directory was removed in place of Anna's");
            assert!(removed > 0, "nothing was removed");
        });
    });
}

#[test]
fn a_directory_that_somebody_filled_is_named_and_keeps_nobody_from_creating() {
    own_shm(|| {
        share(0o1777, 0);
        let dir = format!("{SHARED}/default");
        as_user(ANNA, || {
            let full = (0..=100_000).all(|n| File::create(format!("{dir}/.new-{n:06}")).is_ok());
            assert!(full);
        });
        let told = shm().list().unwrap_err().to_string();
        assert!(told.contains("more than 100000 entries"), "{told}");
        let channel = make("imu").unwrap();
        assert_eq!(channel.info().unwrap().owner, 0);
        shm().unlink("imu").unwrap();
    });
}

#[test]
fn a_channel_of_another_user_stays_however_many_files_are_beside_it() {
    own_shm(|| {
        let dir = "/dev/shm/saltus-x";
        fs::create_dir(dir).unwrap();
        fs::write("/dev/shm/saltus-one", "").unwrap();
        let fill = |with: char| {
            (0..=100_000)
                .for_each(|n| fs::hard_link("/dev/shm/saltus-one", format!("{dir}/{with}{n}")).unwrap());
        };
        fill('a');
        fs::create_dir(format!("{dir}/imu")).unwrap();
        fs::write(format!("{dir}/imu/data"), "").unwrap();
        fill('b');
        chown(dir, Some(ANNA), Some(ANNA)).unwrap();
        for path in ["imu", "imu/data"] {
            chown(format!("{dir}/{path}"), Some(BOB), Some(BOB)).unwrap();
        }
        let found = Belonging::of_user(ANNA).unwrap();
        assert!(found.iter().all(|one| one.path() != Path::new(dir)), "Bob's channel is in it");
    });
}
