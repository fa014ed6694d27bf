//! The page: the papers' figures next to the measured ones, then each set with its figures and its report.

use super::comparison;
use super::html::{HOW, html, lines, words};
use saltus_measure::report::{document, escaped};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const TITLE: &str = "What the papers measured, measured now";

/// The files that a set has left in its directory.
pub struct Part {
    set: &'static str,
    dir: PathBuf,
    /// Sentences and figures, if it has some.
    story: Option<String>,
    report: Option<String>,
}

impl Part {
    /// Reads them. The page lists missing files.
    pub fn read(set: &'static str, dir: &Path) -> Part {
        let file = |name: String| fs::read_to_string(dir.join(name)).ok();
        let story = file(format!("{set}.md"))
            .or_else(|| file("results.json".into()).and_then(|text| marshalling(&text)));
        Part { set, dir: dir.into(), story, report: file("report.txt".into()) }
    }

    fn document(&self) -> Option<Value> {
        let file = |name: &str| fs::read_to_string(self.dir.join(name)).ok();
        let text = file(&format!("{}.json", self.set)).or_else(|| file("results.json"))?;
        serde_json::from_str(&text).ok()
    }
}

/// The rows of the laser scan of LCM's paper, from the data of the benchmark of encoding and decoding.
fn marshalling(results: &str) -> Option<String> {
    let document: Value = serde_json::from_str(results).ok()?;
    let mut text = String::from(
        "# Encoding and decoding\n\n## The laser scan of LCM's paper\n\n\
         - A scan of 180 ranges, 752 bytes. LCM's code is that of its generator; ratios are to it, in the same language.\n\n",
    );
    let _ = writeln!(
        text,
        "{:<28} {:<8} {:>10} {:>10} {:>10} {:>10} {:>7} {:>9} {:>7}",
        "", "", "p50, ns", "p10", "p90", "max", "turns", "/memcpy", "/LCM"
    );
    for row in document["results"].as_array()?.iter().filter(|row| row["message"] == "scan") {
        let number = |name: &str| row[name].as_f64().map_or("-".into(), |value| format!("{value:.1}"));
        let ratio = |name: &str| row[name].as_f64().map_or("-".into(), |value| format!("{value:.2}"));
        let _ = writeln!(
            text,
            "{:<28} {:<8} {:>10} {:>10} {:>10} {:>10} {:>7} {:>9} {:>7}",
            row["contender"].as_str()?,
            row["operation"].as_str()?,
            number("p50_ns"),
            number("p10_ns"),
            number("p90_ns"),
            number("max_ns"),
            row["count"],
            ratio("to_memcpy"),
            ratio("to_lcm"),
        );
    }
    Some(text)
}

/// Builds the whole page.
pub fn page(parts: &[Part], header: &str, failed: &[String]) -> String {
    let header: Vec<&str> =
        header.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let how = header.iter().position(|line| line.starts_with(HOW)).unwrap_or(header.len());
    let (machine, how) = header.split_at(how);
    // The result comes first; everything else opens with a click.
    let mut body = format!("<h1>{TITLE}</h1>\n");
    for why in failed {
        let _ = writeln!(body, "<p><strong>Failed:</strong> {}</p>", escaped(why));
    }
    let find = |set: &str| parts.iter().find(|part| part.set == set)?.document();
    let _ = writeln!(body, "<p>{}</p>", words(comparison::TEXTS));
    let all = comparison::lines(find);
    body += &html(&comparison::table(&all), Path::new(""));
    for line in all {
        let _ = writeln!(
            body,
            "<details><summary><h3>{}</h3></summary>\n<p>The paper: {}.</p>",
            escaped(line.what),
            escaped(line.printed)
        );
        body += match line.now.as_str() {
            "" => "<p>Not measured in this run.</p>\n".into(),
            now => html(now, Path::new("")),
        }
        .as_str();
        body += "</details>\n";
    }
    let _ = writeln!(
        body,
        "<h2>How it was measured</h2>\n<details><summary>The machine</summary><pre>{}</pre></details>\n\
         <details><summary>How to read it</summary><p>{}</p></details>\n<h2>The sets</h2>",
        lines(machine),
        words(&how.join(" "))
    );
    for part in parts {
        // A set that has only a report, which is folded, would leave an empty sheet when printed.
        let own = if part.story.is_none() { " class=\"short\"" } else { "" };
        let _ = writeln!(body, "<section{own}><details><summary><h2>{}</h2></summary>", part.set);
        match (&part.story, &part.report) {
            (None, None) => body += "<p>Not measured in this run.</p>\n",
            (story, report) => {
                body += &story.as_deref().map_or(String::new(), |story| html(story, &part.dir));
                if let Some(report) = report {
                    let _ = writeln!(
                        body,
                        "<details><summary>The report of <code>{}</code></summary><pre>{}</pre></details>",
                        part.set,
                        lines(&report.lines().collect::<Vec<_>>())
                    );
                }
            }
        }
        body += "</details></section>\n";
    }
    document(TITLE, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_holds_figures_sentences_and_what_is_missing() {
        let dir = std::env::temp_dir().join(format!("saltus-bench-page-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("written");
        write(
            "dali.md",
            "# Title\n\n  cpu  x < y\n\n| a | b < c |\n|---|---|\n| 1 | 2 |\n\n## Shows\n- one & two\n- three\n\n![f](dali-f.svg)\n![g](dali-g.svg)\n",
        );
        write("dali-f.svg", "<?xml?><svg width=\"1\"></svg>");
        write(
            "dali.json",
            "{ \"rows\": [], \"notes\": [{ \"case\": \"connections/x\", \"contender\": \"shm://\", \"found\": \"7\" }] }",
        );
        write("report.txt", "lines\nof a report");
        let marshal = dir.join("marshal");
        fs::create_dir_all(&marshal).expect("a directory");
        let row = r#"{ "contender": "C -O2", "message": "scan", "operation": "encode", "p50_ns": 8.4, "to_lcm": 0.12 }"#;
        fs::write(marshal.join("results.json"), format!("{{ \"results\": [{row}] }}")).expect("written");
        let parts =
            [Part::read("dali", &dir), Part::read("lcm", &dir.join("none")), Part::read("marshal", &marshal)];
        let page = page(&parts, "machine\n", &["lcm: broke".into()]);
        for words in [
            "<h3>Title</h3>",
            "<details><summary>The machine</summary><pre>  cpu  x &lt; y\n</pre></details>",
            "<thead><tr><th>a</th><th>b &lt; c</th></tr></thead>\n<tbody>\n<tr><td>1</td><td>2</td></tr>\n</tbody></table>",
            "<ul>\n<li>one &amp; two</li>\n<li>three</li>\n</ul>",
            "<figure><svg width=\"1\"></svg></figure>",
            "dali-g.svg is missing",
            "C -O2                        encode          8.4",
            "<li>shm://: 7</li>",
            "lines\nof a report\n</pre>",
            "<strong>Failed:</strong> lcm: broke",
            "<section class=\"short\"><details><summary><h2>lcm</h2></summary>\n<p>Not measured in this run.</p>",
        ] {
            assert!(page.contains(words), "{words} is not in {page}");
        }
        // The first screen shows the result; everything else is folded.
        let first = page.split_once("<details>").expect("a part that is folded").0;
        assert!(first.contains("measured now</th>") && !first.contains("<figure"), "{first}");
        assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
        fs::remove_dir_all(&dir).expect("only ours");
    }
}
