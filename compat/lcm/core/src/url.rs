//! URLs: LCM's, ours, and the choice of what carries messages.

use crate::file::File;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::network::Network;
use crate::queue::How;
use crate::report::report;
use crate::shared::Shared;
use crate::source::Source;
use saltus_domain::{Error, Result, Scheme};
use saltus_os::process;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The network of programs that name none.
const DEFAULT: &str = "udpm://239.255.76.67:7667?ttl=0";
/// The option of every URL, and the variable, for queues that give up their oldest message.
const QUEUE: &str = "queue";
const QUEUE_VARIABLE: &str = "SALTUS_LCM_QUEUE";

/// Options of LCM's own URLs, in LCM and in Saltus. LCM warns of others, where Saltus would fail.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        "udpm",
        &[
            "ttl",
            "recv_buf_size",
            "transmit_only",
            "iface",
            "send_buf_size",
            "pace",
            "datagram",
            "memory",
            "self_test",
        ],
    ),
    (
        "mpudpm",
        &[
            "ttl",
            "recv_buf_size",
            "transmit_only",
            "nports",
            "iface",
            "send_buf_size",
            "pace",
            "datagram",
            "memory",
        ],
    ),
    ("tcpq", &["memory"]),
    ("memq", &[]),
    ("file", &["speed", "mode", "start_timestamp"]),
];

/// The URL that a program means: its own, `LCM_DEFAULT_URL`, or LCM's default.
pub(crate) fn meant(given: &str) -> Result<String> {
    if !given.is_empty() {
        return Ok(given.into());
    }
    match process::variable("LCM_DEFAULT_URL").map(std::ffi::OsString::into_string) {
        Some(Ok(url)) if !url.is_empty() => Ok(url),
        Some(Err(bad)) => Err(Error::invalid(format!("LCM_DEFAULT_URL is not UTF-8: {bad:?}"))),
        _ => Ok(DEFAULT.into()),
    }
}

/// A URL in parts.
struct Parts<'a> {
    scheme: &'a str,
    network: &'a str,
    options: Vec<(&'a str, &'a str)>,
}

impl<'a> Parts<'a> {
    /// As in LCM: more question marks separate options too, nothing is decoded, and of equal keys the last wins.
    fn of(url: &'a str) -> Option<Parts<'a>> {
        let (scheme, rest) = url.split_once("://")?;
        let (network, options) = rest.split_once('?').unwrap_or((rest, ""));
        let options = options.split(['?', '&']).filter(|option| !option.is_empty());
        let options = options.map(|option| option.split_once('=').unwrap_or((option, ""))).collect();
        Some(Parts { scheme, network, options })
    }
    /// Takes an option out.
    fn take(&mut self, key: &str) -> Option<&'a str> {
        let last = self.options.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| *value);
        self.options.retain(|(name, _)| *name != key);
        last
    }
    fn text(&self) -> String {
        let options: Vec<String> = self.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let mark = if options.is_empty() { "" } else { "?" };
        format!("{}://{}{mark}{}", self.scheme, self.network, options.join("&"))
    }
    /// Drops what LCM would only warn of.
    fn forgive(&mut self) {
        let Some((_, known)) = OPTIONS.iter().find(|(scheme, _)| *scheme == self.scheme) else { return };
        let scheme = self.scheme;
        self.options.retain(|(key, value)| {
            let number = |range: RangeInclusive<i64>| value.parse().is_ok_and(|n| range.contains(&n));
            let sound = match *key {
                "ttl" => number(0..=255),
                "recv_buf_size" => number(0..=i32::MAX.into()),
                "nports" => number(1..=65535),
                "speed" => value.parse::<f64>().is_ok(),
                "start_timestamp" => value.parse::<i64>().is_ok(),
                "mode" => ["r", "w", "a"].contains(value),
                _ => true,
            };
            if !known.contains(key) {
                report(format_args!("{scheme}:// has no option `{key}`: it is ignored"));
            } else if !sound {
                report(format_args!("`{key}={value}` is not a value of {scheme}://: it is ignored"));
            }
            known.contains(key) && sound
        });
    }
}

/// Opens what `url` names, and the queue for it.
pub(crate) fn open(url: &str) -> Result<(Arc<Shared>, Box<dyn Source>)> {
    let mut parts = Parts::of(url).ok_or_else(|| {
        Error::invalid(format!(
            "`{url}` is not a URL; expected, for example, udpm://239.255.76.67:7667?ttl=1 or shm://"
        ))
    })?;
    let variable = process::variable(QUEUE_VARIABLE).and_then(|value| value.into_string().ok());
    let newest = match parts.take(QUEUE).map(String::from).or(variable).as_deref() {
        None | Some("" | "oldest") => false,
        Some("newest") => true,
        Some(other) => {
            let what =
                format!("`{QUEUE}={other}`: a full queue keeps its `oldest` messages, or the `newest`");
            return Err(Error::invalid(what));
        }
    };
    parts.forgive();
    let url = parts.text();
    let how = if ["memq", "tcpq", "file"].contains(&parts.scheme) { How::Always } else { How::Counted };
    let shared = Arc::new(Shared::new(newest, how)?);
    let source: Box<dyn Source> = match parts.scheme {
        "memq" => Box::new(Memory::new(shared.clone())),
        "file" => Box::new(File::open(
            parts.network,
            parts.take("mode").unwrap_or("r"),
            parts.take("speed").and_then(|text| text.parse().ok()).unwrap_or(1.0),
            parts.take("start_timestamp").and_then(|text| text.parse().ok()),
            shared.clone(),
        )?),
        _ => match Scheme::of(&url)?.transport(&url, shared.clone())? {
            Some(transport) => Box::new(Network::open(&url, transport, shared.clone())?),
            None => Box::new(Machine::open(&url, shared.clone())?),
        },
    };
    Ok((shared, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgiven(url: &str) -> String {
        let mut parts = Parts::of(url).unwrap();
        parts.forgive();
        parts.text()
    }

    #[test]
    fn what_lcm_only_warns_of_does_not_fail() {
        for (url, left) in [
            ("udpm://239.255.76.67:7667?ttl=1&ttl=2", "udpm://239.255.76.67:7667?ttl=1&ttl=2"),
            ("udpm://?color=red&ttl=abc", "udpm://"),
            ("udpm://?ttl=300&recv_buf_size=9", "udpm://?recv_buf_size=9"),
            ("memq://abc?x=1", "memq://abc"),
            ("file:///a?mode=q&speed=2?start_timestamp=1", "file:///a?speed=2&start_timestamp=1"),
            ("shm://?color=red", "shm://?color=red"),
        ] {
            assert_eq!(forgiven(url), left);
        }
    }

    #[test]
    fn a_queue_is_chosen_by_an_option() {
        assert!(open("memq://?queue=newest").is_ok() && open("memq://?queue=oldest").is_ok());
        let Err(why) = open("memq://?queue=middle") else { panic!("it opened") };
        assert!(why.to_string().contains("queue=middle"), "{why}");
        for bad in ["", "udpm", "udpm:", "foo://"] {
            assert!(open(bad).is_err(), "{bad}");
        }
    }
}
