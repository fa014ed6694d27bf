//! Random type files, unusual but valid.

use crate::rng::{Choose, Rng};
use std::fmt::Write;

/// Properties of the types of a file.
#[derive(Clone, Debug)]
pub struct Taste {
    /// Their package.
    pub package: String,
    /// Their number.
    pub types: usize,
    /// Longest name of a field, without its number.
    pub longest_name: usize,
    /// Whether dimensions and constants may be written in hexadecimal and octal.
    pub any_base: bool,
    /// Whether a type may contain types that come after it, in arrays of variable size.
    pub forward: bool,
    /// Largest constant dimension.
    pub largest: usize,
}

const PRIMITIVES: [&str; 9] =
    ["int8_t", "int16_t", "int32_t", "int64_t", "byte", "float", "double", "string", "boolean"];
const INTEGERS: [&str; 4] = ["int8_t", "int16_t", "int32_t", "int64_t"];

/// The text of a file of such types.
pub fn text(rng: &mut Rng, taste: &Taste) -> String {
    let names: Vec<String> =
        (0..taste.types).map(|i| format!("{}{i}_t", word(rng, taste.longest_name.min(12)))).collect();
    let mut out = format!("package {};\n", taste.package);
    for at in 0..names.len() {
        Maker { rng, taste, names: &names, at, sizes: Vec::new(), consts: Vec::new() }.write(&mut out);
    }
    out
}

/// Letters, digits and underscores, a letter first.
fn word(rng: &mut Rng, longest: usize) -> String {
    const FIRST: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
    const REST: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    let length = if rng.percent(10) { rng.between(1, longest) } else { rng.between(1, longest.min(8)) };
    let mut word = String::from(FIRST[rng.below(FIRST.len())] as char);
    word.extend((1..length).map(|_| REST[rng.below(REST.len())] as char));
    word
}

/// Makes one struct.
struct Maker<'a> {
    rng: &'a mut Rng,
    taste: &'a Taste,
    names: &'a [String],
    at: usize,
    sizes: Vec<String>,
    consts: Vec<String>,
}

impl Maker<'_> {
    fn write(mut self, out: &mut String) {
        let _ = writeln!(out, "struct {}\n{{", self.names[self.at]);
        for i in 0..self.rng.below(9) {
            let name = format!("{}{i}", word(self.rng, self.taste.longest_name));
            let line = if self.rng.percent(12) { self.constant(name) } else { self.field(name) };
            let _ = writeln!(out, "    {line}");
        }
        out.push_str("}\n");
    }

    fn constant(&mut self, name: String) -> String {
        if self.rng.percent(25) {
            return format!("const double {name} = -1.5e-3;");
        }
        let line = format!("const {} {name} = {};", self.rng.pick(&INTEGERS), self.number());
        self.consts.push(name);
        line
    }

    /// A number that may be a dimension, in any notation.
    fn number(&mut self) -> String {
        let n = self.rng.between(1, self.taste.largest);
        match self.rng.below(6) {
            0 if self.taste.any_base => format!("0x{n:x}"),
            1 if self.taste.any_base => format!("0X{n:03X}"),
            2 if self.taste.any_base => format!("0{n:o}"),
            _ => n.to_string(),
        }
    }

    fn field(&mut self, name: String) -> String {
        let count = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3][self.rng.below(11)];
        let mut dims: Vec<String> = (0..count).map(|_| self.dimension()).collect();
        let ty = self.element(&mut dims);
        if dims.is_empty() && INTEGERS.contains(&ty.as_str()) {
            self.sizes.push(name.clone());
        }
        let dims: String = dims.iter().map(|d| format!("[{d}]")).collect();
        format!("{ty} {name}{dims};")
    }

    fn dimension(&mut self) -> String {
        match self.rng.below(4) {
            0 | 1 if !self.sizes.is_empty() => self.sizes[self.rng.below(self.sizes.len())].clone(),
            2 if !self.consts.is_empty() => self.consts[self.rng.below(self.consts.len())].clone(),
            _ => self.number(),
        }
    }

    /// A type for an array of these dimensions. Structs are nested at most [`LEVELS`] deep, and in arrays of one
    /// dimension, so that no message becomes huge; types refer back in groups, so that no fingerprint takes too
    /// long.
    fn element(&mut self, dims: &mut Vec<String>) -> String {
        if self.rng.percent(70) {
            return (*self.rng.pick(&PRIMITIVES)).into();
        }
        dims.truncate(1);
        let group = self.at - self.at % GROUP;
        let last = if self.taste.forward { (group + GROUP).min(self.names.len()) } else { self.at + 1 };
        let back = self.rng.percent(50);
        let inner = if back { self.rng.between(group, last - 1) } else { self.rng.below(self.at + 1) };
        let by_value = inner < self.at && inner % LEVELS < self.at % LEVELS;
        match self.sizes.last() {
            _ if by_value => {}
            Some(size) if inner >= group => *dims = vec![size.clone()],
            _ => return (*self.rng.pick(&PRIMITIVES)).into(),
        }
        self.names[inner].clone()
    }
}

/// A type may contain another one by value if its number has a smaller remainder.
const LEVELS: usize = 4;
/// This many types may contain each other in arrays of variable size.
const GROUP: usize = 5;
