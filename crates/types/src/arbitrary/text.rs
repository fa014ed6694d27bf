//! Random types, as the text of a type file.

use super::{Options, Rng};
use crate::Primitive;
use std::fmt::Write;

/// Most fixed-size elements of a struct, including those in its structs: arrays of arrays of structs grow fast.
const MAX_WEIGHT: usize = 300;
const PACKAGES: [&str; 3] = ["arb", "arb.inner", "other"];
const INTEGERS: [&str; 4] = ["int8_t", "int16_t", "int32_t", "int64_t"];
const ODD_NAMES: [&str; 16] = [
    "class",
    "self",
    "type",
    "lambda",
    "string",
    "Sequence",
    "degCelsius",
    "end",
    "fn",
    "union",
    "_x",
    "MAX",
    "max",
    "x__y",
    "module",
    "default",
];

/// A type file with random structs, each of which may use those before it.
pub fn schema_text(rng: &mut Rng, options: &Options) -> String {
    let mut text = String::new();
    let mut types: Vec<Known> = Vec::new();
    if options.enums {
        text.push_str("package arb;\nenum color_t { RED, GREEN = 5, BLUE }\n\n");
        types.push(Known { name: "arb.color_t".into(), weight: 1 });
    }
    let count = 1 + rng.below(options.structs.max(1));
    for i in 0..count {
        let package = rng.pick(&PACKAGES);
        let name = format!("type{i}_t");
        let mut body =
            Body { rng, options, types: &types, text: String::new(), names: Vec::new(), weight: 0 };
        body.fill(&format!("{package}.{name}"));
        let weight = body.weight;
        let _ = write!(text, "package {package};\nstruct {name} {{\n{}}}\n\n", body.text);
        types.push(Known { name: format!("{package}.{name}"), weight });
    }
    text
}

/// A type that later ones may use.
struct Known {
    name: String,
    weight: usize,
}

/// The members of one struct.
struct Body<'a> {
    rng: &'a mut Rng,
    options: &'a Options,
    types: &'a [Known],
    text: String,
    names: Vec<String>,
    weight: usize,
}

impl Body<'_> {
    fn fill(&mut self, own: &str) {
        let mut consts: Vec<String> = Vec::new();
        let mut sizes: Vec<String> = Vec::new();
        for _ in 0..self.rng.below(10) {
            if self.rng.once_in(6) {
                let _ = writeln!(self.text, "    // About what follows,\n    // in two lines.");
            }
            match self.rng.below(6) {
                0 => {
                    let (name, ty) = (self.name(), *self.rng.pick(&INTEGERS));
                    let _ = writeln!(self.text, "    {ty} {name};");
                    sizes.push(name);
                    self.weight += 1;
                }
                1 => self.constant(&mut consts),
                _ => self.field(own, &consts, &sizes),
            }
        }
    }

    fn field(&mut self, own: &str, consts: &[String], sizes: &[String]) {
        let name = self.name();
        let (mut dims, mut count, mut variable) = (String::new(), 1, false);
        for _ in 0..*self.rng.pick(&[0, 0, 0, 1, 1, 1, 2, 2, 3]) {
            let n = 1 + self.rng.below(3);
            match self.rng.below(6) {
                0 if !consts.is_empty() => {
                    // Constants are at most 3.
                    let _ = write!(dims, "[{}]", self.rng.pick(consts));
                    count *= 3;
                }
                1 => {
                    let _ = write!(dims, "[{n:#x}]");
                    count *= n;
                }
                2 => {
                    let _ = write!(dims, "[{n}]");
                    count *= n;
                }
                _ if !sizes.is_empty() => {
                    let _ = write!(dims, "[{}]", self.rng.pick(sizes));
                    variable = true;
                }
                _ => {
                    let _ = write!(dims, "[{n}]");
                    count *= n;
                }
            }
        }
        let types = self.types;
        let (ty, weight) = if variable && self.options.recursion && self.rng.once_in(8) {
            (own, 0)
        } else if !types.is_empty() && self.rng.once_in(3) {
            let known = self.rng.pick(types);
            let fits = self.weight + known.weight * count <= MAX_WEIGHT;
            if fits { (known.name.as_str(), known.weight) } else { ("byte", 1) }
        } else {
            (self.rng.pick(&Primitive::ALL).name(), 1)
        };
        self.weight += weight * count;
        let _ = writeln!(self.text, "    {ty} {name}{dims};");
    }

    fn constant(&mut self, consts: &mut Vec<String>) {
        let name = self.name();
        let n = 1 + self.rng.below(3);
        if self.rng.once_in(3) {
            let _ = writeln!(self.text, "    const double {name} = -{n}.25e-3;");
        } else {
            let ty = *self.rng.pick(&INTEGERS);
            let _ = writeln!(self.text, "    const {ty} {name} = {n};");
            consts.push(name);
        }
    }

    /// A name that no other member has, ignoring case: some languages do not distinguish it.
    fn name(&mut self) -> String {
        let mut name = if self.options.odd_names && self.rng.once_in(2) {
            (*self.rng.pick(&ODD_NAMES)).to_owned()
        } else {
            format!("{}{}", self.rng.pick(&["x", "pos", "n", "flag", "value"]), self.names.len())
        };
        while self.names.contains(&name) {
            name.push('2');
        }
        self.names.push(name.clone());
        name
    }
}
