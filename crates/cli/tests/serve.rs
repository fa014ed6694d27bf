//! `saltus serve --foxglove` prints the address for clients, serves them, and stops on request.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::Place;

/// A third-party client, which prints a line of JSON for each event.
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../foxglove/tests/support/client.py");

#[test]
fn a_client_gets_a_message_and_publishes_one_until_ctrl_c() {
    let (place, python) = (Place::new(), saltus_peers::python());
    place.run(["pub", "A", "hello"]).with(0);
    let all = ["serve", "--foxglove", "--allow-publish", "--json", "--listen", "127.0.0.1:0"];
    let mut serving = place.start(all);
    let mut ready = String::new();
    BufReader::new(serving.output()).read_line(&mut ready).unwrap();
    let ready: Value = serde_json::from_str(&ready).unwrap();
    let url = ready["url"].as_str().unwrap();
    assert!(url.starts_with("ws://127.0.0.1:") && url.contains("?token="), "{ready}");
    let mut client = Command::new(python);
    client.env("PYTHONDONTWRITEBYTECODE", "1").args([CLIENT, url, "foxglove.sdk.v1"]);
    let mut client = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut orders = client.stdin.take().unwrap();
    for order in [
        json!({ "do": "subscribe", "topic": "A" }),
        json!({ "do": "advertise", "topic": "B", "encoding": "lcm", "schema_name": "" }),
        json!({ "do": "publish", "channel": 1, "hex": "6869" }),
    ] {
        writeln!(orders, "{order}").unwrap();
    }
    let events = BufReader::new(client.stdout.take().unwrap()).lines();
    let mut events = events.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let message = events.find(|event| event["event"] == "message").expect("a message comes");
    assert_eq!((&message["topic"], &message["value"]), (&json!("A"), &json!("68656c6c6f")));
    place.until_published("B", 1);
    serving.signal(libc::SIGINT);
    serving.ended().with(0);
    drop(orders);
    events.for_each(drop);
    client.wait().unwrap();
}

#[test]
fn invalid_arguments_are_errors() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    place.run(["serve", "--foxglove", "--listen", &address]).saying(1, &address);
    place.run(["serve", "--foxglove", "--allow-publish", "run.mcap"]).with(2);
    place.run(["serve"]).with(2);
}
