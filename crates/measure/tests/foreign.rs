//! Interoperability of interval logs with HdrHistogram's packages for Python and JavaScript and its Java library, in both directions.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use saltus_measure::hlog::{self, Entry, Line, Writer};
use saltus_measure::times;

/// Runs a script in the Python installation with the package.
fn python(script: &str, arguments: &[&str]) -> String {
    let output =
        saltus_peers::program("python").args(["-c", script]).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A file that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("saltus-measure-{}-{name}", std::process::id())))
    }
    fn path(&self) -> &str {
        self.0.to_str().expect("text")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const READ: &str = "
import sys
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
reader = HistogramLogReader(sys.argv[1], HdrHistogram(1, 3600000000000, 3))
while (h := reader.get_next_interval_histogram()) is not None:
    print(h.get_tag(), round(h.get_start_time_stamp()), h.get_total_count(), h.get_max_value(), h.get_value_at_percentile(99))
";

/// Writes a log with the same thousand times without and with a tag, and returns them.
fn write_ours(file: &Scratch) -> saltus_measure::Histogram<u64> {
    let mut sink = std::fs::File::create(&file.0).expect("made");
    let mut serializer = hlog::serializer();
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let mut log =
        Writer::begin(&mut sink, &mut serializer, "a test", &["a remark".into()], start).expect("begun");
    let mut times = times();
    (1..=1000).for_each(|n| times.saturating_record(n * 1_000_000));
    for tag in [None, Some("raw")] {
        log.interval(&times, Duration::from_secs(5), Duration::from_secs(5), tag).expect("written");
    }
    times
}

#[test]
fn python_reads_what_is_written_here() {
    let file = Scratch::new("ours.hlog");
    let times = write_ours(&file);
    let reported = python(READ, &[file.path()]);
    let (p99, max) = (times.value_at_quantile(0.99), times.max());
    assert_eq!(
        reported,
        format!("None 1700000005000 1000 {max} {p99}\nraw 1700000005000 1000 {max} {p99}\n"),
    );
}

const WRITE: &str = "
import sys
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter
log = HistogramLogWriter(open(sys.argv[1], 'w'))
log.output_log_format_version()
log.output_base_time(1700000000000)
log.output_legend()
h = HdrHistogram(1, 3600000000000, 3)
for n in range(1, 1001):
    h.record_value(n * 1000000)
log.output_interval_histogram(h, 5.0, 10.0)
log.close()
print(h.get_max_value(), h.get_value_at_percentile(99))
";

/// The intervals of a log, which must be complete.
fn lines(file: &Scratch) -> Vec<Line> {
    let bytes = std::fs::read(&file.0).expect("written");
    let mut lines: Vec<Line> = Vec::new();
    let cut = hlog::read(&bytes[..], |entry| {
        if let Entry::Interval(line) = entry {
            lines.push(line);
        }
    });
    assert!(!cut.expect("readable"), "complete");
    lines
}

#[test]
fn logs_written_by_python_are_readable() {
    let file = Scratch::new("theirs.hlog");
    let reported = python(WRITE, &[file.path()]);
    let lines = lines(&file);
    let line = &lines[0];
    assert_eq!((lines.len(), line.start, line.length, line.times.len()), (1, 1_700_000_005.0, 5.0, 1000));
    assert_eq!(reported.trim(), format!("{} {}", line.times.max(), line.times.value_at_quantile(0.99)));
}

/// HdrHistogram's own library, in the path of Debian's package.
const JAR: &str = "/usr/share/java/hdrhistogram.jar";

/// Runs the Java program next to this test.
fn java(word: &str, file: &Scratch) -> String {
    assert!(Path::new(JAR).is_file(), "no {JAR}: install libhdrhistogram-java, as `cargo xtask test` does");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/java/Logs.java");
    let output = Command::new("java").args(["-cp", JAR, program, word, file.path()]).output();
    let output = output.expect("java starts (Debian: default-jdk-headless)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Runs the Node.js program next to this test, with HdrHistogram's package.
fn javascript(word: &str, file: &Scratch) -> String {
    static MODULES: OnceLock<PathBuf> = OnceLock::new();
    let install = || saltus_peers::node(env!("CARGO_TARGET_TMPDIR"), "hdr-node", &["hdr-histogram-js@3.0.1"]);
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/javascript/logs.cjs");
    let mut node = Command::new("node");
    node.args([program, word, file.path()]).env("NODE_PATH", MODULES.get_or_init(install));
    let output = node.output().expect("node starts (Debian: nodejs)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn java_and_javascript_read_what_is_written_here() {
    let file = Scratch::new("ours-for-others.hlog");
    let times = write_ours(&file);
    let (p99, max) = (times.value_at_quantile(0.99), times.max());
    for reported in [java("read", &file), javascript("read", &file)] {
        assert_eq!(
            reported,
            format!("null 1700000005000 1000 {max} {p99}\nraw 1700000005000 1000 {max} {p99}\n")
        );
    }
}

#[test]
fn logs_written_by_java_and_javascript_are_readable() {
    let (javas, scripts) = (Scratch::new("javas.hlog"), Scratch::new("scripts.hlog"));
    for (reported, file) in [(java("write", &javas), &javas), (javascript("write", &scripts), &scripts)] {
        let lines = lines(file);
        let told_here: Vec<String> = lines
            .iter()
            .map(|line| format!("{} {}", line.times.max(), line.times.value_at_quantile(0.99)))
            .collect();
        assert_eq!(reported.lines().collect::<Vec<_>>(), told_here);
        let found: Vec<_> =
            lines.iter().map(|line| (line.tag.as_deref(), line.start, line.times.len())).collect();
        assert_eq!(found, [(None, 1_700_000_005.0, 1000), (Some("raw"), 1_700_000_005.0, 1000)]);
    }
}

#[test]
fn percentiles_that_java_writes_are_read_here() {
    let plain = Scratch::new("javas.hgrm");
    let [ms, commas] = ["ms", "csv"].map(|end| Scratch::new(&format!("javas.hgrm.{end}")));
    let reported = java("percentiles", &plain);
    let (max, median) = reported.trim().split_once(' ').expect("two numbers");
    let [max, median] = [max, median].map(|number| number.parse::<u64>().expect("a number"));
    for (file, step) in [(&plain, 0), (&ms, 500), (&commas, 0)] {
        let one = saltus_measure::report::load(&file.0, None).expect("read").remove(0);
        assert_eq!((one.times.len(), one.assumed.is_some()), (1000, step == 0), "{}", file.path());
        // With the precision of the file: three decimals of milliseconds.
        let near = |a: u64, b: u64| a.abs_diff(b) <= step + b / 500;
        assert!(
            near(one.times.max(), max) && near(one.times.value_at_quantile(0.5), median),
            "{}",
            file.path()
        );
    }
}
