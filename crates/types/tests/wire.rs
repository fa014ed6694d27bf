//! LCM's wire encoding by schema.

mod support;

use saltus_types::value::{Array, Items, Value};
use saltus_types::wire::{Identity, decode, encode, encoded_size, identify};
use saltus_types::{Record, json};
use support::{ALL, ALL_BYTES, ALL_JSON, hex, message, types};

/// The error for bytes that are not a message of the last struct of a text.
fn refused(text: &str, bytes: &[u8]) -> String {
    let (schema, id) = types(text);
    let mut all = schema.get(id).fingerprint.to_be_bytes().to_vec();
    all.extend_from_slice(bytes);
    decode(&schema, id, &all).expect_err("bytes that are no message").to_string()
}

#[test]
fn the_worked_dump_of_lcm() {
    let message = message(ALL, ALL_JSON);
    let bytes = hex(ALL_BYTES);
    assert_eq!(bytes.len(), 105);
    assert_eq!(encode(&message).unwrap(), bytes);
    assert_eq!(encoded_size(&message), 105);
    assert_eq!(decode(message.schema(), message.id(), &bytes).unwrap(), message);
}

#[test]
fn trailing_bytes_are_ignored_and_missing_ones_are_an_error() {
    let (schema, id) = types(ALL);
    let mut bytes = hex(ALL_BYTES);
    for len in 0..bytes.len() {
        let error = decode(&schema, id, &bytes[..len]).expect_err("a part");
        assert!(error.to_string().contains("truncated"), "{len}: {error}");
    }
    bytes.extend_from_slice(&[1, 2, 3]);
    assert!(decode(&schema, id, &bytes).is_ok());
}

#[test]
fn errors_name_the_field() {
    let text = "struct p_t { string s; } struct q_t { int8_t n; p_t p[n][2]; }";
    let one = [1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 7];
    assert_eq!(refused(text, &one), "`p[0][1].s`: a string without a NUL at its end, at byte 18");
    assert!(refused(text, &[0xff]).starts_with("`p`: an array of negative size (-1)"));
    assert!(refused(text, &[2, 0]).starts_with("`p`: truncated"));
    assert!(refused("struct a_t { string s; }", &[0; 8]).contains("invalid length (0)"));
    let (schema, id) = types(text);
    assert!(decode(&schema, id, &[0; 9]).unwrap_err().to_string().starts_with("another type"));
}

#[test]
fn elements_without_room_are_bounded() {
    let text = "struct e_t { } struct a_t { int32_t n; e_t e[n]; }";
    assert!(refused(text, &[0x7f, 0xff, 0xff, 0xff]).contains("more than allowed"));
    let rows = "struct a_t { int32_t n; int32_t m; double x[n][m]; }";
    assert!(refused(rows, &[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]).contains("more than allowed"));
    // A few are fine, and after a dimension of size 0 nothing matters.
    let (schema, id) = types(rows);
    for (sizes, shape) in [([3, 0], [3, 0]), ([0, i32::MAX], [0, i32::MAX as usize])] {
        let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
        sizes.iter().for_each(|n| bytes.extend(n.to_be_bytes()));
        let record = decode(&schema, id, &bytes).unwrap();
        assert_eq!(record.field("x").unwrap().as_array().unwrap().shape(), shape);
        assert_eq!(encode(&record).unwrap(), bytes);
    }
}

