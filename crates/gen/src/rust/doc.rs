//! Converts comments of type files to doc comments that rustdoc, clippy and the compiler treat as text.

/// The doc comment of an item: the file's comment, then `more`.
pub(super) fn doc(said: &str, more: &str) -> Vec<String> {
    comment("///", said, more)
}

/// The doc comment of a module.
pub(super) fn module_doc(said: &str, more: &str) -> Vec<String> {
    comment("//!", said, more)
}

fn comment(start: &str, said: &str, more: &str) -> Vec<String> {
    let mut lines = markdown(said);
    if !more.is_empty() {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(more.lines().map(String::from));
    }
    lines.iter().map(|line| format!("{start} {line}").trim_end().to_string()).collect()
}

/// Whether clippy would object to the indentation of a list in it.
pub(super) fn has_list(said: &str) -> bool {
    said.lines().any(|line| {
        let line = line.trim_start();
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with(['-', '*', '+', '>'])
            || numbered.len() < line.len() && numbered.starts_with(['.', ')'])
    })
}

/// Text as Markdown: no broken links, no tags, no code that would be compiled as a test.
fn markdown(said: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut fenced = false;
    for line in said.trim_end().lines() {
        let line = printable(line);
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            lines.push(if fenced { "```".into() } else { "```text".into() });
            fenced = !fenced;
        } else if fenced {
            lines.push(line);
        } else {
            // Four blanks would make it code.
            let indent = (line.len() - trimmed.len()).min(3);
            lines.push(format!("{}{}", " ".repeat(indent), escape(trimmed)));
        }
    }
    if fenced {
        lines.push("```".into());
    }
    lines
}

/// Removes characters that the compiler refuses in comments: carriage returns, and bidirectional control
/// characters.
fn printable(line: &str) -> String {
    let strange = |c: char| {
        c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    line.chars().map(|c| if strange(c) { ' ' } else { c }).collect::<String>().trim_end().into()
}

/// Escapes brackets; makes URLs links. Text between backticks stays.
fn escape(line: &str) -> String {
    let spans = line.split('`').count();
    let mut out = String::new();
    for (i, span) in line.split('`').enumerate() {
        if i > 0 {
            out.push('`');
        }
        // An unmatched backtick at the end opens nothing.
        if i % 2 == 1 && i + 1 < spans {
            out.push_str(span);
            continue;
        }
        for (j, word) in span.split(' ').enumerate() {
            if j > 0 {
                out.push(' ');
            }
            if ["http://", "https://"].iter().any(|scheme| word.starts_with(scheme)) {
                let url = word.trim_end_matches(['.', ',', ')', ';', ':', '>']);
                out.push_str(&format!("<{url}>{}", word[url.len()..].replace('>', "\\>")));
            } else {
                word.chars().for_each(|c| {
                    if matches!(c, '[' | ']' | '<') {
                        out.push('\\');
                    }
                    out.push(c);
                });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(doc("metres [m], a<b", ""), [r"/// metres \[m\], a\<b"]);
        assert_eq!(doc("see https://a.b/c.", ""), ["/// see <https://a.b/c>."]);
        assert_eq!(doc("as `x[3]` and y[3]", "more"), [r"/// as `x[3]` and y\[3\]", "///", "/// more"]);
        assert_eq!(doc("", "more"), ["/// more"]);
        assert_eq!(doc("a\n\n      indented", ""), ["/// a", "///", "///    indented"]);
        assert_eq!(doc("```\nx[0]", ""), ["/// ```text", "/// x[0]", "/// ```"]);
        assert_eq!(doc("left\u{202e}right\r", ""), ["/// left right"]);
    }

    #[test]
    fn lists_are_noticed() {
        assert!(has_list("one of\n- this\nor that") && has_list("1. first"));
        assert!(!has_list("3 metres") && !has_list("plain"));
    }
}
