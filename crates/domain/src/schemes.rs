//! The table of all kinds of domains: one row each.

use crate::provider::Provider;
use crate::providers;
use crate::{Error, Result};
use saltus_transport::{
    Delivery, Discovery, Keeps, Losses, OpenDelivering, OpenTransport, Reach, Senders, Timestamps, Traits,
    Transport, Url,
};
use std::sync::Arc;

/// A kind of domain: its URL scheme, the properties of its domains, and how to open one.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Its URL scheme, before `://`.
    pub name: &'static str,
    /// The Cargo feature of this crate that adds it; `None` if it is always available.
    pub feature: Option<&'static str>,
    /// Properties of all its domains.
    pub traits: Traits,
    /// A description for people.
    pub words: Words,
    /// `None`: this build does not have it.
    open: Option<Open>,
}

/// How a domain is opened.
#[derive(Clone, Copy, Debug)]
enum Open {
    /// By its own provider.
    Provider(fn(Url) -> Result<Arc<dyn Provider>>),
    /// A network that this process drains.
    Network(OpenTransport),
    /// A network that delivers on its own threads.
    #[cfg_attr(not(feature = "zenoh"), expect(dead_code))]
    Delivering(OpenDelivering),
}

/// A description of a kind of domain for people; shown in the guide's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// Where its messages can be received.
    pub reaches: &'static str,
    /// The order in which they arrive.
    pub order: &'static str,
    /// When a message may be lost.
    pub lost: &'static str,
    /// How losses are reported.
    pub loss_counts: &'static str,
    /// Its requirements.
    pub needs: &'static str,
}

impl Scheme {
    /// A network from another crate, for [`Domain::open_with`](crate::Domain::open_with).
    pub const fn network(name: &'static str, traits: Traits, words: Words, open: OpenTransport) -> Scheme {
        Scheme { name, feature: None, traits, words, open: Some(Open::Network(open)) }
    }

    /// The kind that `url` names, in this build or not.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is not a URL, and [`Error::NoProvider`] if no kind has that name.
    pub fn of(url: &str) -> Result<&'static Scheme> {
        let name = Url::scheme_of(url).ok_or_else(|| not_a_url(url))?;
        let found = SCHEMES.iter().find(|scheme| scheme.name == name);
        found.ok_or_else(|| Error::NoProvider { scheme: name.into(), known: known(), feature: None })
    }

    /// Whether this build can open its domains.
    pub const fn is_built_in(&self) -> bool {
        self.open.is_some()
    }

    /// Opens the network that `url` names without a domain's buffers, for a program with its own, such as LCM's queues. `None`: this kind
    /// is not a network. A transport that receives on its own threads passes messages to `delivery`; from another one, call
    /// [`Transport::receive`].
    ///
    /// # Errors
    /// Those of [`Domain::open`](crate::Domain::open).
    pub fn transport(&self, url: &str, delivery: Arc<dyn Delivery>) -> Result<Option<Box<dyn Transport>>> {
        let mut parsed = Url::parse(url).ok_or_else(|| not_a_url(url))?;
        match self.open {
            Some(Open::Provider(_)) => return Ok(None),
            Some(_) => drop(parsed.take_memory()?),
            None => {}
        }
        match self.open {
            Some(Open::Network(open)) => open(parsed).map(Some),
            Some(Open::Delivering(open)) => open(parsed, delivery).map(Some),
            _ => self.open(url).map(|_| None),
        }
    }

    /// The host, without brackets, and the port that `url` names. Parts that it leaves out are this kind's defaults. `None`: this kind has
    /// none.
    pub fn address<'a>(&self, url: &'a str) -> Option<(&'a str, u16)> {
        let (host, port) = self.traits.address?;
        let address = url.split("://").nth(1).and_then(|rest| rest.split('?').next()).unwrap_or_default();
        let given = address.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
        let (name, number) = given.unwrap_or((address, ""));
        let name = if name.is_empty() { host } else { name.trim_matches(['[', ']']) };
        Some((name, number.parse().unwrap_or(port)))
    }

    pub(crate) fn open(&self, text: &str) -> Result<Arc<dyn Provider>> {
        let url = Url::parse(text).ok_or_else(|| not_a_url(text))?;
        match self.open {
            Some(Open::Provider(open)) => open(url),
            Some(Open::Network(open)) => providers::network::open(url, &self.traits, open),
            Some(Open::Delivering(open)) => providers::network::open_delivering(url, &self.traits, open),
            None => Err(Error::NoProvider { scheme: url.scheme, known: known(), feature: self.feature }),
        }
    }
}

/// Whether two URLs name the same network, regardless of options. Omitted parts count as their defaults.
///
/// ```
/// use saltus_domain::is_same_network;
/// assert!(is_same_network("udpm://", "udpm://239.255.76.67:7667?ttl=1"));
/// assert!(!is_same_network("udpm://", "mpudpm://"));
/// ```
pub fn is_same_network(a: &str, b: &str) -> bool {
    network(a) == network(b)
}

