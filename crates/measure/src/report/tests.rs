//! Tests of reports with known times.

use super::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

fn write(name: &str, text: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // Relaxed: only the number's own uniqueness counts. Tests run at the same time.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("saltus-measure-{}-{number}-{name}", std::process::id()));
    std::fs::write(&path, text).expect("written");
    path
}

fn read(name: &str, text: &str) -> Result<Vec<Series>, Error> {
    let path = write(name, text);
    let read = load(&path, None);
    std::fs::remove_file(&path).expect("removed");
    read
}

fn sample() -> Histogram<u64> {
    let mut times = crate::times();
    (1..=10_000).for_each(|n| times.saturating_record(10_000 + n * n % 7_000));
    times.saturating_record(40_000_000);
    times
}

fn log() -> Vec<u8> {
    use crate::hlog::{Writer, serializer};
    use std::time::{Duration, SystemTime};
    let (mut bytes, mut serializer) = (Vec::new(), serializer());
    let machine = ["machine: cpu: <made up> & \"so\"".to_string()];
    let mut log = Writer::begin(&mut bytes, &mut serializer, "a test", &machine, SystemTime::UNIX_EPOCH)
        .expect("begun");
    for n in 0..20 {
        let tag = [None, Some("raw")][n % 2];
        let since = Duration::from_secs(n as u64 / 2);
        log.interval(&sample(), since, Duration::from_secs(1), tag).expect("written");
        log.comment(&format!("spike: at {n}.000 s: {}.0 ms on cpu 1; {n} & <more>", n + 1)).expect("written");
    }
    bytes
}

fn series() -> Vec<Series> {
    read("report.hlog", &String::from_utf8(log()).expect("text")).expect("read")
}

#[test]
fn a_log_gives_a_series_for_each_tag() {
    let all = series();
    assert_eq!(all.iter().map(|s| s.tag.as_deref()).collect::<Vec<_>>(), [None, Some("raw")]);
    for one in &all {
        assert_eq!((one.times.len(), one.intervals.len()), (100_010, 10));
        assert_eq!(one.heat.columns().iter().flat_map(|column| column.cells).sum::<u64>(), 100_010);
        assert_eq!(one.machine, [("cpu".to_string(), "<made up> & \"so\"".to_string())]);
        let spikes = &one.spikes;
        assert_eq!((spikes.longest.len(), spikes.count, &*spikes.longest[0].words), (20, 20, "19 & <more>"));
        assert_eq!((spikes.longest[0].length, &*spikes.longest[0].at), (20_000_000, "19.000"));
    }
}

