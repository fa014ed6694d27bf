//! Strings that keep their bytes.

use std::borrow::Cow;
use std::fmt;

/// A string as received: nearly always UTF-8, but C programs may put any bytes into one, and these must survive
/// being recorded, printed and published again.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(Vec<u8>);

impl Text {
    /// Its bytes, without the NUL that ends it on the wire.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
    /// The string, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        str::from_utf8(&self.0).ok()
    }
    /// The string, with invalid UTF-8 replaced by `�`.
    pub fn to_str_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.into())
    }
}
impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(text.into_bytes())
    }
}
impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Text {
        Text(bytes.into())
    }
}
impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Text {
        Text(bytes)
    }
}

/// In quotes; unprintable characters are escaped, a byte that is not UTF-8 as `\xff`.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\'' => f.write_str("'")?,
                    c => write!(f, "{}", c.escape_debug())?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_str("\"")
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
