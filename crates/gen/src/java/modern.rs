//! `Style::Modern`: classes that need only Java.

use super::layout::{array, call, javadoc, line, loops, quoted, statement, text_block};
use super::module::{Module, head, literal, number};
use super::read::{over, read};
use crate::Options;
use saltus_types::{Dim, Extent, Field, Primitive, Schema, StructId, Type};

const IMPORTS: &[&str] =
    &["java.io.IOException", "java.nio.BufferUnderflowException", "java.nio.ByteBuffer", "java.util.Arrays"];

/// The class of one type.
pub(super) fn class(schema: &Schema, id: StructId, options: &Options) -> String {
    let m = Module::new(schema, id, options, &[]);
    let class = &m.place.class;
    let mut text = head(&m.st.file, &m.place, IMPORTS);
    text += &javadoc(0, &m.st.doc);
    text += &line(0, format!("public final class {class} {{"));
    text += &javadoc(1, "Full name.");
    text += &statement(1, "public static final String NAME", &format!("{};", quoted(&m.st.name.to_string())));
    text.push('\n');
    text += &javadoc(1, "The first 8 bytes of every message, big endian.");
    text += &line(1, format!("public static final long FINGERPRINT = 0x{:016x}L;\n", m.st.fingerprint));
    text += &javadoc(1, "The type, and all types in it, in the type language.");
    text += &text_block(1, "public static final String SCHEMA", &m.schema.to_lcm(id));
    text.push('\n');
    text += &constants(&m);
    text += &attributes(&m);
    text += &constructor(&m);
    text += &entrances(&m);
    text += &set_sizes(&m);
    text += &size(&m);
    text += &write(&m);
    text += &reading(&m);
    text += &rest(&m);
    text + "}\n"
}

/// The constants.
pub(super) fn constants(m: &Module) -> String {
    let mut text = String::new();
    for constant in &m.st.consts {
        text += &javadoc(1, &constant.doc);
        let ty = number(Type::Primitive(constant.ty)).map_or("int", |n| n.java);
        let left = format!("public static final {ty} {}", m.member(&constant.name));
        text += &statement(1, &left, &format!("{};", literal(constant)));
        text.push('\n');
    }
    text
}

fn fixed(dim: &Dim) -> u32 {
    if let Extent::Fixed(n) = dim.extent { n } else { 0 }
}

/// `[3][0]`, after the type of the elements: a new array. Dimensions from the first variable one on are omitted.
pub(super) fn new_array(m: &Module, field: &Field) -> String {
    let sizes: String = field.dims.iter().map(|d| format!("[{}]", fixed(d))).collect();
    format!("new {}{sizes}", m.element(field.ty))
}

fn attributes(m: &Module) -> String {
    let mut text = String::new();
    for field in &m.st.fields {
        text += &javadoc(1, &field.doc);
        let left = format!("public {} {}", m.type_of(field), m.member(&field.name));
        let value = match field.ty {
            _ if field.is_array() => new_array(m, field),
            Type::Struct(_) => format!("new {}()", m.element(field.ty)),
            Type::Primitive(Primitive::String) => "\"\"".into(),
            _ => String::new(),
        };
        text += &if value.is_empty() {
            line(1, format!("{left};"))
        } else {
            statement(1, &left, &format!("{value};"))
        };
        text.push('\n');
    }
    text
}

/// Fixed arrays of strings and structs have elements from the start.
fn constructor(m: &Module) -> String {
    let mut body = String::new();
    for field in
        m.st.fields.iter().filter(|f| number(f.ty).is_none() && f.fixed_count().is_some() && f.is_array())
    {
        let (heads, element) = over(m, field, field.dims.len());
        let ty = m.element(field.ty);
        let one = if ty == "String" { "\"\"".to_owned() } else { format!("new {ty}()") };
        body += &loops(2, &heads, |depth| line(depth, format!("{element} = {one};")));
    }
    let class = &m.place.class;
    if body.is_empty() {
        return line(1, format!("public {class}() {{}}\n"));
    }
    format!("  public {class}() {{\n{body}  }}\n\n")
}

