//! hub: forwards messages, prints totals, and stops on request.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ChildStdout;
use std::time::Duration;

use saltus_net::tcpq::{Arrived, Client};
use support::{Place, Running, until};

struct Hub {
    running: Running,
    lines: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Hub {
    fn start(place: &Place, arguments: &[&str]) -> Hub {
        let mut running =
            place.start(["hub", "--listen", "127.0.0.1:0", "--json"].iter().chain(arguments).copied());
        let mut lines = BufReader::new(running.output());
        let address = next(&mut lines)["listening"].as_str().unwrap().parse().unwrap();
        Hub { running, lines, address }
    }
    fn client(&self) -> Client {
        Client::open(&[self.address]).unwrap()
    }
    /// Stops it, and returns its totals and its messages.
    fn end(mut self) -> (serde_json::Value, String) {
        self.running.signal(libc::SIGINT);
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        let ended = self.running.ended().with(0);
        (serde_json::from_str(rest.lines().last().unwrap()).unwrap(), ended.err)
    }
}

fn next(lines: &mut impl BufRead) -> serde_json::Value {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
}

#[test]
fn messages_are_handed_on_and_counted() {
    let place = Place::new();
    let hub = Hub::start(&place, &[]);
    let (sender, listener) = (hub.client(), hub.client());
    listener.subscribe(b"A").unwrap();
    for n in 0..100 {
        sender.publish(if n % 2 == 0 { b"B" } else { b"A" }, &[n]).unwrap();
    }
    let mut got = Vec::new();
    until("all messages", || {
        listener.drain(&mut |m: Arrived<'_>| got.push(m.payload[0])).unwrap();
        got.len() == 50
    });
    assert!(got.iter().copied().eq((1..100).step_by(2)));
    let (all, reported) = hub.end();
    assert_eq!(all["sent"], 50);
    assert_eq!(
        (all["client"].as_str(), all["received"].as_u64(), all["dropped"].as_u64()),
        (Some("all"), Some(100), Some(0))
    );
    assert_eq!(reported, "", "clients that come and go are nothing to tell of");
}

#[test]
fn statistics_cover_each_client_and_all() {
    let place = Place::new();
    let mut hub = Hub::start(&place, &["--stat", "-i", "20ms"]);
    let client = hub.client();
    client.subscribe(b"A|B").unwrap();
    client.publish(b"A", b"12345678").unwrap();
    until("a line about the client", || {
        let line = next(&mut hub.lines);
        let frame = 4 + 4 + 1 + 4 + 8;
        line["client"] != "all" && line["received"] == 1 && {
            assert!(line["client"].as_str().unwrap().starts_with("127.0.0.1:"), "{line}");
            assert_eq!(
                (&line["subscriptions"], &line["received_bytes"]),
                (&1.into(), &frame.into()),
                "{line}"
            );
            true
        }
    });
    hub.end();
}

#[test]
fn disconnected_clients_and_refusals_are_logged() {
    let place = Place::new();
    let hub = Hub::start(&place, &["--clients", "1"]);
    let mut rude = TcpStream::connect(hub.address).unwrap();
    rude.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    rude.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let _ = rude.read_to_end(&mut Vec::new()); // until it is closed
    let client = hub.client();
    client.subscribe(b"(").unwrap();
    let mut second = TcpStream::connect(hub.address).unwrap();
    second.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let _ = second.read_to_end(&mut Vec::new());
    let (all, reported) = hub.end();
    assert_eq!(all["refused"], 1);
    let reported: Vec<&str> = reported.lines().collect();
    assert!(reported.len() == 3, "{reported:?}");
    assert!(reported[0].contains(": it sent invalid data: first word 0x47455420"), "{reported:?}");
    assert!(reported[1].contains("matches nothing: `(` is not a regular expression"), "{reported:?}");
    assert!(
        reported.iter().any(|line| line.contains("the maximum number of clients is reached")),
        "{reported:?}"
    );
}

/// What another user of this machine gets from it within a second. Needs root.
fn as_other_user(address: SocketAddr) -> Vec<u8> {
    use std::os::unix::process::CommandExt;
    let script = format!("exec 3<>/dev/tcp/{}/{}; timeout 1 cat <&3", address.ip(), address.port());
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &script]).uid(60_001).gid(60_001).output().unwrap().stdout
}

#[test]
fn it_accepts_only_the_addresses_and_the_user_that_it_is_told_to() {
    let place = Place::new();
    let hub = Hub::start(&place, &["--allow", "10.0.0.0/8,127.0.0.2"]);
    let mut refused = TcpStream::connect(hub.address).unwrap();
    refused.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(refused.read(&mut [0; 8]).unwrap_or(0), 0, "a hello for a client that is not accepted");
    let (_, told) = hub.end();
    assert!(told.contains(": clients of its address or user are not accepted"), "{told}");
    let ended = place.run(["hub", "--allow", "robot"]).with(2);
    assert!(ended.err.contains("such as 10.0.0.7 or 192.168.1.0/24"), "{}", ended.err);

    let hub = Hub::start(&place, &["--own-user"]);
    let client = hub.client();
    client.subscribe(b"A").unwrap();
    client.publish(b"A", b"1").unwrap();
    let mut got = 0;
    until("the message", || {
        client.drain(&mut |_| got += 1).unwrap();
        got == 1
    });
    if saltus_os::process::user() == 0 {
        assert_eq!(as_other_user(hub.address), b"");
    }
    drop(client);
    hub.end();
    if saltus_os::process::user() == 0 {
        let hub = Hub::start(&place, &[]);
        assert_eq!(as_other_user(hub.address).len(), 8, "its hello");
        hub.end();
    }
}

#[test]
fn it_reports_its_address_or_why_it_cannot_listen() {
    let place = Place::new();
    let hub = Hub::start(&place, &[]);
    assert!(hub.address.ip().is_loopback());
    place.run(["hub", "--listen", &hub.address.to_string()]).saying(1, "ss -ltnp");
    hub.end();
    let ended = place.run(["hub", "--listen", "no.such.host.invalid"]).with(2);
    assert!(ended.err.contains("such as 127.0.0.1:7700"), "{}", ended.err);
    place.run(["hub", "--queue", "much"]).with(2);
    for clients in ["0", "-1", "many"] {
        let ended = place.run(["hub", &format!("--clients={clients}")]).with(2);
        assert!(ended.err.contains("expected a whole number, 1 or more"), "{}", ended.err);
    }
    let mut plain = place.start(["hub", "--listen", "0", "--stat", "-i", "50ms"]);
    let mut lines = BufReader::new(plain.output()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with("listening on 127.0.0.1:"));
    assert!(lines.find(|line| line.starts_with("CLIENT")).unwrap().contains("DROPPED"));
    plain.signal(libc::SIGTERM);
    assert_eq!(lines.last().unwrap(), "0 messages received, 0 forwarded, 0 dropped for slow clients");
    plain.ended().with(0);
}
