//! Units in the comments of types.

/// Words for units in comments, and their symbols.
const WORDS: &[(&str, &str)] = &[
    ("metres a second squared", "m/s²"),
    ("meters per second squared", "m/s²"),
    ("metres per second squared", "m/s²"),
    ("radians a second", "rad/s"),
    ("radians per second", "rad/s"),
    ("degrees per second", "°/s"),
    ("metres a second", "m/s"),
    ("metres per second", "m/s"),
    ("meters per second", "m/s"),
    ("microseconds", "µs"),
    ("milliseconds", "ms"),
    ("nanoseconds", "ns"),
    ("seconds", "s"),
    ("millimetres", "mm"),
    ("millimeters", "mm"),
    ("centimetres", "cm"),
    ("metres", "m"),
    ("meters", "m"),
    ("radians", "rad"),
    ("degrees", "°"),
    ("kelvin", "K"),
    ("volts", "V"),
    ("amperes", "A"),
    ("watts", "W"),
    ("newtons", "N"),
    ("newton metres", "Nm"),
    ("hertz", "Hz"),
    ("percent", "%"),
];

/// Symbols of units. `min`, `in` and the like are excluded: they are also ordinary words.
const SIGNS: &[&str] = &[
    "m", "km", "dm", "cm", "mm", "µm", "um", "nm", "s", "ms", "µs", "us", "ns", "h", "Hz", "kHz", "MHz",
    "GHz", "rad", "mrad", "deg", "°", "g", "kg", "N", "kN", "mN", "Nm", "V", "mV", "kV", "A", "mA", "Ah",
    "mAh", "W", "mW", "kW", "Wh", "J", "kJ", "K", "°C", "degC", "Pa", "hPa", "kPa", "MPa", "bar", "mbar",
    "T", "mT", "µT", "uT", "Ω", "ohm", "F", "H", "lm", "lx", "cd", "mol", "%", "rpm", "dB", "dBm", "ppm",
    "px", "1",
];

/// Finds the unit in a comment, in one of these forms:
///
/// - in brackets or after a label: `[m/s]`, `(m)`, `unit: rad`;
/// - a line that is only a unit, or begins with a unit and a semicolon: `rad/s`, `m; n of them`;
/// - a line that begins with a unit and a comma, unless the unit could be a word or a name: `rad/s, to the left`, but not `m, n and k`;
/// - a word at the beginning, or after a comma or `in`: `Heading, radians.`
pub fn unit(comment: &str) -> Option<String> {
    let found = bracketed(comment).or_else(|| labelled(comment));
    found.or_else(|| line(comment)).or_else(|| in_parentheses(comment)).or_else(|| word(comment))
}

/// Whether the text is certainly a unit: known symbols with powers, multiplied and divided, such as `kg*m/s^2`.
fn is_sign(text: &str) -> bool {
    let factor = |factor: &str| match factor.split_once('^') {
        Some((base, power)) => SIGNS.contains(&base) && power.parse::<i8>().is_ok(),
        None => {
            // `m/s2` is a unit; `s2` alone may be an identifier.
            let base = factor.strip_suffix(['²', '³']);
            let base = base.or_else(|| factor.strip_suffix(['2', '3']).filter(|_| text.contains('/')));
            SIGNS.contains(&base.unwrap_or(factor))
        }
    };
    text != "1" && text.chars().count() <= 16 && text.split(['/', '*', '·']).all(factor)
}

fn line(comment: &str) -> Option<String> {
    comment.lines().find_map(|line| {
        let line = line.trim().trim_end_matches('.');
        let clause = line.split(';').next().unwrap_or(line).trim_end();
        let part = line.split(',').next().unwrap_or(line).trim_end();
        let found = if is_sign(clause) { Some(clause) } else { Some(part).filter(|part| is_clear(part)) };
        found.map(String::from)
    })
}

/// Whether nothing but a unit is written so: a quotient, or a sign that is no name of a variable.
fn is_clear(text: &str) -> bool {
    const CLEAR: &[&str] = &[
        "mm", "cm", "km", "ms", "µs", "rad", "mrad", "deg", "Hz", "kHz", "MHz", "kg", "Nm", "mV", "mA", "°C",
    ];
    is_sign(text) && (text.contains('/') || CLEAR.contains(&text))
}