fn entrances(m: &Module) -> String {
    let (class, free) = (&m.place.class, m.free);
    format!(
        "  /** Decodes a message. Bytes behind it are ignored. */
  public static {class} decode(byte[] data) throws IOException {{
    return decode(ByteBuffer.wrap(data));
  }}

  /** Decodes a message and moves the buffer's position behind it. */
  public static {class} decode(ByteBuffer data) throws IOException {{
    ByteBuffer in = SaltusWire.open(data, FINGERPRINT, NAME);
    {class} message = new {class}();
    try {{
      message._read(in, 0, SaltusWire.free(in, {free}));
    }} catch (BufferUnderflowException e) {{
      throw SaltusWire.truncated(in, NAME);
    }}
    data.position(in.position());
    return message;
  }}

  /** The message as it goes over the wire. */
  public byte[] encode() {{
    ByteBuffer out = ByteBuffer.allocate(encodedSize());
    encode(out);
    return out.array();
  }}

  /** Encodes to the buffer's position and moves it behind the message. */
  public void encode(ByteBuffer out) {{
    ByteBuffer room = SaltusWire.room(out, encodedSize());
    room.putLong(FINGERPRINT);
    _write(room);
    out.position(room.position());
  }}

  /** Bytes of the whole message. */
  public int encodedSize() {{
    return Math.toIntExact(8 + _size(0));
  }}

"
    )
}

fn set_sizes(m: &Module) -> String {
    let mut body = String::new();
    for i in m.st.size_fields() {
        let size = &m.st.fields[i];
        let lengths: Vec<String> =
            m.st.sized_by(i)
                .map(|(at, dim)| format!("SaltusWire.length({}, {dim})", m.own(&m.st.fields[at])))
                .collect();
        let label = quoted(&format!("{}.{}", m.st.name.name, size.name));
        let (cast, most) = match size.ty {
            Type::Primitive(Primitive::Int8) => ("(byte) ", "Byte.MAX_VALUE"),
            Type::Primitive(Primitive::Int16) => ("(short) ", "Short.MAX_VALUE"),
            _ => ("", "Integer.MAX_VALUE"),
        };
        let head = format!("{cast}SaltusWire.fit");
        let arguments: Vec<String> = [label, most.into()].into_iter().chain(lengths).collect();
        body += &call(2, &m.own(size), &head, &arguments);
    }
    for field in &m.st.fields {
        if let Type::Struct(_) = field.ty {
            let (heads, element) = over(m, field, field.dims.len());
            body += &loops(2, &heads, |depth| line(depth, format!("{element}.setSizes();")));
        }
    }
    let doc = javadoc(1, "Sets the size fields, also of nested structs, to the sizes of the arrays.");
    if body.is_empty() {
        return format!("{doc}  public void setSizes() {{}}\n\n");
    }
    format!("{doc}  public void setSizes() {{\n{body}  }}\n\n")
}

/// `_size`: checks and measures, so that writing cannot fail.
fn size(m: &Module) -> String {
    let numbers = m.st.fields.iter().filter(|f| !f.is_array());
    let fixed: u32 = numbers.filter_map(|f| number(f.ty)).map(|n| n.size).sum();
    let mut body = String::new();
    for field in &m.st.fields {
        let label = m.label(field);
        let (own, n) = (m.own(field), number(field.ty));
        if !field.is_array() {
            body += &match field.ty {
                Type::Struct(_) => {
                    call(2, "", "SaltusWire.present", &[own.clone(), label])
                        + &line(2, format!("size += {own}._size(depth + 1);"))
                }
                _ if n.is_some() => continue,
                _ => call(2, "size +=", "SaltusWire.sizeOf", &[own, label]),
            };
            continue;
        }
        let outer = field.dims.len() - usize::from(n.is_some());
        body += &checks(m, field, 0, outer, &|depth, element| match (&n, field.ty) {
            (Some(n), _) => {
                let says = m.size(&field.dims[outer]);
                let arguments = [element, n.size.to_string(), says, label.clone()];
                call(depth, "size +=", "SaltusWire.sizeOf", &arguments)
            }
            (None, Type::Struct(_)) => {
                call(depth, "", "SaltusWire.present", &[element.clone(), label.clone()])
                    + &line(depth, format!("size += {element}._size(depth + 1);"))
            }
            (None, _) => call(depth, "size +=", "SaltusWire.sizeOf", &[element, label.clone()]),
        });
    }
    let enter = call(2, "", "SaltusWire.enter", &["depth".into(), quoted(&m.st.name.name)]);
    let doc = javadoc(1, "Checks all sizes; bytes without the fingerprint. For generated code only.");
    format!(
        "{doc}  public long _size(int depth) {{\n{enter}    long size = {fixed};\n{body}    return size;\n  }}\n\n"
    )
}

