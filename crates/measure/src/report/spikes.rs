//! The spikes in a log: the longest ones, and their number.

use std::time::Duration;

use saltus_text::units;

/// One spike, with its parts as far as they can be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spike {
    /// Its length in ns; 0 if the line does not have the format of `saltus hiccup`.
    pub length: u64,
    /// Its time in seconds since the start, as text.
    pub at: String,
    /// Its CPU.
    pub cpu: String,
    /// The kernel's counts, or the whole line.
    pub words: String,
}

impl Spike {
    /// Parses `at 0.018 s: 12.0 ms on cpu 1; …`.
    pub fn read(line: &str) -> Spike {
        let parts = || {
            let (at, rest) = line.strip_prefix("at ")?.split_once(" s: ")?;
            let (head, words) = rest.split_once("; ").unwrap_or((rest, ""));
            let (length, cpu) = head.split_once(" on cpu ")?;
            let length: Duration = units::duration(&length.replace(' ', "")).ok()?;
            let length = u64::try_from(length.as_nanos()).ok()?;
            Some(Spike { length, at: at.into(), cpu: cpu.into(), words: words.into() })
        };
        let other = || Spike { length: 0, at: String::new(), cpu: String::new(), words: line.into() };
        parts().unwrap_or_else(other)
    }
}

/// The longest spikes of a log, up to a limit, and the number of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spikes {
    /// The longest first; of equal ones, the earliest.
    pub longest: Vec<Spike>,
    /// Number of all spikes.
    pub count: usize,
}

impl Spikes {
    /// Counts a spike, and keeps it if it is among the `most` longest.
    pub fn add(&mut self, line: &str, most: usize) {
        self.count += 1;
        let spike = Spike::read(line);
        let place = self.longest.partition_point(|known| known.length >= spike.length);
        if place < most {
            self.longest.insert(place, spike);
            self.longest.truncate(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_kept_in_their_order_and_all_are_counted() {
        let mut spikes = Spikes::default();
        for (n, length) in ["1.26 ms", "858 us", "2.00 s", "12.0 ms", "858 us"].iter().enumerate() {
            spikes.add(&format!("at {n}.000 s: {length} on cpu 1; within 3 ms: irq x; more"), 4);
        }
        let kept: Vec<(&str, u64)> = spikes.longest.iter().map(|s| (&*s.at, s.length)).collect();
        assert_eq!(
            kept,
            [("2.000", 2_000_000_000), ("3.000", 12_000_000), ("0.000", 1_260_000), ("1.000", 858_000)]
        );
        assert_eq!((spikes.count, &*spikes.longest[0].words), (5, "within 3 ms: irq x; more"));
        spikes.add("something else", 9);
        assert_eq!(spikes.longest[4].words, "something else");
    }
}
