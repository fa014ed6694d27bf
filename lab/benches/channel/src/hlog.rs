//! The raw data: one interval log (`.hlog`, HdrHistogram V2) for each scenario, with one line for each contender,
//! metric and repetition. Every figure of the tables can be recomputed from it.

use crate::case::Scenario;
use crate::error::Fallible;
use crate::outcome::Metric;
use crate::results::Results;
use saltus_measure::hlog::{self, Writer};
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
    let mut serializer = hlog::serializer();
    let comments = [
        "Tag: contender/scenario/place/policy/readers' mode/writers and readers/size/metric-unit",
        "Values are nanoseconds (-ns) or picoseconds (-ps); Interval_Max is a millionth of that",
    ];
    let tool = concat!("saltus-bench-channel ", env!("CARGO_PKG_VERSION"));
    let mut log = Writer::begin(&mut sink, &mut serializer, tool, &comments.map(String::from), start)?;
    for (rep, tag, metric) in &lines {
        let times = rep.times(*metric).ok_or("a distribution that cannot be unpacked")?;
        let since = rep.began.duration_since(start).unwrap_or_default();
        log.interval(&times, since, rep.window, Some(tag))?;
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
    use saltus_measure::hlog::Entry;

    #[test]
    fn a_written_interval_log_reads_back_the_same() {
        let mut results = Results::default();
        let case = Case::new(Scenario::Pingpong);
        crate::results::tests::add(&mut results, case, "pipe", Metric::OneWay, &[1_330.0, 1_400.0]);
        let mut bytes = Vec::new();
        assert!(write(&results, Scenario::Pingpong, SystemTime::UNIX_EPOCH, &mut bytes).expect("written"));
        assert!(!write(&results, Scenario::Copy, SystemTime::UNIX_EPOCH, &mut Vec::new()).expect("empty"));
        let mut maxima = Vec::new();
        let cut = hlog::read(&bytes[..], |entry| {
            let Entry::Interval(line) = entry else { return };
            assert_eq!(line.tag.as_deref(), Some("pipe/pingpong/2cores/default/poll/1w1r/64B/one-way-ns"));
            maxima.push(line.times.max());
        });
        assert!(!cut.expect("readable"));
        assert_eq!(maxima.len(), 2);
        assert!(maxima[0].abs_diff(1_330) <= 1 && maxima[1].abs_diff(1_400) <= 1, "{maxima:?}");
    }
}
