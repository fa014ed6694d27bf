//! The class of a type.

use super::names::{self, Members, Place};
use crate::Options;
use crate::c::literal::{constant, document, line_comment, text_literals};
use crate::c::names::prefixed;
use crate::c::shape::{Shape, Shapes, is_empty};
use crate::c::unit::primitive;
use crate::text::Text;
use saltus_types::{Dim, Extent, Field, Primitive, Schema, Struct, StructId, Type};

/// One class that is being written.
pub(crate) struct Class<'a> {
    pub schema: &'a Schema,
    pub options: &'a Options,
    pub shapes: &'a Shapes<'a>,
    pub id: StructId,
    pub s: &'a Struct,
    pub place: Place,
    pub members: Members,
}

impl<'a> Class<'a> {
    pub fn new(schema: &'a Schema, options: &'a Options, shapes: &'a Shapes<'a>, id: StructId) -> Class<'a> {
        let s = schema.get(id);
        let place = names::place(schema, id, options);
        let members = Members::of(s, &place);
        Class { schema, options, shapes, id, s, place, members }
    }
    pub fn shape(&self) -> Shape {
        self.shapes.get(self.id)
    }
    /// The field as declared in the type file.
    pub fn field_text(&self, field: &Field) -> String {
        self.schema.field_to_lcm(field, &self.s.name.package)
    }
    /// Type of the elements of a field.
    pub fn element(&self, ty: Type) -> String {
        match ty {
            Type::Primitive(Primitive::String) => "std::string".into(),
            Type::Primitive(p) => primitive(p).into(),
            Type::Struct(id) if id == self.id => self.place.name.clone(),
            Type::Struct(id) => names::place(self.schema, id, self.options).full(),
            Type::Enum(id) => Place::of(&self.schema.get_enum(id).name, self.options).full(),
        }
    }
    /// Declaration of the member of a field.
    fn declaration(&self, field: &Field) -> String {
        let (element, name) = (self.element(field.ty), self.members.field(field));
        if field.is_variable() {
            let dims = field.dims.len();
            return format!("{}{element}{} {name};", "std::vector<".repeat(dims), ">".repeat(dims));
        }
        let size = |d: &Dim| if let Extent::Fixed(n) = d.extent { Some(n) } else { None };
        let sizes: Vec<u32> = field.dims.iter().filter_map(size).collect();
        if is_empty(field) {
            // Arrays of the language have at least one element.
            let tail: String = sizes.iter().rev().map(|n| format!(", {n}>")).collect();
            return format!("{}{element}{tail} {name};", "std::array<".repeat(sizes.len()));
        }
        let dims: String = sizes.iter().map(|n| format!("[{n}]")).collect();
        // Numbers that are never set must not have the previous contents of memory.
        let start = match field.ty {
            Type::Primitive(Primitive::String) | Type::Struct(_) => "",
            _ if field.is_array() => " = {}",
            Type::Primitive(Primitive::Float) => " = 0.0f",
            Type::Primitive(Primitive::Double) => " = 0.0",
            Type::Enum(_) => "{}",
            _ => " = 0",
        };
        format!("{element} {name}{dims}{start};")
    }

    pub fn declare(&self, t: &mut Text) {
        document(t, &self.s.doc);
        t.line(format!("class {} {{", self.place.name));
        t.block("public:", "};", |t| {
            for field in &self.s.fields {
                document(t, &field.doc);
                if field.is_variable() {
                    t.line(line_comment(&self.field_text(field)));
                }
                t.line(self.declaration(field));
            }
            if !self.s.fields.is_empty() {
                t.gap();
            }
            self.constants(t);
            self.functions(t);
        });
        if let Some(uniform) = self.shape().uniform {
            let bytes = self.shape().min;
            t.line(format!(
                "static_assert(sizeof({}) == {bytes}, \"{} numbers without padding\");",
                self.place.name, uniform.count
            ));
        }
    }

    fn constants(&self, t: &mut Text) {
        for c in &self.s.consts {
            document(t, &c.doc);
            let name = self.members.constant(c);
            t.line(format!("static constexpr {} {name} = {};", primitive(c.ty), constant(c)));
        }
        if !self.s.consts.is_empty() {
            t.gap();
        }
        let added = |name| self.members.added(name);
        t.line("/** The first 8 bytes of every message, big endian. */");
        let fingerprint = self.s.fingerprint;
        t.line(format!("static constexpr std::uint64_t {} = {fingerprint:#018x};", added("FINGERPRINT")));
        t.line("/** The type's name in type files. */");
        let full = text_literals(&prefixed(&self.s.name, self.options).to_string()).concat();
        t.line(format!("static constexpr const char *{} = {full};", added("FULL_NAME")));
        t.line("/** This type, and all types in it, in the type language. */");
        t.line(format!("static constexpr const char *{} =", added("SCHEMA")));
        let literals = text_literals(&self.schema.to_lcm(self.id));
        for (i, line) in literals.iter().enumerate() {
            let end = if i + 1 == literals.len() { ";" } else { "" };
            t.line(format!("    {line}{end}"));
        }
        t.gap();
    }

    fn functions(&self, t: &mut Text) {
        t.line("/**");
        t.line(" * Encodes the message into `maxlen` bytes at `buf + offset`. Returns the number of bytes, or -1 if `maxlen` is too small,");
        t.line(" * a size field differs from its array (see `set_sizes`) or cannot hold its size, or a string contains a NUL.");
        t.line(" */");
        t.line("int encode(void *buf, int offset, int maxlen) const;");
        t.line("/** The number of bytes of the encoded message; -1 if it is too long. */");
        t.line("int getEncodedSize() const;");
        t.line("/**");
        t.line(" * Decodes a message from `maxlen` bytes at `buf + offset` into this one, reusing its memory. Returns the number of");
        t.line(" * bytes, or -1 if they are of another type or invalid; then the fields are valid but arbitrary.");
        t.line(" */");
        t.line("int decode(const void *buf, int offset, int maxlen);");
        t.line("/**");
        t.line(" * Sets the size fields to the sizes of the arrays, here and in all nested structs. A field with too few bits gets");
        t.line(" * its largest number, and `encode` returns -1.");
        t.line(" */");
        t.line("void set_sizes();");
        t.line("/** The fingerprint as a signed number. */");
        t.line("static int64_t getHash();");
        t.line("/** The name of the type without its package. */");
        t.line("static const char *getTypeName();").gap();
        t.line("// For the code of types that contain this one.");
        let shape = self.shape();
        t.line("int _encodeNoHash(void *buf, int offset, int maxlen) const;");
        t.line("int _getEncodedSizeNoHash() const;");
        t.line("int _decodeNoHash(const void *buf, int offset, int maxlen);");
        t.line("static uint64_t _computeHash(const void *parents);");
        t.line("bool _write(saltus_writer &out) const;");
        t.line("bool _read(saltus_reader &in);");
        t.line("bool _measure(saltus_size &size) const;");
        t.line(format!(
            "static constexpr std::size_t _least = {}; // least number of bytes of a value",
            shape.min
        ));
        t.line(format!(
            "static constexpr bool _fixed = {}; // whether every value takes that many",
            shape.fixed
        ));
        t.line(format!(
            "static constexpr std::uint64_t _free = {}; // elements of zero size that every value has",
            shape.free
        ));
        let width = shape.uniform.map_or(0, |u| u.width);
        t.line(format!(
            "static constexpr std::size_t _width = {width}; // bytes of each number, if all have the same"
        ));
        if width > 0 {
            t.line(format!("static constexpr unsigned _height = {}; // nested structs", shape.height));
        }
    }
}
