//! A message as a tree of fields.

use crate::changes::Changes;
use crate::text::{harmless, harmless_lines};
use crate::unit::unit;
use saltus_types::value::{Array, Items};
use saltus_types::{Record, Schema, Type, Value};
use serde::Serialize;
use std::collections::HashSet;
use std::ops::Range;

/// The newest message of an opened channel.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tree {
    /// URL of the domain.
    pub domain: String,
    /// The channel, escaped.
    pub channel: String,
    /// Its type, if known.
    pub type_name: Option<String>,
    /// The first eight bytes of its messages.
    pub fingerprint: Option<String>,
    /// `lcm` or `saltus-plain`.
    pub encoding: Option<String>,
    /// The type's comment in its file.
    pub comment: String,
    /// Bytes of the message.
    pub size: u64,
    /// Time of publication, else of arrival, boot time in ns.
    pub time: u64,
    /// The reason why there are no fields, or not those of the newest message.
    pub error: Option<String>,
    /// The first bytes as a dump: a line for each sixteen bytes with offset, digits and characters. Always present.
    pub hex: Vec<String>,
    /// The fields.
    pub nodes: Vec<Node>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A number, a boolean or an enum, which can be plotted.
    #[default]
    Number,
    /// A string.
    Text,
    /// A struct, with its fields below it.
    Struct,
    /// An array.
    Array,
    /// A range of a long array.
    Range,
}

/// A field, an element, or a range of an array.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Node {
    /// Its path in the message: `pose.position[2]`, or for a range `ranges[100..200]`.
    pub path: String,
    /// The last part of the path: `position`, `[2]`, `[100..200]`.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type in the type language: `double`, `float[181]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its unit, if the type has one.
    pub unit: Option<String>,
    /// Its comment in the type.
    pub comment: String,
    /// Its value, or a summary of an array or a range.
    pub text: String,
    /// Its value for plots.
    pub number: Option<f64>,
    /// Time of its last change, boot time in ns; `None` if that is more than a few seconds ago.
    pub changed: Option<u64>,
    /// Number of its parts; 0 if it has none, or if they are not shown separately.
    pub parts: usize,
    /// Whether its parts are in `children`.
    pub expanded: bool,
    /// Its parts, if it is expanded.
    pub children: Vec<Node>,
}

/// The expanded nodes. Structs and arrays of up to 16 elements start expanded, longer arrays and ranges start folded.
#[derive(Clone, Debug, Default)]
pub struct Expand {
    toggled: HashSet<String>,
}

impl Expand {
    /// No node toggled.
    pub fn new() -> Expand {
        Expand::default()
    }
    /// Folds or expands a node.
    pub fn toggle(&mut self, path: &str) {
        if !self.toggled.remove(path) && self.toggled.len() < 65_536 {
            self.toggled.insert(path.into());
        }
    }
    fn is_open(&self, path: &str, by_itself: bool) -> bool {
        self.toggled.contains(path) != by_itself
    }
}

/// Arrays up to this length start expanded.
const SHORT: usize = 16;
/// Longer arrays are split into ranges of this length.
const RANGE: usize = 100;
/// Most nodes of a tree. Further ones are left out.
const MOST: usize = 20_000;

/// Makes the nodes of a record.
pub(crate) fn nodes(record: &Record, changes: &Changes, expand: &Expand) -> Vec<Node> {
    let mut maker = Maker { changes, expand, left: MOST };
    maker.record(record, "")
}

struct Maker<'a> {
    changes: &'a Changes,
    expand: &'a Expand,
    left: usize,
}

/// The elements of an array after `level` indices: the position of the first, and how many make a row.
#[derive(Clone, Copy)]
struct Level<'a> {
    of: Elements<'a>,
    path: &'a str,
    level: usize,
    first: usize,
    row: usize,
}

/// The common properties of the elements of an array.
#[derive(Clone, Copy)]
struct Elements<'a> {
    array: &'a Array,
    schema: &'a Schema,
    ty: Type,
    unit: &'a Option<String>,
}

