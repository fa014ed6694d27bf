//! Runs the commands of docs/measure.md, for a shorter time.

mod support;

use std::process::{Command, Stdio};

use support::files::Files;
use support::{Place, Running};

const PAGE: &str = include_str!("../../../docs/measure.md");

/// The command lines of the page.
fn lines() -> Vec<&'static str> {
    let blocks = PAGE.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).collect()
}

#[test]
fn the_commands_on_the_page_work() {
    saltus_peers::built("saltus-bench"); // next to `saltus`, where it is looked for
    let (place, files) = (Place::new(), Files::new());
    let publisher = place.start(["pub", "imu", "x", "-r", "1000"]);
    place.until_published("imu", 1);
    // Its output is discarded: an unread pipe would fill up, and it would receive no more.
    let reader = Running::start(place.command(["echo", "imu"]).stdout(Stdio::null()));
    place.until_subscribed("imu", 1);
    let mut done = 0;
    for line in lines() {
        // Shortens long measurements to what a test needs.
        let line = line.replace("60s", "400ms").replace("./controller", "sleep 0.3");
        let line = line.replace(
            "saltus bench -o bench",
            "saltus bench --short --scenario paced --contender saltus -o bench",
        );
        if line == "saltus bench --short" || line == "saltus doctor" {
            continue; // other tests run them; here they would take most of the time
        }
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some("saltus"), "{line}");
        let mut command: Command = place.command(words);
        command.current_dir(files.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ended = Running::start(&mut command).ended();
        assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
        done += 1;
    }
    assert!(done >= 8, "{done} commands");
    for file in ["idle.hlog", "load.hlog", "machine.html", "hops.hlog", "hops.html", "bench/bench.json"] {
        assert!(files.path().join(file).is_file(), "{file}: {:?}", files.names());
    }
    for running in [reader, publisher] {
        running.signal(libc::SIGINT);
        running.ended().with(0);
    }
}
