//! `vectors.json`: messages with readable names and values, and LCM's encoding of them. Made by `make-vectors.py`.

use crate::{expect_none, suite};
use saltus_conformance_types::canonical::{hex, unhex};
use saltus_conformance_types::{dynamic, tools};
use saltus_types::{json, wire};
use serde_json::Value;

#[test]
fn the_json_of_a_vector_becomes_its_bytes_and_comes_back() {
    let schema = &suite().corpus.schema;
    let text = std::fs::read_to_string(tools::file("vectors.json")).expect("vectors.json");
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("a list of vectors");
    let mut complaints = Vec::new();
    for vector in &vectors {
        let name = vector["type"].as_str().expect("a type");
        let id = schema.find(name).unwrap_or_else(|| panic!("no type {name}"));
        let right = unhex(vector["hex"].as_str().expect("bytes")).expect("digits");
        let record = match json::from_value(schema, id, &vector["value"]) {
            Ok(record) => record,
            Err(why) => {
                complaints.push(format!("{name}: {why}"));
                continue;
            }
        };
        match wire::encode(&record) {
            Ok(bytes) if bytes == right => {}
            other => complaints.push(format!("{name}: {other:?}, not {}", hex(&right))),
        }
        match wire::decode(schema, id, &right) {
            Ok(again) if again == record => {}
            other => complaints.push(format!("{name}: {other:?}, not {}", dynamic::json(&record))),
        }
        match json::from_str(schema, id, &json::to_string(&record)) {
            Ok(again) if again == record => {}
            other => complaints.push(format!("{name}: decoded to {other:?}, not {}", dynamic::json(&record))),
        }
    }
    expect_none(&complaints);
    assert!(vectors.len() > 20, "there are {} vectors", vectors.len());
}
