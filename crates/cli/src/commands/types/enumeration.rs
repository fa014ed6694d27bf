//! `saltus types show` of an enum.

use saltus_types::{EnumId, Schema, Sources};
use serde::Serialize;

use super::declared::{comment, comment_lines, place};
use crate::exit::Outcome;
use crate::print::out::Out;
use saltus_text::escape::harmless;
use saltus_text::table::columns;

/// The line of `types show --json` for an enum. Its fields are a stable interface.
#[derive(Serialize)]
struct Line<'a> {
    name: String,
    doc: &'a str,
    file: Option<String>,
    line: Option<usize>,
    fingerprint: String,
    values: Vec<ValueLine<'a>>,
}

#[derive(Serialize)]
struct ValueLine<'a> {
    name: &'a str,
    value: i32,
    doc: &'a str,
}

/// Prints the enum as JSON, in the type language, or for people.
pub(crate) fn print(schema: &Schema, id: EnumId, sources: &Sources, lcm: bool, json: bool) -> Outcome {
    let mut out = Out::new()?;
    let e = schema.get_enum(id);
    let (file, line) = place(e.span, Some(sources)).unzip();
    let values = e.values.iter().map(|v| ValueLine { name: &v.name, value: v.value, doc: &v.doc });
    let line = Line {
        name: e.name.to_string(),
        doc: &e.doc,
        file,
        line,
        fingerprint: format!("{:016x}", e.fingerprint),
        values: values.collect(),
    };
    if lcm {
        if !e.name.package.is_empty() {
            out.bytes(format!("package {};\n\n", e.name.package).as_bytes())?;
        }
        out.bytes(schema.enum_to_lcm(id).as_bytes())?;
    } else if json {
        out.json(&line)?;
    } else {
        line.words().iter().try_for_each(|words| out.line(harmless(words)))?;
    }
    out.flush()
}

impl Line<'_> {
    fn words(&self) -> Vec<String> {
        let mut words = vec![format!("enum         {}", self.name)];
        words.extend(comment_lines(self.doc));
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            words.push(format!("declared     {file}:{line}"));
        }
        words.push("on the wire  int32_t".into());
        words.push(String::new());
        let row = |v: &ValueLine<'_>| [v.name.to_owned(), format!("= {}", v.value), comment(v.doc)];
        let rows: Vec<[String; 3]> = self.values.iter().map(row).collect();
        words.extend(columns(&rows).into_iter().map(|row| format!("  {row}").trim_end().to_owned()));
        words
    }
}
