//! A log with a play bar in a third-party client.

mod support;

use saltus_foxglove::{Playing, Tape};
use saltus_log::{Event, Format, Log, Types, Writer, WriterOptions};
use saltus_play::Reel;
use saltus_types::cdr::Dialect;
use serde_json::{Value, json};
use support::{Client, Place, Serving, message, pose, schema};

const SECOND: i64 = 1_000_000_000;
const START: i64 = 1_700_000_000 * SECOND;
const PLAYING: u64 = 0;
const PAUSED: u64 = 1;
const ENDED: u64 = 3;

/// A log of `count` poses, a tenth of a second apart, each with a message of another channel.
fn tape(place: &Place, format: Format, count: i64, playing: Playing) -> Tape {
    let mut writer = Writer::new(Vec::new(), format, WriterOptions::new()).unwrap();
    writer.types().add_all(&schema());
    for number in 0..count {
        let log_time = START + number * SECOND / 10;
        let data = message("demo.pose", &pose(number));
        writer.write(&Event { channel: b"POSE", data: &data, log_time, ..Event::default() }).unwrap();
        let data = message("demo.other", &json!({ "x": number }));
        writer.write(&Event { channel: b"OTHER", data: &data, log_time, ..Event::default() }).unwrap();
    }
    let path = place.file("log", &writer.finish().unwrap());
    let mut types = Types::new();
    if format == Format::Lcm {
        types.add_all(&schema());
    }
    let reel = Reel::new(vec![Log::open(&path).unwrap()]);
    Tape::new(reel, types, Dialect::Ros2Msg, playing).unwrap().unwrap()
}

fn serve(tape: Tape) -> Serving {
    Serving::start(Serving::settings(), |server| server.play(tape).unwrap())
}

/// The player's state in reply to a request.
fn answer(client: &mut Client, request: &str) -> Value {
    client.until(&format!("an answer to {request}"), |e| e["event"] == "state" && e["request"] == request)
}

#[test]
fn a_log_begins_with_the_first_subscription_and_comes_whole() {
    for format in [Format::Lcm, Format::Mcap] {
        let place = Place::new();
        let playing = Playing { speed: 20.0, ..Playing::default() };
        let serving = serve(tape(&place, format, 60, playing));
        let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
        let info = client.until("the server introduces itself", |event| event["event"] == "serverInfo");
        assert_eq!(info["said"]["capabilities"], json!(["connectionGraph", "time", "playbackControl"]));
        assert_eq!(info["said"]["dataStartTime"], json!({ "sec": 1_700_000_000, "nsec": 0 }));
        assert_eq!(info["said"]["dataEndTime"], json!({ "sec": 1_700_000_005, "nsec": 900_000_000 }));
        let state = client.until("how it stands", |event| event["event"] == "state");
        assert_eq!((&state["stand"], &state["time"]), (&json!(PAUSED), &json!(START)));
        client.channel("POSE");
        client.subscribe("POSE");
        let ended = client.until("the end", |event| event["event"] == "state" && event["stand"] == ENDED);
        assert_eq!(ended["time"], START + 59 * SECOND / 10);
        client.until("the last time", |event| event["event"] == "time" && event["time"] == ended["time"]);
        let all: Vec<Value> = client.seen.iter().filter(|e| e["event"] == "message").cloned().collect();
        assert_eq!(all.len(), 60, "{format:?}");
        for (number, came) in (0..60).zip(&all) {
            assert_eq!(
                (&came["topic"], &came["time"]),
                (&json!("POSE"), &json!(START + number * SECOND / 10))
            );
            assert_eq!(
                (&came["value"]["utime"], &came["value"]["name"]),
                (&json!(number), &pose(number)["name"])
            );
        }
        let times: Vec<u64> =
            client.seen.iter().filter(|e| e["event"] == "time").filter_map(|e| e["time"].as_u64()).collect();
        // Their number depends on how often the player runs: of several that wait, a client gets the newest.
        assert!(times.is_sorted(), "{times:?}");
    }
}

#[test]
fn a_client_pauses_seeks_and_plays_on() {
    let place = Place::new();
    let serving = serve(tape(&place, Format::Mcap, 600, Playing { paused: true, ..Playing::default() }));
    let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
    client.channel("POSE");
    client.subscribe("POSE");
    let to = START + 30 * SECOND;
    client.tell(json!({ "do": "play", "command": 1, "speed": 1.0, "seek": to, "request": "seek" }));
    let state = answer(&mut client, "seek");
    assert_eq!((&state["stand"], &state["time"], &state["moved"]), (&json!(PAUSED), &json!(to), &json!(1)));
    let came = client.message("POSE");
    assert_eq!(came["value"]["utime"], 299, "what was last said before, though it is paused");
    // Slowly, so that there are several time messages even if the player and the client are late.
    client.tell(json!({ "do": "play", "command": 0, "speed": 0.01, "seek": null, "request": "slowly" }));
    answer(&mut client, "slowly");
    let mut last = to as u64;
    for _ in 0..4 {
        let reported = |e: &Value| e["time"].as_u64().filter(|_| e["event"] == "time");
        let event = client.until("a later time", |e| reported(e).is_some_and(|time| time > last));
        last = reported(&event).expect("a time");
    }
    client.tell(json!({ "do": "play", "command": 0, "speed": 50.0, "seek": null, "request": "play" }));
    let state = answer(&mut client, "play");
    assert_eq!(
        (&state["stand"], &state["speed"], &state["moved"]),
        (&json!(PLAYING), &json!(50.0), &json!(0))
    );
    for number in 300..320 {
        assert_eq!(client.message("POSE")["value"]["utime"], number);
    }
    client.tell(json!({ "do": "play", "command": 1, "speed": 50.0, "seek": null, "request": "pause" }));
    let paused = answer(&mut client, "pause");
    assert_eq!(paused["stand"], PAUSED);
    client.tell(json!({ "do": "play", "command": 1, "speed": -1.0, "seek": 1, "request": "start" }));
    let state = answer(&mut client, "start");
    assert_eq!((&state["time"], &state["speed"]), (&json!(START), &json!(50.0)), "it stays within the log");
    client.tell(json!({ "do": "binary", "hex": "0307" }));
    let status = client.until("it is told", |event| event["event"] == "status");
    assert_eq!(
        (&status["level"], &status["message"]),
        (&json!(2), &json!("a binary message with opcode 3 ends after 2 B, too early"))
    );
}

#[test]
fn clients_of_the_older_protocol_get_no_playback_messages() {
    let place = Place::new();
    let serving = serve(tape(&place, Format::Mcap, 30, Playing { speed: 20.0, ..Playing::default() }));
    let mut client = Client::new(&serving.url, "foxglove.websocket.v1");
    let info = client.until("the server introduces itself", |event| event["event"] == "serverInfo");
    assert_eq!(info["said"]["capabilities"], json!(["connectionGraph", "time"]));
    client.channel("POSE");
    client.subscribe("POSE");
    client.until("the last", |event| event["event"] == "message" && event["value"]["utime"] == 29);
    assert!(!client.seen.iter().any(|event| event["event"] == "state"), "opcode 5 is not of that protocol");
}
