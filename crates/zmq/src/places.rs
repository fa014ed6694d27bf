//! The endpoints in a URL.

use super::directory::Directory;
use saltus_transport::{Result, Url};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs, UdpSocket};

/// The endpoints of a URL, in the library's format.
#[derive(Debug)]
pub(super) struct Places {
    pub directory: Option<Directory>,
    pub bind: Vec<String>,
    pub connect: Vec<String>,
}

const EXAMPLES: &str =
    "expected, for example, zmq:///run/robot, or zmq://?bind=127.0.0.1:5555&connect=10.0.0.2:5555";

impl Places {
    pub fn of(url: &mut Url) -> Result<Places> {
        let directory = match url.network.as_str() {
            "" => None,
            path if path.starts_with('/') => Some(Directory::new(path)?),
            _ => {
                return Err(url.invalid(&format!("the part before `?` must be a directory; {EXAMPLES}")));
            }
        };
        let mut list = |key| -> Result<Vec<String>> {
            let text: String = url.take(key, "endpoints")?.unwrap_or_default();
            let bad = |e: &str| {
                url.invalid(&format!("`{key}` contains `{e}`, which is not HOST:PORT or /PATH; {EXAMPLES}"))
            };
            text.split(',').filter(|e| !e.is_empty()).map(|e| endpoint(e).ok_or_else(|| bad(e))).collect()
        };
        let places = Places { bind: list("bind")?, connect: list("connect")?, directory };
        if places.directory.is_none() && places.bind.is_empty() && places.connect.is_empty() {
            return Err(url.invalid(&format!("it has no address; {EXAMPLES}")));
        }
        Ok(places)
    }

    /// Whether the endpoint `connect` leads to a socket bound here.
    pub fn is_own(&self, connect: &str) -> bool {
        self.bind.iter().any(|bind| leads(connect, bind))
    }
    /// Whether an endpoint is an IPv6 address.
    pub fn has_ipv6(&self) -> bool {
        self.bind.iter().chain(&self.connect).any(|endpoint| endpoint.starts_with("tcp://["))
    }
}

/// `HOST:PORT`, `/PATH`, or either with a transport prefix, in the library's format.
fn endpoint(text: &str) -> Option<String> {
    let (transport, place) = text.split_once("://").unwrap_or(match text.starts_with('/') {
        true => ("ipc", text),
        false => ("tcp", text),
    });
    let makes_sense = match transport {
        "ipc" => place.starts_with('/'),
        "tcp" => parts(place).is_some_and(|(host, port)| !host.is_empty() && port != 0),
        _ => false,
    };
    makes_sense.then(|| format!("{transport}://{place}"))
}

fn parts(place: &str) -> Option<(&str, u16)> {
    let (host, port) = place.rsplit_once(':')?;
    Some((host, port.parse().ok()?))
}

/// Whether connecting to one endpoint reaches the other, which this process has bound.
fn leads(connect: &str, bind: &str) -> bool {
    let tcp = |endpoint| parts(str::strip_prefix(endpoint, "tcp://")?);
    let (Some((host, port)), Some((bound, bound_port))) = (tcp(connect), tcp(bind)) else {
        return connect == bind;
    };
    if port != bound_port {
        return false;
    }
    let addresses = |host: &str| -> Vec<IpAddr> {
        let found = (host.trim_matches(['[', ']']), port).to_socket_addrs();
        found.map(|all| all.map(|address| address.ip()).collect()).unwrap_or_default()
    };
    let (there, here) = (addresses(host), addresses(bound));
    // An asterisk or an interface name is not an address: it may be any of this machine.
    let any = here.is_empty() || here.iter().any(IpAddr::is_unspecified);
    let is_local = |ip: &IpAddr| UdpSocket::bind(SocketAddr::new(*ip, 0)).is_ok();
    there.iter().any(|ip| here.contains(ip) || any && is_local(ip))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(url: &str) -> Result<Places> {
        Places::of(&mut Url::parse(url).unwrap())
    }

    #[test]
    fn endpoints_may_leave_out_their_transport() {
        let p = places("zmq://?bind=*:5555,/tmp/a&connect=tcp://robot:1,[::1]:2,ipc:///tmp/b").unwrap();
        assert_eq!(p.bind, ["tcp://*:5555", "ipc:///tmp/a"]);
        assert_eq!(p.connect, ["tcp://robot:1", "tcp://[::1]:2", "ipc:///tmp/b"]);
        assert!(p.directory.is_none() && p.has_ipv6());
        assert!(places("zmq:///run/robot").unwrap().directory.is_some());
    }

    #[test]
    fn invalid_parameters_are_named() {
        let long = format!("zmq:///tmp/{}", "x".repeat(80));
        for (url, part) in [
            ("zmq://", "no address"),
            ("zmq://robot:5555", "directory"),
            ("zmq://?bind=5555", "`5555`"),
            ("zmq://?bind=:5555", "`:5555`"),
            ("zmq://?connect=a:0", "`a:0`"),
            ("zmq://?connect=a:99999", "`a:99999`"),
            ("zmq://?connect=udp://a:1", "`udp://a:1`"),
            ("zmq://?connect=a:1,ipc://b", "`ipc://b`"),
            (&long, "may have"),
        ] {
            let reported = places(url).unwrap_err().to_string();
            assert!(reported.contains(part), "{reported}");
        }
    }

    #[test]
    fn one_does_not_connect_to_oneself() {
        for (url, own) in [
            ("bind=127.0.0.1:5555&connect=127.0.0.1:5555", true),
            ("bind=127.0.0.1:5555&connect=localhost:5555", true),
            ("bind=*:5555&connect=127.0.0.1:5555", true),
            ("bind=0.0.0.0:5555&connect=127.0.0.1:5555", true),
            ("bind=127.0.0.1:5555&connect=127.0.0.1:5556", false),
            ("bind=127.0.0.1:5555&connect=127.0.0.2:5555", false),
            ("bind=*:5555&connect=192.0.2.1:5555", false),
            ("bind=/tmp/a&connect=/tmp/a", true),
            ("bind=/tmp/a&connect=/tmp/b", false),
        ] {
            let p = places(&format!("zmq://?{url}")).unwrap();
            assert_eq!(p.is_own(&p.connect[0]), own, "{url}");
        }
    }
}
