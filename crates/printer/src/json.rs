//! JSON for programs that keep numbers as doubles, which are exact up to 2^53.

use std::io::{self, Write};

use saltus_text::human;
use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};

/// `jq` and JavaScript round whole numbers above this.
const EXACT: u64 = 1 << 53;

/// Writes a value as one line of JSON: without control characters, and with strings for the whole numbers that other programs would round.
///
/// # Errors
/// The value cannot be JSON, or writing failed.
pub fn json(to: &mut (impl Write + ?Sized), value: &impl Serialize) -> io::Result<()> {
    let text = text(value)?;
    let mut rest = text.as_str();
    // The control characters that JSON allows are inside strings.
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| c.is_control()) {
        write!(to, "{}\\u{:04x}", &rest[..at], u32::from(c))?;
        rest = &rest[at + c.len_utf8()..];
    }
    writeln!(to, "{rest}")
}

fn text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Exact(CompactFormatter)))?;
    String::from_utf8(bytes)
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
        .map_err(serde_json::Error::io)
}

/// A point in time: a string of seconds with nine decimals, such as `1041.230011482`, exact in every language. Times in shared memory count
/// from the boot of the machine, times in logs from 1970.
pub struct Timestamp(String);

impl Timestamp {
    /// From nanoseconds.
    pub fn of(ns: u64) -> Timestamp {
        Timestamp(human::timestamp(ns))
    }

    /// From nanoseconds since 1970, which may be negative.
    pub fn signed(ns: i64) -> Timestamp {
        Timestamp(human::signed_timestamp(ns))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

/// Writes numbers that other programs would round as strings.
struct Exact(CompactFormatter);

impl Formatter for Exact {
    fn write_u64<W: ?Sized + io::Write>(&mut self, to: &mut W, n: u64) -> io::Result<()> {
        if n > EXACT { write!(to, "\"{n}\"") } else { self.0.write_u64(to, n) }
    }

    fn write_i64<W: ?Sized + io::Write>(&mut self, to: &mut W, n: i64) -> io::Result<()> {
        if n.unsigned_abs() > EXACT { write!(to, "\"{n}\"") } else { self.0.write_i64(to, n) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_left_that_a_double_would_round() {
        let exact = [EXACT - 1, EXACT];
        assert_eq!(text(&exact).unwrap(), "[9007199254740991,9007199254740992]");
        assert_eq!(
            text(&(EXACT + 1, -(1i64 << 53) - 1)).unwrap(),
            r#"["9007199254740993","-9007199254740993"]"#
        );
        assert_eq!(text(&u64::MAX).unwrap(), r#""18446744073709551615""#);
    }

    #[test]
    fn stamps_keep_every_nanosecond() {
        let timestamps = [
            Timestamp::of(1_041_230_011_482),
            Timestamp::signed(1_732_475_735_123_456_789),
            Timestamp::signed(-1),
        ];
        assert_eq!(text(&timestamps).unwrap(), r#"["1041.230011482","1732475735.123456789","-0.000000001"]"#);
    }
}
