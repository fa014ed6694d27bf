//! The raw material: one interval log (`.hlog`, HdrHistogram V2) for each scenario, with one line for each
//! contender, metric and repetition, so that every figure of the table can be looked into.

use crate::case::Scenario;
use crate::error::Fallible;
use crate::outcome::Metric;
use crate::results::Results;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use std::io::Write;
use std::time::SystemTime;

/// Writes the log of one scenario; false when there is nothing to write.
pub fn write(results: &Results, scenario: Scenario, start: SystemTime, sink: impl Write) -> Fallible<bool> {
    let mut lines = Vec::new();
    for cell in results.cells.iter().filter(|c| c.case.scenario == scenario) {
        for rep in &cell.reps {
            for metric in rep.metrics() {
                lines.push((rep, format!("{}/{}/{}", cell.contender, cell.case, tag(metric)), metric));
            }
        }
    }
    lines.sort_by_key(|(rep, _, _)| rep.began);
    let mut sink = std::io::BufWriter::new(sink);
    let mut serializer = V2DeflateSerializer::new();
    let mut log = IntervalLogWriterBuilder::new()
        .add_comment(&format!("[Logged with saltus-bench-channel {}]", env!("CARGO_PKG_VERSION")))
        .add_comment("[Histogram log format version 1.3]")
        .add_comment(
            "Tag: contender/scenario/place/policy/readers' mode/writers and readers/size/metric-unit",
        )
        .add_comment("Values are nanoseconds (-ns) or picoseconds (-ps); Interval_Max is a millionth of that")
        .with_start_time(start)
        .with_base_time(start)
        .with_max_value_divisor(1e6)
        .begin_log_with(&mut sink, &mut serializer)?;
    for (rep, tag, metric) in &lines {
        let times = rep.times(*metric).ok_or("a distribution that cannot be unpacked")?;
        let tag = Tag::new(tag).ok_or_else(|| format!("{tag} is not a legal tag"))?;
        let since = rep.began.duration_since(start).unwrap_or_default();
        log.write_histogram(&times, since, rep.window, Some(tag))
            .map_err(|e| format!("cannot write the interval log: {e:?}"))?;
    }
    drop(log);
    sink.flush()?;
    Ok(!lines.is_empty())
}

fn tag(metric: Metric) -> String {
    format!("{}-{}", metric.name(), metric.unit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    #[test]
    fn what_is_written_can_be_read_back() {
        let mut results = Results::default();
        let case = Case::new(Scenario::Pingpong);
        crate::results::tests::add(&mut results, case, "pipe", Metric::OneWay, &[1_330.0, 1_400.0]);
        let mut bytes = Vec::new();
        assert!(write(&results, Scenario::Pingpong, SystemTime::UNIX_EPOCH, &mut bytes).expect("written"));
        assert!(!write(&results, Scenario::Copy, SystemTime::UNIX_EPOCH, &mut Vec::new()).expect("empty"));
        let mut maxima = Vec::new();
        for entry in IntervalLogIterator::new(&bytes) {
            let Ok(LogEntry::Interval(interval)) = entry else { continue };
            let tag = interval.tag().expect("tagged");
            assert_eq!(tag.as_str(), "pipe/pingpong/2cores/default/poll/1w1r/64B/one-way-ns");
            assert!(interval.encoded_histogram().starts_with("HISTFAAAA"));
            let coded = interval.encoded_histogram();
            let bytes = base64(coded);
            let times: Histogram<u64> =
                Deserializer::new().deserialize(&mut &bytes[..]).expect("a histogram");
            maxima.push(times.max());
        }
        assert_eq!(maxima.len(), 2);
        assert!(maxima[0].abs_diff(1_330) <= 1 && maxima[1].abs_diff(1_400) <= 1, "{maxima:?}");
    }

    /// The little of base64 that the test needs.
    fn base64(text: &str) -> Vec<u8> {
        let digit = |c: u8| match c {
            b'A'..=b'Z' => u32::from(c - b'A'),
            b'a'..=b'z' => u32::from(c - b'a') + 26,
            b'0'..=b'9' => u32::from(c - b'0') + 52,
            b'+' => 62,
            _ => 63,
        };
        let digits: Vec<u32> = text.bytes().filter(|c| *c != b'=').map(digit).collect();
        let mut bytes = Vec::new();
        for four in digits.chunks(4) {
            let word = four.iter().fold(0, |word, d| word << 6 | d) << (6 * (4 - four.len()));
            bytes.extend(&word.to_be_bytes()[1..four.len()]);
        }
        bytes
    }
}
