//! Names of channels, and their file names.

mod parse;

use std::fmt;

/// The name of a channel: 1 to 63 bytes with any values, as in LCM, such as `/scan` and `robot/arm.left`.
///
/// In the file name, letters, digits, `_`, `-` and `.` (except a leading one) stay as they are. Every other byte becomes `%` and
/// two upper-case hexadecimal digits. The encoding is reversible: no file is hidden, and no two names share one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// The bytes, followed by at least one zero.
    bytes: [u8; Name::MOST + 1],
    len: u8,
}

impl Name {
    /// The maximum length of a name in bytes.
    pub const MOST: usize = 63;

    /// The name's bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len as usize]
    }

    /// The name's bytes, terminated by zero, for C.
    #[inline]
    pub fn as_bytes_with_nul(&self) -> &[u8] {
        &self.bytes[..=self.len as usize]
    }

    /// The file name of the name.
    pub fn file_name(&self) -> String {
        let mut out = String::new();
        for (i, &byte) in self.as_bytes().iter().enumerate() {
            if byte.is_ascii_alphanumeric() || b"_-".contains(&byte) || (byte == b'.' && i > 0) {
                out.push(byte as char);
            } else {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
        out
    }
}

impl AsRef<[u8]> for Name {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Prints readable characters as they are; every other byte, and the backslash, as `\xHH`. Safe on a terminal, and reversible.
/// Allocates nothing, since errors of the data path print it.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut text, mut len) = ([0; 4 * Name::MOST], 0);
        let mut put = |bytes: &[u8]| {
            text[len..len + bytes.len()].copy_from_slice(bytes);
            len += bytes.len();
        };
        let hex = |nibble: u8| b"0123456789ABCDEF"[nibble as usize];
        let escaped = |b: &u8| [b'\\', b'x', hex(b >> 4), hex(b & 15)];
        for chunk in self.as_bytes().utf8_chunks() {
            for c in chunk.valid().chars() {
                let mut bytes = [0; 4];
                let bytes = c.encode_utf8(&mut bytes).as_bytes();
                if c.is_control() || c == '\\' {
                    bytes.iter().for_each(|b| put(&escaped(b)));
                } else {
                    put(bytes);
                }
            }
            chunk.invalid().iter().for_each(|b| put(&escaped(b)));
        }
        f.pad(std::str::from_utf8(&text[..len]).unwrap_or_default())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_become_file_names_that_people_can_read() {
        for (name, file) in
            [("imu", "imu"), ("/scan", "%2Fscan"), ("robot/arm.left", "robot%2Farm.left"), (".x", "%2Ex")]
        {
            assert_eq!(Name::new(name).unwrap().file_name(), file);
        }
        for bad in ["%2", "%zz", "%41", "..", ".new-1", "", "a/b", "%2f"] {
            assert_eq!(Name::from_file_name(bad.as_bytes()), None, "{bad}");
        }
        assert!(Name::new("").is_err() && Name::new([b'x'; 64]).is_err());
    }

    #[test]
    fn no_name_plays_with_a_terminal() {
        for (name, shown) in [(&b"/scan"[..], "/scan"), (b"a\x1b[2J", "a\\x1B[2J"), (b"\xff\\", "\\xFF\\x5C")]
        {
            assert_eq!(Name::new(name).unwrap().to_string(), shown);
        }
    }

    proptest! {
        #[test]
        fn every_name_comes_back(bytes in proptest::collection::vec(any::<u8>(), 1..=63)) {
            let name = Name::new(&bytes).unwrap();
            prop_assert_eq!(name.as_bytes_with_nul().split_last(), Some((&0, &bytes[..])));
            let file = name.file_name();
            prop_assert!(file.len() <= 255 && !file.starts_with('.') && !file.contains('/'));
            prop_assert_eq!(Name::from_file_name(file.as_bytes()), Some(name));
        }
    }
}
