//! Numbers in C's notation.

/// Parses an integer as C with base 0: decimal, `0x` hexadecimal, `0` octal, with an optional sign. `None` if it is
/// invalid or has trailing characters; a number beyond 128 bits counts as the largest.
pub(crate) fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let size = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Some(if negative { -size } else { size })
}

/// Parses a number as C's `strtod`: decimal, hexadecimal with `p`, `inf`, `nan`. `None` if it has trailing
/// characters.
pub(crate) fn float(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { -1.0 } else { 1.0 }, rest),
        None => (1.0, text),
    };
    let lower = digits.to_ascii_lowercase();
    let size = match lower.strip_prefix("0x") {
        Some(hex) => hexadecimal(hex)?,
        None if lower.starts_with(['-', '+']) => return None,
        None => lower.parse().ok()?,
    };
    Some(sign * size)
}

/// `1.8p3` is 1.5 times 2 to the 3.
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0;
    for c in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(c.to_digit(16)?);
    }
    let exponent: i32 = exponent.parse().ok()?;
    let fraction = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    Some(value * f64::from(exponent.saturating_sub(fraction)).exp2())
}

#[cfg(test)]
mod tests {
    use super::{float, integer};

    #[test]
    fn integers_are_those_of_c() {
        let good = [
            ("0", 0),
            ("16", 16),
            ("0x10", 16),
            ("020", 16),
            ("-5", -5),
            ("+3", 3),
            ("0Xff", 255),
            ("-0x1", -1),
        ];
        for (text, value) in good {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        for text in ["", "-", "3abc", "0x", "08", "1e3", "--1", "1.0", "é"] {
            assert_eq!(integer(text), None, "{text}");
        }
        assert!(
            integer("99999999999999999999999999999999999999999999").is_some_and(|v| v > i128::from(i64::MAX))
        );
    }

    #[test]
    fn floats_are_those_of_c() {
        let good = [
            ("1.5", 1.5),
            ("-1e-5", -1e-5),
            ("1e+5", 1e5),
            ("0x10", 16.0),
            ("0x1.8p3", 12.0),
            (".5", 0.5),
            ("3.", 3.0),
        ];
        for (text, value) in good {
            assert_eq!(float(text), Some(value), "{text}");
        }
        assert!(float("nan").is_some_and(f64::is_nan));
        assert_eq!(float("-inf"), Some(f64::NEG_INFINITY));
        for text in ["", "1.5f", "0x", "e5", "--1", "1 2"] {
            assert_eq!(float(text), None, "{text}");
        }
    }
}
