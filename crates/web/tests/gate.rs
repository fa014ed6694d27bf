//! Access control, and limits for admitted clients.

#[path = "rig/flood.rs"]
mod flood;
#[path = "rig/neighbor.rs"]
mod neighbor;
mod rig;

use neighbor::as_other_user;
use rig::{LONG, Rig, domain, until};
use serde_json::Value as Json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

type Socket = WebSocket<TcpStream>;

/// A WebSocket with these headers.
fn socket(rig: &Rig, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
    let mut request = format!("ws://{}/ws", rig.address).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match tungstenite::client(request, rig.connect()) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
            Err(answer.status().as_u16())
        }
        Err(e) => panic!("{e}"),
    }
}

/// Reads the next frame of that kind, alone or inside a `turn` frame, and acknowledges each `turn`.
fn frame(socket: &mut Socket, op: &str) -> Json {
    loop {
        let Message::Text(text) = socket.read().unwrap() else { continue };
        let mut json: Json = serde_json::from_str(&text).unwrap();
        if json["op"] == "turn" {
            socket.send(Message::text(r#"{"op":"took"}"#)).unwrap();
            json = json["said"]
                .as_array()
                .unwrap()
                .iter()
                .find(|said| said["op"] == op)
                .cloned()
                .unwrap_or_default();
        }
        if json["op"] == op {
            return json;
        }
    }
}

/// The reason for which the server closes a connection.
fn close_reason(socket: &mut Socket) -> (u16, String) {
    loop {
        if let Message::Close(frame) = socket.read().unwrap() {
            let frame = frame.unwrap();
            return (frame.code.into(), frame.reason.to_string());
        }
    }
}

#[test]
fn on_loopback_requests_from_other_sites_are_refused() {
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[]);
    let port = rig.address.port();
    let page = rig.get("/", &format!("host: localhost:{port}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Saltus spy"), "{page}");
    assert!(page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(rig.get("/", "host: 127.0.0.1\r\n").starts_with("HTTP/1.1 200"));
    assert!(rig.get("/", "host: evil.example\r\n").starts_with("HTTP/1.1 421"));
    assert!(rig.get("/", "").starts_with("HTTP/1.1 4"), "a request without a host");
    let foreign = format!("host: localhost:{port}\r\norigin: http://evil.example\r\n");
    assert!(rig.get("/", &foreign).starts_with("HTTP/1.1 403"));
    assert_eq!(socket(&rig, &[("origin", "http://evil.example")]).err(), Some(403));
    assert_eq!(socket(&rig, &[("origin", "null")]).err(), Some(403));
    assert_eq!(socket(&rig, &[("host", "evil.example")]).err(), Some(421));
    let same = format!("http://{}", rig.address);
    let mut socket = socket(&rig, &[("origin", &same)]).unwrap();
    assert_eq!(frame(&mut socket, "hello")["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn on_loopback_other_users_need_a_token_and_the_servers_own_user_none() {
    if saltus_os::process::user() != 0 {
        return eprintln!("skipped: only root can act as another user");
    }
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[]);
    let port = rig.address.port();
    let refused = as_other_user(port, "/");
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("--token"), "{refused}");
    assert!(as_other_user(port, "/ws").starts_with("HTTP/1.1 403"));
    assert!(rig.get("/", "host: localhost\r\n").starts_with("HTTP/1.1 200"));

    let rig = Rig::new("127.0.0.1:0 token", &domain(), None, &[]);
    let (_, token) = rig.url.split_once("/?").expect("the URL has the token");
    let port = rig.address.port();
    assert!(as_other_user(port, "/").starts_with("HTTP/1.1 401"));
    assert!(as_other_user(port, &format!("/?{token}")).starts_with("HTTP/1.1 200"));
    assert!(rig.get("/", "host: localhost\r\n").starts_with("HTTP/1.1 401"));
    assert!(rig.get(&format!("/?{token}"), "host: evil.example\r\n").starts_with("HTTP/1.1 421"));
}

#[test]
fn beyond_loopback_a_token_is_asked_for_and_a_cookie_takes_its_place() {
    let rig = Rig::new("0.0.0.0:0", &domain(), None, &[]);
    let host = format!("host: {}\r\n", rig.address);
    let (_, token) = rig.url.split_once("/?").unwrap();
    assert!(rig.get("/", &host).starts_with("HTTP/1.1 401"));
    assert!(rig.get("/?token=", &host).starts_with("HTTP/1.1 401"));
    assert!(rig.get("/?token=0123456789abcdef0123456789abcdef", &host).starts_with("HTTP/1.1 401"));
    assert_eq!(socket(&rig, &[]).err(), Some(401));
    let page = rig.get(&format!("/?{token}"), &host);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("HttpOnly; SameSite=Strict"), "{page}");
    let cookie = page.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    assert!(rig.get("/main.js", &format!("{host}cookie: a=b; {cookie}\r\n")).starts_with("HTTP/1.1 200"));
    frame(&mut socket(&rig, &[("cookie", cookie)]).unwrap(), "hello");
    assert_eq!(socket(&rig, &[("cookie", cookie), ("origin", "http://evil.example")]).err(), Some(403));
}

#[test]
fn an_invalid_request_gets_an_error_and_a_flooding_client_is_disconnected() {
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[]);
    let mut one = socket(&rig, &[]).unwrap();
    for (nonsense, reported) in [
        ("", "not a request"),
        ("{\"op\":\"show\",\"open\":{}}", "not a request"),
        (r#"{"op":"player","do":"play"}"#, "no log to play"),
    ] {
        one.send(Message::text(nonsense)).unwrap();
        let words = frame(&mut one, "error")["text"].to_string();
        assert!(words.contains(reported), "{nonsense}: {words}");
    }
    let many = format!(r#"{{"op":"show","plots":[{}{{}}]}}"#, "{},".repeat(32));
    one.send(Message::text(many)).unwrap();
    assert!(frame(&mut one, "error")["text"].to_string().contains("at most 32"));
    // It is still served.
    one.send(Message::text(r#"{"op":"show","hz":1e308,"rows":{"from":99999999999,"to":0}}"#)).unwrap();
    assert_eq!(frame(&mut one, "rows")["rows"], serde_json::json!([]));

    let mut long = socket(&rig, &[]).unwrap();
    // The other end may close before everything is written.
    let _ = long.send(Message::text("x".repeat(1 << 20)));
    until("it is disconnected", || long.read().is_err());
    let mut binary = socket(&rig, &[]).unwrap();
    binary.send(Message::binary(vec![0; 10])).unwrap();
    assert_eq!(close_reason(&mut binary), (1003, "requests are text".into()));
    let mut head = rig.connect();
    let _ = write!(head, "GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "x".repeat(1 << 20));
    let mut answer = Vec::new();
    let _ = head.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    frame(&mut socket(&rig, &[]).unwrap(), "hello");
}

#[test]
fn connections_that_never_become_pages_keep_nobody_out() {
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[]);
    let mut first = socket(&rig, &[]).unwrap();
    frame(&mut first, "hello");
    let mut idle: Vec<TcpStream> = (0..256).map(|_| rig.connect()).collect();
    let half = |_| {
        let mut stream = rig.connect();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nx-half: ").unwrap();
        stream
    };
    let _half: Vec<TcpStream> = (0..256).map(half).collect();
    let start = Instant::now();
    assert!(rig.get("/icon.svg", "host: localhost\r\n").starts_with("HTTP/1.1 200"));
    frame(&mut socket(&rig, &[]).unwrap(), "hello");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    // The oldest connection was closed.
    let mut oldest = idle.swap_remove(0);
    assert!(matches!(oldest.read(&mut [0]), Ok(0) | Err(_)), "its connection has ended");
    // An existing page stays.
    first.send(Message::text("{}")).unwrap();
    frame(&mut first, "error");
}

#[test]
fn a_page_that_pings_and_never_reads_takes_little_memory_and_is_let_go() {
    let rig = Rig::patient("127.0.0.1:0", &domain(), None, &[], Duration::from_secs(3));
    let page = socket(&rig, &[]).unwrap();
    flood::until_disconnected(page.get_ref(), LONG);
    frame(&mut socket(&rig, &[]).unwrap(), "hello"); // others are served
}

#[test]
fn a_page_that_closes_is_answered_with_its_own_code() {
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[]);
    let mut page = socket(&rig, &[]).unwrap();
    frame(&mut page, "hello");
    let code = tungstenite::protocol::frame::coding::CloseCode::Normal;
    page.close(Some(tungstenite::protocol::CloseFrame { code, reason: "".into() })).unwrap();
    assert_eq!(close_reason(&mut page).0, 1000);
}

#[test]
fn a_page_beyond_the_limit_gets_the_reason_and_closing_one_frees_a_place() {
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[]);
    let mut pages: Vec<Socket> = (0..64).map(|_| socket(&rig, &[]).unwrap()).collect();
    pages.iter_mut().for_each(|page| drop(frame(page, "hello")));
    let mut refused = socket(&rig, &[]).unwrap();
    assert_eq!(
        close_reason(&mut refused),
        (1013, "64 pages are open already: close one, and try again".into())
    );
    pages.truncate(63);
    until(
        "one slot is free",
        || matches!(socket(&rig, &[]).unwrap().read().unwrap(), Message::Text(hello) if hello.contains("hello")),
    );
}

#[test]
fn a_page_gets_the_next_turn_when_it_has_taken_the_one_before() {
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[]);
    let mut page = socket(&rig, &[]).unwrap();
    frame(&mut page, "hello");
    page.send(Message::text(r#"{"op":"show","hz":30,"rows":{"to":9}}"#)).unwrap();
    let is_turn = |message: Message| message.to_text().unwrap().starts_with(r#"{"op":"turn","values":0,"#);
    assert!(is_turn(page.read().unwrap()));
    page.get_ref().set_read_timeout(Some(Duration::from_millis(700))).unwrap();
    assert!(matches!(page.read(), Err(tungstenite::Error::Io(_))), "nothing is sent before its request");
    page.get_ref().set_read_timeout(Some(LONG)).unwrap();
    page.send(Message::text(r#"{"op":"took"}"#)).unwrap();
    assert!(is_turn(page.read().unwrap()));
}

#[test]
fn errors_are_sent_to_every_page() {
    let folder = format!("/dev/shm/saltus-web-gate-{}", std::process::id());
    std::fs::create_dir(&folder).unwrap();
    let rig =
        Rig::new("127.0.0.1:0", &saltus_domain::Domain::open(&format!("shm://{folder}")).unwrap(), None, &[]);
    let mut pages = [(); 2].map(|()| socket(&rig, &[]).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "a file where the domain was").unwrap();
    let reported = pages.each_mut().map(|page| frame(page, "error")["text"].to_string());
    std::fs::remove_file(&folder).unwrap();
    assert!(reported.iter().all(|words| words.contains(&folder)), "{reported:?}");
}

#[test]
fn views_come_from_their_folder_and_nothing_else_does() {
    let folder = std::env::temp_dir().join(format!("saltus-web-views-{}", std::process::id()));
    let views = folder.join("views");
    std::fs::create_dir_all(&views).unwrap();
    std::fs::write(views.join("mine.js"), "export default {}").unwrap();
    std::fs::write(views.join("notes.txt"), "mine").unwrap();
    std::fs::write(folder.join("secret.js"), "secret").unwrap();
    let rig = Rig::new("127.0.0.1:0", &domain(), Some(views), &[]);
    let mine = rig.get("/own/mine.js", "host: localhost\r\n");
    assert!(mine.contains("content-type: text/javascript") && mine.ends_with("export default {}"), "{mine}");
    for path in [
        "/own/..%2fsecret.js",
        "/own/../secret.js",
        "/own/%2e%2e/secret.js",
        "/own/notes.txt",
        "/own/no.js",
        "/secret.js",
    ] {
        assert!(rig.get(path, "host: localhost\r\n").starts_with("HTTP/1.1 404"), "{path}");
    }
    assert_eq!(frame(&mut socket(&rig, &[]).unwrap(), "hello")["views"], serde_json::json!(["mine.js"]));
    std::fs::remove_dir_all(&folder).unwrap();
}
