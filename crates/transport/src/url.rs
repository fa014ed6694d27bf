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
        Some(Url { text: text.into(), scheme: scheme.into(), network, options })
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

    /// Checks that no option is left. `known` lists the provider's options, for the error.
    pub fn finish(&self, known: &str) -> Result<()> {
        match self.options.keys().next() {
            None => Ok(()),
            Some(key) => Err(Error::invalid(format!(
                "`{}`: {}:// has no option `{key}`; it has {known}",
                self.text, self.scheme
            ))),
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