#[test]
fn the_size_rule_is_exact() {
    let accepts = |text: &str, bytes: &[&[u8]]| {
        let (schema, id) = types(text);
        let bytes = [&schema.get(id).fingerprint.to_be_bytes(), bytes.concat().as_slice()].concat();
        decode(&schema, id, &bytes).is_ok()
    };
    let int = |n: i32| n.to_be_bytes();
    // The minimum contents of the type are free, of any size.
    assert!(accepts("struct a_t { int32_t m; double d[2000][m]; }", &[&int(0)]));
    assert!(accepts("struct e_t { } struct a_t { e_t many[2000]; }", &[]));
    assert!(accepts(
        "struct a_t { const int32_t Z = 0; string s[Z]; double d[2000][Z]; double e[Z][2000]; }",
        &[]
    ));
    // The rest is counted to the last row, level by level. The budget of these 20 bytes is 1044.
    let cube = "struct a_t { int32_t a, b, c; double d[a][b][c]; }";
    assert!(accepts(cube, &[&int(2), &int(521), &int(0)]));
    assert!(!accepts(cube, &[&int(2), &int(522), &int(0)]));
    assert!(accepts(cube, &[&int(1044), &int(0), &int(i32::MAX)]));
    assert!(!accepts(cube, &[&int(1045), &int(0), &int(1)]));
    let both = "struct a_t { int32_t k, m; double d[2000][m]; double e[k][m]; double f[2][k][m]; }";
    assert!(accepts(both, &[&int(346), &int(0)]), "1038 of 1040");
    assert!(!accepts(both, &[&int(347), &int(0)]));
    // After a size of 0 any size is allowed, except a negative one.
    assert!(accepts("struct a_t { int64_t a, b; string s[a][b]; }", &[&[0; 8], &i64::MAX.to_be_bytes()]));
    assert!(!accepts("struct a_t { int64_t a, b; string s[a][b]; }", &[&[0; 8], &[0xff; 8]]));
    assert!(!accepts("struct a_t { int8_t b; const int8_t Z = 0; double d[Z][b]; }", &[&[0xff]]));
    // A variable array of rows that are free for one element.
    let rows = "struct r_t { int8_t n; int32_t x[2000][n]; } struct a_t { int32_t k; r_t r[k]; }";
    assert!(accepts(rows, &[&int(0)]));
    assert!(!accepts(rows, &[&int(1), &[0]]), "2000 rows that only a message has");
}

#[test]
fn structs_in_structs_end_somewhere() {
    let text = "struct node_t { int8_t n; node_t next[n]; }";
    let (schema, id) = types(text);
    let chain = |length: usize| {
        let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
        bytes.extend(vec![1; length]);
        bytes.push(0);
        bytes
    };
    let deepest = decode(&schema, id, &chain(128)).unwrap();
    assert_eq!(encode(&deepest).unwrap(), chain(128));
    let json = json::to_string(&deepest);
    assert_eq!(json::from_str(&schema, id, &json).unwrap(), deepest);
    assert!(decode(&schema, id, &chain(129)).unwrap_err().to_string().contains("more than 128 deep"));
    // One more, built by hand.
    let mut deeper = Record::zero(&schema, id).unwrap();
    deeper.set("next", Items::Record(vec![deepest])).unwrap();
    deeper.set_sizes();
    assert!(encode(&deeper).unwrap_err().to_string().contains("more than 128 deep"));
}

#[test]
fn sizes_have_to_agree_and_can_be_made_to() {
    let text = "struct a_t { int8_t n; float x[n]; byte y[n][2]; }";
    let (schema, id) = types(text);
    let mut record = Record::zero(&schema, id).unwrap();
    record.set("x", Items::Float(vec![1.0, 2.0])).unwrap();
    assert_eq!(
        encode(&record).unwrap_err().to_string(),
        "`x`: has 2 elements, but `n` is 0; `set_sizes()` sets it"
    );
    record.set("y", Array::new(&[2, 2], Items::Byte(vec![1, 2, 3, 4])).unwrap()).unwrap();
    record.set_sizes();
    assert_eq!(record.field("n"), Some(&Value::Int8(2)));
    assert_eq!(encode(&record).unwrap().len(), encoded_size(&record));
    // Inner sizes after a dimension of size 0 do not affect the others.
    let mut rows = message("struct a_t { int8_t n; int8_t m; byte x[n][m]; byte y[m]; }", "{}");
    rows.set("y", Items::Byte(vec![7])).unwrap();
    rows.set_sizes();
    assert_eq!(encode(&rows).unwrap().len(), encoded_size(&rows));
    // A value that does not fit is refused when it is set, with the expected one.
    let misfit = record.set("y", Items::Byte(vec![1])).unwrap_err().to_string();
    assert_eq!(misfit, "`y`: expected byte[n][2], found byte[1]");
    assert!(record.set("z", 1u8).is_err());
    assert!(record.set("n", 1i16).is_err());
}

