//! `saltus spy --web` prints a working URL, plays logs, and stops on request.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use support::Place;
use support::files::Files;

/// The response of a URL on this machine.
fn get(url: &str) -> String {
    let (host, path) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_url_that_it_prints_answers_until_ctrl_c() {
    let place = Place::new();
    let files = Files::new();
    let log = files.at("run.lcmlog");
    place.run(["pub", "A", "hello"]).with(0);
    place.run(["record", "A", "--start", "oldest", "-n", "1", "--quiet", "-o", &log]).with(0);
    let views = files.path().display().to_string();
    let arguments = [vec![], vec!["--play", &log], vec!["--views", &views], vec!["--listen", "0.0.0.0:0"]];
    for more in arguments {
        let listen = if more.contains(&"--listen") { vec![] } else { vec!["--listen", "127.0.0.1:0"] };
        let all = [vec!["spy", "--web"], listen, more.clone()].concat();
        let mut running = place.start(&all);
        let mut url = String::new();
        BufReader::new(running.output()).read_line(&mut url).unwrap();
        assert_eq!(url.contains("?token="), more.contains(&"--listen"), "{url}");
        let page = get(&url);
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("Saltus spy"), "{all:?}: {page}");
        running.signal(libc::SIGINT);
        running.ended().with(0);
    }
}

#[test]
fn invalid_arguments_are_errors() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    place.run(["spy", "--web", "--listen", &address]).saying(1, "--listen names another address and port");
    place
        .run(["spy", "--web", "--listen", "127.0.0.1:0", "--views", "/no/where"])
        .saying(2, "expected a directory");
    place.run(["spy", "--web", "--listen", "127.0.0.1:0", "--play", "/no/where"]).saying(1, "/no/where");
}
