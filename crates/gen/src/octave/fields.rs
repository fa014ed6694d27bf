//! One field of a struct, converted from and to Java.

use crate::java::Module;
use saltus_types::{Const, ConstValue, Extent, Field, Primitive, StructId, Type};

/// The Octave class for the numbers of a field; `None` for strings and structs.
fn class(ty: Type) -> Option<&'static str> {
    Some(match ty {
        Type::Primitive(Primitive::Int8) => "int8",
        Type::Primitive(Primitive::Int16) => "int16",
        Type::Primitive(Primitive::Int32) | Type::Enum(_) => "int32",
        Type::Primitive(Primitive::Int64) => "int64",
        Type::Primitive(Primitive::Byte) => "uint8",
        Type::Primitive(Primitive::Float) => "single",
        Type::Primitive(Primitive::Double) => "double",
        Type::Primitive(Primitive::Boolean) => "logical",
        Type::Primitive(Primitive::String) | Type::Struct(_) => return None,
    })
}

/// A field of the struct: MATLAB requires a letter first.
fn own(m: &Module, field: &Field) -> String {
    let name = m.member(&field.name);
    if name.starts_with('_') { format!("s.x{name}") } else { format!("s.{name}") }
}

/// `package.type_t`, to which the suffixes of the functions' names are appended.
fn functions(m: &Module, id: StructId) -> String {
    m.full_name(id)
}

/// Sizes as Octave requires them: at least two.
fn shape(m: &Module, field: &Field, variable: impl Fn(&str) -> String) -> String {
    let mut sizes: Vec<String> = field
        .dims
        .iter()
        .map(|d| match d.extent {
            Extent::Fixed(n) => n.to_string(),
            Extent::Variable(i) => variable(&own(m, &m.st.fields[i])),
        })
        .collect();
    if sizes.len() == 1 {
        sizes.push("1".into());
    }
    format!("[{}]", sizes.join(", "))
}

/// `s.x = …`, for a new struct.
pub(super) fn new_value(m: &Module, field: &Field) -> String {
    let own = own(m, field);
    let shape = shape(m, field, |_| "0".into());
    let empty = field.is_variable();
    let value = match (class(field.ty), field.ty) {
        (Some("logical"), _) if field.is_array() => format!("false({shape})"),
        (Some(class), _) if field.is_array() => format!("zeros({shape}, '{class}')"),
        (Some("logical"), _) => "false".into(),
        (Some(class), _) => format!("{class}(0)"),
        (None, Type::Struct(_)) if empty => "struct([])".into(),
        (None, Type::Struct(id)) if field.is_array() => {
            format!("repmat({}_new(), {shape})", functions(m, id))
        }
        (None, Type::Struct(id)) => format!("{}_new()", functions(m, id)),
        _ if field.is_array() => format!("repmat({{''}}, {shape})"),
        _ => "''".into(),
    };
    format!("  {own} = {value};\n")
}

/// `s.x = …`, from the object `m`.
pub(super) fn from_java(m: &Module, field: &Field) -> String {
    let (own, name) = (own(m, field), m.member(&field.name));
    let helper = format!("'{}.SaltusOctave', m, '{name}'", m.place.package);
    let shape = shape(m, field, |size| format!("double({size})"));
    match (class(field.ty), field.ty) {
        (Some("uint8"), _) if field.is_array() => {
            format!("  {own} = reshape(typecast(int8(javaMethod('get', {helper})), 'uint8'), {shape});\n")
        }
        (Some("uint8"), _) => format!("  {own} = typecast(int8(javaMethod('get', {helper})), 'uint8');\n"),
        (Some(class), _) if field.is_array() => {
            format!("  {own} = reshape({class}(javaMethod('get', {helper})), {shape});\n")
        }
        (Some(class), _) => format!("  {own} = {class}(javaMethod('get', {helper}));\n"),
        (None, Type::Struct(id)) if field.is_array() => format!(
            "  items = cell(1, prod({shape}));
  for k = 1:numel(items)
    items{{k}} = {}_from_java(javaMethod('at', {helper}, int32(k - 1)));
  end
  if isempty(items)
    {own} = repmat({}_new(), {shape});
  else
    {own} = reshape([items{{:}}], {shape});
  end\n",
            functions(m, id),
            functions(m, id)
        ),
        (None, Type::Struct(id)) => {
            format!("  {own} = {}_from_java(javaMethod('object', {helper}));\n", functions(m, id))
        }
        _ if field.is_array() => format!(
            "  {own} = cell({shape});
  for k = 1:numel({own})
    {own}{{k}} = char(javaMethod('at', {helper}, int32(k - 1)));
  end\n"
        ),
        _ => format!("  {own} = char(javaMethod('object', {helper}));\n"),
    }
}

/// Sets the field of the object `m` from the struct `s`.
pub(super) fn to_java(m: &Module, field: &Field) -> String {
    let (own, name) = (own(m, field), m.member(&field.name));
    let helper = format!("'{}.SaltusOctave', m, '{name}'", m.place.package);
    let dims = field.dims.len();
    let shape = match dims {
        0 => "0".to_owned(),
        1 => format!("numel({own})"),
        _ => format!("[{}]", (1..=dims).map(|d| format!("size({own}, {d})")).collect::<Vec<_>>().join(", ")),
    };
    let fixed: Vec<String> = field
        .dims
        .iter()
        .map(|d| if let Extent::Fixed(n) = d.extent { n.to_string() } else { "0".into() })
        .collect();
    let shape = match &fixed[..] {
        [] => "0, 0".to_owned(),
        [one] => format!("{shape}, {one}"),
        _ => format!("{shape}, [{}]", fixed.join(", ")),
    };
    let (each, one) = (
        format!("  javaMethod('make', {helper}, {shape});\n  for k = 1:numel({own})\n"),
        format!("javaMethod('put', {helper}, int32(k - 1)"),
    );
    match (class(field.ty), field.ty) {
        (Some(class), _) => format!("  javaMethod('set', {helper}, {class}({own}(:)), {shape});\n"),
        (None, Type::Struct(id)) if dims > 0 => {
            format!("{each}    {one}, {}_to_java({own}(k)));\n  end\n", functions(m, id))
        }
        (None, Type::Struct(id)) => {
            format!("  javaMethod('setObject', {helper}, {}_to_java({own}));\n", functions(m, id))
        }
        _ if dims > 0 => format!("{each}    {one}, {own}{{k}});\n  end\n"),
        _ => format!("  javaMethod('setObject', {helper}, {own});\n"),
    }
}

/// `c.X = …`, a constant.
pub(super) fn constant(m: &Module, constant: &Const) -> String {
    let name = m.member(&constant.name);
    let name = if name.starts_with('_') { format!("x{name}") } else { name };
    let class = class(Type::Primitive(constant.ty)).unwrap_or("double");
    let value = match constant.value {
        // Decimal literals are doubles.
        ConstValue::Int(n) if n.unsigned_abs() > 1 << 53 => format!("0x{n:016X}s64"),
        ConstValue::Int(n) => n.to_string(),
        ConstValue::Float(x) if x.is_finite() => format!("{x:?}"),
        ConstValue::Float(x) => x.to_string(),
    };
    format!("  c.{name} = {class}({value});\n")
}
