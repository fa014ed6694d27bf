//! The plain layout: fixed-size types in their memory layout, so that a message is built and read in place.
//!
//! A struct has the layout of `repr(C)`: fields in order, each at a multiple of its alignment, in the machine's
//! byte order. Nothing is left to the compiler: padding is explicit (`_pad0`, `_pad1`, …, zero), and the generated
//! code asserts every offset.
//!
//! | field | in memory |
//! |---|---|
//! | `int8_t` … `int64_t`, `byte`, `float`, `double` | as in C, aligned to its size |
//! | `boolean` | one byte: 0 is false, anything else true |
//! | an enum | `int32_t` |
//! | a struct | inline, aligned as its widest field, its size a multiple of that |
//! | an array | its elements one after another, the last dimension fastest |
//! | a field of zero size (an empty struct) | nothing: it is not a member |
//!
//! A message in a channel is the layout's hash (8 bytes, in the machine's order) and the struct. The hash is FNV-1a
//! (64 bits) of a text with all of this, so that two programs that disagree on it detect that:
//!
//! ```text
//! saltus-plain 1 little
//! 0 int64_t utime
//! 8 double legs[4].joints[3]      offset of the first element, type, name with the dimensions of all it lies in
//! 104 enum mode
//! size 112 align 8
//! ```

mod codec;

pub use codec::{PlainCodec, decode_plain, encode_plain};

use crate::{Extent, Field, Schema, StructId, Type};
use std::collections::HashMap;
use std::fmt::Write;

/// Bytes of the layout hash at the start of a message.
pub const HASH_SIZE: usize = 8;
/// Largest struct with a plain layout, in bytes.
pub const MAX_SIZE: u64 = i32::MAX as u64;
/// Most leaves of a layout. Nested structs can make a short file into very many.
pub const MAX_LEAVES: usize = 1 << 16;
/// Most bytes of all leaf names together.
const MAX_NAMES: usize = 16 << 20;

/// The layout of one struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    /// The struct.
    pub id: StructId,
    /// The fields of nonzero size, in order.
    pub fields: Vec<PlainField>,
    /// Bytes of padding after the last field.
    pub tail: usize,
    /// Size in bytes; 0 if no field has a size.
    pub size: usize,
    /// Its alignment: 1, 2, 4 or 8.
    pub align: usize,
    /// Hash of the layout, on this machine.
    pub hash: u64,
    /// Every number in it, including those in nested structs: the hashed text without byte order, size and
    /// alignment.
    pub leaves: Vec<Leaf>,
}

/// The position of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainField {
    /// Its index in [`Struct::fields`](crate::Struct::fields).
    pub index: usize,
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// Bytes of padding before it, after the previous field.
    pub padding: usize,
    /// Its size in bytes, all elements of an array together.
    pub size: usize,
}

/// A field that is not a struct, or an array of those, at any depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Bytes from the start of the outermost struct to its first element.
    pub offset: usize,
    /// Type of its elements; never a string or a struct.
    pub ty: Type,
    /// Its path, with the dimensions of all enclosing fields: `legs[4].joints[3]`.
    pub name: String,
}

impl Leaf {
    /// `double`, `boolean`, or `enum`.
    pub fn type_name(&self) -> &'static str {
        match self.ty {
            Type::Primitive(p) => p.name(),
            Type::Struct(_) | Type::Enum(_) => "enum",
        }
    }
}

/// The layout of a struct, and the hash before its messages.
///
/// `None` if it has no fixed size ([`Schema::is_fixed`]), is larger than [`MAX_SIZE`], or has more than
/// [`MAX_LEAVES`] leaves.
pub fn plain(schema: &Schema, id: StructId) -> Option<Plain> {
    flat(schema, id, &layouts(schema, id)?)
}

