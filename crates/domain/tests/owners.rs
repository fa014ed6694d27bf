//! `owner=`: whose channels a domain accepts.

use saltus_domain::{Domain, Error, Options, Pattern};
use saltus_netns::{as_user, own_shm};
use saltus_os::file;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const BOB: u32 = 60002;
/// Bob's, who may rename all in it.
const PLACE: &str = "/dev/shm/bobs";
const LONG: Duration = Duration::from_secs(20);

fn place() {
    as_user(BOB, || std::fs::create_dir(PLACE).unwrap());
    std::fs::set_permissions(PLACE, std::fs::Permissions::from_mode(0o1777)).unwrap();
}

fn open(options: &str) -> Domain {
    Domain::open(&format!("shm://{PLACE}{options}")).unwrap()
}

#[track_caller]
fn is_refused(error: &Error) {
    let text = error.to_string();
    assert!(error.code() == 8 && text.contains("`cmd`") && text.contains("belongs to user 60002"), "{text}");
}

#[test]
fn a_channel_of_another_is_refused_to_publishers_and_subscribers() {
    own_shm(|| {
        place();
        as_user(BOB, || open("?grow=0").publisher("cmd").unwrap().publish(b"FORGED").unwrap());
        for options in ["?owner=root", "?owner=me", "?depth=4&owner=root,60001"] {
            let domain = open(options);
            is_refused(&domain.publisher("cmd").unwrap().publish(b"x").unwrap_err());
            is_refused(&domain.subscriber("cmd").unwrap_err());
            // Of many it is left out.
            let all = Pattern::regex(".*").unwrap();
            let mut all = domain.subscriber_with(all, Options::newest()).unwrap();
            assert!(all.receive(Duration::from_millis(60)).unwrap().is_none());
        }
        let mut subscriber = open("?owner=60002").subscriber("cmd").unwrap();
        assert_eq!(subscriber.receive(LONG).unwrap().unwrap().data, b"FORGED");
        let wrong = Domain::open("shm://?owner=no-such-user-of-saltus").unwrap_err();
        assert!(wrong.code() == 12 && wrong.to_string().contains("no-such-user-of-saltus"), "{wrong}");
    });
}

#[test]
fn publishers_and_subscribers_learn_when_anothers_channel_takes_the_name() {
    own_shm(|| {
        place();
        let domain = open("?owner=root");
        let mut publisher = domain.publisher("cmd").unwrap();
        publisher.publish(b"mine").unwrap();
        let mut subscriber = domain.subscriber("cmd").unwrap();
        assert_eq!(subscriber.receive(LONG).unwrap().unwrap().data, b"mine");
        as_user(BOB, || {
            open("").publisher("stolen").unwrap().publish(b"FORGED").unwrap();
            let place = std::fs::File::open(PLACE).unwrap();
            file::rename_at(&place, b"cmd", b"stolen", file::Rename::Exchange).unwrap(); // in one step
        });
        let start = Instant::now();
        let error = loop {
            match publisher.publish(b"mine") {
                Ok(()) => assert!(start.elapsed() < LONG, "the publisher never gets an error"),
                Err(e) => break e,
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        is_refused(&error);
        let error = loop {
            match subscriber.receive(LONG) {
                // What its publisher published in the old channel before its error.
                Ok(Some(message)) => assert_eq!(message.data, b"mine"),
                Ok(None) => panic!("the subscriber never gets an error"),
                Err(e) => break e,
            }
        };
        is_refused(&error);
    });
}
