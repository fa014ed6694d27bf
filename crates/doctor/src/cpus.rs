//! Sets of CPUs, in the kernel's formats.

use std::collections::BTreeSet;

/// The kernel's limit.
const MOST: usize = 8192;

/// Parses a list such as `0-2,5`; `None` if it is invalid.
pub fn list(text: &str) -> Option<BTreeSet<usize>> {
    let mut set = BTreeSet::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last >= MOST {
            return None;
        }
        set.extend(first..=last);
    }
    Some(set)
}

/// Parses a mask such as `3,00000001`: words of 32 bits, the highest first.
pub fn mask(text: &str) -> Option<BTreeSet<usize>> {
    let mut set = BTreeSet::new();
    for (n, word) in text.trim().rsplit(',').take(MOST / 32).enumerate() {
        let word = u32::from_str_radix(word, 16).ok()?;
        set.extend((0..32).filter(|bit| word & (1 << bit) != 0).map(|bit| n * 32 + bit));
    }
    Some(set)
}

/// The set as a list in the kernel's format.
pub fn text(set: &BTreeSet<usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &cpu in set {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => runs.push((cpu, cpu)),
        }
    }
    let run = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        for (written, again) in [("", ""), ("0", "0"), ("0-2,5\n", "0-2,5"), ("1,2,4", "1-2,4")] {
            assert_eq!(text(&list(written).unwrap()), again);
        }
        for wrong in ["x", "1-", "0-99999999999", "-1"] {
            assert_eq!(list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn masks_are_read() {
        assert_eq!(text(&mask("1,80000001\n").unwrap()), "0,31-32");
        assert_eq!(mask("(null)"), None);
    }
}
