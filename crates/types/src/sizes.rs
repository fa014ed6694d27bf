//! Computes the sizes of structs, and checks that none contains itself by value.

use crate::diagnostic::Diagnostic;
use crate::known::Known;
use crate::schema::{Dim, Extent, Field, Primitive, Schema, StructId, Type};
use crate::source::Span;
use crate::value::memory;

/// Largest size in bytes of all fixed parts of a type together.
const LARGEST: u64 = i32::MAX as u64;
/// Most levels of structs nested by value.
const DEEPEST: usize = saltus_wire::MAX_DEPTH as usize;

/// The sizes of every struct. `None` if an error was reported: structs that contain themselves by value, are too
/// large, or are nested too deep. `spans` are the locations of the fields.
pub(crate) fn sizes(
    schema: &Schema,
    spans: &[Vec<Span>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Known>> {
    let state = vec![State::New; schema.structs().len()];
    Sizes { schema, spans, diagnostics, state, path: Vec::new() }.all()
}

/// Properties of a struct that follow from its fields.
#[derive(Clone, Copy)]
struct Size {
    /// Least size on the wire.
    least: u64,
    /// The same, but a struct counts at least 1, to bound traversals of empty structs.
    weight: u64,
    /// Whether every value has that size.
    fixed: bool,
    /// Elements and rows that every value has and that may have zero size.
    free: u64,
    /// Memory of the minimum contents of a record.
    memory: u64,
    /// The depth of structs nested by value.
    depth: usize,
}

#[derive(Clone, Copy)]
enum State {
    New,
    Open,
    Refused,
    Done(Size),
}

/// Traverses structs by value: a struct may contain itself only through an array of variable size.
struct Sizes<'a> {
    schema: &'a Schema,
    spans: &'a [Vec<Span>],
    diagnostics: &'a mut Vec<Diagnostic>,
    state: Vec<State>,
    /// The structs being processed, each with the field that leads to the next.
    path: Vec<(StructId, usize)>,
}

impl Sizes<'_> {
    /// The sizes of all; `None` if an error was reported.
    fn all(&mut self) -> Option<Vec<Known>> {
        let sizes: Vec<_> = self.schema.ids().map(|id| self.of(id)).collect();
        let known = |s: Size| Known { least: s.least, fixed: s.fixed, free: s.free, memory: s.memory };
        sizes.into_iter().map(|s| s.map(known)).collect()
    }

    /// The size of a struct; `None` if an error was reported about it.
    fn of(&mut self, id: StructId) -> Option<Size> {
        match self.state[id.0] {
            State::Done(size) => return Some(size),
            State::Refused => return None,
            State::Open => {
                self.cycle(id);
                return None;
            }
            State::New => {}
        }
        self.state[id.0] = State::Open;
        // The traversal never exceeds the allowed depth, even for a hostile file.
        let size = if self.path.len() > DEEPEST { None } else { self.sum(id) };
        let size = match size {
            Some(s) if s.depth <= DEEPEST => Some(s),
            None if self.path.len() <= DEEPEST => None,
            _ => {
                let s = self.schema.get(id);
                let what = format!("`{}` is part of a chain of more than {DEEPEST} nested structs", s.name);
                self.diagnostics.push(Diagnostic::error(what, s.span));
                None
            }
        };
        self.state[id.0] = size.map_or(State::Refused, State::Done);
        size
    }

    fn sum(&mut self, id: StructId) -> Option<Size> {
        let fields = &self.schema.get(id).fields;
        let memory = memory::fields(fields.len()) as u64;
        let (mut sum, mut well) =
            (Size { least: 0, weight: 1, fixed: true, free: 0, memory, depth: 0 }, true);
        for (i, field) in fields.iter().enumerate() {
            let scalar = |least: usize, fixed| {
                Some(Size { least: least as u64, weight: least as u64, fixed, free: 0, memory: 0, depth: 0 })
            };
            let one = match field.ty {
                Type::Primitive(p) => scalar(p.wire_size(), p != Primitive::String),
                Type::Enum(_) => scalar(4, true),
                Type::Struct(_) if field.is_variable() => scalar(0, false), // may lead back to this one
                Type::Struct(inner) => {
                    self.path.push((id, i));
                    let found = self.of(inner);
                    self.path.pop();
                    found.map(|f| Size { depth: f.depth + 1, ..f })
                }
            };
            let Some(one) = one else {
                well = false;
                continue;
            };
            let count = if field.is_variable() { Some(0) } else { field.fixed_count() };
            sum.free = sum.free.saturating_add(free(field, one));
            sum.memory = sum.memory.saturating_add(always(field, count, one));
            sum.fixed &= one.fixed && !field.is_variable();
            sum.depth = sum.depth.max(one.depth);
            let times =
                |size: u64| count.filter(|&n| n <= LARGEST).map_or(u64::MAX, |n| n.saturating_mul(size));
            sum.least = sum.least.saturating_add(times(one.least));
            sum.weight = sum.weight.saturating_add(times(one.weight));
            if sum.weight > LARGEST {
                self.too_large(id, i);
                return None;
            }
        }
        well.then_some(sum)
    }

    fn too_large(&mut self, id: StructId, field: usize) {
        let s = self.schema.get(id);
        let what = format!(
            "`{}` is too large: with `{}` it has more than {LARGEST} bytes",
            s.name, s.fields[field].name
        );
        self.diagnostics.push(Diagnostic::error(what, self.spans[id.0][field]));
    }

    /// The path from `id` back to itself.
    fn cycle(&mut self, id: StructId) {
        let from = self.path.iter().position(|(s, _)| *s == id).unwrap_or(0);
        let name = |id: StructId| self.schema.get(id).name.to_string();
        let way: Vec<String> = self.path[from..]
            .iter()
            .map(|&(s, f)| format!("{}.{}", name(s), self.schema.get(s).fields[f].name))
            .chain([name(id)])
            .collect();
        let mut error =
            Diagnostic::error(format!("`{}` contains itself", name(id)), self.schema.get(id).span).help(
                format!("the path is {}; only an array of variable size may lead back", way.join(" -> ")),
            );
        for &(s, f) in &self.path[from..] {
            error = error.and(self.spans[s.0][f], format!("`{}` contains this", name(s)));
        }
        self.diagnostics.push(error);
    }
}

/// Elements and rows of a field that every message has, and that may have zero size. Of `double x[20][n]` the 20
/// rows, of `empty_t x[20]` the 20 elements; of `a_t x[20]` also those in each `a_t`.
fn free(field: &Field, element: Size) -> u64 {
    let (mut there, mut free) = (1u64, 0u64);
    for (level, dim) in field.dims.iter().enumerate() {
        let Extent::Fixed(n) = dim.extent else { return free };
        there = there.saturating_mul(u64::from(n));
        let empty = |d: &Dim| !matches!(d.extent, Extent::Fixed(1..));
        if element.least == 0 || field.dims[level + 1..].iter().any(empty) {
            free = free.saturating_add(there);
        }
    }
    free.saturating_add(there.saturating_mul(element.free))
}

/// Memory of the minimum contents of a field, without its value in the record.
fn always(field: &Field, count: Option<u64>, element: Size) -> u64 {
    let count = count.unwrap_or(u64::MAX);
    let own = match field.ty {
        _ if field.is_array() => {
            let elements = memory::elements(field.ty, usize::try_from(count).unwrap_or(usize::MAX));
            memory::array(field.dims.len()).saturating_add(elements)
        }
        Type::Struct(_) => memory::boxed(),
        Type::Primitive(_) | Type::Enum(_) => 0,
    };
    count.saturating_mul(element.memory).saturating_add(own as u64)
}
