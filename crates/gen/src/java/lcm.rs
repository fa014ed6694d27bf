//! `Style::Lcm`: the same names as in the output of LCM's generator, so that programs written for it recompile
//! unchanged.

use super::layout::{call, javadoc, line, quoted, statement};
use super::lcm_arrays::{copy, write};
use super::modern::{constants, new_array};
use super::module::{Module, Place, head, scope};
use super::read::read;
use crate::Options;
use saltus_types::{EnumId, Schema, StructId, Type};

const IMPORTS: &[&str] =
    &["java.io.DataInput", "java.io.DataOutput", "java.io.IOException", "java.util.ArrayList"];

/// The class of one type.
pub(super) fn class(schema: &Schema, id: StructId, options: &Options, plain: &[bool]) -> String {
    let m = Module::new(schema, id, options, plain);
    let class = &m.place.class;
    let mut text = head(&m.st.file, &m.place, IMPORTS);
    text += &javadoc(0, &m.st.doc);
    text += &line(0, format!("public final class {class} implements lcm.lcm.LCMEncodable {{"));
    text += &constants(&m);
    for field in &m.st.fields {
        text += &javadoc(1, &field.doc);
        text += &line(1, format!("public {} {};\n", m.type_of(field), m.member(&field.name)));
    }
    text += &constructors(&m);
    text += &hash(&m);
    text += &encode(&m);
    text += &decode(&m);
    let copies: String = m.st.fields.iter().map(|f| copy(&m, f)).collect();
    text += &format!(
        "  public {class} copy() {{\n    {class} other = new {class}();\n{copies}    return other;\n  }}\n"
    );
    text + "}\n"
}

fn constructors(m: &Module) -> String {
    let class = &m.place.class;
    let fixed = m.st.fields.iter().filter(|f| f.is_array() && !f.is_variable());
    let body: String = fixed.map(|f| statement(2, &m.own(f), &format!("{};", new_array(m, f)))).collect();
    let first = if body.is_empty() {
        format!("  public {class}() {{}}\n")
    } else {
        format!("  public {class}() {{\n{body}  }}\n")
    };
    format!("{first}\n{}", decoding(class))
}

/// Constructors that decode a message.
fn decoding(class: &str) -> String {
    format!(
        "  public {class}(byte[] data) throws IOException {{
    this(new lcm.lcm.LCMDataInputStream(data));
  }}

  public {class}(DataInput ins) throws IOException {{
    if (ins.readLong() != LCM_FINGERPRINT) {{
      throw new IOException(\"LCM Decode error: bad fingerprint\");
    }}
    _decodeRecursive(ins);
  }}

"
    )
}

fn hash(m: &Module) -> String {
    let class = &m.place.class;
    let base = m.st.base_hash;
    let mut sum = String::new();
    for field in &m.st.fields {
        let other = match field.ty {
            Type::Struct(_) => m.element(field.ty),
            Type::Enum(e) => m.class_of(&m.schema.get_enum(e).name),
            Type::Primitive(_) => continue,
        };
        sum += &line(2, format!("hash += {other}._hashRecursive(classes);"));
    }
    format!(
        "  public static final long LCM_FINGERPRINT = 0x{:016x}L;

  public static final long LCM_FINGERPRINT_BASE = 0x{base:016x}L;

  public static long _hashRecursive(ArrayList<Class<?>> classes) {{
    if (classes.contains({class}.class)) {{
      return 0L;
    }}
    classes.add({class}.class);
    long hash = LCM_FINGERPRINT_BASE;
{sum}    classes.remove(classes.size() - 1);
    return SaltusWire.rotated(hash);
  }}

",
        m.st.fingerprint
    )
}

fn encode(m: &Module) -> String {
    let body: String = m.st.fields.iter().map(|f| write(m, f)).collect();
    let (plain, counted) = match m.is_plain_level() && !body.is_empty() {
        true => (body, "    _encodeRecursive(outs);\n".into()),
        false => ("    _encodeRecursive(outs, 0);\n".into(), enter(m) + &body),
    };
    format!(
        "  @Override
  public void encode(DataOutput outs) throws IOException {{
    outs.writeLong(LCM_FINGERPRINT);
    _encodeRecursive(outs);
  }}

  @Override
  public void _encodeRecursive(DataOutput outs) throws IOException {{
{plain}  }}

  /** The same, this deep in other structs. */
  public void _encodeRecursive(DataOutput outs, int depth) throws IOException {{
{counted}  }}

"
    )
}

fn enter(m: &Module) -> String {
    call(2, "", "SaltusWire.enter", &["depth".into(), quoted(&m.st.name.name)])
}

fn decode(m: &Module) -> String {
    let class = &m.place.class;
    let body: String = m.st.fields.iter().map(|f| read(m, f)).collect();
    let free = m.free;
    let (plain, counted) = match m.is_plain_level() && !body.is_empty() {
        true => (body, "    _decodeRecursive(ins);\n".into()),
        false => {
            let counted = format!("    _decodeRecursive(ins, 0, SaltusWire.free(ins, {free}));\n");
            (counted, enter(m) + &body)
        }
    };
    format!(
        "  public static {class} _decodeRecursiveFactory(DataInput ins) throws IOException {{
    {class} o = new {class}();
    o._decodeRecursive(ins);
    return o;
  }}

  @Override
  public void _decodeRecursive(DataInput ins) throws IOException {{
{plain}  }}

  /** The same, this deep in other structs; `free` is how many elements without content may come. */
  public void _decodeRecursive(DataInput ins, int depth, long[] free) throws IOException {{
{counted}  }}

"
    )
}

/// An enum of the old language: an object with a number.
pub(super) fn enumeration(schema: &Schema, id: EnumId, place: &Place) -> String {
    let e = schema.get_enum(id);
    let names = scope(&["value"], e.values.iter().map(|v| v.name.as_str()));
    let class = &place.class;
    let mut text = head(&e.file, place, IMPORTS);
    text += &javadoc(0, &e.doc);
    text += &line(0, format!("public final class {class} implements lcm.lcm.LCMEncodable {{"));
    text += &line(1, "public int value;\n");
    for value in &e.values {
        text += &javadoc(1, &value.doc);
        let left = format!("public static final int {}", names.of(&value.name));
        text += &statement(1, &left, &format!("{};", value.value));
        text.push('\n');
    }
    text += &format!(
        "  public {class}(int value) {{
    this.value = value;
  }}

{}  public static final long LCM_FINGERPRINT = 0x{:016x}L;

  public static long _hashRecursive(ArrayList<Class<?>> classes) {{
    return LCM_FINGERPRINT;
  }}

  public int getValue() {{
    return value;
  }}

  @Override
  public void encode(DataOutput outs) throws IOException {{
    outs.writeLong(LCM_FINGERPRINT);
    _encodeRecursive(outs);
  }}

  @Override
  public void _encodeRecursive(DataOutput outs) throws IOException {{
    outs.writeInt(this.value);
  }}

  public static {class} _decodeRecursiveFactory(DataInput ins) throws IOException {{
    return new {class}(ins.readInt());
  }}

  @Override
  public void _decodeRecursive(DataInput ins) throws IOException {{
    this.value = ins.readInt();
  }}

  public {class} copy() {{
    return new {class}(this.value);
  }}
}}
",
        decoding(class),
        e.fingerprint
    );
    text
}
