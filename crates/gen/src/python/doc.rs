//! Converts comments of type files to Python.

/// A docstring, formatted as by `black`; empty without text. Ends with an empty line.
pub(super) fn docstring(depth: usize, doc: &str) -> String {
    let doc = triple_quoted(&dedented(doc));
    if doc.is_empty() {
        return String::new();
    }
    let indent = "    ".repeat(depth);
    let lines: Vec<&str> = doc.lines().collect();
    let mut text = format!("{indent}\"\"\"{}", lines[0]);
    for line in &lines[1..] {
        text += format!("\n{indent}{line}").trim_end();
        if line.is_empty() {
            text += "\n";
        }
    }
    // The quotes end a single line, and are below several.
    if lines.len() > 1 {
        text += &format!("\n{indent}");
    }
    text + "\"\"\"\n\n"
}

/// `#:` comments, which documentation tools attach to the attribute below.
pub(super) fn comment(depth: usize, doc: &str) -> String {
    let indent = "    ".repeat(depth);
    dedented(doc).lines().map(|line| format!("{}\n", format!("{indent}#: {line}").trim_end())).collect()
}

/// Text escaped for triple quotes.
pub(super) fn triple_quoted(text: &str) -> String {
    let mut text = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    if text.starts_with('"') {
        text.insert(0, '\\');
    }
    if text.ends_with('"') {
        text.insert(text.len() - 1, '\\');
    }
    text
}

/// Removes surrounding blank lines, trailing blanks, tabs, and the common indentation of all lines but the first.
fn dedented(doc: &str) -> String {
    let clean = doc.replace('\t', "    ");
    let mut lines: Vec<&str> = clean.trim().lines().map(str::trim_end).collect();
    let rest = lines.iter().skip(1).filter(|l| !l.is_empty());
    let common = rest.map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    for line in lines.iter_mut().skip(1).filter(|l| !l.is_empty()) {
        *line = line.get(common..).unwrap_or("");
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docstrings_end_where_they_should() {
        assert_eq!(docstring(1, ""), "");
        assert_eq!(docstring(1, "One line."), "    \"\"\"One line.\"\"\"\n\n");
        assert_eq!(
            docstring(0, "First.\n\n  Second \"\"\" \\"),
            "\"\"\"First.\n\nSecond \\\"\\\"\\\" \\\\\n\"\"\"\n\n"
        );
        assert_eq!(docstring(0, "\"x\""), "\"\"\"\\\"x\\\"\"\"\"\n\n");
    }
}
