//! The key shared by both ends.

use crate::{Error, Result};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

/// Bytes of a key.
const LEN: usize = 32;

/// The key shared by both ends. Any process that has it can read and write the tunnel's messages.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; LEN]);

impl Key {
    /// A new key, from the system's random generator.
    pub fn generate() -> Result<Key> {
        let mut bytes = [0; LEN];
        crate::fill_random(&mut bytes)?;
        Ok(Key(bytes))
    }
    /// A key of these bytes. They must be random.
    pub fn from_bytes(bytes: [u8; LEN]) -> Key {
        Key(bytes)
    }
    /// Reads the key in a file. Also returns whether others may read the file.
    ///
    /// # Errors
    /// [`Error::System`] if the file cannot be read, and [`Error::Invalid`] if there is no key in it.
    pub fn read(file: &Path) -> Result<(Key, bool)> {
        let unreadable = |e| Error::system("the file cannot be read", e);
        let open = File::open(file).map_err(unreadable)?;
        let mode = saltus_os::file::inode(&open).map_err(unreadable)?.mode;
        let mut text = String::new();
        // A key is short; other files need not be read completely.
        open.take(1000).read_to_string(&mut text).map_err(unreadable)?;
        Ok((text.parse()?, mode & 0o077 != 0))
    }
    /// As text, 64 hexadecimal digits, which [`str::parse`] accepts. Keep it secret.
    pub fn to_text(&self) -> String {
        self.0.iter().map(|b| format!("{b:02x}")).collect()
    }
    pub(crate) fn bytes(&self) -> &[u8; LEN] {
        &self.0
    }
}

impl FromStr for Key {
    type Err = Error;
    fn from_str(text: &str) -> Result<Key> {
        let text = text.trim();
        let digit = |c: &u8| (*c as char).to_digit(16).map(|d| d as u8);
        let digits: Option<Vec<u8>> = text.as_bytes().iter().map(digit).collect();
        // The error does not repeat the input: it may be a key with a typo.
        let digits = digits.filter(|d| d.len() == 2 * LEN).ok_or_else(|| {
            Error::Invalid("a key is 64 hexadecimal digits: make one with `saltus tunnel key`".into())
        })?;
        let mut key = [0; LEN];
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Key(key))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_and_read_back_and_never_shown() {
        let key = Key::generate().unwrap();
        assert_eq!(format!("{}\n", key.to_text()).parse::<Key>().unwrap(), key);
        assert_ne!(Key::generate().unwrap(), key);
        assert_eq!(format!("{key:?}"), "Key(secret)");
        let text = key.to_text();
        for bad in ["", "00", &text[1..], &format!("{text}0"), &text.replace(|c: char| c.is_ascii(), "g")] {
            let reported = bad.parse::<Key>().unwrap_err().to_string();
            assert!(
                reported.contains("saltus tunnel key") && (bad.is_empty() || !reported.contains(&text)),
                "{reported}"
            );
        }
    }
}
