//! The model of a set of types, resolved and checked.

use crate::known::Known;
use std::collections::BTreeMap;
use std::fmt;

/// The nine primitive types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `int8_t`
    Int8,
    /// `int16_t`
    Int16,
    /// `int32_t`
    Int32,
    /// `int64_t`
    Int64,
    /// `byte`, unsigned
    Byte,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `string`
    String,
    /// `boolean`
    Boolean,
}

impl Primitive {
    /// All of them.
    pub const ALL: [Primitive; 9] = [
        Primitive::Int8,
        Primitive::Int16,
        Primitive::Int32,
        Primitive::Int64,
        Primitive::Byte,
        Primitive::Float,
        Primitive::Double,
        Primitive::String,
        Primitive::Boolean,
    ];

    /// Its name in the language, which is also hashed.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::Int8 => "int8_t",
            Primitive::Int16 => "int16_t",
            Primitive::Int32 => "int32_t",
            Primitive::Int64 => "int64_t",
            Primitive::Byte => "byte",
            Primitive::Float => "float",
            Primitive::Double => "double",
            Primitive::String => "string",
            Primitive::Boolean => "boolean",
        }
    }
    /// The primitive of that name.
    pub fn of(name: &str) -> Option<Primitive> {
        Primitive::ALL.into_iter().find(|p| p.name() == name)
    }
    /// Bytes on the wire; for a string the least: its length and a NUL.
    pub fn wire_size(self) -> usize {
        match self {
            Primitive::Int8 | Primitive::Byte | Primitive::Boolean => 1,
            Primitive::Int16 => 2,
            Primitive::Int32 | Primitive::Float => 4,
            Primitive::Int64 | Primitive::Double => 8,
            Primitive::String => 5,
        }
    }
    /// Whether it may be the size of an array.
    pub fn is_integer(self) -> bool {
        matches!(self, Primitive::Int8 | Primitive::Int16 | Primitive::Int32 | Primitive::Int64)
    }
}

/// Name of a type: a package, which may be empty or have dots, and a short name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeName {
    /// `a.b` of `a.b.pose_t`; empty for the root package.
    pub package: String,
    /// `pose_t` of `a.b.pose_t`.
    pub name: String,
}

impl TypeName {
    /// Splits `a.b.pose_t` at its last dot.
    pub fn of(full: &str) -> TypeName {
        let (package, name) = full.rsplit_once('.').unwrap_or(("", full));
        TypeName { package: package.into(), name: name.into() }
    }
    /// The parts of the package: `a` and `b` of `a.b.pose_t`; none in the root package.
    pub fn packages(&self) -> impl Iterator<Item = &str> {
        self.package.split('.').filter(|p| !p.is_empty())
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.package.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}.{}", self.package, self.name)
        }
    }
}

/// Index of a struct in its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub usize);

/// Index of an enum in its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub usize);

/// Type of a field's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One of the nine.
    Primitive(Primitive),
    /// A struct, whose fields are inline.
    Struct(StructId),
    /// An enum of the old language: an int32 on the wire.
    Enum(EnumId),
}

/// Size of one dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Always this many.
    Fixed(u32),
    /// As many as the value of the field with this index, an integer earlier in the same struct.
    Variable(usize),
}

/// One dimension of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// How many elements.
    pub extent: Extent,
    /// The hashed text: the number as written (`0x10`), for a constant its number as written, otherwise the name of
    /// the size field.
    pub text: String,
    /// The constant named in the file, if one was.
    pub constant: Option<String>,
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Type of its elements.
    pub ty: Type,
    /// Its dimensions, outermost first; none if it is not an array.
    pub dims: Vec<Dim>,
    /// Its comment in the file; lines separated by `
    /// `, empty if there is none.
    pub doc: String,
}

impl Field {
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        !self.dims.is_empty()
    }
    /// Whether any of its dimensions depends on another field.
    pub fn is_variable(&self) -> bool {
        self.dims.iter().any(|d| matches!(d.extent, Extent::Variable(_)))
    }
    /// The fixed number of elements; 1 if it is not an array, `None` if the number varies.
    pub fn fixed_count(&self) -> Option<u64> {
        self.dims.iter().try_fold(1u64, |n, d| match d.extent {
            Extent::Fixed(k) => n.checked_mul(u64::from(k)),
            Extent::Variable(_) => None,
        })
    }
}

/// Value of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstValue {
    /// Of an integer type.
    Int(i64),
    /// Of `float` or `double`.
    Float(f64),
}

/// A constant of a struct. Constants are not on the wire and not in the fingerprint.
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// Its name.
    pub name: String,
    /// `int8_t`, `int16_t`, `int32_t`, `int64_t`, `float` or `double`.
    pub ty: Primitive,
    /// Its value.
    pub value: ConstValue,
    /// The number as it was written.
    pub text: String,
    /// Its comment in the file.
    pub doc: String,
}

/// A struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: TypeName,
    /// Its comment in the file.
    pub doc: String,
    /// The comment at the start of its file or package.
    pub file_doc: String,
    /// Its fields, in the order of the wire.
    pub fields: Vec<Field>,
    /// Its constants.
    pub consts: Vec<Const>,
    /// Hash of this definition only (LCM's base hash).
    pub base_hash: u64,
    /// Hash of this definition and all it contains: the first 8 bytes of every message, big endian.
    pub fingerprint: u64,
    /// Name of the file that declares it, without directories.
    pub file: String,
    /// The location of its name.
    pub span: crate::Span,
    /// For each size field, the dimensions that it sizes: field, number of the dimension.
    pub(crate) sizes: BTreeMap<usize, Vec<(usize, usize)>>,
}

