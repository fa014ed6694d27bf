//! Helpers of several tests.

#![allow(dead_code)]

use saltus_types::{Record, Schema, StructId, json};
use std::sync::Arc;

/// The types of a text, and the last of its structs.
pub fn types(text: &str) -> (Arc<Schema>, StructId) {
    let schema = saltus_types::parse("test.lcm", text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let id = schema.ids().last().expect("a struct");
    (Arc::new(schema), id)
}

/// A message of the last struct of a text.
pub fn message(text: &str, value: &str) -> Record {
    let (schema, id) = types(text);
    json::from_str(&schema, id, value).unwrap_or_else(|e| panic!("{value}\n{e}"))
}

/// Bytes written as hexadecimal digits and blanks.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// A type with every feature, its value, and its encoding by LCM 1.5.3.
pub const ALL: &str = "
    struct inner_t { int16_t s; string name; }
    struct all_t { int8_t a; int16_t b; int32_t c; int64_t d; byte e; float f; double g; string h; boolean i;
        int32_t n; int16_t arr[n]; inner_t inn[2]; int8_t m; int32_t md[2][m]; byte blob[3]; string strs[m];
        boolean bs[m]; }";
pub const ALL_JSON: &str = r#"{"a":-2,"b":-300,"c":-70000,"d":"72623859790382856","e":254,"f":1.5,"g":-2.25,"h":"hé",
    "i":true,"arr":[1,2,3],"inn":[{"s":7,"name":"x"},{"s":8}],"md":[[10,11],[20,21]],"blob":[1,2,255],
    "strs":["a","bc"],"bs":[true,false]}"#;
pub const ALL_BYTES: &str = "
    a674f90e5b68fdfa fe fed4 fffeee90 0102030405060708 fe 3fc00000 c002000000000000 00000004 68c3a900 01
    00000003 0001 0002 0003  0007 00000002 7800  0008 00000001 00  02
    0000000a 0000000b 00000014 00000015  0102ff  00000002 6100  00000003 626300  01 00";
