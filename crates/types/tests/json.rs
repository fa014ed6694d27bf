//! Messages as JSON.

mod support;

use saltus_types::json::{Options, from_str, to_string, write};
use saltus_types::value::{Items, Value};
use support::{ALL, ALL_JSON, message, types};

/// The error for JSON that is not a message of the last struct of a text.
fn refused(text: &str, json: &str) -> String {
    let (schema, id) = types(text);
    from_str(&schema, id, json).expect_err(json).to_string()
}

#[test]
fn fields_come_in_their_order_and_lead_back() {
    let message = message(ALL, ALL_JSON);
    let json = to_string(&message);
    assert_eq!(
        json,
        r#"{"a":-2,"b":-300,"c":-70000,"d":"72623859790382856","e":254,"f":1.5,"g":-2.25,"h":"hé","i":true,"n":3,"#
            .to_owned()
            + r#""arr":[1,2,3],"inn":[{"s":7,"name":"x"},{"s":8,"name":""}],"m":2,"md":[[10,11],[20,21]],"#
            + r#""blob":[1,2,255],"strs":["a","bc"],"bs":[true,false]}"#
    );
    assert_eq!(from_str(message.schema(), message.id(), &json).unwrap(), message);
    let options = Options { base64: true, pretty: true };
    let pretty = write(&message, options);
    assert!(pretty.contains("\n  \"blob\": \"AQL/\""), "{pretty}");
    assert_eq!(from_str(message.schema(), message.id(), &pretty).unwrap(), message);
}

