//! Type descriptions that publishers add to a channel.

mod common;

use common::*;
use saltus_channel::*;
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const POSE: &str = "struct pose_t { double x; double y; }";

fn types_file(domain: &TestDomain, name: &str) -> PathBuf {
    domain.path().join(name).join("types")
}

fn names(channel: &Channel) -> Vec<String> {
    channel.descriptions().unwrap().into_iter().map(|d| d.name).collect()
}

#[test]
fn each_description_is_reported_once_to_each_user() {
    let domain = TestDomain::new();
    let channel = domain.create("pose", &Attributes::new()).unwrap();
    assert_eq!(channel.descriptions().unwrap(), []);
    let (one, other) = (channel.publisher().unwrap(), channel.publisher().unwrap());
    for publisher in [&one, &other, &one] {
        publisher.describe("robot.pose_t", 7, POSE).unwrap();
    }
    other.describe("robot.pose_t", 8, POSE).unwrap();
    drop((one, other));
    let reported = domain.open_channel("pose").unwrap().descriptions().unwrap();
    let printed = |fingerprint| Description { name: "robot.pose_t".into(), fingerprint, schema: POSE.into() };
    assert_eq!(reported, [printed(7), printed(8)]);
}

#[test]
fn a_replacement_channel_starts_without_types() {
    let domain = TestDomain::new();
    let old = domain.create("pose", &Attributes::new()).unwrap();
    let publisher = old.publisher().unwrap();
    publisher.describe("pose_t", 7, POSE).unwrap();
    let new = domain.replace("pose", &Attributes::new()).unwrap();
    assert_eq!(new.descriptions().unwrap(), []);
    assert!(matches!(publisher.describe("late_t", 1, ""), Err(Error::Retired { .. })));
    assert!(matches!(old.descriptions(), Err(Error::Retired { .. })), "its files are gone");
}

#[test]
fn publishers_may_describe_and_readers_may_read_descriptions() {
    let domain = TestDomain::new();
    domain.create("pose", &Attributes::new().mode(0o640)).unwrap();
    let mode = || std::fs::metadata(types_file(&domain, "pose")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o640);
    domain.chmod("pose", 0o664).unwrap();
    assert_eq!(mode(), 0o664);
}

#[test]
fn a_channel_of_an_older_version_reports_that_it_has_no_types() {
    let domain = TestDomain::new();
    let channel = domain.create("pose", &Attributes::new()).unwrap();
    std::fs::remove_file(types_file(&domain, "pose")).unwrap();
    assert_eq!(channel.descriptions().unwrap(), []);
    let error = channel.publisher().unwrap().describe("pose_t", 7, POSE).unwrap_err();
    assert!(error.to_string().contains("replace"), "{error}");
    domain.chmod("pose", 0o600).unwrap();
}

#[test]
fn descriptions_have_limits_that_errors_name() {
    let domain = TestDomain::new();
    let channel = domain.create("pose", &Attributes::new()).unwrap();
    let publisher = channel.publisher().unwrap();
    for bad in ["", &"n".repeat(2000)] {
        assert!(matches!(publisher.describe(bad, 7, ""), Err(Error::Invalid { .. })));
    }
    let half = "x".repeat(512 << 10);
    publisher.describe("a_t", 7, &half).unwrap();
    let error = publisher.describe("b_t", 7, &half).unwrap_err();
    assert!(error.to_string().contains("1048576 B"), "{error}");
    publisher.describe("c_t", 7, "still fits").unwrap();
    assert_eq!(names(&channel), ["a_t", "c_t"]);
}

/// A publisher killed during its write leaves the beginning of an entry; the next one appends after that.
#[test]
fn a_file_cut_at_any_length_loses_only_what_was_cut() {
    let domain = TestDomain::new();
    let channel = domain.create("pose", &Attributes::new()).unwrap();
    let publisher = channel.publisher().unwrap();
    publisher.describe("first_t", 1, POSE).unwrap();
    let first = std::fs::metadata(types_file(&domain, "pose")).unwrap().len();
    publisher.describe("second_t", 2, POSE).unwrap();
    let whole = std::fs::read(types_file(&domain, "pose")).unwrap();
    for cut in first as usize..whole.len() {
        std::fs::write(types_file(&domain, "pose"), &whole[..cut]).unwrap();
        assert_eq!(names(&channel), ["first_t"], "cut at {cut}");
        publisher.describe("third_t", 3, POSE).unwrap();
        publisher.describe("second_t", 2, POSE).unwrap();
        assert_eq!(names(&channel), ["first_t", "third_t", "second_t"], "cut at {cut}");
    }
}

#[test]
fn any_file_type_at_the_path_is_handled_safely() {
    let domain = TestDomain::new();
    let channel = domain.create("pose", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let path = types_file(&domain, "pose");
    let file = |len| File::create(&path).and_then(|f| f.set_len(len)).unwrap();
    let makers: [&dyn Fn(); 5] = [
        &|| std::fs::create_dir(&path).unwrap(),
        &|| std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
        &|| drop(std::os::unix::net::UnixListener::bind(&path).unwrap()),
        &|| file(64 << 30), // a hole that is not read
        &|| file(1000),
    ];
    for (i, make) in makers.iter().enumerate() {
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        make();
        let _ = (publisher.describe("pose_t", 7, POSE), channel.descriptions(), domain.chmod("pose", 0o644));
        if i == 3 {
            assert!(matches!(publisher.describe("pose_t", 7, POSE), Err(Error::Invalid { .. })));
        }
        publisher.publish(b"goes on").unwrap();
    }
    assert_eq!(names(&channel), ["pose_t"], "zeros before it are passed over");
    domain.unlink("pose").unwrap();
}

#[test]
fn many_may_describe_at_once() {
    let domain = TestDomain::new();
    let channel = domain.create("pose", &Attributes::new().depth(1).max_message_size(8)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let channel = channel.clone();
            scope.spawn(move || {
                let publisher = channel.publisher().unwrap();
                for i in 0..20 {
                    publisher.describe(&format!("t{thread}_{i}"), i, POSE).unwrap();
                    publisher.describe("common_t", 7, POSE).unwrap();
                }
            });
        }
    });
    let mut names = names(&channel);
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 8 * 20 + 1);
}

/// Publishers are killed while they describe, repeatedly: the next process reads all whole entries, and continues.
#[test]
fn a_publisher_killed_while_describing_leaves_the_channel_usable() {
    let domain = TestDomain::new();
    let channel = domain.create("pose", &Attributes::new().depth(1).max_message_size(8)).unwrap();
    let schema = "x".repeat(20_000);
    for round in 0..20 {
        let child = fork(|| {
            let publisher = channel.publisher().unwrap();
            for i in 0u64.. {
                let _ = publisher.describe(&format!("r{round}_{i}"), i, &schema);
            }
            0
        });
        std::thread::sleep(std::time::Duration::from_micros(300 * round));
        child.signal(libc::SIGKILL);
        child.wait();
        for description in channel.descriptions().unwrap() {
            assert_eq!(description.schema, schema, "whole or not at all");
        }
        std::fs::write(types_file(&domain, "pose"), b"").unwrap();
    }
    channel.publisher().unwrap().describe("pose_t", 7, POSE).unwrap();
    assert_eq!(names(&channel), ["pose_t"]);
}
