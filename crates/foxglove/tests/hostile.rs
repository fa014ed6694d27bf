//! Slow or hostile clients do not affect others.

#[path = "../../web/tests/rig/flood.rs"]
mod flood;
#[path = "../../web/tests/rig/neighbor.rs"]
mod neighbor;
mod support;

use saltus_foxglove::{Server, Settings};
use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};
use support::{Client, PATIENCE, Place, Serving, message, pose, publisher};

/// The address of a server's URL.
fn address(serving: &Serving) -> &str {
    serving.url.trim_start_matches("ws://").split('/').next().unwrap()
}

/// The server's reply to these bytes.
fn answer(serving: &Serving, request: &str) -> String {
    let mut stream = TcpStream::connect(address(serving)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = [0; 1024];
    let len = stream.read(&mut text).unwrap();
    String::from_utf8_lossy(&text[..len]).into_owned()
}

fn upgrade(path: &str, subprotocol: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: {subprotocol}\r\n\r\n"
    )
}

#[test]
fn a_client_without_the_token_or_protocol_gets_an_error_and_is_disconnected() {
    let place = Place::new();
    // All addresses of this machine, including loopback.
    let settings = Settings { listen: ([0, 0, 0, 0], 0).into(), ..Settings::default() };
    let domain = place.domain();
    let mut token = String::new();
    let serving = Serving::start(settings, |server: &mut Server| {
        token = server.token().expect("a token").into();
        server.show(domain, "", Default::default()).unwrap();
    });
    assert!(token.len() == 32 && serving.url.ends_with(&format!("/?token={token}")));
    assert!(answer(&serving, &upgrade("/", "foxglove.sdk.v1")).starts_with("HTTP/1.1 401"));
    assert!(answer(&serving, &upgrade("/?token=1", "foxglove.sdk.v1")).starts_with("HTTP/1.1 401"));
    let right = format!("/?token={token}");
    assert!(answer(&serving, &upgrade(&right, "chat")).starts_with("HTTP/1.1 400"));
    assert!(
        answer(&serving, &format!("GET {right} HTTP/1.1\r\nHost: x\r\n\r\n")).starts_with("HTTP/1.1 426")
    );
    assert!(answer(&serving, &upgrade(&right, "chat, foxglove.websocket.v1")).starts_with("HTTP/1.1 101"));
}

#[test]
fn on_loopback_other_users_need_a_token_and_the_servers_own_user_none() {
    if saltus_os::process::user() != 0 {
        return eprintln!("skipped: only root can act as another user");
    }
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let port = address(&serving).rsplit_once(':').unwrap().1.parse().unwrap();
    let refused = neighbor::as_other_user(port, "/");
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("--token"), "{refused}");
    assert!(answer(&serving, &upgrade("/", "foxglove.sdk.v1")).starts_with("HTTP/1.1 101"));

    let settings = Settings { listen: ([127, 0, 0, 1], 0).into(), token: true, ..Settings::default() };
    let domain = place.domain();
    let serving = Serving::start(settings, |server| server.show(domain, "", Default::default()).unwrap());
    let port = address(&serving).rsplit_once(':').unwrap().1.parse().unwrap();
    assert!(neighbor::as_other_user(port, "/").starts_with("HTTP/1.1 401"));
    let (_, path) = serving.url.trim_start_matches("ws://").split_once('/').unwrap();
    assert!(neighbor::as_other_user(port, &format!("/{path}")).starts_with("HTTP/1.1 426"), "with the token");
}

#[test]
fn invalid_requests_are_answered_and_overlong_ones_end_the_connection() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.websocket.v1");
    for (order, words) in [
        (json!({ "do": "text", "text": "{" }), "not a message of the protocol"),
        (
            json!({ "do": "text", "text": "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":9}]}" }),
            "no channel 9",
        ),
        (json!({ "do": "binary", "hex": "ff" }), "opcode 255"),
        (json!({ "do": "binary", "hex": "" }), "no opcode"),
    ] {
        client.tell(order);
        client.until(words, |e| e["event"] == "status" && e["message"].as_str().unwrap().contains(words));
    }
    client.tell(json!({ "do": "text", "text": " ".repeat(2 << 20) }));
    client.until("it is disconnected", |event| event["event"] == "let go");
    Client::new(&serving.url, "foxglove.websocket.v1"); // others are served
}

/// The reply to a request within a time, or `None` if the connection ended without one.
fn answer_within(serving: &Serving, request: &str, time: Duration) -> Option<String> {
    let mut stream = TcpStream::connect(address(serving)).unwrap();
    stream.set_read_timeout(Some(time)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = [0; 1024];
    let len = stream.read(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text[..len]).into_owned())
}

#[test]
fn connections_that_never_become_clients_keep_nobody_out() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let idle: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(address(&serving)).unwrap()).collect();
    let half: Vec<TcpStream> = (0..70)
        .map(|_| {
            let mut stream = TcpStream::connect(address(&serving)).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-Half: ").unwrap();
            stream
        })
        .collect();
    let answer = answer_within(&serving, &upgrade("/", "foxglove.sdk.v1"), Duration::from_secs(2));
    assert!(answer.as_deref().is_some_and(|text| text.starts_with("HTTP/1.1 101")), "{answer:?}");
    // A request that is not for a WebSocket gets a reply, and its connection ends.
    let mut plain = TcpStream::connect(address(&serving)).unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut text = String::new();
    plain.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 426"), "{text}");
    // All of them end although no other client connects.
    for mut stream in idle.into_iter().chain(half) {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut rest = Vec::new();
        match stream.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "it still has its slot"),
        }
    }
}

