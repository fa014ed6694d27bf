//! Figures from the papers, if an available text contains them, next to the present measurements. No figure is
//! guessed or from memory: if the text is not available, the page says so.

use crate::gone::{self, GONE, NO_FIGURE};
use crate::papers::lines_of_code;
use crate::table::ns;
use serde_json::Value;

/// One line of the table.
pub struct Line {
    /// The paper, and its measurement.
    pub what: &'static str,
    /// The paper's figure.
    pub printed: &'static str,
    /// The present measurement, as Markdown lists and tables; empty if there is none.
    pub now: String,
    /// The same in a few words: Saltus' result if there is one, otherwise the first.
    pub brief: String,
}

impl Line {
    fn of(what: &'static str, printed: &'static str, (now, brief): (String, String)) -> Line {
        Line { what, printed, now, brief }
    }
}

/// The lines as one table: the paper's figure next to the present one, in a few words.
pub fn table(lines: &[Line]) -> String {
    let line = |line: &Line| {
        let brief = if line.brief.is_empty() { "not measured in this run" } else { &line.brief };
        format!("| {} | {} | {brief} |\n", line.what, line.printed)
    };
    let lines: String = lines.iter().map(line).collect();
    format!("| figure | the paper | measured now |\n|---|\n{lines}")
}

/// The published figures.
pub const TEXTS: &str = "Each paper's own figure stands here where a text of it that we could read gives one. The public copies that were found (of \
    LCM's IROS paper of 2010 and of its technical report, of Ach's in the IEEE magazine) end before their results, and of DALi's paper none was found.";

/// The lines, from the sets' documents, by name.
pub fn lines(document: impl Fn(&str) -> Option<Value>) -> Vec<Line> {
    let [dali, ach, lcm, marshal, hiccup] = ["dali", "ach", "lcm", "marshal", "hiccup"].map(document);
    let paced = |row: &Value, rate: u64, readers: u64| {
        row["scenario"] == "paced"
            && row["rate"] == rate
            && row["readers"] == readers
            && row["policy"] == "default"
    };
    let latency_at = |size: u64, readers: u64| {
        rows(&dali, &|row| row["scenario"] == "paced" && row["size"] == size && row["readers"] == readers, "")
    };
    let adapters = ach.as_ref().map(|_| lines_of_code::tell());
    vec![
        Line::of(
            "LCM: the Urban Challenge's traffic",
            "Table 1: 70 modules, 6,775 messages/s, 16.6 MB/s",
            notes(&lcm, "urban"),
        ),
        Line::of(
            "LCM: the echo test",
            "100 MB of 800-byte messages to 1, 2 and 4 clients; the text we have has no numbers for its curves",
            rows(&lcm, &|row| row["scenario"] == "echo" && row["rate"] == 25_000, "readers"),
        ),
        Line::of("LCM: bytes on the link against subscribers", NO_FIGURE, notes(&lcm, "traffic")),
        Line::of("LCM: encoding and decoding of the laser scan", NO_FIGURE, scans(&marshal)),
        Line::of(
            "DALi: the cWalker's modules",
            "localisation 5 ms, published every 10 ms; brakes 50 ms; tracker 100 ms; short-term planner 500 ms; \
             long-term planner 10 s",
            rows(&dali, &|row| row["scenario"] == "cwalker", "part"),
        ),
        Line::of(
            "DALi: 50 B to 10 subscribers",
            "average and worst against 1 to 10 subscribers; no figure in the text we have",
            latency_at(50, 10),
        ),
        Line::of("DALi: 1500 B to 10 subscribers", "as above", latency_at(1_500, 10)),
        Line::of("DALi: greatest number of connections", NO_FIGURE, notes(&dali, "connections")),
        Line::of(
            "Ach: one receiver at 1 kHz",
            "mean, 99 % and maximum; no figure in the text we have",
            rows(&ach, &|row| paced(row, 1_000, 1), ""),
        ),
        Line::of("Ach: two receivers at 1 kHz", "as above", rows(&ach, &|row| paced(row, 1_000, 2), "")),
        Line::of(
            "Ach: one receiver at 8 kHz",
            "a histogram; no figure in the text we have",
            rows(&ach, &|row| paced(row, 8_000, 1), ""),
        ),
        Line::of(
            "Ach: hops at 1 kHz",
            "1 to 512; no figure in the text we have",
            rows(&ach, &|row| row["scenario"] == "hops", "hops"),
        ),
        Line::of("Ach: lines of code for the same program", NO_FIGURE, list(&adapters.unwrap_or_default())),
        Line::of(
            "jHiccup's article: hiccups, idle and loaded, default and real-time scheduling",
            NO_FIGURE,
            hiccups(&hiccup),
        ),
        Line::of(
            "Contenders that cannot be measured",
            "its comparison includes those below",
            (gone::table().join("\n") + "\n", format!("{} contenders are not available today", GONE.len())),
        ),
    ]
}

