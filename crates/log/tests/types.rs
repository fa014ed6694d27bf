//! Messages of known types are readable by all viewers, and are restored to the byte.

mod support;

use saltus_log::{Event, Format, Kind, Reader, Types, Writer, WriterOptions};
use saltus_types::arbitrary::{Options, Rng, message};
use saltus_types::cdr::Dialect;
use saltus_types::plain::encode_plain;
use saltus_types::{Schema, wire};
use std::path::Path;
use std::sync::Arc;

/// All conformance types, and LCM's own messages of them: `(type, message)`.
fn vectors() -> (Arc<Schema>, Vec<(String, Vec<u8>)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/conformance/types");
    let schema = support::conformance_types();
    let text = std::fs::read_to_string(root.join("vectors.json")).unwrap();
    let lines = text.lines().map(|line| line.trim_end_matches(',')).filter(|line| line.starts_with('{'));
    let vector = |line: &str| {
        let part = |key: &str| {
            let rest = &line[line.rfind(&format!("\"{key}\": \"")).unwrap() + key.len() + 5..];
            rest[..rest.find('"').unwrap()].to_owned()
        };
        let hex = part("hex");
        let pairs = hex.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
        let bytes = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
        let name = line.strip_prefix("{\"type\": \"").unwrap();
        (name[..name.find('"').unwrap()].to_owned(), bytes)
    };
    (Arc::new(schema), lines.map(vector).collect())
}

fn write(options: WriterOptions, types: Types, messages: &[Vec<u8>]) -> (Vec<u8>, u64) {
    let mut writer = Writer::new(Vec::new(), Format::Mcap, options).unwrap();
    *writer.types() = types;
    for (i, data) in messages.iter().enumerate() {
        let event = Event { channel: b"C", data, log_time: i as i64, ..Event::default() };
        writer.write(&event).unwrap();
    }
    let kept_raw = writer.kept_raw();
    (writer.finish().unwrap(), kept_raw)
}

/// Each message, and its stored form in the file.
fn read(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (mut reader, mut all) = (Reader::new(Format::Mcap), Vec::new());
    reader.feed(bytes);
    reader.end();
    while let Some(event) = reader.event() {
        all.push((event.about.unwrap().encoding.clone(), event.data.to_vec()));
    }
    assert!(reader.damage().is_none(), "{}", reader.damage());
    all
}

#[test]
fn every_conformance_message_round_trips_through_both_kinds_of_cdr() {
    let (schema, mut vectors) = vectors();
    assert!(vectors.len() > 20, "only {} vectors", vectors.len());
    let mut rng = Rng::new(5);
    for id in schema.ids() {
        for _ in 0..5 {
            let record = message(&mut rng, &Options::default(), &schema, id);
            let name = schema.get(id).name.to_string();
            vectors.push((name.clone(), wire::encode(&record).unwrap()));
            vectors.extend(encode_plain(&record).ok().map(|plain| (name, plain)));
        }
    }
    let messages: Vec<Vec<u8>> = vectors.iter().map(|(_, message)| message.clone()).collect();
    for dialect in [Dialect::Ros2Msg, Dialect::OmgIdl] {
        let mut types = Types::new();
        types.add_all(&schema);
        let (bytes, kept_raw) = write(WriterOptions::new().dialect(dialect), types, &messages);
        let read = read(&bytes);
        assert_eq!(read.len(), messages.len());
        let mut raw = 0;
        for ((name, message), (encoding, data)) in vectors.iter().zip(&read) {
            assert!(data == message, "a message of {name} came back otherwise from {dialect:?}");
            if encoding != "cdr" {
                raw += 1;
                let id = schema.find(name).unwrap();
                let sayable = Kind::lcm(&schema, id).cdr_schema(dialect).is_some();
                assert!(!sayable, "{name} was kept raw, but CDR has a schema for it");
            }
        }
        assert_eq!(raw, kept_raw);
        assert!(raw < messages.len() as u64 / 4, "{raw} of {} were kept raw", messages.len());
    }
}