/// The scheme and the address, with defaults filled in.
fn network(url: &str) -> (&str, String) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    match Scheme::of(url).ok().and_then(|scheme| scheme.address(url)) {
        Some((host, port)) => {
            let host = if host == "localhost" { "127.0.0.1" } else { host };
            (scheme, format!("{host}:{port}"))
        }
        None => (scheme, rest.split('?').next().unwrap_or_default().into()),
    }
}

fn not_a_url(text: &str) -> Error {
    Error::invalid(format!(
        "`{text}` is not a domain URL; expected, for example, shm:// or udpm://239.255.76.67:7667?ttl=1; this build supports {}",
        known()
    ))
}

/// The schemes of this build, and the features that would add the others, in words.
fn known() -> String {
    let (built, absent): (Vec<&Scheme>, Vec<&Scheme>) = SCHEMES.iter().partition(|s| s.is_built_in());
    let list = |of: &[&Scheme]| of.iter().map(|s| format!("{}://", s.name)).collect::<Vec<_>>().join(", ");
    let features: Vec<&str> = absent.iter().filter_map(|scheme| scheme.feature).collect();
    match features[..] {
        [] => list(&built),
        _ => format!("{}; `--features {}` would bring {}", list(&built), features.join(","), list(&absent)),
    }
}

/// How to open a kind that a feature adds.
macro_rules! feature {
    ($name:literal, $open:expr) => {{
        #[cfg(feature = $name)]
        let open: Option<Open> = Some($open);
        #[cfg(not(feature = $name))]
        let open: Option<Open> = None;
        open
    }};
}

/// All kinds of domains that Saltus has, in this build or not.
pub static SCHEMES: [Scheme; 10] = [
    Scheme {
        name: "shm",
        feature: None,
        traits: Traits {
            reach: Reach::Machine,
            shared_memory: true,
            describes: true,
            timestamps: Timestamps::BootTime,
            ..MEMORY
        },
        words: Words { reaches: "this machine", needs: "a tmpfs", ..IN_MEMORY },
        open: Some(Open::Provider(providers::shm::open)),
    },
    Scheme {
        name: "mem",
        feature: None,
        traits: MEMORY,
        words: IN_MEMORY,
        open: Some(Open::Provider(providers::mem::open)),
    },
    Scheme {
        name: "udpm",
        feature: None,
        traits: Traits { losses: Losses::OfSender, senders: Senders::Ports, address: LCM_GROUP, ..NETWORK },
        words: Words {
            reaches: "a network",
            order: "as it arrives",
            lost: "on the network",
            loss_counts: "per sender, across its channels",
            needs: "multicast",
        },
        open: Some(Open::Network(providers::udpm::open)),
    },
    Scheme {
        name: "mpudpm",
        feature: None,
        traits: Traits {
            losses: Losses::Nothing,
            senders: Senders::Ports,
            orders_channels: false, // each has its own port, and so its own socket and order
            discovery: Discovery::Channels,
            returns_own: true,
            answers: true,
            address: LCM_GROUP,
            ..NETWORK
        },
        words: Words {
            reaches: "a network",
            order: "as it arrives",
            lost: "on the network",
            loss_counts: "nothing",
            needs: "multicast",
        },
        open: Some(Open::Network(providers::mpudpm::open)),
    },
    Scheme {
        name: "tcpq",
        feature: None,
        traits: Traits {
            losses: Losses::Interruptions,
            senders: Senders::Unknown,
            returns_own: true,
            address: Some(("127.0.0.1", saltus_net::tcpq::PORT)),
            ..NETWORK
        },
        words: Words {
            reaches: "every machine that TCP reaches",
            order: "each publisher's",
            lost: "at the hub, when this process is slow or loses the hub",
            loss_counts: "nothing",
            needs: "a hub: `saltus hub`",
        },
        open: Some(Open::Network(providers::tcpq::open)),
    },
    Scheme {
        name: "zmq",
        feature: Some("zmq"),
        traits: Traits {
            losses: Losses::Nothing,
            senders: Senders::Unknown,
            discovery: Discovery::Peers,
            ..NETWORK
        },
        words: Words {
            reaches: "every machine that TCP reaches; this machine through a directory",
            order: "each publisher's",
            lost: "before both sides are connected; when 1000 wait for a subscriber",
            loss_counts: "nothing",
            needs: "libzmq",
        },
        open: feature!("zmq", Open::Network(saltus_zmq::open)),
    },
    Scheme {
        name: "dds",
        feature: Some("dds"),
        traits: Traits {
            losses: Losses::OfPublisher, // each channel has its own writer, with its own number and count
            senders: Senders::Publishers,
            orders_channels: false, // each is a separate topic
            keeps: Keeps::Some,
            discovery: Discovery::PeersAndChannels,
            ..NETWORK
        },
        words: Words {
            reaches: "this machine; a network with `iface=`",
            order: "each publisher's",
            lost: "before both sides are connected; with best effort; when the library's cache is full",
            loss_counts: "per publisher",
            needs: "",
        },
        open: feature!("dds", Open::Network(saltus_dds::open)),
    },
    Scheme {
        name: "zenoh",
        feature: Some("zenoh"),
        traits: Traits {
            losses: Losses::OfSenderOnChannel,
            senders: Senders::Processes,
            discovery: Discovery::Peers,
            returns_own: true,
            ..NETWORK
        },
        words: Words {
            reaches: "a network, or a site through routers",
            order: "each publisher's",
            lost: "before both sides are connected; when the network is too slow; while a link is down",
            loss_counts: "per sender and channel; nothing for senders other than Saltus",
            needs: "",
        },
        open: feature!("zenoh", Open::Delivering(saltus_zenoh::open)),
    },
    Scheme {
        name: "memq",
        feature: None,
        traits: Traits { keeps: Keeps::Nothing, ..MEMORY },
        words: Words { lost: "if it has no subscriber", ..IN_MEMORY },
        open: Some(Open::Provider(providers::memq::open)),
    },
    Scheme {
        name: "file",
        feature: None,
        traits: Traits {
            reach: Reach::File,
            senders: Senders::Unknown,
            keeps: Keeps::Nothing,
            timestamps: Timestamps::WallTime,
            publish_waits: true,
            ..MEMORY
        },
        words: Words {
            reaches: "an LCM log",
            order: "the log's",
            lost: "at a speed above 0, when the subscriber is slow",
            loss_counts: "exact; unknown where the log is damaged",
            needs: "a file",
        },
        open: Some(Open::Provider(providers::file::open)),
    },
];