fn in_parentheses(comment: &str) -> Option<String> {
    comment.split('(').skip(1).find_map(|rest| {
        let (inner, _) = rest.split_once(')')?;
        Some(inner.trim()).filter(|text| is_sign(text)).map(String::from)
    })
}

/// Whether the text looks like a unit: short, without spaces, and not a bare number, which would be an interval or an index.
fn plausible(text: &str) -> bool {
    !text.is_empty()
        && text.chars().count() <= 12
        && text.chars().any(|c| c.is_alphabetic() || "%°".contains(c))
        && text.chars().all(|c| c.is_alphanumeric() || "/*^%°·-+²³µ_.".contains(c))
}

fn bracketed(comment: &str) -> Option<String> {
    comment.split('[').skip(1).find_map(|rest| {
        let (inner, _) = rest.split_once(']')?;
        Some(inner.trim()).filter(|text| plausible(text)).map(String::from)
    })
}

fn labelled(comment: &str) -> Option<String> {
    let lower = comment.to_ascii_lowercase(); // the same length
    let label = ["units:", "unit:", "units =", "unit ="].into_iter();
    let at = label.filter_map(|label| Some(lower.find(label)? + label.len())).min()?;
    let named = comment.get(at..)?.split_whitespace().next()?.trim_end_matches(['.', ',', ';']);
    plausible(named).then(|| named.into())
}

fn word(comment: &str) -> Option<String> {
    let lower = comment.to_lowercase();
    let starts = |from: &str| {
        WORDS.iter().find_map(|(word, unit)| {
            let rest = from.strip_prefix(word)?;
            (!rest.starts_with(|c: char| c.is_alphanumeric())).then(|| (*unit).to_string())
        })
    };
    let behind = |separator| lower.split(separator).skip(1).find_map(|rest| starts(rest.trim_start()));
    starts(lower.trim_start()).or_else(|| behind(", ")).or_else(|| behind(" in ")).or_else(|| behind("\n"))
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn a_unit_is_found_where_people_write_it() {
        for (comment, expected) in [
            ("speed over ground [m/s]", "m/s"),
            ("unit: rad", "rad"),
            ("the wheel, units: m/s^2.", "m/s^2"),
            ("Heading, radians.", "rad"),
            ("Metres a second squared.", "m/s²"),
            ("Radians a second; left is positive.", "rad/s"),
            ("When it was measured, microseconds; what that counts from", "µs"),
            ("time in seconds", "s"),
            ("[%] of charge", "%"),
            ("m", "m"),
            ("rad/s", "rad/s"),
            ("m/s^2.", "m/s^2"),
            ("Where it is.\nkg·m/s²", "kg·m/s²"),
            ("the height (m), above ground", "m"),
            ("temperature (°C)", "°C"),
            ("rate (1/s)", "1/s"),
            ("(m/s2)", "m/s2"),
            ("m; n of them", "m"),
            ("rad/s, to the left", "rad/s"),
            ("deg, clockwise from north", "deg"),
            ("of the gravity (m/s^2)", "m/s^2"),
        ] {
            assert_eq!(unit(comment).as_deref(), Some(expected), "{comment}");
        }
    }

    #[test]
    fn the_example_of_the_page_on_types_has_units() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/types.md");
        let page = std::fs::read_to_string(page).expect("docs/types.md");
        let text = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
        let schema = saltus_types::parse("types.md", text).expect("types");
        let of = |name: &str, field: &str| {
            let record = schema.get(schema.find(name).expect("a type"));
            unit(&record.field(field).expect("a field").1.doc)
        };
        assert_eq!(of("robot.pose_t", "position").as_deref(), Some("m"));
        assert_eq!(of("robot.pose_t", "utime").as_deref(), Some("µs"));
        assert_eq!(of("robot.pose_t", "orientation"), None);
        assert_eq!(of("robot.scan_t", "ranges").as_deref(), Some("m"));
    }

    #[test]
    fn text_that_is_not_a_unit_is_unchanged() {
        for comment in [
            "",
            "in [0, 1]",
            "index [3]",
            "see [the manual of the maker]",
            "secondsomething",
            "two metres away",
            "min",
            "a",
            "s of the robot (left), (s1) and (1)",
            "(m and more)",
            "m, n and k: sizes",
            "h, w of the picture",
            "s, the arc",
            "mm and more",
            "more; m",
            "A, B and C",
            "km/h or so",
            "m/s is the unit",
        ] {
            assert_eq!(unit(comment), None, "{comment}");
        }
    }
}
