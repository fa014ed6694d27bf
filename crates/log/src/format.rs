//! Log formats, and their detection.

use crate::{lcm, mcap};
use std::fmt;
use std::path::Path;

/// The formats of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// LCM's event log.
    Lcm,
    /// MCAP.
    Mcap,
}

impl Format {
    /// Bytes of a log's beginning that suffice to detect its format.
    pub const PROBE: usize = 1 << 16;

    /// Detects the format by the first bytes of a file, [`PROBE`](Format::PROBE) of them if it is long enough. A
    /// damaged beginning does not matter if recognizable data follows.
    pub fn of_bytes(bytes: &[u8]) -> Option<Format> {
        let finds = |sync: &[u8]| bytes.windows(sync.len()).any(|window| window == sync);
        if bytes.starts_with(&lcm::SYNC) {
            Some(Format::Lcm)
        } else if bytes.starts_with(&mcap::MAGIC) || mcap::looks_like(bytes) {
            Some(Format::Mcap)
        } else if finds(&lcm::SYNC) {
            Some(Format::Lcm)
        } else {
            None
        }
    }

    /// The format by a file's name: `.mcap` is MCAP; `.lcmlog`, `.lcm`, `.log`, no extension, and one of digits, as
    /// LCM's logger writes, is LCM's log. `None` for other extensions.
    pub fn of_name(path: &Path) -> Option<Format> {
        let Some(ending) = path.extension() else { return Some(Format::Lcm) };
        let ending = ending.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "mcap" => Some(Format::Mcap),
            "lcmlog" | "lcm" | "log" => Some(Format::Lcm),
            digits if digits.bytes().all(|b| b.is_ascii_digit()) => Some(Format::Lcm),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Lcm => "LCM log",
            Format::Mcap => "MCAP",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_imply_the_format_or_nothing() {
        for name in ["a.lcmlog", "a.LOG", "lcmlog-2026-11-20.00", "a", "x.y/a"] {
            assert_eq!(Format::of_name(Path::new(name)), Some(Format::Lcm), "{name}");
        }
        assert_eq!(Format::of_name(Path::new("a.log.mcap")), Some(Format::Mcap));
        for name in ["a.csv", "a.mcap.part", "a.bag"] {
            assert_eq!(Format::of_name(Path::new(name)), None, "{name}");
        }
    }

    #[test]
    fn a_damaged_beginning_is_still_reported() {
        assert_eq!(Format::of_bytes(b"xx\xED\xA1\xDA\x01"), Some(Format::Lcm));
        assert_eq!(Format::of_bytes(b"no log"), None);
        assert_eq!(Format::of_bytes(b""), None);
    }
}
