//! Domain URLs: `provider://network?key=value&key=value`, in LCM's syntax.

use crate::{Error, Result};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The parts of a domain URL. As in LCM, nothing is percent-decoded, a key without `=` has an empty value, and of
/// equal keys the last wins. Unlike LCM, a key that the provider does not know is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    text: String,
    /// The scheme, before `://`.
    pub scheme: String,
    /// The part between the scheme and the options.
    pub network: String,
    options: BTreeMap<String, String>,
    memory: Option<u64>,
}

impl Url {
    /// `None`: not a URL.
    pub fn parse(text: &str) -> Option<Url> {
        let (scheme, rest) = text.split_once("://")?;
        let mut parts = rest.split('?');
        let network = parts.next().unwrap_or_default().to_string();
        let options = parts
            .flat_map(|part| part.split('&'))
            .filter(|option| !option.is_empty())
            .map(|option| option.split_once('=').unwrap_or((option, "")))
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        Some(Url { text: text.into(), scheme: scheme.into(), network, options, memory: None })
    }

    /// The scheme of a URL, before `://`.
    pub fn scheme_of(text: &str) -> Option<&str> {
        Some(text.split_once("://")?.0)
    }

    /// Removes the value of `key` and returns it, if present.
    pub fn take<T: FromStr>(&mut self, key: &str, what: &str) -> Result<Option<T>> {
        let Some(value) = self.options.remove(key) else { return Ok(None) };
        value
            .parse()
            .map(Some)
            .map_err(|_| Error::invalid(format!("`{key}={value}` in `{}`: it must be {what}", self.text)))
    }

    /// Removes the option `memory`, which every network has, for [`Url::memory`].
    ///
    /// # Errors
    /// Its value is not a number of bytes, or below [`Url::LEAST_MEMORY`].
    pub fn take_memory(&mut self) -> Result<u64> {
        let least = format!("a number of bytes, at least {}", Url::LEAST_MEMORY);
        let memory = self.take("memory", &least)?.unwrap_or(Url::MEMORY);
        if memory < Url::LEAST_MEMORY {
            return Err(self.invalid(&format!("`memory` must be {least}")));
        }
        self.memory = Some(memory);
        Ok(memory)
    }
    /// Most bytes of memory for received messages: half of it for messages that wait for subscribers, half for incomplete ones.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or(Url::MEMORY)
    }
    /// The default of `memory`: 2 GiB.
    pub const MEMORY: u64 = 2 << 30;
    /// The least value of `memory`: 128 MiB.
    pub const LEAST_MEMORY: u64 = 128 << 20;

    /// Checks that no option is left. `known` lists the provider's options, for the error.
    pub fn finish(&self, known: &str) -> Result<()> {
        match self.options.keys().next() {
            None => Ok(()),
            Some(key) => {
                let known = match (self.memory, known) {
                    (None, known) => known.to_string(),
                    (Some(_), "none") => "memory".to_string(),
                    (Some(_), known) => format!("{known}, memory"),
                };
                Err(Error::invalid(format!(
                    "`{}`: {}:// has no option `{key}`; it has {known}",
                    self.text, self.scheme
                )))
            }
        }
    }

    /// An error about this URL.
    pub fn invalid(&self, why: &str) -> Error {
        Error::invalid(format!("`{}`: {why}", self.text))
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_parts() {
        let mut url =
            Url::parse("udpm://239.255.76.67:7667?ttl=1&ttl=2?recv_buf_size=9&transmit_only").unwrap();
        assert_eq!((url.scheme.as_str(), url.network.as_str()), ("udpm", "239.255.76.67:7667"));
        assert_eq!(url.take::<u8>("ttl", "a number").unwrap(), Some(2));
        assert_eq!(url.take::<u32>("recv_buf_size", "a number").unwrap(), Some(9));
        let reported = url.finish("ttl, recv_buf_size").unwrap_err().to_string();
        assert!(reported.contains("transmit_only") && reported.contains("it has ttl"), "{reported}");
        assert_eq!(url.take::<String>("transmit_only", "nothing").unwrap(), Some(String::new()));
        url.finish("").unwrap();
    }

    #[test]
    fn every_network_has_a_bound_of_its_memory() {
        let memory = |text: &str| Url::parse(text).unwrap().take_memory().map_err(|e| e.to_string());
        assert_eq!([memory("udpm://"), memory("udpm://?memory=134217728")], [Ok(2 << 30), Ok(128 << 20)]);
        for bad in ["udpm://?memory=134217727", "udpm://?memory=much"] {
            let told = memory(bad).unwrap_err();
            assert!(told.contains("memory") && told.contains("at least 134217728"), "{told}");
        }
        let mut url = Url::parse("tcpq://?memory=134217728&x=1").unwrap();
        url.take_memory().unwrap();
        assert!(url.finish("none").unwrap_err().to_string().contains("no option `x`; it has memory"));
    }

    #[test]
    fn a_value_that_makes_no_sense_is_named() {
        let reported = Url::parse("udpm://?ttl=many")
            .unwrap()
            .take::<u8>("ttl", "from 0 to 255")
            .unwrap_err()
            .to_string();
        assert!(reported.contains("ttl=many") && reported.contains("from 0 to 255"), "{reported}");
        assert_eq!(Url::parse("imu"), None);
    }
}
