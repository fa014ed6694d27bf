//! `saltus report`: files of times as tables, pages and figures.

mod support;

use support::Place;
use support::files::Files;

#[test]
fn logs_of_hiccup_are_reported() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.at("run.hlog");
    place.run(["hiccup", "--duration", "300ms", "-i", "100ms", "--out", &log]).with(0);
    let table = place.run(["report", &log]).with(0);
    assert!(table.text().contains("run.hlog") && !table.text().contains("raw"), "{table:?}");
    let all = place.run(["report", &log, "--tag", "raw", "--json"]).with(0).json();
    assert_eq!((all.len(), &all[0]["series"]), (1, &"run.hlog raw".into()));
    let page = files.at("run.html");
    place.run(["report", &log, "-o", &page]).with(0);
    let text = String::from_utf8(files.read("run.html")).expect("text");
    for words in ["Heat map", "Maximum over time", "kernel", "</html>"] {
        assert!(text.contains(words), "{words}");
    }
    // A log whose writer was killed.
    let bytes = files.read("run.hlog");
    let cut = files.write("cut.hlog", &bytes[..bytes.len() - 3]);
    place.run(["report", &cut]).saying(0, "cut short");
}

#[test]
fn a_log_of_messages_is_refused_with_the_command_that_shows_it() {
    let (place, files) = (Place::new(), Files::new());
    for name in ["a.mcap", "a.lcmlog"] {
        let log = files.at(name);
        place.run(["pub", "imu", "x", "-q"]).with(0);
        place.run(["record", "--start", "oldest", "-n", "1", "-q", "-o", &log]).with(0);
        place.run(["report", &log]).saying(1, &format!("`saltus log info {log}` shows the log"));
    }
}

#[test]
fn hdrhistogram_percentiles_are_read_and_the_assumed_unit_is_reported() {
    let (place, files) = (Place::new(), Files::new());
    let text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n   \
        10007.000 0.500000000000          4           2.00\n90111.000 1.000000000000          8\n\
        #[Mean    =    50059.000, StdDeviation   =    40052.000]\n";
    let file = files.write("latency.hgrm", text);
    let ran = place.run(["report", &file, "--json"]).with(0);
    assert!(ran.err.contains("read as nanoseconds; --unit selects another"), "{ran:?}");
    let max = |ran: &[serde_json::Value]| ran[0]["max"].as_u64().expect("a number");
    assert!(max(&ran.json()).abs_diff(90_111) < 100, "{ran:?}");
    let ran = place.run(["report", &file, "--json", "--unit", "us"]).with(0);
    assert!(ran.err.is_empty() && max(&ran.json()).abs_diff(90_111_000) < 100_000, "{ran:?}");
    let refused = place.run(["report", &file, "--unit", "h"]).with(2);
    assert!(refused.err.contains("expected a unit: ns, us, ms or s"), "{refused:?}");
}

#[test]
fn tables_go_in_and_out_and_promises_are_looked_at() {
    let (place, files) = (Place::new(), Files::new());
    let table = files.write("a.csv", "value_ns,count\n1000000,99\n9000000,1\n");
    let lines = place.run(["report", &table, "--level", "99:2ms,100:5ms", "--json"]).with(0).json();
    let kept: Vec<bool> =
        lines[0]["levels"].as_array().expect("levels").iter().map(|l| l["kept"] == true).collect();
    assert_eq!(kept, [true, false]);
    let reported = place.run(["report", &table, "--level", "100:5ms"]).with(0);
    assert!(reported.text().contains("100 % within 5 ms: missed"), "{reported:?}");
    let distribution = files.at("a.hgrm");
    place.run(["report", &table, "-o", &distribution]).with(0);
    let back = place.run(["report", &distribution, "--json"]).with(0).json();
    assert_eq!(
        (&back[0]["count"], &back[0]["p50"], &back[0]["max"]),
        (&lines[0]["count"], &lines[0]["p50"], &lines[0]["max"])
    );
    let figure = files.at("a.svg");
    place.run(["report", &table, &distribution, "--compare", "-o", &figure]).with(0);
    assert!(files.read("a.svg").starts_with(b"<svg"));
}

#[test]
fn impossible_requests_are_errors() {
    let (place, files) = (Place::new(), Files::new());
    let (table, bad) = (files.write("a.csv", "1,1\n"), files.write("b.hlog", "nonsense\n"));
    place.run(["report", "/no/such.hlog"]).saying(1, "/no/such.hlog");
    place.run(["report", &bad]).saying(1, "line 1: ");
    place.run(["report", &table, "--tag", "raw"]).saying(1, "no such tag");
    place.run(["report", &table, "-o", "a.pdf"]).saying(2, ".html, .svg");
    place.run(["report", &table, &table, "-o", "a.csv"]).saying(2, "one series");
    place.run(["report", &table, "--level", "101:1ms"]).with(2);
}