#[test]
fn tables_are_read_back() {
    let times = sample();
    for (name, text) in [("a.csv", csv(&times)), ("a.hgrm", hgrm(&times))] {
        let back = read(name, &text).expect("read");
        assert_eq!(back[0].times.len(), times.len(), "{name}");
        assert!(back[0].times.equivalent(back[0].times.max(), times.max()), "{name}");
        let (found, truth) = (back[0].times.value_at_quantile(0.5), times.value_at_quantile(0.5));
        assert!(found.abs_diff(truth) <= truth / 200, "{name}: {found} and not {truth}");
    }
    for (name, text, words) in [
        ("b.csv", "1,2\nx\n", "line 2: expected value_ns,count"),
        ("b.csv", "-1,2\n", "line 1: expected a time from 0"),
        ("b.csv", "1,18446744073709551615\n1,1\n", "line 2: more times"),
        ("b.hgrm", "1.0 0.5 7 2\n2.0 0.9 3 10\n", "line 2: the counts go down"),
        ("b.hlog", "", "no times"),
    ] {
        let error = read(name, text).err().expect(text).to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn excessive_input_is_refused_immediately() {
    // The line has no end, and the damage after the limit is not reached.
    let endless = "1".repeat(100_000);
    let log = String::from_utf8(log()).expect("text");
    let interval = log.lines().find(|line| line.starts_with("Tag=raw")).expect("an interval");
    let each = |n: usize| interval.replacen("raw", &format!("tag{n}"), 1) + "\n";
    let tags: String = (0..65).map(each).collect();
    let long = interval.replacen("raw", &"x".repeat(2_000), 1);
    for (name, text, words) in [
        ("a.csv", &endless, "line 1: longer than 64 KiB"),
        ("a.hgrm", &endless, "line 1: longer than 64 KiB"),
        ("a.hlog", &format!("{tags}nonsense\n"), "line 65: more than 64 tags"),
        ("a.hlog", &format!("{long}\nnonsense\n"), "line 1: a tag of more than 1000 bytes"),
    ] {
        let error = read(name, text).err().expect(name).to_string();
        assert!(error.contains(words), "{error}");
    }
    let limits = |intervals, facts| load::Limits { tags: 2, intervals, facts, spikes: 3, bytes: 1_000 };
    let read = |limits| load::log(log.as_bytes(), "a.hlog", limits);
    let error = read(limits(19, 9)).err().expect("20 intervals, of two tags");
    assert!(error.contains("more than 19 intervals"), "{error}");
    let all = read(limits(20, 0)).expect("enough");
    assert!(
        all.iter()
            .all(|one| one.machine.is_empty() && (one.spikes.longest.len(), one.spikes.count) == (3, 20))
    );
    assert!(page(&all, &[], false).expect("drawn").contains("<p>The log has 17 shorter ones.</p>"));
}

#[test]
fn a_page_has_every_chart_and_the_machine_and_loads_nothing_external() {
    let levels = [Level { percent: 99.0, limit: 20_000 }, Level { percent: 100.0, limit: 1_000_000 }];
    let text = page(&series(), &levels, false).expect("drawn");
    for words in [
        "Maximum over time",
        "Percentiles",
        "Heat map",
        "Histogram",
        "normal distribution",
        "prefers-color-scheme:dark",
        "&lt;made up&gt; &amp; &quot;so&quot;",
        "<td>kept: ",
        "<td>missed: 40",
        "<td>8 ms</td><td>7.000 s</td><td>1</td>",
        "7 &amp; &lt;more&gt;</span>",
        "<b class=\"missed\">missed</b>: 100 % within 1 ms",
        "report.hlog, the longest 20 ms</summary>",
        "99.9 %",
        "<td>100010</td>",
    ] {
        assert!(text.contains(words), "{words}");
    }
    for foreign in ["<script", "src=", "href=", "<made up>", "NaN", "inf\""] {
        assert!(!text.contains(foreign), "{foreign}");
    }
    let compared = page(&series(), &[], true).expect("drawn");
    assert!(compared.contains("Percentiles") && !compared.contains("Heat map"));
    let figure = figure(&series(), &levels, false).expect("drawn");
    assert_eq!(figure.matches("<svg").count(), 1);
    assert!(figure.contains("<style>") && figure.trim_end().ends_with("</svg>"));
}

#[test]
fn the_first_screen_has_the_result_and_details_are_folded_and_bounded() {
    use crate::hlog::{Writer, serializer};
    use std::time::{Duration, SystemTime};
    let (mut bytes, mut serializer) = (Vec::new(), serializer());
    let mut log =
        Writer::begin(&mut bytes, &mut serializer, "a test", &[], SystemTime::UNIX_EPOCH).expect("begun");
    log.interval(&sample(), Duration::ZERO, Duration::from_secs(8), None).expect("written");
    for n in 0..5_000 {
        log.comment(&format!("spike: at 1.000 s: {}.00 ms on cpu 0; spike {n}", 1 + n % 90))
            .expect("written");
    }
    let all = load::read("many.hlog", &bytes[..], None).expect("read");
    let levels = [Level { percent: 99.0, limit: 20_000 }, Level { percent: 100.0, limit: 1_000_000 }];
    let text = page(&all, &levels, false).expect("drawn");
    let body = text.split_once("<body>").expect("a body").1;
    let (first, folded) = body.split_once("<details>").expect("a part that is folded");
    for words in [
        "Longest: <b>40.0 ms</b> in many.hlog",
        "A service level is missed",
        "<td data-name=\"count\">10001</td>",
    ] {
        assert!(first.contains(words), "{words}: {first}");
    }
    for name in ["p50", "p99", "p99.9", "max", "service levels"] {
        assert!(first.contains(&format!("data-name=\"{name}\"")), "{name}");
    }
    assert_eq!(first.matches("<figure").count(), 2, "one chart, for wide and for narrow screens");
    assert!(!first.contains("spike "), "{first}");
    // Everything else is folded, and only its summaries take space.
    let mut depth = 1;
    for part in folded.split('<').filter(|part| part.starts_with("details") || part.starts_with("/details")) {
        depth += if part.starts_with('/') { -1 } else { 1 };
    }
    assert_eq!(depth, 0);
    let outside = folded.rsplit_once("</details>").expect("an end").1;
    assert!(!outside.contains("<table") && !outside.contains("<figure"), "{outside}");
    assert!(!text.contains("<details open"));
    let rows: Vec<&str> = folded.split("<table class=\"spikes\">").skip(1).collect();
    let counts = rows.iter().map(|table| table.split("</table>").next().unwrap_or_default());
    let counts: Vec<usize> = counts.map(|table| table.matches("<tr><td>").count()).collect();
    assert_eq!(counts, [20, 200]);
    assert!(rows[0].contains("<td>90 ms</td>") && !rows[0].contains("<td>1 ms</td>"));
    assert!(folded.contains("The log has 4780 shorter ones."));
}

#[test]
fn charts_turn_dark_also_where_use_shows_them() {
    let text = page(&series(), &[], false).expect("drawn");
    let dark = text.split_once("prefers-color-scheme:dark){").expect("a rule").1;
    // Elements shown by `use` are in a separate tree, in which no element is below an `svg`.
    assert!(
        dark.starts_with("[fill=\"#FFFFFF\"]{fill:#15181d}") && !text.contains("svg [fill"),
        "{dark:.80}"
    );
}

/// Output of HdrHistogram's `outputPercentileDistribution` for values of 10 to 80 µs and one of 40 ms: unscaled, in milliseconds, and with
/// commas.
const PLAIN: &str = "\
       Value     Percentile TotalCount 1/(1-Percentile)

   10007.000 0.000000000000          4           1.00
   39487.000 0.500000000000        501           2.00
   64351.000 0.812500000000        814           5.33
   79999.000 0.997070312500       1000         341.33
40009727.000 0.999023437500       1001        1024.00
40009727.000 1.000000000000       1001
#[Mean    =    80979.676, StdDeviation   =  1262313.864]
#[Max     = 40009727.000, Total count    =         1001]
#[Buckets =           32, SubBuckets     =         2048]
";
const SCALED: &str = "\
       Value     Percentile TotalCount 1/(1-Percentile)

       0.010 0.000000000000          4           1.00
       0.039 0.500000000000        501           2.00
       0.064 0.812500000000        814           5.33
       0.080 0.997070312500       1000         341.33
      40.010 0.999023437500       1001        1024.00
      40.010 1.000000000000       1001
#[Mean    =        0.081, StdDeviation   =        1.262]
#[Max     =       40.000, Total count    =         1001]
#[Buckets =           32, SubBuckets     =         2048]
";
const COMMAS: &str = "\
\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"
10007.000,0.000000000000,4,1.00
39487.000,0.500000000000,501,2.00
64351.000,0.812500000000,814,5.33
79999.000,0.997070312500,1000,341.33
40009727.000,1.000000000000,1001,Infinity
";

#[test]
fn percentiles_that_hdrhistogram_has_written_are_read_whatever_the_file_is_called() {
    for (name, text, assumed) in [
        ("a.hgrm", PLAIN, Some(Unit::Ns)),
        ("a.txt", PLAIN, Some(Unit::Ns)),
        ("a.csv", COMMAS, Some(Unit::Ns)),
        ("a.hgrm", SCALED, None),
        ("percentiles", SCALED, None),
    ] {
        let all = read(name, text).expect(name);
        let [one] = &all[..] else { panic!("one series") };
        assert_eq!((one.times.len(), one.assumed), (1001, assumed), "{name}");
        assert!(one.times.max().abs_diff(40_010_000) < 50_000, "{name}: {}", one.times.max());
        let median = one.times.value_at_quantile(0.5);
        assert!(median.abs_diff(39_200) < 500, "{name}: {median}");
    }
    // With milliseconds, the unit is given.
    let path = write("ms.hgrm", &PLAIN.replace("40009727.000", "   90000.000"));
    let times = load(&path, Some(Unit::Ms)).expect("read").remove(0);
    std::fs::remove_file(&path).expect("removed");
    assert!(times.assumed.is_none() && times.times.max().abs_diff(90_000_000_000) < 100_000_000);
}

#[test]
fn one_time_and_many_equal_ones_can_be_drawn() {
    for text in ["0,1\n", "5,100000\n", "3600000000000,1\n", "1,1\n3600000000000,1\n"] {
        let all = read("c.csv", text).expect("read");
        assert!(!page(&all, &[], false).expect("drawn").contains("NaN"), "{text}");
    }
}

#[test]
fn the_curve_goes_through_the_percentiles() {
    let times = sample();
    let points = charts::curve(&times, &(1.0..1e12));
    let at = |x: f64| points.iter().find(|p| (p.0 - x).abs() < 1e-6 * x).expect("a point").1;
    assert_eq!(at(10.0), times.value_at_quantile(0.9) as f64);
    assert_eq!(at(100.0), times.value_at_quantile(0.99) as f64);
    assert_eq!(points.last().expect("points").1, times.max() as f64);
}

#[test]
fn the_normal_distribution_ends_where_it_should() {
    // The longest of a million values is expected about 4.8 deviations above the mean.
    assert!((page::beyond(1_000_000) - 4.75).abs() < 0.1, "{}", page::beyond(1_000_000));
}

#[test]
fn times_have_three_digits() {
    let all = [850.0, 12_345.0, 1e6, 2.5e9, 999.7e3];
    assert_eq!(all.map(time), ["850 ns", "12.3 µs", "1 ms", "2.50 s", "1.00 ms"]);
}