/// Common to rows of memory.
const MEMORY: Traits = Traits {
    reach: Reach::Process,
    shared_memory: false,
    losses: Losses::Exact,
    senders: Senders::Publishers,
    orders_channels: true,
    keeps: Keeps::Recent,
    discovery: Discovery::Immediate,
    describes: false,
    timestamps: Timestamps::Present,
    publish_waits: false,
    returns_own: true,
    answers: false,
    address: None,
};
const IN_MEMORY: Words = Words {
    reaches: "this process",
    order: "each publisher's, exactly",
    lost: "overwritten before it is read",
    loss_counts: "exact, per channel",
    needs: "nothing",
};

/// Common to rows of networks.
const NETWORK: Traits = Traits {
    reach: Reach::Network,
    keeps: Keeps::Nothing,
    publish_waits: true,
    returns_own: false,
    ..MEMORY
};
/// LCM's default multicast group.
const LCM_GROUP: Option<(&str, u16)> = Some(("239.255.76.67", 7667));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_missing_from_the_build_is_distinguished_from_an_unknown_one() {
        let loss_counts = |url: &str| Scheme::of(url).and_then(|s| s.open(url)).err().map(|e| e.to_string());
        let unknown = loss_counts("carrier-pigeon://").unwrap();
        assert!(unknown.contains("unknown scheme `carrier-pigeon://`"), "{unknown}");
        let nonsense = loss_counts("nonsense").unwrap_or_default();
        for Scheme { name, open, .. } in &SCHEMES {
            for loss_counts in [&unknown, &nonsense] {
                assert!(loss_counts.contains(&format!("{name}://")), "{loss_counts}");
                let features = loss_counts.split("--features").nth(1).unwrap_or_default();
                assert_eq!(features.contains(name), open.is_none(), "{loss_counts}");
            }
            if open.is_none() {
                let loss_counts = loss_counts(&format!("{name}://")).unwrap();
                assert!(loss_counts.contains(&format!("`--features {name}`")), "{loss_counts}");
            }
        }
    }

    #[test]
    fn one_network_may_have_several_urls() {
        for (a, b) in [
            ("udpm://", "udpm://239.255.76.67:7667?ttl=1"),
            ("udpm://239.255.76.67", "udpm://239.255.76.67:7667"),
            ("tcpq://", "tcpq://localhost:7700"),
            ("file:///a?mode=w", "file:///a"),
            ("shm://a", "shm://a"),
        ] {
            assert!(is_same_network(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("udpm://", "mpudpm://"),
            ("udpm://:7668", "udpm://"),
            ("udpm://239.255.76.68", "udpm://"),
            ("tcpq://[::1]:7701", "tcpq://[::1]:7702"),
            ("shm://a", "shm://b"),
        ] {
            assert!(!is_same_network(a, b), "{a} {b}");
        }
    }

    #[test]
    fn an_address_is_what_the_url_names_or_leaves_out() {
        let address = |url| Scheme::of(url).unwrap().address(url);
        assert_eq!(address("udpm://"), Some(("239.255.76.67", 7667)));
        assert_eq!(address("udpm://:7668?ttl=1"), Some(("239.255.76.67", 7668)));
        assert_eq!(address("tcpq://[::1]:7701"), Some(("::1", 7701)));
        assert_eq!(address("tcpq://[::1]"), Some(("::1", 7700)));
        assert_eq!(address("shm://a:1"), None);
    }

    #[test]
    fn an_address_that_urls_may_leave_out_is_the_one_that_the_provider_takes() {
        let group = saltus_net::lcm::GROUP;
        assert_eq!(LCM_GROUP, Some((&*group.ip().to_string(), group.port())));
    }
}
