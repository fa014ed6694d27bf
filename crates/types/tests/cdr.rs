//! CDR, and the schema texts that go with it.

mod support;

use saltus_types::cdr::{Dialect, Endian, Unsupported, decode, encode, schema};
use saltus_types::{DecodeCause, Record};
use support::{ALL, ALL_JSON, hex, message, types};

const BOTH: [Dialect; 2] = [Dialect::OmgIdl, Dialect::Ros2Msg];

#[test]
fn numbers_lie_at_multiples_of_their_size() {
    let text = "struct in_t { byte b; double d; } struct a_t { byte a; int16_t s; string t; int64_t l; in_t in; boolean z; }";
    let message = message(text, r#"{"a":1,"s":2,"t":"hi","l":3,"in":{"b":4,"d":1},"z":true}"#);
    let little = hex(
        "00010000  01 00 0200  03000000 686900 00 00000000  0300000000000000  04 00000000000000 000000000000f03f 01",
    );
    let big = hex(
        "00000000  01 00 0002  00000003 686900 00 00000000  0000000000000003  04 00000000000000 3ff0000000000000 01",
    );
    for dialect in BOTH {
        assert_eq!(encode(&message, dialect, Endian::Little).unwrap(), little);
        assert_eq!(encode(&message, dialect, Endian::Big).unwrap(), big);
        for bytes in [&little, &big] {
            assert_eq!(decode(message.schema(), message.id(), dialect, bytes).unwrap(), message);
        }
    }
}

#[test]
fn sequences_are_counted_as_the_dialect_wants_it() {
    let text = "struct a_t { int8_t n; int8_t m; byte one[n]; byte fix[2][2]; int16_t rows[n][2]; byte rag[n][m]; byte last[2][m]; }";
    let json = r#"{"one":[1,2],"fix":[[3,4],[5,6]],"rows":[[1,2],[3,4]],"rag":[[7],[8]],"last":[[9],[10]]}"#;
    let message = message(text, json);
    let bytes = |d| encode(&message, d, Endian::Little).unwrap();
    let start = "00010000 02 01 0000 02000000 01 02  03 04 05 06";
    assert_eq!(
        bytes(Dialect::OmgIdl),
        hex(&format!(
            "{start} 0000 02000000 0100 0200 0300 0400  02000000 01000000 07 000000 01000000 08 000000 01000000 09 \
             000000 01000000 0a"
        ))
    );
    assert_eq!(
        bytes(Dialect::Ros2Msg),
        hex(&format!("{start} 0000 04000000 0100 0200 0300 0400  02000000 07 08 0000 02000000 09 0a"))
    );
    for dialect in BOTH {
        let back = decode(message.schema(), message.id(), dialect, &bytes(dialect)).unwrap();
        assert_eq!(back, message);
    }
}

#[test]
fn an_empty_struct_is_one_byte() {
    let text = "struct e_t { } struct a_t { e_t e; e_t f[2]; byte x; }";
    let message = message(text, r#"{"x":7}"#);
    for dialect in BOTH {
        let bytes = encode(&message, dialect, Endian::Little).unwrap();
        assert_eq!(bytes, hex("00010000 00 00 00 07"));
        assert_eq!(decode(message.schema(), message.id(), dialect, &bytes).unwrap(), message);
    }
}

#[test]
fn an_invalid_message_is_refused() {
    let (schema, id) = types("struct a_t { int32_t n; byte x[n]; string s; }");
    let refused = |bytes: &str| decode(&schema, id, Dialect::OmgIdl, &hex(bytes)).unwrap_err();
    assert_eq!(refused("00070000 00000000").cause, DecodeCause::Encapsulation { found: 7 });
    assert_eq!(refused("00010000 01000000 02000000 05").cause, DecodeCause::Count { says: 1, found: 2 });
    assert_eq!(refused("00010000 01000000 02000000 05").path, "x");
    assert!(refused("00010000 ffffffff 00000000").to_string().contains("negative"));
    assert!(refused("00010000 ffffff7f ffffff7f").to_string().contains("truncated"));
    assert!(refused("00010000 00000000 00000000 02000000 4142").to_string().contains("without a NUL"));
    assert!(refused("0001").to_string().contains("truncated"));
    // Some programs write an empty string as no bytes at all.
    let bare = hex("00010000 00000000 00000000 00000000");
    assert_eq!(decode(&schema, id, Dialect::OmgIdl, &bare).unwrap(), Record::zero(&schema, id).unwrap());
}

#[test]
fn omgidl_contains_all_fields() {
    let text = "
        // A point.
        package a.b;
        struct point_t { double x, y; const int32_t MAX = 0x10; const float NO = nan; }
        package other;
        enum colour_t { RED, GREEN = 5 }
        struct sequence {
            // How many,
            // really.
            int8_t n; int8_t N2;
            a.b.point_t points[n]; float grid[2][3]; float rows[n][3]; byte deep[2][n][N2];
            colour_t colour; string String; byte other;
        }";
    let (schema_of, id) = types(text);
    let printed = schema(&schema_of, id, Dialect::OmgIdl).unwrap();
    assert_eq!((printed.encoding, printed.name.as_str()), ("omgidl", "other::_sequence"));
    assert_eq!(
        printed.text,
        "module a {
module b {
module point_t_Constants {
  const int32 MAX = 16;
};
// const float NO = nan
@final struct point_t {
  double x;
  double y;
};
};
};

module other {
// A row of rows: [3]
@final struct sequence_rows_row {
  float row[3];
};
// A row of deep: [N2]
@final struct sequence_deep_row_row {
  sequence<octet> row;
};
// A row of deep: [n][N2]
@final struct sequence_deep_row {
  sequence<other::sequence_deep_row_row> row;
};
@final struct _sequence {
  // How many,
  // really.
  int8 n;
  int8 N2;
  sequence<a::b::point_t> points;
  float grid[2][3];
  sequence<other::sequence_rows_row> rows;
  other::sequence_deep_row deep[2];
  // RED=1, GREEN=5
  int32 colour;
  string _String;
  octet other_;
};
};

"
    );
}

#[test]
fn rows_of_several_structs_do_not_collide_in_omgidl() {
    let text = "struct a { int8_t n; byte x_y[n][2]; } struct a_x { int8_t n; byte y[n][3]; a a; }
        // A backslash \\
        struct top { a a; a_x b; }";
    let (schema_of, id) = types(text);
    let printed = schema(&schema_of, id, Dialect::OmgIdl).unwrap().text;
    assert!(printed.contains("struct a_x_y_row {\n  octet row[2];"), "{printed}");
    assert!(printed.contains("struct a_x_y_row_ {\n  octet row[3];"), "{printed}");
    assert!(printed.contains("  a_x b;\n") && printed.contains("  a a_;\n"), "{printed}");
    assert!(printed.contains("// A backslash\n"), "{printed}");
}

#[test]
fn ros2msg_contains_all_fields() {
    let text = "
        struct empty_t { }
        package exlcm;
        struct point_t { double x; }
        package my.Robot;
        enum colour_t { RED, GREEN = 5 }
        // All of it.
        struct laser_scan_t {
            const double maxRange = 30.5; const int8_t Max_Range = 5;
            int8_t n; exlcm.point_t points[n]; float grid[2][3]; float rows[n][3];
            double degCelsius; colour_t colour; boolean deg_celsius; string s[2];
        }";
    let (schema_of, id) = types(text);
    let printed = schema(&schema_of, id, Dialect::Ros2Msg).unwrap();
    assert_eq!((printed.encoding, printed.name.as_str()), ("ros2msg", "my_robot/msg/LaserScan"));
    let line = "=".repeat(80);
    assert_eq!(
        printed.text,
        format!(
            "# All of it.
float64 MAX_RANGE=30.5
int8 MAX_RANGE_2=5
int8 n
exlcm/Point[] points
float32[6] grid  # [2][3], the last dimension fastest
float32[] rows  # [n][3], the last dimension fastest
float64 deg_celsius
# RED=1, GREEN=5
int32 colour
bool deg_celsius_2
string[2] s
{line}
MSG: exlcm/Point
float64 x
"
        )
    );
    let empty = schema(&schema_of, schema_of.find("empty_t").unwrap(), Dialect::Ros2Msg).unwrap();
    assert_eq!(empty.text, "uint8 structure_needs_at_least_one_member\n");
    assert_eq!(empty.name, "lcmtypes/msg/Empty");
}

#[test]
fn a_type_that_contains_itself_has_no_schema() {
    let text = "struct a_t { int8_t n; b_t b[n]; } struct b_t { int8_t x; c_t c; } struct c_t { int8_t n; a_t back[n]; }
        struct top_t { b_t b; }";
    let (schema_of, id) = types(text);
    for dialect in BOTH {
        let Err(Unsupported::Recursive { mut cycle }) = schema(&schema_of, id, dialect) else {
            panic!("no cycle")
        };
        cycle.sort();
        assert_eq!(cycle, ["a_t.b", "b_t.c", "c_t.back"]);
    }
    let (own, id) = types("struct a_t { int8_t n; a_t next[n]; }");
    let printed = schema(&own, id, Dialect::OmgIdl).unwrap_err().to_string();
    assert!(printed.contains("a_t.next, which closes the cycle"), "{printed}");
    // It can be encoded all the same.
    let message = message("struct a_t { int8_t n; a_t next[n]; }", r#"{"next":[{},{"next":[{}]}]}"#);
    for dialect in BOTH {
        let bytes = encode(&message, dialect, Endian::Big).unwrap();
        assert_eq!(decode(message.schema(), message.id(), dialect, &bytes).unwrap(), message);
    }
}

#[test]
fn the_type_with_all_there_is_leads_back() {
    let message = message(ALL, ALL_JSON);
    for dialect in BOTH {
        for endian in [Endian::Little, Endian::Big] {
            let bytes = encode(&message, dialect, endian).unwrap();
            assert_eq!(decode(message.schema(), message.id(), dialect, &bytes).unwrap(), message);
        }
    }
}