#[test]
fn a_client_beyond_the_limit_gets_an_error_and_leaving_frees_a_place() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let enter = || {
        let mut stream = TcpStream::connect(address(&serving)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(upgrade("/", "foxglove.sdk.v1").as_bytes()).unwrap();
        let mut text = [0; 1024];
        let len = stream.read(&mut text).unwrap();
        (String::from_utf8_lossy(&text[..len]).into_owned(), stream)
    };
    let mut clients: Vec<TcpStream> = Vec::new();
    for number in 0..64 {
        let (answer, stream) = enter();
        assert!(answer.starts_with("HTTP/1.1 101"), "{number}: {answer}");
        clients.push(stream);
    }
    let answer = answer_within(&serving, &upgrade("/", "foxglove.sdk.v1"), Duration::from_secs(2));
    assert!(answer.as_deref().is_some_and(|text| text.starts_with("HTTP/1.1 503")), "{answer:?}");
    clients.truncate(63);
    let start = Instant::now();
    while !enter().0.starts_with("HTTP/1.1 101") {
        assert!(start.elapsed() < PATIENCE, "no free slot although one client left");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_client_that_pings_and_never_reads_takes_little_memory_and_is_let_go() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let mut stream = TcpStream::connect(address(&serving)).unwrap();
    stream.write_all(upgrade("/", "foxglove.sdk.v1").as_bytes()).unwrap();
    flood::until_disconnected(&stream, PATIENCE);
    Client::new(&serving.url, "foxglove.sdk.v1"); // others are served
}

#[test]
fn a_client_that_closes_is_answered_with_its_own_code() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let mut stream = TcpStream::connect(address(&serving)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(upgrade("/", "foxglove.sdk.v1").as_bytes()).unwrap();
    stream.write_all(&[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]).unwrap(); // 1000
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    assert!(all.ends_with(&[0x88, 2, 0x03, 0xe8]), "{:?}", String::from_utf8_lossy(&all));
}

/// A second client, which has subscribed to a channel and does not read.
fn deaf(serving: &Serving, client: &mut Client, channel: &serde_json::Value) -> TcpStream {
    let mut stream = TcpStream::connect(address(serving)).unwrap();
    stream.write_all(upgrade("/", "foxglove.sdk.v1").as_bytes()).unwrap();
    let text = format!(r#"{{"op":"subscribe","subscriptions":[{{"id":1,"channelId":{channel}}}]}}"#);
    let mut frame = vec![0x81, 0x80 | text.len() as u8, 0, 0, 0, 0]; // a text, masked with zeros
    assert!(text.len() < 126);
    frame.extend(text.as_bytes());
    stream.write_all(&frame).unwrap();
    client.tell(json!({ "do": "graph" }));
    let who = |event: &serde_json::Value| event["said"]["subscribedTopics"].to_string().contains("client 2");
    client.until("it has subscribed", |event| event["event"] == "connectionGraphUpdate" && who(event));
    stream
}

#[test]
fn a_client_that_does_not_read_delays_no_other() {
    let place = Place::new();
    let mut poses = publisher(&place.domain(), "POSE", "demo.pose");
    poses.publish(&message("demo.pose", &pose(0))).unwrap();
    let settings = Settings { queue: 64 << 10, ..Serving::settings() };
    let serving =
        Serving::start(settings, |server| server.show(place.domain(), "", Default::default()).unwrap());
    let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
    client.channel("POSE");
    let mut big = place.domain().publisher("BIG").unwrap();
    let image = vec![7; 256 << 10];
    big.publish(&image).unwrap();
    let channel = client.channel("BIG");
    let mut slow = deaf(&serving, &mut client, &channel["id"]);
    client.subscribe("POSE");
    client.message("POSE");
    for number in 1..=200 {
        big.publish(&image).unwrap();
        poses.publish(&message("demo.pose", &pose(number))).unwrap();
        assert_eq!(client.message("POSE")["value"]["utime"], number);
    }
    // When it reads, the server reports its losses.
    slow.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut seen, mut bytes) = (Vec::new(), vec![0; 1 << 16]);
    while !String::from_utf8_lossy(&seen).contains("messages were lost so far") {
        let len = slow.read(&mut bytes).expect("a report");
        assert!(len > 0, "a report before it is disconnected");
        seen.drain(..seen.len().saturating_sub(100));
        seen.extend(&bytes[..len]);
    }
}

#[test]
fn a_rejected_client_that_does_not_read_is_disconnected_too() {
    let place = Place::new();
    let serving = Serving::show(place.domain());
    let mut client = Client::new(&serving.url, "foxglove.sdk.v1");
    let mut big = place.domain().publisher("BIG").unwrap();
    let image = vec![7; 1 << 20];
    big.publish(&image).unwrap();
    let channel = client.channel("BIG");
    let mut slow = deaf(&serving, &mut client, &channel["id"]);
    // More than the sockets hold, so that the server cannot send; then a frame that is too long.
    (0..30).for_each(|_| big.publish(&image).unwrap());
    slow.write_all(&[0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let start = Instant::now();
    let gone = loop {
        assert!(start.elapsed() < PATIENCE, "the connection is still open");
        match slow.write_all(&[0]) {
            Ok(()) => thread::sleep(Duration::from_millis(20)),
            Err(error) => break error.kind(),
        }
    };
    assert!(matches!(gone, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{gone:?}");
}
