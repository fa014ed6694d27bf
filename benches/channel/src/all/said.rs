//! What the papers say, where a figure of theirs is known here, and what was measured now. No figure is guessed.

use serde_json::Value;

/// One line of the table.
pub struct Line {
    /// Which paper, and what of it.
    pub what: &'static str,
    /// What it says.
    pub said: &'static str,
    /// What was measured now; one for each contender.
    pub now: Vec<String>,
}

/// The table, from the sets' documents, by name.
pub fn lines(document: impl Fn(&str) -> Option<Value>) -> Vec<Line> {
    let (dali, ach, lcm) = (document("dali"), document("ach"), document("lcm"));
    let notes = |document: &Option<Value>, scenario: &str| -> Vec<String> {
        let notes = document.iter().flat_map(|d| d["notes"].as_array().into_iter().flatten());
        let own = notes.filter(|note| note["case"].as_str().is_some_and(|case| case.starts_with(scenario)));
        own.map(|note| format!("{}: {}", text(&note["contender"]), text(&note["found"]))).collect()
    };
    let rows = |document: &Option<Value>, is_wanted: &dyn Fn(&Value) -> bool, name: &str| -> Vec<String> {
        let rows = document.iter().flat_map(|d| d["rows"].as_array().into_iter().flatten());
        let own = rows.filter(|row| row["metric"] == "response" && is_wanted(row));
        own.map(|row| format!("{}{}: {}", text(&row["contender"]), suffix(&row[name]), latency(row)))
            .collect()
    };
    let latency_at = |size: u64, readers: u64| {
        rows(&dali, &|row| row["scenario"] == "paced" && row["size"] == size && row["readers"] == readers, "")
    };
    vec![
        Line {
            what: "LCM: the Urban Challenge's traffic",
            said: "70 modules, 6,775 messages/s, 16.6 MB/s, on the car's computers",
            now: notes(&lcm, "urban"),
        },
        Line {
            what: "LCM: the echo test",
            said: "100 MB of 800-byte messages, 1, 2 and 4 clients; its curves are not known here as numbers",
            now: rows(&lcm, &|row| row["scenario"] == "echo" && row["rate"] == 25_000, "readers"),
        },
        Line {
            what: "DALi: the cWalker's modules",
            said: "localisation 5 ms, published every 10 ms; brakes 50 ms; tracker 100 ms; short-term planner 500 ms; \
                   long-term planner 10 s",
            now: rows(&dali, &|row| row["scenario"] == "cwalker", "part"),
        },
        Line {
            what: "DALi: 50 B to 10 subscribers",
            said: "average and worst against 1 to 10 subscribers; not known here as numbers",
            now: latency_at(50, 10),
        },
        Line { what: "DALi: 1500 B to 10 subscribers", said: "as above", now: latency_at(1_500, 10) },
        Line {
            what: "DALi: greatest number of connections",
            said: "not known here as a number",
            now: notes(&dali, "connections"),
        },
        Line {
            what: "Ach: two receivers at 1 kHz",
            said: "mean, 99 % and maximum; not known here as numbers",
            now: rows(
                &ach,
                &|row| {
                    row["scenario"] == "paced"
                        && row["rate"] == 1_000
                        && row["readers"] == 2
                        && row["policy"] == "default"
                },
                "",
            ),
        },
        Line {
            what: "Ach: hops at 1 kHz",
            said: "1 to 512; not known here as numbers",
            now: rows(&ach, &|row| row["scenario"] == "hops", "hops"),
        },
        Line {
            what: "TAO, OpenDDS, ORTE, CARMEN IPC, Player, Xenomai, Ach itself",
            said: "in the papers' own tables",
            now: vec!["not in this run".into()],
        },
    ]
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

fn suffix(value: &Value) -> String {
    if value.is_null() { String::new() } else { format!(" ({})", text(value)) }
}

fn latency(row: &Value) -> String {
    let us = |name: &str| row[name].as_f64().map_or("-".into(), |ns| format!("{:.1}", ns / 1e3));
    let lost = row["missed"].as_f64().filter(|part| *part > 0.0);
    let lost = lost.map_or(String::new(), |part| format!(", {:.2} % lost", 100.0 * part));
    format!(
        "mean {}, p50 {}, p99 {}, p99.9 {}, max {} µs ({} messages{lost})",
        us("mean_ns"),
        us("p50_ns"),
        us("p99_ns"),
        us("p99_9_ns"),
        us("max_ns"),
        row["count"]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_measured_stands_beside_what_was_said_and_nothing_is_made_up() {
        let row = json!({ "scenario": "cwalker", "metric": "response", "contender": "shm://", "part": "brakes",
            "mean_ns": 2_000.0, "p50_ns": 1_500.0, "p99_ns": 9_000.0, "p99_9_ns": 9_500.0, "max_ns": 10_000.0,
            "count": 40, "missed": 0.5 });
        let note = json!({ "case": "urban/anywhere", "contender": "udpm://", "found": "bears 3.39k" });
        let told = lines(|set| match set {
            "dali" => Some(json!({ "rows": [row], "notes": [] })),
            "lcm" => Some(json!({ "rows": [], "notes": [note] })),
            _ => None,
        });
        let of = |what: &str| &told.iter().find(|line| line.what.contains(what)).expect("such a line").now;
        assert_eq!(
            *of("cWalker"),
            [
                "shm:// (brakes): mean 2.0, p50 1.5, p99 9.0, p99.9 9.5, max 10.0 µs (40 messages, 50.00 % lost)"
            ]
        );
        assert_eq!(*of("Urban"), ["udpm://: bears 3.39k"]);
        assert!(of("hops").is_empty() && of("50 B").is_empty());
    }
}
