//! Fingerprints, as LCM computes them.
//!
//! The *base hash* covers one definition: its field names, primitive type names and dimensions, in order. The
//! *fingerprint* adds those of all structs in it, except where a struct contains itself.

use crate::schema::{Enum, Extent, Schema, Struct, StructId, Type};

/// Mixes one signed byte in. The shift is arithmetic, as LCM's: the sign bit stays.
fn mix(v: u64, c: i8) -> u64 {
    ((v << 8) ^ ((v as i64) >> 55) as u64).wrapping_add(c as u64)
}

/// Mixes a string in: its length, as a signed byte, then its bytes.
fn mix_text(v: u64, text: &str) -> u64 {
    text.bytes().fold(mix(v, text.len() as i8), |v, b| mix(v, b as i8))
}

/// LCM's base hash. It covers what determines the bytes on the wire, and the names of the fields. It does not cover
/// the names of the struct and of the structs in it, packages, constants and comments.
pub(crate) fn base_hash(s: &Struct) -> u64 {
    s.fields.iter().fold(0x1234_5678, |v, field| {
        let mut v = mix_text(v, &field.name);
        if let Type::Primitive(p) = field.ty {
            v = mix_text(v, p.name());
        }
        v = mix(v, field.dims.len() as i8);
        field.dims.iter().fold(v, |v, dim| {
            let mode = matches!(dim.extent, Extent::Variable(_)) as i8;
            mix_text(mix(v, mode), &dim.text)
        })
    })
}

/// Hash of an enum of the old language: of its short name only.
pub(crate) fn enum_hash(e: &Enum) -> u64 {
    mix_text(0x8765_4321, &e.name.name)
}

/// Steps after which a set of types counts as too complex: each step is one struct met on one path.
const BUDGET: u32 = 300_000;
/// Longest path of structs.
const LONGEST: usize = 512;

/// The fingerprints of all structs. An error if the structs refer to each other in too many ways, or in too long
/// chains, that LCM's rule (each path is followed) takes too long.
pub(crate) fn all(schema: &Schema) -> Result<Vec<u64>, StructId> {
    let n = schema.structs().len();
    let knot = knots(schema);
    let mut walk =
        Walk { schema, path: Vec::new(), within: vec![0; n], knot, known: vec![None; n], left: BUDGET };
    schema.ids().map(|id| walk.of(id).ok_or(id)).collect()
}

struct Walk<'a> {
    schema: &'a Schema,
    path: Vec<StructId>,
    /// For each struct its component: those that contain it and that it contains.
    knot: Vec<usize>,
    /// The number of structs of each component on the path.
    within: Vec<u32>,
    /// Fingerprints on a path without a struct of their component.
    known: Vec<Option<u64>>,
    left: u32,
}

impl Walk<'_> {
    fn of(&mut self, id: StructId) -> Option<u64> {
        if self.path.contains(&id) {
            return Some(0);
        }
        let knot = self.knot[id.0];
        // A struct above that is also contained in this one belongs to its component. If none of its component is
        // above, the path does not influence the hash.
        let free = self.within[knot] == 0;
        if let (true, Some(hash)) = (free, self.known[id.0]) {
            return Some(hash);
        }
        self.left = self.left.checked_sub(1)?;
        if self.path.len() == LONGEST {
            return None;
        }
        self.path.push(id);
        self.within[knot] += 1;
        let s = self.schema.get(id);
        let mut sum = s.base_hash;
        for field in &s.fields {
            sum = sum.wrapping_add(match field.ty {
                Type::Primitive(_) => 0,
                Type::Enum(e) => self.schema.get_enum(e).fingerprint,
                Type::Struct(inner) => self.of(inner)?,
            });
        }
        self.within[knot] -= 1;
        self.path.pop();
        let hash = sum.rotate_left(1);
        if free {
            self.known[id.0] = Some(hash);
        }
        Some(hash)
    }
}

/// Numbers the strongly connected components (Kosaraju): structs that contain each other, directly or indirectly.
fn knots(schema: &Schema) -> Vec<usize> {
    let n = schema.structs().len();
    let (mut down, mut up) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for id in schema.ids() {
        for field in &schema.get(id).fields {
            if let Type::Struct(inner) = field.ty {
                down[id.0].push(inner.0);
                up[inner.0].push(id.0);
            }
        }
    }
    let mut seen = vec![false; n];
    let mut finished = Vec::with_capacity(n);
    for start in 0..n {
        visit(start, &down, &mut seen, |node| finished.push(node));
    }
    let (mut knot, mut seen) = (vec![0; n], vec![false; n]);
    for (number, &start) in finished.iter().rev().enumerate() {
        visit(start, &up, &mut seen, |node| knot[node] = number);
    }
    knot
}

/// Calls `done` for every unseen node that can be reached from `start`, each after those reached from it.
fn visit(start: usize, edges: &[Vec<usize>], seen: &mut [bool], mut done: impl FnMut(usize)) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((node, next)) = path.pop() {
        match edges[node].get(next) {
            None => done(node),
            Some(&to) => {
                path.push((node, next + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    path.push((to, 0));
                }
            }
        }
    }
}
