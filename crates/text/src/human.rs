//! Numbers as people read them: three digits and a unit.

/// `512 B`, `64 KiB`, `1.50 MiB`.
pub fn bytes(n: f64) -> String {
    if n < 1024.0 {
        return format!("{} B", digits(n));
    }
    let (mut value, mut unit) = (n / 1024.0, "KiB");
    for larger in ["MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    format!("{} {unit}", digits(value))
}

/// A span of nanoseconds: `850 ns`, `12.3 us`, `4.00 ms`, `2.50 s`, `3.0 h`.
pub fn nanos(ns: f64) -> String {
    let (value, unit) = match ns {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "us"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n if n < 120e9 => (n / 1e9, "s"),
        n if n < 7200e9 => (n / 60e9, "min"),
        n if n < 172_800e9 => (n / 3600e9, "h"),
        n => (n / 86_400e9, "d"),
    };
    format!("{} {unit}", digits(value))
}

/// Events a second: `0.50 Hz`, `100 Hz`, `1.00 kHz`, `4.10 MHz`.
pub fn hertz(hz: f64) -> String {
    match hz {
        n if n < 1e3 => format!("{} Hz", digits(n)),
        n if n < 1e6 => format!("{} kHz", digits(n / 1e3)),
        n => format!("{} MHz", digits(n / 1e6)),
    }
}

/// A stamp in seconds with all its nanoseconds, which sorts and subtracts well.
pub fn stamp(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// The same of a time that may lie before 1970.
pub fn signed_stamp(ns: i64) -> String {
    format!("{}{}", if ns < 0 { "-" } else { "" }, stamp(ns.unsigned_abs()))
}

/// What was missed, of `received` messages before `untold` of which nobody knows.
pub fn missed(missed: u64, untold: u64, received: u64) -> String {
    match (missed, untold) {
        (n, 0) if received > 0 => n.to_string(),
        (0, untold) if untold == received => "unknown".into(),
        (n, _) => format!("{n} and unknown"),
    }
}

/// A noun with its number: `1 message`, `2 messages`.
pub fn plural(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// About three digits; whole numbers stay whole.
fn digits(value: f64) -> String {
    match value {
        v if v == v.trunc() && v < 1e6 => format!("{v:.0}"),
        // What would be rounded to one digit more is written as that.
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_three_digits() {
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(65_536.0), "64 KiB");
        assert_eq!(bytes(1_572_864.0), "1.50 MiB");
        assert_eq!(nanos(850.0), "850 ns");
        assert_eq!(nanos(12_345.0), "12.3 us");
        assert_eq!(nanos(2.5e9), "2.50 s");
        assert_eq!(nanos(3.0 * 3600e9), "3 h");
        assert_eq!(hertz(9.997), "10.0 Hz");
        assert_eq!(hertz(99.97), "100 Hz");
        assert_eq!(hertz(1_234.0), "1.23 kHz");
        assert_eq!(hertz(4.1e6), "4.10 MHz");
    }

    #[test]
    fn stamps_keep_every_nanosecond() {
        assert_eq!(stamp(12_000_000_034), "12.000000034");
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(plural(1, "message"), "1 message");
        assert_eq!(plural(0, "message"), "0 messages");
    }
}