impl Maker<'_> {
    fn record(&mut self, record: &Record, prefix: &str) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (field, value) in record.fields() {
            let path =
                if prefix.is_empty() { field.name.clone() } else { format!("{prefix}.{}", field.name) };
            let (unit, comment) = (unit(&field.doc), harmless_lines(&field.doc));
            let ty = record.schema().type_name(field.ty);
            let node = match value {
                Value::Array(array) => {
                    let elements = Elements { array, schema: record.schema(), ty: field.ty, unit: &unit };
                    self.array(elements, path, field.name.clone(), 0, 0)
                }
                value => self.value(record.schema(), field.ty, value, path, field.name.clone(), unit.clone()),
            };
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let sizes: String = field.dims.iter().map(|dim| format!("[{}]", dim.text)).collect();
            nodes.push(Node { comment, ty: harmless(&(ty + &sizes)), unit, ..node });
        }
        nodes
    }

    /// A value that is not an array.
    fn value(
        &mut self,
        schema: &Schema,
        ty: Type,
        value: &Value,
        path: String,
        name: String,
        unit: Option<String>,
    ) -> Node {
        let changed = self.changes.of(&path);
        let (kind, parts) = match value {
            Value::Record(inner) => (Kind::Struct, inner.values().len()),
            Value::String(_) => (Kind::Text, 0),
            _ => (Kind::Number, 0),
        };
        let expanded = kind == Kind::Struct && self.expand.is_open(&path, true);
        let children = match value {
            Value::Record(inner) if expanded => self.record(inner, &path),
            _ => Vec::new(),
        };
        let (text, number) = (text(schema, ty, value), value.as_f64());
        let ty = harmless(&schema.type_name(ty));
        Node {
            path,
            name,
            kind,
            ty,
            unit,
            text,
            number,
            changed,
            parts,
            expanded,
            children,
            ..Node::default()
        }
    }

    /// An array or a part of one: `level` dimensions are already indexed, and its first element is `first`.
    fn array(&mut self, of: Elements<'_>, path: String, name: String, level: usize, first: usize) -> Node {
        let shape = &of.array.shape()[level..];
        let parts = shape.first().copied().unwrap_or(0);
        let row: usize = if shape.contains(&0) { 0 } else { shape[1..].iter().product() };
        let expanded = parts > 0 && self.expand.is_open(&path, parts <= SHORT);
        let children = match expanded {
            true if parts > RANGE => self.ranges(Level { of, path: &path, level, first, row }, 0..parts),
            true => self.elements(Level { of, path: &path, level, first, row }, 0..parts),
            false => Vec::new(),
        };
        let sizes: String = shape.iter().map(|n| format!("[{n}]")).collect();
        let ty = harmless(&(of.schema.type_name(of.ty) + &sizes));
        let text = summary(of.array.items(), first, parts.saturating_mul(row));
        let changed = self.changes.of(&path);
        let (kind, unit) = (Kind::Array, of.unit.clone());
        Node { path, name, kind, ty, unit, text, changed, parts, expanded, children, ..Node::default() }
    }

    /// Ranges of elements, nested if there are many.
    fn ranges(&mut self, at: Level<'_>, part: Range<usize>) -> Vec<Node> {
        let Level { of, path, first, row, .. } = at;
        let mut width = RANGE;
        while part.len() > width * RANGE {
            width *= RANGE;
        }
        let mut nodes = Vec::new();
        for start in part.clone().step_by(width) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let inner = start..(start + width).min(part.end);
            let name = format!("[{}..{}]", inner.start, inner.end);
            let own = format!("{path}{name}");
            let expanded = self.expand.is_open(&own, false);
            let children = match expanded {
                true if inner.len() > RANGE => self.ranges(at, inner.clone()),
                true => self.elements(at, inner.clone()),
                false => Vec::new(),
            };
            let text = summary(of.array.items(), first + inner.start * row, inner.len() * row);
            nodes.push(Node {
                path: own,
                name,
                kind: Kind::Range,
                ty: harmless(&of.schema.type_name(of.ty)),
                unit: of.unit.clone(),
                text,
                parts: inner.len(),
                expanded,
                children,
                ..Node::default()
            });
        }
        nodes
    }

    fn elements(&mut self, at: Level<'_>, part: Range<usize>) -> Vec<Node> {
        let Level { of, path, level, first, row } = at;
        let mut nodes = Vec::new();
        for i in part {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let (name, at) = (format!("[{i}]"), first + i * row);
            let own = format!("{path}{name}");
            if level + 1 < of.array.shape().len() {
                nodes.push(self.array(of, own, name, level + 1, at));
            } else if let Some(inner) = of.array.records().get(at) {
                // Avoids `Items::get`, which would copy it.
                let expanded = self.expand.is_open(&own, false);
                let children = if expanded { self.record(inner, &own) } else { Vec::new() };
                nodes.push(Node {
                    changed: self.changes.of(&own),
                    path: own,
                    name,
                    kind: Kind::Struct,
                    ty: harmless(&of.schema.type_name(of.ty)),
                    parts: inner.values().len(),
                    expanded,
                    children,
                    ..Node::default()
                });
            } else if let Some(value) = of.array.items().get(at) {
                nodes.push(self.value(of.schema, of.ty, &value, own, name, of.unit.clone()));
            }
        }
        nodes
    }
}