#[test]
fn raw_messages_stay_unchanged_with_their_type() {
    let (schema, vectors) = vectors();
    let message = vec![vectors[1].1.clone()];
    let mut types = Types::new();
    types.add_all(&schema);
    let (bytes, _) = write(WriterOptions::new().raw(true), types, &message);
    assert_eq!(read(&bytes), [("lcm".to_owned(), message[0].clone())]);
    let mut reader = Reader::new(Format::Mcap);
    reader.feed(&bytes);
    let event = reader.event().unwrap();
    let about = event.about.unwrap();
    assert_eq!(about.kind.as_ref().unwrap().name(), vectors[1].0);
    // Readers that do not know a schema's encoding may refuse the whole file: the type is in the metadata.
    assert!(about.schema.is_none() && about.metadata["lcm.schema"].contains("struct"));
}

const POSE: &str = "struct pose_t { int64_t utime; double position[3]; boolean valid; }";

#[test]
fn a_message_that_would_not_round_trip_is_kept_raw_and_counted() {
    let mut types = Types::new();
    assert!(types.learn("pose_t", POSE));
    let schema = Arc::new(saltus_types::parse("test", POSE).unwrap());
    let key = schema.get(schema.find("pose_t").unwrap()).fingerprint.to_be_bytes();
    let good = [&key[..], &[0; 33]].concat();
    let longer = [&good[..], b"tail"].concat();
    let shorter = good[..20].to_vec();
    let odd = [&good[..40], &[7]].concat(); // true, but not 1
    let messages = [good, longer, shorter, odd];
    let (bytes, kept_raw) = write(WriterOptions::new(), types, &messages);
    let read = read(&bytes);
    assert_eq!(read.iter().map(|(_, data)| data.clone()).collect::<Vec<_>>(), messages);
    assert_eq!(
        read.iter().map(|(encoding, _)| &encoding[..]).collect::<Vec<_>>(),
        ["cdr", "lcm", "lcm", "lcm"]
    );
    assert_eq!(kept_raw, 3);
}

#[test]
fn a_rewritten_log_keeps_its_types() {
    let (schema, vectors) = vectors();
    let mut types = Types::new();
    types.add_all(&schema);
    let messages = [vectors[1].1.clone(), vectors[2].1.clone()];
    let (bytes, _) = write(WriterOptions::new(), types, &messages);
    let mut reader = Reader::new(Format::Mcap);
    reader.feed(&bytes);
    let options = WriterOptions::new().dialect(Dialect::OmgIdl);
    let mut writer = Writer::new(Vec::new(), Format::Mcap, options).unwrap();
    while let Some(event) = reader.event() {
        writer.write(&event).unwrap();
    }
    let again = writer.finish().unwrap();
    let expected: Vec<_> = messages.iter().map(|m| ("cdr".to_owned(), m.clone())).collect();
    assert_eq!(read(&again), expected);
}

#[test]
fn an_unknown_schema_is_not_a_type() {
    let mut types = Types::new();
    assert!(!types.learn("pose_t", "struct"));
    assert!(!types.learn("other_t", POSE));
    let long = format!("{POSE}//{}", "x".repeat(200_000));
    assert!(!types.learn("pose_t", &long));
    assert!(types.is_empty());
}

#[test]
fn times_before_1970_are_counted_where_the_format_has_none() {
    for (format, too_early) in [(Format::Mcap, 3), (Format::Lcm, 0)] {
        let mut writer = Writer::new(Vec::new(), format, WriterOptions::new()).unwrap();
        for log_time in [-2_000_000, -1000, 0, 5000] {
            let publish_time = (log_time == 0).then_some(-1);
            writer
                .write(&Event { channel: b"C", data: b"x", log_time, publish_time, ..Event::default() })
                .unwrap();
        }
        assert_eq!(writer.too_early(), too_early, "{format}");
    }
}

#[test]
fn a_killed_writers_file_is_distinguished_from_a_finished_one() {
    let mut writer = Writer::new(Vec::new(), Format::Mcap, WriterOptions::new()).unwrap();
    writer.write(&Event { channel: b"C", data: b"x", ..Event::default() }).unwrap();
    let whole = writer.finish().unwrap();
    let path = std::env::temp_dir().join(format!("saltus-log-finished-{}.mcap", std::process::id()));
    let mut ended = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        saltus_log::is_finished(&path).unwrap()
    };
    let of = [&whole[..], &whole[..whole.len() - 1], &whole[..100], &whole[..8], b"", b"no log at all"]
        .map(&mut ended);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(of, [true, false, false, false, true, true]);
}