#[test]
fn a_string_with_a_nul_cannot_be_sent() {
    let mut record = message("struct a_t { string s; }", "{}");
    record.set("s", "a\0b").unwrap();
    assert!(encode(&record).unwrap_err().to_string().starts_with("`s`: a string contains a NUL"));
}

#[test]
fn bytes_are_labeled_by_kind() {
    let (schema, _) = types("struct a_t { int8_t x; } struct b_t { int8_t y; }");
    let b = schema.find("b_t").unwrap();
    let mut bytes = schema.get(b).fingerprint.to_be_bytes().to_vec();
    bytes.push(7);
    assert_eq!(identify(&schema, &bytes), Identity::Known(b));
    bytes[0] ^= 1;
    let fingerprint = schema.get(b).fingerprint ^ 1 << 56;
    assert_eq!(identify(&schema, &bytes), Identity::Unknown { fingerprint, body: &[7] });
    assert_eq!(identify(&schema, &bytes[..7]), Identity::Short(&bytes[..7]));
}

#[test]
fn values_are_found_by_their_path() {
    let message = message(ALL, ALL_JSON);
    let found = |path: &str| message.get(path).map(|v| v.to_string());
    assert_eq!(found("c").as_deref(), Some("-70000"));
    assert_eq!(found("inn[0].name").as_deref(), Some("\"x\""));
    assert_eq!(found("inn[1]").as_deref(), Some("inner_t { s: 8, name: \"\" }"));
    assert_eq!(found("md[1][0]").as_deref(), Some("20"));
    assert_eq!(found("md[1]").as_deref(), Some("[20, 21]"));
    assert_eq!(found("md").as_deref(), Some("[[10, 11], [20, 21]]"));
    for nothing in
        ["", "x", "c.x", "c[0]", "md[2]", "md[0][0][0]", "md[", "inn[0]name", "inn.name", "inn[0].", "c "]
    {
        assert_eq!(found(nothing), None, "{nothing}");
    }
    assert_eq!(message.get("f").unwrap().as_f64(), Some(1.5));
    assert_eq!(message.get("h").unwrap().as_str(), Some("hé"));
    assert_eq!(message.get("i").unwrap().as_f64(), Some(1.0));
    assert_eq!(message.get("arr").unwrap(), Items::Int16(vec![1, 2, 3]).into());
}

#[test]
fn records_print_as_people_want_them() {
    let message = message(
        "enum mode_t { OFF, ON } struct in_t { double x; } struct a_t { mode_t mode; in_t in; string s; int8_t n;
         in_t ins[n]; float f[2][2]; mode_t modes[2]; byte none[n][0x2]; }",
        r#"{"mode":"ON","in":{"x":0.5},"s":"a\"\n","ins":[],"f":[[1,2.5],["NaN",1e20]],"modes":[1,9]}"#,
    );
    assert_eq!(
        message.to_string(),
        "a_t { mode: ON, in: in_t { x: 0.5 }, s: \"a\\\"\\n\", n: 0, ins: [], f: [[1, 2.5], [NaN, 1e20]], \
         modes: [OFF, 9], none: [] }"
    );
    assert_eq!(format!("{:.3}", message.field("f").unwrap()), "[[1, 2.5], [NaN, …] 2×2 elements]");
    assert_eq!(format!("{:.0}", message.field("f").unwrap()), "[… 2×2 elements]");
    assert!(format!("{message:#}").starts_with("mode: ON\nin:\n  x: 0.5\ns: \"a\\\"\\n\"\n"));
}
