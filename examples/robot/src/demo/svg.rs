//! A frame of the screen as an SVG picture for documents. Braille dots are drawn as dots, independent of fonts.

use std::fmt::Write;

/// Size of a character in pixels.
const CELL: (f64, f64) = (7.2, 15.0);
/// Margin in pixels.
const MARGIN: f64 = 14.0;
/// Colors of the background, of text, and of the codes in frames.
const BACK: &str = "#10151c";
const TEXT: &str = "#c8d3df";
const CODES: [(&str, &str); 4] = [("1", "#ffffff"), ("31", "#ff6b6b"), ("32", "#5bd68b"), ("33", "#f2c14e")];

/// Draws lines with color codes, for a terminal of this many columns.
pub fn picture(lines: &[String], columns: usize) -> String {
    let (width, height) =
        (columns as f64 * CELL.0 + 2.0 * MARGIN, lines.len() as f64 * CELL.1 + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"saltus demo in a terminal\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACK}\"/>\n\
         <g font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"12\" xml:space=\"preserve\">\n"
    );
    for (row, line) in lines.iter().enumerate() {
        // Writing into a string cannot fail.
        let _ = draw(&mut out, line, MARGIN + row as f64 * CELL.1);
    }
    out + "</g>\n</svg>\n"
}

fn draw(out: &mut String, line: &str, top: f64) -> std::fmt::Result {
    let (mut colour, mut column) = (TEXT, 0);
    let mut rest = line;
    while !rest.is_empty() {
        if let Some((code, after)) = rest.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m')) {
            colour = CODES.iter().find(|(known, _)| *known == code).map_or(TEXT, |(_, colour)| colour);
            rest = after;
            continue;
        }
        let is_dots = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
        let kind = rest.starts_with(is_dots);
        let end = rest.find(|c| is_dots(c) != kind || c == '\x1b').unwrap_or(rest.len()).max(1);
        let (run, after) = rest.split_at(end);
        let left = MARGIN + column as f64 * CELL.0;
        if kind {
            dots(out, run, (left, top), colour)?;
        } else {
            words(out, run, (left, top), colour)?;
        }
        column += run.chars().count();
        rest = after;
    }
    Ok(())
}

/// Words, each at the position of its first character, stretched to the width of its characters.
fn words(out: &mut String, run: &str, (left, top): (f64, f64), colour: &str) -> std::fmt::Result {
    let mut column = 0;
    for word in run.split(' ') {
        let long = word.chars().count();
        if long > 0 {
            let (x, y, width) = (left + column as f64 * CELL.0, top + 11.0, long as f64 * CELL.0);
            let word = word.replace('&', "&amp;").replace('<', "&lt;");
            writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{width:.1}\" fill=\"{colour}\">{word}</text>"
            )?;
        }
        column += long + 1;
    }
    Ok(())
}

/// Braille characters, one path for all their dots.
fn dots(out: &mut String, run: &str, (left, top): (f64, f64), colour: &str) -> std::fmt::Result {
    let mut path = String::new();
    for (column, c) in run.chars().enumerate() {
        let bits = c as u32 & 0xff;
        for (bit, (x, y)) in
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)].iter().enumerate()
        {
            if bits & 1 << bit != 0 {
                let x = left + (column as f64 + 0.25 + 0.5 * *x as f64) * CELL.0;
                let y = top + (0.125 + 0.25 * *y as f64) * CELL.1;
                write!(path, "M{x:.1} {y:.1}h0")?;
            }
        }
    }
    if path.is_empty() {
        return Ok(());
    }
    writeln!(out, "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"2.2\" stroke-linecap=\"round\"/>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_dots_and_colours_are_drawn_where_they_stand() {
        let svg = picture(&["a \x1b[32mb<\x1b[0m \u{2801}\u{2800}".to_owned()], 10);
        assert!(svg.contains("x=\"14.0\" y=\"25.0\" textLength=\"7.2\" fill=\"#c8d3df\">a</text>"), "{svg}");
        assert!(svg.contains("x=\"28.4\"") && svg.contains("fill=\"#5bd68b\">b&lt;</text>"), "{svg}");
        assert_eq!(svg.matches("h0").count(), 1, "{svg}");
        assert!(!svg.contains('\x1b') && picture(&["\x1b[".to_owned()], 1).contains("</svg>"));
    }
}
