//! Channels of a domain in a third-party client.

mod support;

use saltus_domain::Domain;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};
use support::{Client, Place, Serving, message, pose, publisher, until};

/// Living subscribers of a channel in shared memory.
fn subscribers(place: &Place, channel: &str) -> usize {
    let domain = saltus_channel::Directory::open(&place.url()).unwrap();
    let info = domain.open_channel(channel).unwrap().info().unwrap();
    info.subscribers.iter().filter(|one| one.alive).count()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64
}

#[test]
fn a_foreign_client_decodes_what_was_published_under_both_names_of_the_protocol() {
    let place = Place::new();
    let mut poses = publisher(&place.domain(), "POSE", "demo.pose");
    poses.publish(&message("demo.pose", &pose(77))).unwrap();
    let serving = Serving::show(place.domain());
    for subprotocol in ["foxglove.websocket.v1", "foxglove.sdk.v1"] {
        let mut client = Client::new(&serving.url, subprotocol);
        let info = client.until("the server introduces itself", |event| event["event"] == "serverInfo");
        assert_eq!(info["said"]["capabilities"], json!(["connectionGraph"]));
        let channel = client.channel("POSE");
        assert_eq!((&channel["encoding"], &channel["schemaEncoding"]), (&json!("cdr"), &json!("ros2msg")));
        assert_eq!(subscribers(&place, "POSE"), 0, "nobody wants it yet");
        client.subscribe("POSE");
        until("the channel is subscribed", || subscribers(&place, "POSE") == 1);
        client.message("POSE"); // the newest that was there
        let before = now();
        // One by one: a channel keeps only its newest messages, and a late reader on a busy machine loses the rest.
        for number in 0..50 {
            poses.publish(&message("demo.pose", &pose(number))).unwrap();
            let came = client.message("POSE");
            assert_eq!(came["value"], came_of(number), "{subprotocol}");
            let time = came["time"].as_u64().unwrap();
            assert!(
                before <= time + 1_000_000_000 && time <= now() + 1_000_000_000,
                "{before} {time} {}",
                now()
            );
        }
        client.tell(json!({ "do": "unsubscribe", "topic": "POSE" }));
        until("nobody wants it any more", || subscribers(&place, "POSE") == 0);
    }
}

/// The pose from the other decoder, where all numbers of a field of doubles are floats.
fn came_of(number: i64) -> serde_json::Value {
    let mut value = pose(number);
    value["pos"] = json!([number as f64, 0.5, -1.0]);
    value
}

#[test]
fn a_client_sees_channels_appear_and_vanish() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
    client.subscribe("LATE");
    let mut late = publisher(&place.domain(), "LATE", "demo.other");
    late.publish(&message("demo.other", &json!({ "x": 1 }))).unwrap();
    client.channel("LATE");
    assert_eq!(client.message("LATE")["value"], json!({ "x": 1 }));
    drop(late);
    saltus_channel::Directory::open(&place.url()).unwrap().unlink("LATE").unwrap();
    client.until("the channel is gone", |event| event["event"] == "gone" && event["topic"] == "LATE");
}

#[test]
fn messages_of_unknown_type_are_sent_unchanged() {
    let place = Place::new();
    let mut bytes = place.domain().publisher("BYTES").unwrap();
    bytes.publish(b"\x01\x02\xff").unwrap();
    let serving = Serving::show(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.websocket.v1");
    let channel = client.channel("BYTES");
    assert_eq!((&channel["encoding"], &channel["schema"]), (&json!("lcm"), &json!("")));
    client.subscribe("BYTES");
    assert_eq!(client.message("BYTES")["value"], "0102ff", "the newest message arrives immediately");
    drop(Domain::open(&place.url()).unwrap());
}

#[test]
fn subscribing_to_a_network_channel_sends_its_newest_immediately() {
    let domain = Domain::open("mem://").unwrap();
    let serving = Serving::show(domain.clone());
    let mut client = Client::new(&serving.url, "foxglove.websocket.v1");
    // Published once, like a map, and never again.
    domain.publisher("MAP").unwrap().publish(b"\x01\x02\xff").unwrap();
    client.channel("MAP");
    client.subscribe("MAP");
    assert_eq!(client.message("MAP")["value"], "0102ff", "the first message is not missed");
    drop(client);
    // After all subscribers have left, a new one also gets it.
    let mut other = Client::new(&serving.url, "foxglove.sdk.v1");
    other.channel("MAP");
    other.subscribe("MAP");
    assert_eq!(other.message("MAP")["value"], "0102ff");
    other.tell(json!({ "do": "unsubscribe", "topic": "MAP" }));
    other.subscribe("MAP");
    assert_eq!(other.message("MAP")["value"], "0102ff");
}