/// The order of preference for the short form.
const OWN: [&str; 2] = ["shm://", "saltus"];

/// Chooses among lines, each with its contender, the one for the short form, and counts the others.
fn brief(all: &[(String, String)]) -> String {
    let own = all.iter().find(|(who, _)| OWN.contains(&who.as_str())).or(all.first());
    let more = match all.len().saturating_sub(1) {
        0 => String::new(),
        n => format!("; {n} more below"),
    };
    own.map_or(String::new(), |(_, words)| format!("{words}{more}"))
}

fn list(all: &[String]) -> (String, String) {
    let reported: Vec<_> = all
        .iter()
        .map(|line| {
            let who = line.split([' ', ':']).next().unwrap_or_default();
            (who.to_owned(), line.clone())
        })
        .collect();
    (all.iter().map(|line| format!("- {line}\n")).collect(), brief(&reported))
}

/// The findings of a scenario that has no distribution.
fn notes(document: &Option<Value>, scenario: &str) -> (String, String) {
    let notes = document.iter().flat_map(|d| d["notes"].as_array().into_iter().flatten());
    let own = notes.filter(|note| note["case"].as_str().is_some_and(|case| case.starts_with(scenario)));
    let reported: Vec<_> = own
        .map(|note| {
            let who = text(&note["contender"]);
            (who.clone(), format!("{who}: {}", text(&note["found"])))
        })
        .collect();
    (reported.iter().map(|(_, line)| format!("- {line}\n")).collect(), brief(&reported))
}

/// The latencies of some rows as a table; `name` selects the metric in the data.
fn rows(document: &Option<Value>, is_wanted: &dyn Fn(&Value) -> bool, name: &str) -> (String, String) {
    let rows = document.iter().flat_map(|d| d["rows"].as_array().into_iter().flatten());
    let own: Vec<&Value> = rows.filter(|row| row["metric"] == "response" && is_wanted(row)).collect();
    if own.is_empty() {
        return Default::default();
    }
    let head =
        format!("| contender |{} mean | p50 | p99 | p99.9 | max | messages | lost |\n|---|\n", column(name));
    let reported: Vec<_> = own
        .iter()
        .map(|row| {
            let who = text(&row["contender"]);
            let part = if name.is_empty() { String::new() } else { format!(", {name} {}", text(&row[name])) };
            let [mean, p99, max] = ["mean_ns", "p99_ns", "max_ns"].map(|name| time(&row[name]));
            let words = format!("{who}{part}: mean {mean}, p99 {p99}, max {max} ({})", row["count"]);
            (who, words)
        })
        .collect();
    (head + &own.iter().map(|row| latency(row, name)).collect::<String>(), brief(&reported))
}

/// The laser scan, from the data of the benchmark of encoding and decoding.
fn scans(document: &Option<Value>) -> (String, String) {
    let rows = document.iter().flat_map(|d| d["results"].as_array().into_iter().flatten());
    let own: Vec<_> = rows.filter(|row| row["message"] == "scan").collect();
    let reported = own.iter().map(|row| {
        let ratio = row["to_lcm"].as_f64().map_or(String::new(), |to| format!(", {to:.2} of LCM's"));
        format!(
            "{}, {}: p50 {}{ratio}",
            text(&row["contender"]),
            text(&row["operation"]),
            time(&row["p50_ns"])
        )
    });
    list(&reported.collect::<Vec<_>>())
}

/// The cases of the set `hiccup`.
fn hiccups(document: &Option<Value>) -> (String, String) {
    let rows = document.iter().flat_map(|d| d["rows"].as_array().into_iter().flatten());
    let reported = rows.map(|row| {
        let [p50, p99, p999, max] = ["p50", "p99", "p999", "max"].map(|name| time(&row["ns"][name]));
        format!(
            "{}: p50 {p50}, p99 {p99}, p99.9 {p999}, max {max} ({})",
            text(&row["case"]),
            row["ns"]["count"]
        )
    });
    list(&reported.collect::<Vec<_>>())
}

