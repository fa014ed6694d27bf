//! `tcpq://`: LCM's network over TCP, with a hub: `saltus hub`, or LCM's own.
//!
//! The first publisher or subscriber that needs the connection makes it, and it reconnects automatically. A
//! subscriber's next receive returns an error once when the connection is lost. Messages sent in between are lost,
//! and their number is unknown. Publishing without a connection returns an error immediately.

use crate::{Error, Pattern, Result};
use saltus_channel::Name;
use saltus_net::tcpq::{Arrived, Client, PORT};
use saltus_os::clock;
use saltus_os::fd::{AsFd, AsRawFd};
use saltus_transport::{Abilities, About, Arrival, Fd, Sink, Transport, Url};
use std::net::ToSocketAddrs;

/// A client of a hub.
pub(crate) struct Tcpq(Client);

pub(crate) fn open(url: Url) -> Result<Box<dyn Transport>> {
    url.finish("none")?;
    let (host, port) = hub(&url)?;
    let found = (host, port).to_socket_addrs();
    let addresses: Vec<_> = found.map_err(|e| Error::system(format!("find the host `{host}`"), e))?.collect();
    Ok(Box::new(Tcpq(Client::open(&addresses)?)))
}

/// The hub that the URL names; by default one on this machine.
fn hub(url: &Url) -> Result<(&str, u16)> {
    let network = url.network.as_str();
    let bad = |what: &str| url.invalid(&format!("{what}; expected, for example, tcpq://127.0.0.1:{PORT}"));
    // An IPv6 address contains colons, and is in brackets.
    let (host, port) = match network.strip_prefix('[') {
        Some(rest) => rest.split_once(']').ok_or_else(|| bad("its address has an unclosed bracket"))?,
        None => network.find(':').map_or((network, ""), |colon| network.split_at(colon)),
    };
    let port = match port {
        "" | ":" => PORT,
        text => text
            .strip_prefix(':')
            .and_then(|text| text.parse().ok())
            .filter(|port| *port != 0)
            .ok_or_else(|| bad("its port must be from 1 to 65535"))?,
    };
    Ok((if host.is_empty() { "127.0.0.1" } else { host }, port))
}

impl Transport for Tcpq {
    fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        Ok(self.0.publish(name.as_bytes(), payload)?)
    }

    fn receive(&self, sink: &mut dyn Sink) -> Result<()> {
        // A hub sends only bytes, without senders, times or losses.
        let about = About { arrived: clock::boottime(), lost: About::UNKNOWN, ..About::default() };
        let mut take =
            |Arrived { channel, payload }: Arrived<'_>| sink.take(Arrival { channel, payload, about });
        Ok(self.0.drain(&mut take)?)
    }

    fn descriptors(&self) -> Vec<Fd> {
        vec![Fd { raw: self.0.as_fd().as_raw_fd(), alone: false }]
    }

    fn subscribe(&self, pattern: &Pattern, _: u64) -> Result<()> {
        Ok(self.0.subscribe(&pattern.expression())?)
    }
    fn unsubscribe(&self, pattern: &Pattern) {
        self.0.unsubscribe(&pattern.expression());
    }
    fn sender(&self, _: &Name) -> Option<u64> {
        None
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_leave_out_what_lcm_has_a_default_for() {
        for (url, expected) in [
            ("tcpq://", ("127.0.0.1", 7700)),
            ("tcpq://robot", ("robot", 7700)),
            ("tcpq://:7701", ("127.0.0.1", 7701)),
            ("tcpq://10.0.0.1:7701", ("10.0.0.1", 7701)),
            ("tcpq://[::1]", ("::1", 7700)),
            ("tcpq://[::1]:7701", ("::1", 7701)),
        ] {
            assert_eq!(hub(&Url::parse(url).unwrap()).unwrap(), expected, "{url}");
        }
        for bad in ["tcpq://a:0", "tcpq://a:99999", "tcpq://a:b", "tcpq://[::1", "tcpq://[::1]7"] {
            let why = hub(&Url::parse(bad).unwrap()).unwrap_err().to_string();
            assert!(why.contains("tcpq://127.0.0.1:7700"), "{why}");
        }
    }

    #[test]
    fn a_host_that_is_not_found_and_an_option_that_is_not_there_are_named() {
        for (url, part) in [("tcpq://no.such.host.invalid", "no.such.host.invalid"), ("tcpq://?ttl=1", "ttl")]
        {
            let Err(e) = open(Url::parse(url).unwrap()) else { panic!("{url}") };
            assert!(e.to_string().contains(part), "{e}");
        }
    }
}
