//! The page: what was said and what was measured, then each set with its figures and its report.

use super::said;
use saltus_measure::report::{document, escaped};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What a set has left in its directory.
pub struct Part {
    set: &'static str,
    dir: PathBuf,
    /// Sentences and figures, where it has some.
    story: Option<String>,
    report: Option<String>,
}

impl Part {
    /// Reads it. What is not there is told in the page.
    pub fn read(set: &'static str, dir: &Path) -> Part {
        let file = |name: String| fs::read_to_string(dir.join(name)).ok();
        Part { set, dir: dir.into(), story: file(format!("{set}.md")), report: file("report.txt".into()) }
    }

    fn document(&self) -> Option<Value> {
        let text = fs::read_to_string(self.dir.join(format!("{}.json", self.set))).ok()?;
        serde_json::from_str(&text).ok()
    }
}

/// All of it as one page.
pub fn page(parts: &[Part], header: &str, failed: &[String]) -> String {
    let mut body = format!("<h1>What the papers measured, measured now</h1>\n<pre>{}</pre>\n", lines(header));
    for why in failed {
        let _ = writeln!(body, "<p><strong>Failed:</strong> {}</p>", escaped(why));
    }
    let find = |set: &str| parts.iter().find(|part| part.set == set)?.document();
    body += "<h2>What the papers said, and what was measured</h2>\n";
    for line in said::lines(find) {
        let _ = writeln!(body, "<h3>{}</h3>\n<p>The paper: {}.</p>", escaped(line.what), escaped(line.said));
        body += if line.now.is_empty() { "<p>Not measured in this run.</p>\n" } else { "<ul>\n" };
        line.now.iter().for_each(|now| {
            let _ = writeln!(body, "<li>{}</li>", escaped(now));
        });
        body += if line.now.is_empty() { "" } else { "</ul>\n" };
    }
    for part in parts {
        let _ = writeln!(body, "<section><h2>{}</h2>", part.set);
        match (&part.story, &part.report) {
            (None, None) => body += "<p>Not measured in this run.</p>\n",
            (story, report) => {
                body += &story.as_deref().map_or(String::new(), |story| html(story, &part.dir));
                if let Some(report) = report {
                    let _ = writeln!(
                        body,
                        "<details><summary>The report of <code>saltus-bench-channel {}</code></summary><pre>{}</pre></details>",
                        part.set,
                        lines(report)
                    );
                }
            }
        }
        body += "</section>\n";
    }
    document("What the papers measured, measured now", &body)
}

/// The sets' own pages, which use little of Markdown: headings, lists, figures, and lines that stand as they are.
fn html(story: &str, dir: &Path) -> String {
    #[derive(PartialEq, Clone, Copy)]
    enum In {
        Nothing,
        List,
        Lines,
    }
    let mut body = String::new();
    let mut now = In::Nothing;
    for line in story.lines() {
        let next = match line {
            l if l.starts_with("- ") => In::List,
            l if l.is_empty() || l.starts_with(['#', '!']) => In::Nothing,
            _ => In::Lines,
        };
        if next != now {
            body += match now {
                In::Nothing => "",
                In::List => "</ul>\n",
                In::Lines => "</pre>\n",
            };
            body += match next {
                In::Nothing => "",
                In::List => "<ul>\n",
                In::Lines => "<pre>",
            };
            now = next;
        }
        let (marks, words) = line.split_once(' ').unwrap_or((line, ""));
        let _ = match next {
            In::List => writeln!(body, "<li>{}</li>", escaped(words)),
            In::Lines => writeln!(body, "{}", escaped(line)),
            In::Nothing if line.starts_with('#') => {
                let level = marks.len().min(4) + 1;
                writeln!(body, "<h{level}>{}</h{level}>", escaped(words))
            }
            In::Nothing => match line.rsplit_once('(').map(|(_, file)| file.trim_end_matches(')')) {
                Some(file) => writeln!(body, "<figure>{}</figure>", figure(&dir.join(file))),
                None => Ok(()),
            },
        };
    }
    body + match now {
        In::Nothing => "",
        In::List => "</ul>\n",
        In::Lines => "</pre>\n",
    }
}

/// Text of several lines.
fn lines(text: &str) -> String {
    text.lines().map(|line| escaped(line) + "\n").collect()
}

/// A figure within the page. The set has written it itself.
fn figure(path: &Path) -> String {
    let svg = fs::read_to_string(path).unwrap_or_default();
    svg.find("<svg")
        .map_or_else(|| format!("{} is missing", escaped(&path.display().to_string())), |at| svg[at..].into())
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
            "# Title\n\n  cpu  x < y\n\n## Shows\n- one & two\n- three\n\n![f](dali-f.svg)\n![g](dali-g.svg)\n",
        );
        write("dali-f.svg", "<?xml?><svg width=\"1\"></svg>");
        write(
            "dali.json",
            "{ \"rows\": [], \"notes\": [{ \"case\": \"connections/x\", \"contender\": \"shm://\", \"found\": \"7\" }] }",
        );
        write("report.txt", "lines\nof a report");
        let parts = [Part::read("dali", &dir), Part::read("lcm", &dir.join("none"))];
        let page = page(&parts, "machine\n", &["lcm: broke".into()]);
        for words in [
            "<h2>Title</h2>",
            "<pre>  cpu  x &lt; y\n</pre>",
            "<ul>\n<li>one &amp; two</li>\n<li>three</li>\n</ul>",
            "<figure><svg width=\"1\"></svg></figure>",
            "dali-g.svg is missing",
            "<li>shm://: 7</li>",
            "lines\nof a report\n</pre>",
            "<strong>Failed:</strong> lcm: broke",
            "<section><h2>lcm</h2>\n<p>Not measured in this run.</p>",
        ] {
            assert!(page.contains(words), "{words} is not in {page}");
        }
        fs::remove_dir_all(&dir).expect("only ours");
    }
}
