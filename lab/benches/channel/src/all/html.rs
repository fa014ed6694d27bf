//! Converts the sets' Markdown to HTML: headings, lists, tables, figures and preformatted lines.

use saltus_measure::report::escaped;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The beginning of the explanation that every report contains.
pub const HOW: &str = "How to read it";

/// The kind of a block of consecutive lines.
#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Nothing,
    Heading,
    Figure,
    List,
    Lines,
    Table,
}

fn kind(line: &str) -> Kind {
    match line {
        "" => Kind::Nothing,
        l if l.starts_with('#') => Kind::Heading,
        l if l.starts_with('!') => Kind::Figure,
        l if l.starts_with("- ") => Kind::List,
        l if l.starts_with('|') => Kind::Table,
        _ => Kind::Lines,
    }
}

/// A document whose figures are in that directory. Its title becomes a third-level heading.
pub fn html(story: &str, dir: &Path) -> String {
    let lines: Vec<&str> = story.lines().collect();
    lines.chunk_by(|a, b| kind(a) == kind(b)).map(|block| part(kind(block[0]), block, dir)).collect()
}

fn part(kind: Kind, block: &[&str], dir: &Path) -> String {
    match kind {
        Kind::Nothing => String::new(),
        Kind::Heading => block.iter().copied().map(heading).collect(),
        Kind::Figure => block.iter().filter_map(|line| figure(line, dir)).collect(),
        Kind::List => {
            let items: String =
                block.iter().map(|line| format!("<li>{}</li>\n", words(&line[2..]))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Kind::Table => table(block),
        // Every set describes the same machine; show that once.
        Kind::Lines if block[0].starts_with("  cpu ") => {
            format!("<details><summary>The machine</summary><pre>{}</pre></details>\n", lines(block))
        }
        Kind::Lines if block[0].starts_with(HOW) => {
            format!(
                "<details><summary>How to read it</summary><p>{}</p></details>\n",
                words(&block.join(" "))
            )
        }
        Kind::Lines => format!("<pre>{}</pre>\n", lines(block)),
    }
}

fn heading(line: &str) -> String {
    let (marks, words) = line.split_once(' ').unwrap_or((line, ""));
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let rank = marks.len().min(3) + 2;
    format!("<h{rank}>{}{}</h{rank}>\n", escaped(&first), escaped(letters.as_str()))
}

/// The text of one line; text between two backquotes becomes code.
pub fn words(line: &str) -> String {
    let mut parts = line.split('`').map(escaped);
    let first = parts.next().unwrap_or_default();
    let rest: Vec<String> = parts.collect();
    let of = |(n, part): (usize, &String)| match n % 2 {
        0 if n + 1 < rest.len() => format!("<code>{part}</code>"),
        0 => format!("`{part}"),
        _ => part.clone(),
    };
    first + &rest.iter().enumerate().map(of).collect::<String>()
}

/// Text of several lines.
pub fn lines(block: &[&str]) -> String {
    block.iter().map(|line| escaped(line) + "\n").collect()
}

/// A table: columns of numbers are right-aligned, columns of words left-aligned.
fn table(block: &[&str]) -> String {
    let is_rule = |line: &&&str| line.starts_with("|---");
    let rows: Vec<Vec<&str>> = (block.iter().filter(|line| !is_rule(line)))
        .map(|line| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    let Some((head, body)) = rows.split_first() else { return String::new() };
    let is_number = |cell: &&str| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let is_words = |n: usize| body.iter().any(|row| row.get(n).is_some_and(|cell| !is_number(cell)));
    let row = |kind: &str, cells: &[&str]| {
        let cells = cells.iter().enumerate().map(|(n, cell)| {
            let class = if is_words(n) { " class=\"words\"" } else { "" };
            format!("<{kind}{class}>{}</{kind}>", words(cell))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let body: String = body.iter().map(|cells| row("td", cells)).collect();
    format!("<table>\n<thead>{}</thead>\n<tbody>\n{body}</tbody></table>\n", row("th", head).trim_end())
}

/// A figure, embedded in the page. Its SVG was written by the set itself, so it is trusted.
fn figure(line: &str, dir: &Path) -> Option<String> {
    let (_, file) = line.rsplit_once('(')?;
    let file = file.trim_end_matches(')');
    let path = dir.join(file);
    let svg = fs::read_to_string(&path).unwrap_or_default();
    let Some(svg) = svg.find("<svg").map(|at| &svg[at..]) else {
        return Some(format!("<figure>{} is missing</figure>\n", escaped(&path.display().to_string())));
    };
    Some(panels(svg, file).unwrap_or_else(|| format!("<figure>{svg}</figure>\n")))
}

/// A figure of several charts. Each is shown separately, so that a printed page does not cut them; the SVG is
/// embedded once.
fn panels(svg: &str, name: &str) -> Option<String> {
    let (opening, drawn) = svg.split_once('>')?;
    let attribute = |name: &str| -> Option<u32> {
        let (_, value) = opening.split_once(&format!(" {name}=\""))?;
        value.split_once('"')?.0.parse().ok()
    };
    let [width, height, parts] = [attribute("width")?, attribute("height")?, attribute("data-parts")?];
    let (drawn, _) = drawn.rsplit_once("</svg>")?;
    let (name, each) = (escaped(name), height.checked_div(parts)?);
    let mut text =
        format!("<svg class=\"drawn\" width=\"0\" height=\"0\"><g id=\"{name}\">{drawn}</g></svg>\n");
    for part in 0..parts {
        let _ = writeln!(
            text,
            "<figure><svg width=\"{width}\" height=\"{each}\" viewBox=\"0 {} {width} {each}\"><use href=\"#{name}\"/></svg></figure>",
            part * each
        );
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_two_back_quotes_are_code_and_one_alone_is_itself() {
        assert_eq!(words("a `b<c` d `e`"), "a <code>b&lt;c</code> d <code>e</code>");
        assert_eq!(words("it`s"), "it`s");
        assert_eq!(words("`a` it`s"), "<code>a</code> it`s");
    }

    #[test]
    fn columns_of_numbers_and_of_words_are_distinguished() {
        let text =
            table(&["| who | p50 | lost |", "|---|---|---|", "| a | 1.0 us | - |", "| b | 2 | 0.5 % |"]);
        assert_eq!(
            text,
            "<table>\n<thead><tr><th class=\"words\">who</th><th>p50</th><th>lost</th></tr></thead>\n<tbody>\n\
             <tr><td class=\"words\">a</td><td>1.0 us</td><td>-</td></tr>\n\
             <tr><td class=\"words\">b</td><td>2</td><td>0.5 %</td></tr>\n</tbody></table>\n"
        );
    }

    #[test]
    fn charts_below_each_other_are_shown_one_by_one() {
        let svg = "<svg width=\"9\" height=\"8\" data-parts=\"2\">\n<rect/></svg>\n";
        let text = panels(svg, "f.svg").expect("it says how many");
        assert_eq!(text.matches("<rect/>").count(), 1);
        for view in ["viewBox=\"0 0 9 4\"", "viewBox=\"0 4 9 4\""] {
            assert!(text.contains(view), "{text}");
        }
        assert_eq!(panels("<svg width=\"9\" height=\"8\"></svg>", "f.svg"), None);
    }
}
