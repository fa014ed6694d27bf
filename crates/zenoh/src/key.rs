//! Conversion between channel names and Zenoh's key expressions.
//!
//! A name stays unchanged except for bytes that a key cannot contain. Each of these becomes `%` and two upper-case
//! hexadecimal digits: `%`, `*`, `$`, `?`, `#`; bytes that are not UTF-8; an `@` at the start of a part between
//! slashes (Zenoh's wildcards do not match such parts); and a `/` that is first, last, or follows another.

use saltus_channel::Name;
use saltus_transport::{Error, Result};
use std::borrow::Cow;
use std::fmt::Write;
use zenoh::key_expr::keyexpr;

/// The key of a channel, below `prefix`, which may be empty.
pub(super) fn of(prefix: &str, name: &Name) -> String {
    let mut key = String::with_capacity(prefix.len() + 1 + name.as_bytes().len());
    key.push_str(prefix);
    if !prefix.is_empty() {
        key.push('/');
    }
    encode(name.as_bytes(), &mut key);
    key
}

/// The name of the channel with this key. `None`: the key is not below `prefix`, or does not encode a channel name.
pub(super) fn name<'a>(prefix: &str, key: &'a str) -> Option<Cow<'a, [u8]>> {
    let key = match prefix {
        "" => key,
        _ => key.strip_prefix(prefix)?.strip_prefix('/')?,
    };
    if !key.contains('%') {
        return Some(Cow::Borrowed(key.as_bytes()));
    }
    let name = decode(key)?;
    let mut again = String::new();
    encode(&name, &mut again);
    (again == key).then_some(Cow::Owned(name))
}

/// The key expression that a subscriber by pattern uses.
pub(super) fn all(prefix: &str) -> String {
    if prefix.is_empty() { "**".into() } else { format!("{prefix}/**") }
}

/// Checks that keys can be below `prefix`.
pub(super) fn check(prefix: &str) -> Result<()> {
    let whole = prefix.is_empty() || (keyexpr::new(prefix).is_ok() && !prefix.contains('*'));
    whole.then_some(()).ok_or_else(|| {
        Error::invalid(format!(
            "`{prefix}` cannot be a prefix of Zenoh's keys: expected, for example, zenoh://site/robot-1, without \
             `*`, `$`, `#`, `//` or a `/` at either end"
        ))
    })
}

fn encode(name: &[u8], key: &mut String) {
    let escape = |key: &mut String, bytes: &[u8]| {
        for byte in bytes {
            let _ = write!(key, "%{byte:02X}"); // writing to a string does not fail
        }
    };
    // Whether a part between slashes has begun, so that a `/` may follow.
    let (mut begun, mut left) = (false, name.len());
    for chunk in name.utf8_chunks() {
        for sign in chunk.valid().chars() {
            left -= sign.len_utf8();
            let stays = match sign {
                '%' | '*' | '$' | '?' | '#' => false,
                '@' => begun,
                '/' => begun && left > 0,
                _ => true,
            };
            if stays {
                key.push(sign);
            } else {
                escape(key, &[sign as u8]);
            }
            begun = !(sign == '/' && stays);
        }
        left -= chunk.invalid().len();
        begun |= !chunk.invalid().is_empty();
        escape(key, chunk.invalid());
    }
}

fn decode(key: &str) -> Option<Vec<u8>> {
    let mut parts = key.as_bytes().split(|&byte| byte == b'%');
    let mut name = parts.next()?.to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        name.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        name.extend_from_slice(rest);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &[u8]) -> String {
        of("", &Name::new(text).unwrap())
    }

    #[test]
    fn names_that_zenoh_can_have_stay_as_they_are() {
        for name in ["IMU", "arm/left/joint.1", "a@b", "größe", "with space", "-"] {
            assert_eq!(key(name.as_bytes()), name);
            assert_eq!(name_of(name), name.as_bytes());
        }
        assert_eq!(of("site/robot-1", &Name::new("IMU").unwrap()), "site/robot-1/IMU");
        assert_eq!(name("site", "site/a/b").as_deref(), Some(&b"a/b"[..]));
        assert_eq!((name("site", "sites/a"), name("site", "site")), (None, None));
    }

    fn name_of(key: &str) -> Vec<u8> {
        name("", key).unwrap().into_owned()
    }

    #[test]
    fn characters_not_allowed_in_a_key_are_escaped() {
        for (name, expected) in [
            (&b"/scan"[..], "%2Fscan"),
            (b"a//b/", "a/%2Fb%2F"),
            (b"/", "%2F"),
            (b"//", "%2F%2F"),
            (b"a/@b", "a/%40b"),
            (b"@", "%40"),
            (b"**", "%2A%2A"),
            (b"50%", "50%25"),
            (b"what?#$*", "what%3F%23%24%2A"),
            (b"a\xff/b", "a%FF/b"),
            (b"\xff/", "%FF%2F"),
        ] {
            assert_eq!(key(name), expected);
            assert_eq!(name_of(expected), name);
        }
    }

    #[test]
    fn every_name_has_a_key_of_its_own_that_zenoh_takes() {
        let signs = b"/@%*$?#a2F\xc3\xb6\xff\0";
        let mut seen = std::collections::HashMap::new();
        // All names of up to four of these characters.
        for i in 0..signs.len().pow(4) {
            let mut bytes: Vec<u8> = (0..4).map(|at| signs[i / signs.len().pow(at) % signs.len()]).collect();
            bytes.truncate(1 + i % 4);
            let key = key(&bytes);
            assert!(keyexpr::new(key.as_str()).is_ok_and(|k| !k.contains('*')), "{key}");
            assert!(keyexpr::new("**").unwrap().includes(keyexpr::new(key.as_str()).unwrap()), "{key}");
            assert_eq!(name_of(&key), bytes, "{key}");
            assert_eq!(seen.entry(key).or_insert_with(|| bytes.clone()), &bytes);
        }
    }

    #[test]
    fn an_unknown_key_is_skipped() {
        for key in ["100%", "%41", "a%2fb", "%2", "%zz", "a%2Fb", "%C3%B6", "%+1"] {
            assert_eq!(name("", key), None, "{key}");
        }
    }

    #[test]
    fn an_invalid_prefix_is_named() {
        for good in ["", "robot", "site/robot-1", "@here"] {
            check(good).unwrap();
        }
        for bad in ["a/", "/a", "a//b", "a/*", "**", "a#b", "a$*"] {
            assert!(check(bad).unwrap_err().to_string().contains(bad), "{bad}");
        }
    }
}
