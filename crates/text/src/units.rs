//! Parsers for times, sizes, rates, counts, modes and bytes, shared by all commands.
//!
//! The error of each parser is a sentence with the expected format; clap prepends the option's name.

use std::time::Duration;

/// A span of time: `250ms`, `1.5s`, `2m`. A bare number is seconds, as in `sleep` and `timeout`.
pub fn duration(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str =
        "expected a time: seconds, or a number with its unit, such as 5, 250us, 250ms, 1.5s, 2m or 1h";
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds_per_unit = match unit {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(EXPECTED.into()),
    };
    let value: f64 = number.parse().map_err(|_| EXPECTED)?;
    Duration::try_from_secs_f64(value * seconds_per_unit).map_err(|_| format!("{text} is too long"))
}

/// A number of bytes: `512`, `64K`, `1.5M`, `2GiB`. K, M and G are 1024, 1024² and 1024³.
pub fn size(text: &str) -> Result<u64, String> {
    const EXPECTED: &str =
        "expected a size: a number of bytes, with K, M or G for 1024, 1024² or 1024³, such as 512, 64K or 1M";
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit {
        "" | "B" => 0,
        "K" | "k" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        _ => return Err(EXPECTED.into()),
    };
    if let Ok(value) = number.parse::<u64>() {
        return value.checked_mul(1 << shift).ok_or_else(|| format!("{text} is too large"));
    }
    // A fraction of a byte is invalid; a fraction of a megabyte is valid.
    match number.parse::<f64>() {
        Ok(value) if shift > 0 && value < f64::from(1 << 20) => Ok((value * (1u64 << shift) as f64) as u64),
        _ => Err(EXPECTED.into()),
    }
}

/// Messages per second; 0 means no limit.
pub fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(hz) if hz == 0.0 || (1e-6..=1e9).contains(&hz) => Ok(hz),
        _ => Err("expected a rate: messages per second, such as 100 or 0.5, or 0 for no limit".into()),
    }
}

/// A count of at least one.
pub fn count(text: &str) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("expected a whole number, 1 or more".into()),
    }
}

/// Permission bits in octal, as for `chmod`. Refuses a mode that the owner could not use.
pub fn mode(text: &str) -> Result<u32, String> {
    let mode = match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 && text.bytes().all(|b| b.is_ascii_digit()) => mode,
        _ => return Err("expected a mode: three octal digits, such as 644, 660 or 600".into()),
    };
    if mode & 0o600 != 0o600 {
        return Err(format!(
            "mode {mode:03o} must let the owner read and write the channel, as {:03o} does",
            mode | 0o600
        ));
    }
    Ok(mode)
}

/// Bytes as pairs of hexadecimal digits: `dead beef`, `de:ad:be:ef` or `0xdeadbeef`.
pub fn hex(text: &str) -> Result<Vec<u8>, String> {
    const EXPECTED: &str =
        "expected pairs of hexadecimal digits, such as 'dead beef', de:ad:be:ef or 0xdeadbeef";
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let digits: Vec<u8> = digits
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ':')
        .map(|c| c.to_digit(16).map(|d| d as u8).ok_or(EXPECTED))
        .collect::<Result<_, _>>()?;
    match digits.as_chunks::<2>() {
        (pairs, []) => Ok(pairs.iter().map(|[high, low]| high << 4 | low).collect()),
        _ => Err(EXPECTED.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_without_a_unit_is_seconds() {
        assert_eq!(duration("5"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("0.25"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3600)));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        assert_eq!(duration("40us"), duration("40µs"));
        for wrong in ["", ".", "s", "-1s", "1..5s", "5 s", "5S", "1s2", "999999999999999999999s"] {
            assert!(duration(wrong).is_err(), "{wrong:?} was accepted as a time");
        }
    }

    #[test]
    fn sizes_are_binary() {
        assert_eq!(size("512"), Ok(512));
        assert_eq!(size("512B"), Ok(512));
        assert_eq!(size("64K"), Ok(65_536));
        assert_eq!(size("1M"), Ok(1_048_576));
        assert_eq!(size("2GiB"), Ok(2_147_483_648));
        assert_eq!(size("1.5M"), Ok(1_572_864));
        for wrong in ["", "K", "1KB", "1.5", ".K", "1.2.3M", "-1", "1 K", "18446744073709551615K"] {
            assert!(size(wrong).is_err(), "{wrong:?} was accepted as a size");
        }
    }

    #[test]
    fn rates_and_counts_are_sane() {
        assert_eq!(rate("0"), Ok(0.0));
        assert_eq!(rate("0.5"), Ok(0.5));
        assert_eq!(count("1"), Ok(1));
        for wrong in ["-1", "NaN", "inf", "1e12", "x", ""] {
            assert!(rate(wrong).is_err(), "{wrong:?} was accepted as a rate");
        }
        for wrong in ["0", "-1", "1.5", ""] {
            assert!(count(wrong).is_err(), "{wrong:?} was accepted as a count");
        }
    }

    #[test]
    fn a_mode_its_owner_could_not_use_is_refused() {
        assert_eq!(mode("644"), Ok(0o644));
        assert_eq!(mode("0660"), Ok(0o660));
        for wrong in ["444", "066", "200", "1777", "68", "+644", "rw", ""] {
            assert!(mode(wrong).is_err(), "{wrong:?} was accepted as a mode");
        }
        assert!(mode("444").unwrap_err().contains("644"), "the remedy names a mode that works");
    }

    #[test]
    fn hex_comes_in_pairs() {
        assert_eq!(hex("00ff"), Ok(vec![0, 255]));
        assert_eq!(hex("0xDE AD be:ef"), Ok(vec![0xde, 0xad, 0xbe, 0xef]));
        assert_eq!(hex(""), Ok(vec![]));
        for wrong in ["0", "0g", "abc", "0x0x00", "é"] {
            assert!(hex(wrong).is_err(), "{wrong:?} was accepted as bytes");
        }
    }
}
