//! One type, and the information that its files need.

use super::names::{self, Macros};
use super::shape::{Shape, Shapes};
use crate::Options;
use crate::names::Scope;
use saltus_types::{Extent, Field, Primitive, Schema, Struct, StructId, Type};

/// One struct that is being written.
pub(crate) struct Unit<'a> {
    pub schema: &'a Schema,
    pub options: &'a Options,
    pub shapes: &'a Shapes<'a>,
    pub id: StructId,
    pub s: &'a Struct,
    /// `exlcm_example_t`.
    pub name: String,
    /// `EXLCM_EXAMPLE_T`.
    pub prefix: String,
    pub macros: Macros,
    members: Scope,
}

impl<'a> Unit<'a> {
    pub fn new(schema: &'a Schema, options: &'a Options, shapes: &'a Shapes<'a>, id: StructId) -> Unit<'a> {
        let s = schema.get(id);
        let name = names::type_name(&s.name, options);
        let prefix = names::macro_prefix(&s.name, options);
        Unit {
            schema,
            options,
            shapes,
            id,
            s,
            name,
            prefix,
            macros: Macros::of(s),
            members: names::members(s),
        }
    }
    pub fn banner(&self) -> String {
        super::literal::banner(&self.s.file)
    }
    pub fn shape(&self) -> Shape {
        self.shapes.get(self.id)
    }
    /// Macro of the fingerprint.
    pub fn fingerprint(&self) -> String {
        format!("{}_{}", self.prefix, self.macros.added("FINGERPRINT"))
    }
    /// The member of a field.
    pub fn member(&self, field: &Field) -> String {
        self.members.of(&field.name)
    }
    /// The member of a field in a function.
    pub fn place(&self, field: &Field) -> String {
        format!("p->{}", self.member(field))
    }
    /// The field as declared in the type file.
    pub fn field_text(&self, field: &Field) -> String {
        self.schema.field_to_lcm(field, &self.s.name.package)
    }
    /// Whether elements of this field contain this type again, through another one.
    fn is_cyclic(&self, ty: Type) -> bool {
        matches!(ty, Type::Struct(id) if id != self.id && self.schema.closure(id).contains(&self.id))
    }
    /// The headers to include before the struct, and those after it.
    pub fn includes(&self) -> (Vec<String>, Vec<String>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for field in self.s.fields.iter().filter(|f| f.ty != Type::Struct(self.id)) {
            let Some(name) = names::name_of(self.schema, field.ty) else { continue };
            let file = format!("{}.h", names::type_name(name, self.options));
            let late = field.is_variable() && self.is_cyclic(field.ty);
            let list = if late { &mut after } else { &mut before };
            let line = names::include(self.options, &file);
            if !list.contains(&line) {
                list.push(line);
            }
        }
        after.retain(|line| !before.contains(line));
        (before, after)
    }
    /// The name of a struct or enum in C.
    pub fn type_name(&self, ty: Type) -> String {
        names::name_of(self.schema, ty).map(|n| names::type_name(n, self.options)).unwrap_or_default()
    }
    /// Declaration of the member of a field.
    pub fn declaration(&self, field: &Field) -> String {
        let base = match field.ty {
            Type::Primitive(p) => primitive(p).to_owned(),
            // Its header may come later, and C99 allows no second typedef.
            ty if field.is_variable() && self.is_cyclic(ty) => format!("struct _{}", self.type_name(ty)),
            ty => self.type_name(ty),
        };
        let stars = usize::from(field.ty == Type::Primitive(Primitive::String));
        let name = self.member(field);
        if field.is_variable() {
            return format!("{base} {}{name};", "*".repeat(stars + field.dims.len()));
        }
        // C has no arrays without elements: they get one, which is not on the wire.
        let size = |extent| if extent == Extent::Fixed(0) { "1".into() } else { self.extent(extent) };
        let dims: String = field.dims.iter().map(|d| format!("[{}]", size(d.extent))).collect();
        format!("{base} {}{name}{dims};", "*".repeat(stars))
    }
    /// Size of a dimension: a number, or the size field's member.
    pub fn extent(&self, extent: Extent) -> String {
        match extent {
            Extent::Fixed(n) => n.to_string(),
            Extent::Variable(i) => self.place(&self.s.fields[i]),
        }
    }
    /// Size of a dimension as a `size_t`; a variable one is not negative here.
    pub fn count(&self, extent: Extent) -> String {
        match extent {
            Extent::Fixed(n) => n.to_string(),
            Extent::Variable(_) => format!("(size_t){}", self.extent(extent)),
        }
    }
    /// The number of elements of a field of fixed size.
    pub fn fixed_count(&self, field: &Field) -> String {
        field.fixed_count().unwrap_or(u64::MAX).to_string()
    }
    /// Pointer to the first element of a field of fixed size.
    pub fn first(&self, field: &Field, element: &str) -> String {
        let place = self.place(field);
        match field.dims.len() {
            0 => format!("&{place}"),
            1 => place,
            _ => format!("({element})({place})"),
        }
    }
    /// `p->n, 2, p->m`, for a function that accepts an array of sizes.
    pub fn sizes(&self, field: &Field) -> String {
        let dims: Vec<String> = field.dims.iter().map(|d| self.extent(d.extent)).collect();
        format!("(const int64_t[]){{{}}}", dims.join(", "))
    }
}

/// A primitive type in C; for a string the type behind the pointer.
pub(crate) fn primitive(p: Primitive) -> &'static str {
    match p {
        Primitive::Int8 | Primitive::Boolean => "int8_t",
        Primitive::Int16 => "int16_t",
        Primitive::Int32 => "int32_t",
        Primitive::Int64 => "int64_t",
        Primitive::Byte => "uint8_t",
        Primitive::Float => "float",
        Primitive::Double => "double",
        Primitive::String => "char",
    }
}