fn time(value: &Value) -> String {
    value.as_f64().map_or("-".into(), ns)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// A cell; nothing if it is empty, so that the table has no such column.
fn column(what: &str) -> String {
    if what.is_empty() { String::new() } else { format!(" {what} |") }
}

/// A row of the table; `name` selects the metric in the data.
fn latency(row: &Value, name: &str) -> String {
    let lost = row["missed"].as_f64().map_or("-".into(), |part| format!("{:.2} %", 100.0 * part));
    let own = if name.is_empty() { String::new() } else { column(&text(&row[name])) };
    let [mean, p50, p99, p999, max] =
        ["mean_ns", "p50_ns", "p99_ns", "p99_9_ns", "max_ns"].map(|name| time(&row[name]));
    format!(
        "| {} |{own} {mean} | {p50} | {p99} | {p999} | {max} | {} | {lost} |\n",
        text(&row["contender"]),
        row["count"]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn measurements_are_next_to_the_papers_figures_and_nothing_is_invented() {
        let row = json!({ "scenario": "cwalker", "metric": "response", "contender": "shm://", "part": "brakes",
            "mean_ns": 2_000.0, "p50_ns": 1_500.0, "p99_ns": 9_000.0, "p99_9_ns": 9_500.0, "max_ns": 10_000.0,
            "count": 40, "missed": 0.5 });
        let note = json!({ "case": "urban/anywhere", "contender": "udpm://", "found": "sustains 3.39k" });
        let reported = lines(|set| match set {
            "dali" => Some(json!({ "rows": [row], "notes": [] })),
            "lcm" => Some(json!({ "rows": [], "notes": [note] })),
            _ => None,
        });
        let of =
            |what: &str| &reported.iter().find(|line| line.what.contains(what)).expect("such a line").now;
        assert_eq!(
            *of("cWalker"),
            "| contender | part | mean | p50 | p99 | p99.9 | max | messages | lost |\n|---|\n\
             | shm:// | brakes | 2.00 us | 1.50 us | 9.00 us | 9.50 us | 10.0 us | 40 | 50.00 % |\n"
        );
        assert_eq!(*of("Urban"), "- udpm://: sustains 3.39k\n");
        for gone in ["Ach itself", "TAO (CORBA)", "OpenDDS", "ORTE", "CARMEN's IPC", "Player", "Xenomai"] {
            assert!(of("cannot be measured").contains(&format!("| {gone} | {NO_FIGURE} |")));
        }
        assert!(of("hops").is_empty() && of("50 B").is_empty() && of("lines of code").is_empty());
        let table = table(&reported);
        for line in [
            "| DALi: greatest number of connections | no figure in the text we have | not measured in this run |",
            "16.6 MB/s | udpm://: sustains 3.39k |",
            "| shm://, part brakes: mean 2.00 us, p99 9.00 us, max 10.0 us (40) |",
        ] {
            assert!(table.contains(line), "{line} is not in {table}");
        }
    }

    #[test]
    fn of_several_the_few_words_are_of_saltus() {
        let scan = |who: &str| json!({ "message": "scan", "contender": who, "operation": "encode", "p50_ns": 8.4, "to_lcm": 0.12 });
        let quiet = json!({ "case": "idle", "ns": { "count": 5000, "p50": 1_000, "p99": 2_000, "p999": 3_000, "max": 4_000 } });
        let note = |who: &str| json!({ "case": "urban/anywhere", "contender": who, "found": "sustains it" });
        let reported = lines(|set| match set {
            "marshal" => Some(json!({ "results": [scan("LCM's C -O2"), scan("C -O2")] })),
            "hiccup" => Some(json!({ "rows": [quiet] })),
            "lcm" => Some(json!({ "rows": [], "notes": [note("lcm"), note("shm://")] })),
            "ach" => Some(json!({ "rows": [] })),
            _ => None,
        });
        let of = |what: &str| reported.iter().find(|line| line.what.contains(what)).expect("such a line");
        assert_eq!(of("Urban").brief, "shm://: sustains it; 1 more below");
        assert_eq!(
            of("laser scan").now.lines().next(),
            Some("- LCM's C -O2, encode: p50 8.40 ns, 0.12 of LCM's")
        );
        assert_eq!(
            of("article").now,
            "- idle: p50 1.00 us, p99 2.00 us, p99.9 3.00 us, max 4.00 us (5000)\n"
        );
        assert!(
            of("lines of code").brief.starts_with("saltus (three forms): "),
            "{}",
            of("lines of code").brief
        );
    }
}
