//! The plain layout: offsets, and the hash.

mod support;

use saltus_types::plain::{PlainCodec, decode_plain, encode_plain, plain};
use saltus_types::{DecodeCause, EncodeCause, Record, Type, json};
use support::{message, types};

const LEGS: &str = "
    enum mode_t { OFF, ON }
    struct empty_t { }
    struct leg_t { byte id; double joints[3]; boolean down; }
    struct robot_t { int8_t a; empty_t nothing; int64_t utime; leg_t legs[4]; int16_t b; mode_t mode; empty_t none[5];
        float grid[2][3]; byte last; }";

#[test]
fn fields_lie_as_c_lays_them() {
    let (schema, id) = types(LEGS);
    let robot = plain(&schema, id).unwrap();
    let places: Vec<_> = robot.fields.iter().map(|f| (f.index, f.offset, f.padding, f.size)).collect();
    // a, utime, legs, b, mode, grid, last: an empty field has no offset.
    let expected = [
        (0, 0, 0, 1),
        (2, 8, 7, 8),
        (3, 16, 0, 160),
        (4, 176, 0, 2),
        (5, 180, 2, 4),
        (7, 184, 0, 24),
        (8, 208, 0, 1),
    ];
    assert_eq!(places, expected);
    assert_eq!((robot.size, robot.align, robot.tail), (216, 8, 7));
    let leg = plain(&schema, schema.find("leg_t").unwrap()).unwrap();
    assert_eq!((leg.size, leg.align, leg.tail), (40, 8, 7));
    let leaves: Vec<String> =
        robot.leaves.iter().map(|l| format!("{} {} {}", l.offset, l.type_name(), l.name)).collect();
    let text = [
        "0 int8_t a",
        "8 int64_t utime",
        "16 byte legs[4].id",
        "24 double legs[4].joints[3]",
        "48 boolean legs[4].down",
        "176 int16_t b",
        "180 enum mode",
        "184 float grid[2][3]",
        "208 byte last",
    ];
    assert_eq!(leaves, text);
    // FNV-1a, 64 bits, of the layout's text, computed independently.
    let order = if cfg!(target_endian = "little") { "little" } else { "big" };
    let printed = format!("saltus-plain 1 {order}\n{}\nsize 216 align 8\n", text.join("\n"));
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in printed.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    assert_eq!(robot.hash, hash);
}

#[test]
fn a_known_hash_stays() {
    let (schema, id) = types("struct pose_t { int64_t utime; double x[3]; }");
    if cfg!(target_endian = "little") {
        assert_eq!(format!("{:016x}", plain(&schema, id).unwrap().hash), "b751da1d3b92b41e");
    }
}

#[test]
fn only_types_of_fixed_size_have_a_layout() {
    for text in [
        "struct a_t { string s; }",
        "struct a_t { int8_t n; byte x[n]; }",
        "struct b_t { string s; } struct a_t { b_t b[2]; }",
    ] {
        let (schema, id) = types(text);
        assert_eq!(plain(&schema, id), None, "{text}");
        let record = Record::zero(&schema, id).unwrap();
        assert!(encode_plain(&record).unwrap_err().to_string().contains("no plain layout"));
        assert_eq!(decode_plain(&schema, id, &[0; 64]).unwrap_err().cause, DecodeCause::NotPlain);
    }
    // Every path through 17 structs would be a leaf.
    let chain: String =
        (1..=17).map(|i| format!("struct s{i}_t {{ s{}_t a; s{}_t b; }}", i - 1, i - 1)).collect();
    let (schema, id) = types(&("struct s0_t { byte x; }".to_owned() + &chain));
    assert!(schema.is_fixed(Type::Struct(id)));
    assert_eq!(plain(&schema, id), None);
}

#[test]
fn messages_lead_back_and_padding_is_zero() {
    let message = message(
        LEGS,
        r#"{"a":-1,"utime":5,"legs":[{"id":1},{"joints":[1,2,3]},{"down":true},{}],"b":-2,"mode":"ON",
            "grid":[[1,2,3],[4,5,6]],"last":9}"#,
    );
    let bytes = encode_plain(&message).unwrap();
    assert_eq!(bytes.len(), 8 + 216);
    assert_eq!(bytes[..8], plain(message.schema(), message.id()).unwrap().hash.to_ne_bytes());
    assert_eq!(bytes[8..16], [0xff, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[8 + 176..8 + 180], {
        let [a, b] = (-2i16).to_ne_bytes();
        [a, b, 0, 0]
    });
    assert_eq!(decode_plain(message.schema(), message.id(), &bytes).unwrap(), message);
}

#[test]
fn another_layout_is_reported_with_both_hashes() {
    let (old, a) = types("struct a_t { int32_t x; int32_t y; }");
    let (new, b) = types("struct a_t { int32_t x; float y; }");
    let bytes = encode_plain(&Record::zero(&old, a).unwrap()).unwrap();
    let error = decode_plain(&new, b, &bytes).unwrap_err();
    let (found, expected) = (plain(&old, a).unwrap().hash, plain(&new, b).unwrap().hash);
    assert_eq!(error.cause, DecodeCause::Layout { expected, found });
    let printed = error.to_string();
    assert!(
        printed.contains(&format!("{found:016x}")) && printed.contains(&format!("{expected:016x}")),
        "{printed}"
    );
    assert!(decode_plain(&old, a, &bytes[..15]).unwrap_err().to_string().starts_with("`y`: truncated"));
    assert!(decode_plain(&old, a, &bytes[..7]).is_err());
}

#[test]
fn booleans_are_one_byte_of_any_value() {
    let (schema, id) = types("struct a_t { boolean b[3]; }");
    let mut bytes = plain(&schema, id).unwrap().hash.to_ne_bytes().to_vec();
    bytes.extend([0, 1, 7]);
    let record = decode_plain(&schema, id, &bytes).unwrap();
    assert_eq!(json::to_string(&record), r#"{"b":[false,true,true]}"#);
}

#[test]
fn a_codec_is_for_one_type() {
    let (schema, b) = types("struct a_t { int8_t x; } struct b_t { int8_t x; a_t e[2]; }");
    let a = schema.find("a_t").unwrap();
    let codec = PlainCodec::new(&schema, b).unwrap();
    assert_eq!(Some(codec.hash()), plain(&schema, b).map(|p| p.hash));
    let record = Record::zero(&schema, b).unwrap();
    assert_eq!(codec.encode(&record), encode_plain(&record));
    assert_eq!(codec.decode(&codec.encode(&record).unwrap()), Ok(record));
    let other = codec.encode(&Record::zero(&schema, a).unwrap()).unwrap_err();
    assert_eq!(other.cause, EncodeCause::OtherType);
    let (schema, b) = types("struct b_t { string s; }");
    assert!(PlainCodec::new(&schema, b).is_none());
}