/// Longest text of a value.
const LONGEST: usize = 4096;

/// A value as text: an enum by its name.
pub(crate) fn text(schema: &Schema, ty: Type, value: &Value) -> String {
    match (value, ty) {
        (Value::Enum(number), Type::Enum(id)) => {
            let known = schema.get_enum(id).values.iter().find(|v| v.value == *number);
            known.map_or_else(|| number.to_string(), |v| format!("{} ({number})", harmless(&v.name)))
        }
        (Value::Int8(v), _) => v.to_string(),
        (Value::Int16(v), _) => v.to_string(),
        (Value::Int32(v) | Value::Enum(v), _) => v.to_string(),
        (Value::Int64(v), _) => v.to_string(),
        (Value::Byte(v), _) => v.to_string(),
        (Value::Float(v), _) => v.to_string(),
        (Value::Double(v), _) => v.to_string(),
        (Value::Boolean(v), _) => v.to_string(),
        (Value::String(v), _) => {
            let whole = v.to_str_lossy();
            let short: String = whole.chars().take(LONGEST).collect();
            let more = if short.len() < whole.len() { "…" } else { "" };
            format!("\"{}{more}\"", harmless(&short))
        }
        (Value::Record(_) | Value::Array(_), _) => String::new(),
    }
}

/// A short summary of elements: the least and largest number.
fn summary(items: &Items, first: usize, count: usize) -> String {
    let count = count.min(items.len().saturating_sub(first));
    if count == 0 {
        return "empty".into();
    }
    if matches!(items, Items::String(_) | Items::Record(_)) {
        return format!("{count}");
    }
    let numbers = (first..first + count).filter_map(|i| items.get(i)?.as_f64());
    let (mut least, mut largest, mut odd) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for number in numbers {
        if number.is_finite() {
            (least, largest) = (least.min(number), largest.max(number));
        } else {
            odd += 1;
        }
    }
    let odd = if odd > 0 { format!(", {odd} not finite") } else { String::new() };
    match (least <= largest, least == largest) {
        (true, true) => format!("{count} × {}{odd}", short(least)),
        (true, false) => format!("{count}, {} to {}{odd}", short(least), short(largest)),
        (false, _) => format!("{count} not finite"),
    }
}

/// A number in about six digits.
fn short(number: f64) -> String {
    let exact = format!("{number}");
    if exact.len() <= 8 {
        return exact;
    }
    if !(1e-3..1e7).contains(&number.abs()) {
        return format!("{number:.3e}");
    }
    let decimals = (5 - number.abs().log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn summaries_are_short() {
        let of = [19.9f32.into(), 0.0, -1.5, 1e9 / 3.0, 1.0 / 3.0, 123_456.789_012].map(short);
        assert_eq!(of, ["19.9", "0", "-1.5", "3.333e8", "0.333333", "123457"]);
    }
}
