//! demo: the command around the robot. The robot is tested in its own crate.

#![cfg(feature = "demo")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use support::Place;

#[test]
fn the_demo_reports_exits_with_the_verdict_and_leaves_nothing() {
    let place = Place::new();
    let ended = place.run(["demo", "--duration", "2", "--json"]);
    let report: serde_json::Value = serde_json::from_str(ended.text().trim()).expect("a report in JSON");
    // Whether it stands at 1000 steps per second also depends on the machine.
    let ok = report["verdict"]["ok"].as_bool().expect("a verdict");
    ended.with(if ok { 0 } else { 1 });
    assert!(!place.path().exists(), "the domain that was made for it is gone");
}

#[test]
fn without_control_the_robot_falls_and_the_demo_fails() {
    let place = Place::new();
    place.run(["demo", "--duration", "3s", "--no-control"]).with(1);
    assert!(!place.path().exists());
}

#[test]
fn ctrl_c_ends_the_demo_and_leaves_nothing() {
    let place = Place::new();
    let demo = place.start(["demo", "--duration", "10m"]);
    place.until_published("imu", 200);
    demo.signal(libc::SIGINT);
    let ended = demo.ended();
    assert!(matches!(ended.code, Some(0 | 1)), "a verdict, not a signal: {ended:?}");
    assert!(!ended.out.is_empty(), "the report is printed");
    assert!(!place.path().exists());
}

#[test]
fn the_demo_does_not_touch_a_domain_in_use() {
    let place = Place::new();
    place.run(["pub", "imu", "mine", "-q"]).with(0);
    let refused = place.run(["demo", "--duration", "1s"]).saying(1, "`imu`");
    assert_eq!(place.run(["ls"]).with(0).text(), "imu\n");
    // The named remedy works.
    let (_, remedy) = refused.err.split_once("`saltus ").expect("a command");
    let (remedy, _) = remedy.split_once('`').expect("a command");
    place.run(remedy.split(' ')).with(0);
    assert_eq!(place.run(["ls"]).with(0).text(), "");
}

#[test]
fn an_impossible_demo_is_a_usage_error() {
    let place = Place::new();
    for arguments in
        ["demo --seconds 0", "demo --seconds x", "demo --speed 0", "demo-process nonsense", "demo-process"]
    {
        place.run(arguments.split(' ')).with(2);
    }
    place.run(["demo", "--lidar", "/nonexistent/scans.log"]).saying(1, "/nonexistent/scans.log");
}

/// The answer to a request of a URL's page; `None` if nothing listens there.
fn page_of(url: &str) -> Option<String> {
    let address = url.strip_prefix("http://")?.split('/').next()?;
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

#[test]
fn the_robot_is_seen_in_a_browser_while_the_demo_runs_and_not_after_it() {
    let place = Place::new();
    let mut demo = place.start(["demo", "--web", "--listen", "127.0.0.1:0", "--duration", "10m"]);
    let mut out = BufReader::new(demo.output());
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    let (_, url) = line.split_once("in a browser: ").expect("a URL");
    assert!(url.contains("#open=truth@balance"), "{url}");
    assert!(
        page_of(url).is_some_and(|page| page.starts_with("HTTP/1.1 200") && page.contains("<title>Saltus")),
        "{url}"
    );
    let url = url.trim_end();
    demo.signal(libc::SIGINT);
    out.read_to_string(&mut String::new()).expect("a report");
    let ended = demo.ended();
    assert!(matches!(ended.code, Some(0 | 1)), "a verdict, not a signal: {ended:?}");
    assert!(page_of(url).is_none(), "the server stopped with the demo");
}

#[test]
fn an_address_in_use_ends_the_demo_before_it_begins() {
    let (place, taken) = (Place::new(), TcpListener::bind("127.0.0.1:0").expect("a port"));
    let address = taken.local_addr().expect("an address").to_string();
    place.run(["demo", "--web", "--listen", &address, "--duration", "10m"]).saying(1, &address);
    assert!(!place.path().exists(), "the domain that was made for it is gone");
}
