//! Numbers for people: three digits and a unit.

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

/// Events per second: `0.50 Hz`, `100 Hz`, `1.00 kHz`, `4.10 MHz`.
pub fn hertz(hz: f64) -> String {
    match hz {
        n if n < 1e3 => format!("{} Hz", digits(n)),
        n if n < 1e6 => format!("{} kHz", digits(n / 1e3)),
        n => format!("{} MHz", digits(n / 1e6)),
    }
}

/// A timestamp in seconds with nine decimals.
pub fn timestamp(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// The same for a time that may be before 1970.
pub fn signed_timestamp(ns: i64) -> String {
    format!("{}{}", if ns < 0 { "-" } else { "" }, timestamp(ns.unsigned_abs()))
}

/// A time in ns since 1970 as a date in UTC: `2026-11-24 19:40:12.123 UTC`.
pub fn date(ns: i64) -> String {
    let (seconds, part) = (ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 0000-03-01, in eras of 400 years: a leap day is the last day of such a year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let (year, millis) = (year + 400 * era, part / 1_000_000);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{millis:03} UTC")
}

/// The number of missed messages. `untold` of the `received` messages had an unknown number missed before them.
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

/// About three digits; whole numbers have no decimals.
fn digits(value: f64) -> String {
    match value {
        v if v == v.trunc() && v < 1e6 => format!("{v:.0}"),
        // A number that rounds up to one more digit is printed with that.
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
        assert_eq!(timestamp(12_000_000_034), "12.000000034");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00:00.000 UTC");
        assert_eq!(date(-1), "1969-12-31 23:59:59.999 UTC");
        assert_eq!(date(951_782_399_000_000_000), "2000-02-28 23:59:59.000 UTC");
        assert_eq!(date(951_868_800_000_000_000), "2000-03-01 00:00:00.000 UTC");
        assert_eq!(date(1_795_549_212_123_456_789), "2026-11-24 19:40:12.123 UTC");
        assert_eq!(date(i64::MAX), "2262-04-11 23:47:16.854 UTC");
        assert_eq!(date(i64::MIN), "1677-09-21 00:12:43.145 UTC");
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(plural(1, "message"), "1 message");
        assert_eq!(plural(0, "message"), "0 messages");
    }
}