fn flat(schema: &Schema, id: StructId, layouts: &HashMap<StructId, Layout>) -> Option<Plain> {
    let root = &layouts[&id];
    let mut flat = Flat { schema, layouts, leaves: Vec::new(), names: 0 };
    flat.add(id, 0, "")?;
    let leaves = flat.leaves;
    let hash = fnv1a(text(root, &leaves).as_bytes());
    Some(Plain {
        id,
        fields: root.fields.clone(),
        tail: root.tail,
        size: root.size,
        align: root.align,
        hash,
        leaves,
    })
}

/// A layout without nested fields.
#[derive(Clone, Debug)]
struct Layout {
    fields: Vec<PlainField>,
    tail: usize,
    size: usize,
    align: usize,
}

/// The layouts of `root` and of all structs in it.
fn layouts(schema: &Schema, root: StructId) -> Option<HashMap<StructId, Layout>> {
    if !schema.is_fixed(Type::Struct(root)) {
        return None;
    }
    let mut done = HashMap::new();
    // Fixed-size types cannot contain themselves, so contained ones always come first.
    for id in schema.closure(root) {
        let layout = layout(&schema.get(id).fields, &done)?;
        done.insert(id, layout);
    }
    Some(done)
}

fn layout(fields: &[Field], done: &HashMap<StructId, Layout>) -> Option<Layout> {
    let (mut end, mut align, mut slots) = (0u64, 1u64, Vec::new());
    for (index, field) in fields.iter().enumerate() {
        let (size, its_align) = match field.ty {
            Type::Primitive(p) => (p.wire_size() as u64, p.wire_size() as u64),
            Type::Enum(_) => (4, 4),
            Type::Struct(id) => done.get(&id).map(|l| (l.size as u64, l.align as u64))?,
        };
        let size = size.checked_mul(field.fixed_count()?)?;
        if size == 0 {
            continue;
        }
        let offset = end.next_multiple_of(its_align);
        let padding = offset - end;
        end = offset.checked_add(size).filter(|&end| end <= MAX_SIZE)?;
        align = align.max(its_align);
        slots.push(PlainField {
            index,
            offset: offset as usize,
            padding: padding as usize,
            size: size as usize,
        });
    }
    let size = end.next_multiple_of(align);
    let tail = (size - end) as usize;
    (size <= MAX_SIZE).then_some(Layout { fields: slots, tail, size: size as usize, align: align as usize })
}

/// Collects the leaves of a struct, depth first.
struct Flat<'a> {
    schema: &'a Schema,
    layouts: &'a HashMap<StructId, Layout>,
    leaves: Vec<Leaf>,
    names: usize,
}

impl Flat<'_> {
    /// A schema bounds how deep structs are nested by value, and so this recursion.
    fn add(&mut self, id: StructId, base: usize, prefix: &str) -> Option<()> {
        for slot in &self.layouts[&id].fields {
            let field = &self.schema.get(id).fields[slot.index];
            let mut name = format!("{prefix}{}", field.name);
            for dim in &field.dims {
                if let Extent::Fixed(count) = dim.extent {
                    let _ = write!(name, "[{count}]");
                }
            }
            let offset = base + slot.offset;
            if let Type::Struct(inner) = field.ty {
                name.push('.');
                self.add(inner, offset, &name)?;
            } else {
                self.names += name.len();
                if self.leaves.len() == MAX_LEAVES || self.names > MAX_NAMES {
                    return None;
                }
                self.leaves.push(Leaf { offset, ty: field.ty, name });
            }
        }
        Some(())
    }
}

/// The text that is hashed.
fn text(root: &Layout, leaves: &[Leaf]) -> String {
    let order = if cfg!(target_endian = "little") { "little" } else { "big" };
    let mut text = format!("saltus-plain 1 {order}\n");
    for leaf in leaves {
        let _ = writeln!(text, "{} {} {}", leaf.offset, leaf.type_name(), leaf.name);
    }
    let _ = writeln!(text, "size {} align {}", root.size, root.align);
    text
}

/// FNV-1a, 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}