#[test]
fn numbers_keep_every_bit() {
    let text = "struct a_t { int64_t i[6]; float f[8]; double d[7]; }";
    let (schema, id) = types(text);
    let mut record = saltus_types::Record::zero(&schema, id).unwrap();
    let big = 1i64 << 53;
    record.set("i", Items::Int64(vec![0, big - 1, big, 1 - big, i64::MIN, i64::MAX])).unwrap();
    let f = [0x8000_0000, 1, 0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 0xffc0_1234];
    record.set("f", Items::Float(f.map(f32::from_bits).into())).unwrap();
    let d = [
        -0.0,
        f64::MIN_POSITIVE / 8.0,
        f64::MAX,
        0.1,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::from_bits(0x7ff0 << 48 | 5),
    ];
    record.set("d", Items::Double(d.into())).unwrap();
    let json = to_string(&record);
    assert!(
        json.contains(r#"[0,9007199254740991,"9007199254740992",-9007199254740991,"-9223372036854775808""#)
    );
    assert!(json.contains(r#""Infinity","-Infinity","NaN","NaN(0x7f800001)","NaN(0xffc01234)"]"#), "{json}");
    assert!(json.contains(r#""-Infinity","NaN","NaN(0x7ff0000000000005)"]"#), "{json}");
    assert_eq!(from_str(&schema, id, &json).unwrap(), record);
}

#[test]
fn strings_keep_every_byte() {
    let (schema, id) = types("struct a_t { string s[3]; }");
    let mut record = saltus_types::Record::zero(&schema, id).unwrap();
    let strings = vec![b"\xff\xfe".as_slice().into(), "\u{1}\"\\\u{2028}é".into(), "".into()];
    record.set("s", Items::String(strings)).unwrap();
    let json = to_string(&record);
    assert_eq!(json, "{\"s\":[{\"base64\":\"//4=\"},\"\\u0001\\\"\\\\\u{2028}é\",\"\"]}");
    assert_eq!(from_str(&schema, id, &json).unwrap(), record);
}

#[test]
fn missing_fields_get_defaults() {
    let text = "struct p_t { double x; } struct a_t { int8_t n; p_t p[n]; float q[n][3]; byte k[2]; string s; p_t one; }";
    let zero = message(text, "{}");
    assert_eq!(zero.get("k").unwrap(), Items::Byte(vec![0, 0]).into());
    assert_eq!(to_string(&zero), r#"{"n":0,"p":[],"q":[],"k":[0,0],"s":"","one":{"x":0.0}}"#);
    let two = message(text, r#"{"q":[[1,2,3],[4,5,6]],"p":[{},{"x":1}]}"#);
    assert_eq!(two.field("n"), Some(&Value::Int8(2)));
    assert_eq!(two.get("p[1].x").unwrap(), 1.0f64.into());
    // The full shape of an array is written, even if it has no elements.
    let empty = message("struct a_t { int8_t n; int8_t m; double x[n][m]; }", r#"{"m":5}"#);
    assert_eq!(empty.get("x").unwrap().as_array().unwrap().shape(), [0, 5]);
}

#[test]
fn errors_state_position_fault_and_expectation() {
    let text = "enum e_t { RED, BLUE } struct p_t { double position[3]; int8_t small; }
        struct a_t { int8_t n; p_t pose; float x[n]; float y[n]; int64_t big; boolean ok; e_t e; string s; }";
    for (json, printed) in [
        ("{", "not JSON: EOF while parsing an object (line 1, column 1)"),
        ("{} {}", "not JSON: trailing characters (line 1, column 4)"),
        ("[]", "expected an object with a a_t, found an array of 0"),
        (r#"{"poes":{}}"#, "`poes`: a_t has no such field; did you mean `pose`?"),
        (r#"{"zzz":{}}"#, "`zzz`: a_t has no such field"),
        (
            r#"{"pose":{"Position":[1,2,3]}}"#,
            "`pose.Position`: p_t has no such field; did you mean `position`?",
        ),
        (r#"{"pose":{"position":[1,2]}}"#, "`pose.position`: expected 3 elements, found 2"),
        (r#"{"pose":{"position":5}}"#, "`pose.position`: expected an array, found 5"),
        (r#"{"pose":{"small":128}}"#, "`pose.small`: expected an integer (-128 to 127), found 128"),
        (r#"{"pose":{"small":1.5}}"#, "`pose.small`: expected an integer (-128 to 127), found 1.5"),
        (r#"{"ok":1}"#, "`ok`: expected true or false, found 1"),
        (r#"{"e":"GREEN"}"#, "`e`: expected a number or one of RED, BLUE, found \"GREEN\""),
        (
            r#"{"s":null}"#,
            "`s`: expected a string, or {\"base64\": \"…\"} for one that is not UTF-8, found null",
        ),
        (r#"{"n":-1}"#, "`n`: expected a size of at least 0, found -1"),
    ] {
        assert_eq!(refused(text, json), printed, "{json}");
    }
    assert!(
        refused(text, r#"{"pose":{"position":[1,"x",3]}}"#)
            .starts_with("`pose.position[1]`: expected a number")
    );
    assert!(refused(text, r#"{"x":[1],"y":[1,2]}"#).starts_with("`y`: has 2 elements, but `n` is 1;"));
    assert!(refused(text, r#"{"n":3,"x":[1]}"#).starts_with("`x`: has 1 elements, but `n` is 3;"));
    assert!(refused(text, r#"{"x":[1]}"#).starts_with("`y`: has 0 elements, but `n` is 1;"));
    assert!(
        refused(text, r#"{"big":9223372036854775808}"#).starts_with("`big`: expected an integer (-2^63 to")
    );
    assert!(refused(text, r#"{"x":[1e39]}"#).starts_with("`x[0]`: expected a number of single precision"));
    let many = format!(r#"{{"x":[{}1]}}"#, "1,".repeat(127));
    assert_eq!(refused(text, &many), "`n`: expected arrays that fit a size of int8_t, found 128 elements");
    assert_eq!(
        refused("struct a_t { int8_t n; int8_t m; byte x[n][m]; }", r#"{"x":[[1],[1,2]]}"#),
        "`x[1]`: expected 1 elements, found 2"
    );
}

#[test]
fn numbers_may_be_written_in_several_ways() {
    let text = "struct a_t { int64_t i; int32_t j; float f; byte b[2][3]; }";
    let message = message(text, r#"{"i":"-5","j":1e3,"f":7,"b":["AQID","BAUG"]}"#);
    assert_eq!(message.to_string(), "a_t { i: -5, j: 1000, f: 7, b: [[1, 2, 3], [4, 5, 6]] }");
    assert!(write(&message, Options { base64: true, pretty: false }).ends_with(r#""b":["AQID","BAUG"]}"#));
}

#[test]
fn nesting_does_not_overflow_the_stack() {
    let text = "struct node_t { int8_t n; node_t next[n]; }";
    for deep in ["[".repeat(100_000), r#"{"next":["#.repeat(100_000), r#"{"next":["#.repeat(190)] {
        assert!(!refused(text, &deep).is_empty());
    }
    let deep = r#"{"next":["#.repeat(129) + "{}" + &"]}".repeat(129);
    assert!(refused(text, &deep).ends_with("nested deeper than any message"));
}

#[test]
fn zeros_are_bounded() {
    assert!(refused("struct a_t { double x[200000000]; }", "{}").contains("256 MiB"));
    let list = format!("{{\"b\":[{}{{}}]}}", "{},".repeat(999));
    let text = "struct a_t { double x[100000]; } struct b_t { int32_t n; a_t b[n]; }";
    assert!(refused(text, &list).contains("256 MiB"));
}
