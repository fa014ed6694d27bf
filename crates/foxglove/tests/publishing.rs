//! Clients publish where they may, and learn how many messages were lost before they reached the server.

mod support;

use saltus_domain::{Domain, Options, Pattern, Until};
use saltus_foxglove::Settings;
use serde_json::{Value, json};
use support::{Client, PATIENCE, Place, Serving, message, pose, publisher, until};

/// A server where clients may publish.
fn open(domain: Domain) -> Serving {
    let settings = Settings { publish: true, ..Serving::settings() };
    Serving::start(settings, |server| server.show(domain, "", Default::default()).unwrap())
}

fn reported(client: &mut Client, words: &str) {
    client.until(words, |e| e["event"] == "status" && e["message"].as_str().unwrap().contains(words));
}

/// The client publishes on the channel that it advertised as this number.
fn publish(client: &mut Client, channel: u32, data: &[u8]) {
    let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    client.tell(json!({ "do": "publish", "channel": channel, "hex": hex }));
}

fn advertise(client: &mut Client, topic: &str, encoding: &str, schema: &str) {
    client.tell(json!({ "do": "advertise", "topic": topic, "encoding": encoding, "schema_name": schema }));
}

#[test]
fn json_and_cdr_of_a_client_become_messages_of_the_channels_type() {
    let place = Place::new();
    let mut poses = publisher(&place.domain(), "POSE", "demo.pose");
    poses.publish(&message("demo.pose", &pose(1))).unwrap();
    let mut others = publisher(&place.domain(), "OTHER", "demo.other");
    others.publish(&message("demo.other", &json!({ "x": 0 }))).unwrap();
    let serving = open(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
    let info = client.until("the server introduces itself", |event| event["event"] == "serverInfo");
    assert_eq!(info["said"]["capabilities"], json!(["connectionGraph", "clientPublish"]));
    assert_eq!(info["said"]["supportedEncodings"], json!(["json", "cdr", "lcm"]));
    client.channel("POSE");
    client.channel("OTHER");
    let all = Options::next(100);
    let mut poses = place.domain().subscriber_with(Pattern::name("POSE").unwrap(), all).unwrap();
    let mut news = place.domain().subscriber_with(Pattern::name("NEW").unwrap(), all).unwrap();
    let mut next = |what: &str| {
        let subscriber = if what == "POSE" { &mut poses } else { &mut news };
        let message = subscriber.receive(Until::For(PATIENCE)).unwrap();
        message.expect("the client's message arrives").data.to_vec()
    };
    assert_eq!(next("POSE"), message("demo.pose", &pose(1)), "the one that was there");
    advertise(&mut client, "POSE", "json", "");
    publish(&mut client, 1, pose(7).to_string().as_bytes());
    assert_eq!(next("POSE"), message("demo.pose", &pose(7)));
    publish(&mut client, 1, b"{\"utime\": \"never\"}");
    reported(&mut client, "a message for `POSE` was not published");
    // A channel that does not exist yet, with the type of another channel, named as viewers name it.
    advertise(&mut client, "NEW", "cdr", "demo/msg/Other");
    publish(&mut client, 2, b"\0\x01\0\0\x2a\0\0\0");
    assert_eq!(next("NEW"), message("demo.other", &json!({ "x": 42 })));
    let ours = client.channel("NEW");
    assert_eq!(ours["schemaName"], "demo/msg/Other", "its type is announced to all");
    // Already encoded; but only valid messages.
    advertise(&mut client, "POSE", "lcm", "demo.pose");
    publish(&mut client, 3, &message("demo.other", &json!({ "x": 1 })));
    publish(&mut client, 3, &message("demo.pose", &pose(8)));
    assert_eq!(next("POSE"), message("demo.pose", &pose(8)));
    for (topic, encoding, schema, words) in [
        ("POSE", "json", "demo.other", "its messages are `demo.pose`, not `demo.other`"),
        ("POSE", "ros1", "", "unsupported encoding `ros1`"),
        ("UNKNOWN", "json", "what.ever", "unknown type `what.ever`"),
        ("", "lcm", "", "`` cannot be published"),
    ] {
        advertise(&mut client, topic, encoding, schema);
        reported(&mut client, words);
    }
    drop(client);
    let domain = saltus_channel::Directory::open(&place.url()).unwrap();
    let publishers = || domain.open_channel("NEW").unwrap().info().unwrap().lanes;
    until("nobody publishes for who has gone", || publishers().iter().all(|lane| !lane.alive));
}

#[test]
fn without_leave_nobody_publishes() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.websocket.v1");
    let info = client.until("the server introduces itself", |event| event["event"] == "serverInfo");
    assert_eq!(info["said"]["capabilities"], json!(["connectionGraph"]));
    advertise(&mut client, "A", "lcm", "");
    reported(&mut client, "clients may not publish here");
    publish(&mut client, 1, b"x");
    reported(&mut client, "was not advertised by this client");
    assert_eq!(place.domain().channels().unwrap(), []);
}

#[test]
fn publishing_requires_the_token_on_this_machine_too() {
    let place = Place::new();
    let serving = open(place.domain());
    let (bare, token) = serving.url.split_once("?token=").expect("the URL has a token");
    let http = bare.replace("ws://", "");
    assert_eq!(token.len(), 32);
    let refused = get(http.trim_end_matches('/'));
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
}

/// The server's reply to a client without a token.
fn get(address: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_client_receives_exact_loss_counts_between_channel_and_server() {
    const COUNT: u64 = 20_000;
    let place = Place::new();
    let domain = Domain::open(&format!("{}?depth=8&max_message_size=64", place.url())).unwrap();
    let mut bytes = domain.publisher("FAST").unwrap();
    bytes.publish(&[0; 8]).unwrap();
    let serving = Serving::show(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
    client.channel("FAST");
    client.subscribe("FAST");
    assert_eq!(client.message("FAST")["value"], "0000000000000000");
    for number in 1..=COUNT {
        bytes.publish(&number.to_le_bytes()).unwrap();
    }
    let last: String = COUNT.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let is_message = |event: &Value| event["event"] == "message";
    client.until("the last came", |event| is_message(event) && event["value"] == last.as_str());
    let came = 1 + client.seen.iter().filter(|event| is_message(event)).count() as u64;
    let words =
        format!("{} messages of `FAST` were lost so far before they reached this server", COUNT - came);
    reported(&mut client, &words);
}

#[test]
fn the_connection_graph_and_its_changes_are_sent() {
    let place = Place::new();
    let mut poses = publisher(&place.domain(), "POSE", "demo.pose");
    poses.publish(&message("demo.pose", &pose(0))).unwrap();
    let serving = Serving::show(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
    client.channel("POSE");
    client.tell(json!({ "do": "graph" }));
    let own = format!("({})", std::process::id());
    let side = |event: &Value, side: &str, ids: &str| {
        let topics = event["said"][side].as_array().cloned().unwrap_or_default();
        let ours = topics.into_iter().find(|topic| topic["name"] == "POSE");
        ours.map(|topic| topic[ids].to_string())
    };
    client.until("the publisher is told of", |event| {
        side(event, "publishedTopics", "publisherIds").is_some_and(|ids| ids.contains(&own))
    });
    client.subscribe("POSE");
    client.until("the client itself is told of", |event| {
        side(event, "subscribedTopics", "subscriberIds").is_some_and(|ids| ids.contains("client 1"))
    });
    drop(poses);
    client.until("it is told that nobody publishes", |event| {
        side(event, "publishedTopics", "publisherIds").is_some_and(|ids| ids == "[]")
    });
}