impl Struct {
    /// The field of that name, with its index.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        self.fields.iter().enumerate().find(|(_, f)| f.name == name)
    }
    /// The indices of fields that size an array of this struct.
    pub fn size_fields(&self) -> Vec<usize> {
        self.sizes.keys().copied().collect()
    }
    /// Fields with a dimension sized by field `i`: field index and number of the dimension.
    pub fn sized_by(&self, i: usize) -> impl Iterator<Item = (usize, usize)> {
        self.sizes.get(&i).into_iter().flatten().copied()
    }
}

/// One value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// Its name.
    pub name: String,
    /// Its number.
    pub value: i32,
    /// Its comment in the file.
    pub doc: String,
}

/// An enum of the old language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// Its name.
    pub name: TypeName,
    /// Its comment in the file.
    pub doc: String,
    /// Its values.
    pub values: Vec<EnumValue>,
    /// Hash of its name; its values are not hashed.
    pub fingerprint: u64,
    /// Name of the file that declares it, without directories.
    pub file: String,
    /// The location of its name.
    pub span: crate::Span,
}

/// A set of types in which every reference is resolved.
///
/// Types are in the order in which they were read. Invariants: names are unique; a size field precedes its arrays
/// and is a scalar integer; a struct contains itself only through an array of variable size; all fixed sizes fit
/// into 31 bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    pub(crate) structs: Vec<Struct>,
    pub(crate) enums: Vec<Enum>,
    /// Derived properties of each struct.
    pub(crate) known: Vec<Known>,
}

impl Schema {
    /// All structs.
    pub fn structs(&self) -> &[Struct] {
        &self.structs
    }
    /// All enums.
    pub fn enums(&self) -> &[Enum] {
        &self.enums
    }
    /// All struct ids.
    pub fn ids(&self) -> impl Iterator<Item = StructId> + use<> {
        (0..self.structs.len()).map(StructId)
    }
    /// The struct with that ID. Panics if the ID is of another schema and too large for this one.
    pub fn get(&self, id: StructId) -> &Struct {
        &self.structs[id.0]
    }
    /// The enum with that ID. Panics if the ID is of another schema and too large for this one.
    pub fn get_enum(&self, id: EnumId) -> &Enum {
        &self.enums[id.0]
    }
    /// The struct with that full name (`a.b.pose_t`), otherwise the only one with that short name.
    pub fn find(&self, name: &str) -> Option<StructId> {
        find(self.structs.iter().map(|s| &s.name), name).map(StructId)
    }
    /// The enum with that full name, otherwise the only one with that short name.
    pub fn find_enum(&self, name: &str) -> Option<EnumId> {
        find(self.enums.iter().map(|e| &e.name), name).map(EnumId)
    }
    /// The structs with that fingerprint; several if they differ only in parts that are not hashed.
    pub fn by_fingerprint(&self, fingerprint: u64) -> impl Iterator<Item = StructId> {
        self.ids().filter(move |&id| self.get(id).fingerprint == fingerprint)
    }
    /// Name of a type as the language writes it, in full.
    pub fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Primitive(p) => p.name().into(),
            Type::Struct(id) => self.get(id).name.to_string(),
            Type::Enum(id) => self.get_enum(id).name.to_string(),
        }
    }
    /// `root` and all structs in it, direct or nested, each once, contained ones before those that contain them (as
    /// far as recursion allows).
    pub fn closure(&self, root: StructId) -> Vec<StructId> {
        let (mut seen, mut order) = (vec![false; self.structs.len()], Vec::new());
        // Not recursive, since a chain of types may be as long as the files: (struct, next field).
        let mut path = vec![(root, 0)];
        seen[root.0] = true;
        while let Some((id, at)) = path.pop() {
            match self.get(id).fields.get(at) {
                None => order.push(id),
                Some(field) => {
                    path.push((id, at + 1));
                    if let Type::Struct(inner) = field.ty
                        && !std::mem::replace(&mut seen[inner.0], true)
                    {
                        path.push((inner, 0));
                    }
                }
            }
        }
        order
    }
    /// Least number of bytes of a value of this type on the wire, without a fingerprint. An array of variable size
    /// counts as empty.
    pub fn min_size(&self, ty: Type) -> u64 {
        match ty {
            Type::Primitive(p) => p.wire_size() as u64,
            Type::Enum(_) => 4,
            Type::Struct(id) => self.known[id.0].least,
        }
    }
    /// Whether every value of this type has the same size: no string, no array of variable size, in any depth.
    pub fn is_fixed(&self, ty: Type) -> bool {
        match ty {
            Type::Primitive(p) => p != Primitive::String,
            Type::Enum(_) => true,
            Type::Struct(id) => self.known[id.0].fixed,
        }
    }
    /// How many array elements and rows every value of struct `id` has that may have zero size on the wire:
    /// decoders allow this many more (see `docs/wire.md`). At most 2²⁰.
    pub fn free_elements(&self, id: StructId) -> u64 {
        self.known[id.0].free.min(1 << 20)
    }
    /// Memory of the minimum contents of a record of struct `id`, in bytes.
    pub(crate) fn memory(&self, id: StructId) -> u64 {
        self.known[id.0].memory
    }
}

/// The type with this name: in full, or in short if that is unique.
fn find<'a>(names: impl Iterator<Item = &'a TypeName> + Clone, name: &str) -> Option<usize> {
    let full = TypeName::of(name);
    names.clone().position(|known| *known == full).or_else(|| {
        let mut short = names.enumerate().filter(|(_, known)| known.name == name);
        short.next().filter(|_| short.next().is_none()).map(|(i, _)| i)
    })
}
