//! Random types and messages survive a round trip in every encoding.

mod support;

use proptest::prelude::*;
use saltus_types::arbitrary::{Options, Rng, message, schema_text};
use saltus_types::cdr::{self, Dialect, Endian};
use saltus_types::{Record, Schema, json, parse, plain, wire};
use std::sync::Arc;

fn options() -> Options {
    Options { enums: true, odd_names: true, ..Options::default() }
}

/// A random schema, and a message of each of its types.
fn messages(seed: u64) -> (Arc<Schema>, Vec<Record>) {
    let mut rng = Rng::new(seed);
    let text = schema_text(&mut rng, &options());
    let schema = Arc::new(parse("random.lcm", &text).unwrap_or_else(|e| panic!("seed {seed}\n{text}\n{e}")));
    let messages = schema.ids().map(|id| message(&mut rng, &options(), &schema, id)).collect();
    (schema, messages)
}

/// A message of these could have more empty arrays, and more memory in them, than decoders allow.
const FULL_OF_EMPTY_ARRAYS: &str = "
    struct tree_t { int8_t n; byte x[3][3][n]; byte y[2][3][n]; byte z[3][n]; tree_t trees[n][n]; }
    struct bush_t { int8_t n; byte a[n]; byte b[n]; byte c[n]; byte d[n]; byte e[n]; byte f[n]; byte g[n]; byte h[n]; byte i[n]; byte j[n]; byte k[n]; byte l[n]; byte m[n]; byte o[n];
        bush_t p[n][n][n]; bush_t q[n][n][n]; }";

#[test]
fn trees_full_of_empty_arrays_stay_within_what_decoders_allow() {
    let schema = Arc::new(parse("trees.lcm", FULL_OF_EMPTY_ARRAYS).unwrap());
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        for id in schema.ids() {
            let message = message(&mut rng, &options(), &schema, id);
            let bytes = wire::encode(&message).unwrap();
            assert_eq!(wire::decode(&schema, id, &bytes).as_ref(), Ok(&message), "seed {seed}");
            for dialect in [Dialect::OmgIdl, Dialect::Ros2Msg] {
                let bytes = cdr::encode(&message, dialect, Endian::Little).unwrap();
                assert_eq!(cdr::decode(&schema, id, dialect, &bytes).as_ref(), Ok(&message), "seed {seed}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wire_there_and_back(seed: u64) {
        let (schema, messages) = messages(seed);
        for message in messages {
            let bytes = wire::encode(&message).unwrap();
            prop_assert_eq!(bytes.len(), wire::encoded_size(&message));
            let back = wire::decode(&schema, message.id(), &bytes).unwrap();
            prop_assert_eq!(&back, &message);
            prop_assert!(bytes.len() as u64 - 8 >= schema.min_size(saltus_types::Type::Struct(message.id())));
        }
    }

    #[test]
    fn json_there_and_back(seed: u64) {
        let (schema, messages) = messages(seed);
        for message in messages {
            for (base64, pretty) in [(false, false), (true, true)] {
                let text = json::write(&message, json::Options { base64, pretty });
                let back = json::from_str(&schema, message.id(), &text).unwrap();
                prop_assert_eq!(&back, &message);
            }
        }
    }

    #[test]
    fn cdr_there_and_back(seed: u64) {
        let (schema, messages) = messages(seed);
        for message in messages {
            for dialect in [Dialect::OmgIdl, Dialect::Ros2Msg] {
                for endian in [Endian::Little, Endian::Big] {
                    let bytes = cdr::encode(&message, dialect, endian).unwrap();
                    let back = cdr::decode(&schema, message.id(), dialect, &bytes).unwrap();
                    prop_assert_eq!(&back, &message);
                }
            }
        }
    }

    #[test]
    fn plain_there_and_back(seed: u64) {
        let (schema, messages) = messages(seed);
        for message in messages {
            let Some(layout) = plain::plain(&schema, message.id()) else { continue };
            let bytes = plain::encode_plain(&message).unwrap();
            prop_assert_eq!(bytes.len(), plain::HASH_SIZE + layout.size);
            let back = plain::decode_plain(&schema, message.id(), &bytes).unwrap();
            prop_assert_eq!(&back, &message);
        }
    }

    #[test]
    fn every_value_is_found_by_its_path(seed: u64) {
        let (_, messages) = messages(seed);
        for message in messages {
            for (field, value) in message.fields() {
                let found = message.get(&field.name);
                prop_assert_eq!(found.as_ref(), Some(value));
            }
        }
    }
}