/// Loops over the outer dimensions of an array, which check the size of each.
fn checks(
    m: &Module,
    field: &Field,
    at: usize,
    outer: usize,
    body: &dyn Fn(usize, String) -> String,
) -> String {
    let (_, element) = over(m, field, at);
    let depth = 2 + at;
    if at == outer {
        return body(depth, element);
    }
    let arguments = [element, m.size(&field.dims[at]), m.label(field)];
    let (next, _) = over(m, field, at + 1);
    call(depth, "", "SaltusWire.check", &arguments)
        + &loops(depth, &next[at..], |_| checks(m, field, at + 1, outer, body))
}

fn write(m: &Module) -> String {
    let mut body = String::new();
    for field in &m.st.fields {
        let n = number(field.ty);
        let outer = field.dims.len() - usize::from(n.is_some() && field.is_array());
        let (heads, element) = over(m, field, outer);
        body += &loops(2, &heads, |depth| match (&n, field.ty) {
            (Some(n), _) if !field.is_array() => line(depth, put(n.title, &element)),
            (None, Type::Struct(_)) => line(depth, format!("{element}._write(out);")),
            _ => line(depth, format!("SaltusWire.write(out, {element});")),
        });
    }
    let doc = javadoc(1, "Writes the fields. For generated code only.");
    format!("{doc}  public void _write(ByteBuffer out) {{\n{body}  }}\n\n").replace("{\n  }", "{}")
}

fn put(title: &str, value: &str) -> String {
    match title {
        "Byte" => format!("out.put({value});"),
        "Boolean" => format!("out.put((byte) ({value} ? 1 : 0));"),
        _ => format!("out.put{title}({value});"),
    }
}

fn reading(m: &Module) -> String {
    let mut body = call(2, "", "SaltusWire.enter", &["in".into(), "depth".into(), quoted(&m.st.name.name)]);
    body.extend(m.st.fields.iter().map(|field| read(m, field)));
    let doc = javadoc(1, "Reads the fields. For generated code only.");
    format!(
        "{doc}  public void _read(ByteBuffer in, int depth, long[] free) throws IOException {{\n{body}  }}\n\n"
    )
}

/// The functions of every object.
fn rest(m: &Module) -> String {
    let class = &m.place.class;
    let fields: Vec<String> = m.st.fields.iter().map(|f| m.own(f)).collect();
    let names: Vec<String> = m.st.fields.iter().map(|f| quoted(&f.name)).collect();
    let values = array(2, "return new Object[]", &fields);
    let names = array(2, "String[] names =", &names);
    let arguments = [quoted(&m.st.name.name), "names".into(), "fields()".into()];
    let show = names + &call(2, "", "return SaltusWire.show", &arguments);
    format!(
        "  private Object[] fields() {{
{values}  }}

  @Override
  public boolean equals(Object other) {{
    return other instanceof {class} && Arrays.deepEquals(fields(), (({class}) other).fields());
  }}

  @Override
  public int hashCode() {{
    return Arrays.deepHashCode(fields());
  }}

  @Override
  public String toString() {{
{show}  }}
"
    )
}
