//! Untrusted bytes: all our decoders accept and refuse the same, and none crashes or uses much memory.
//!
//! C and C++ run with the address and undefined-behavior sanitizers, which also refuse blocks of more than 16 MiB;
//! the others have little address space, or a small heap.

use crate::{expect_none, extent, seed, suite};
use saltus_conformance_types::canonical::{self, hex};
use saltus_conformance_types::random_messages::{self, Strings};
use saltus_conformance_types::rng::Rng;
use saltus_conformance_types::{Answer, Driver, dynamic, hostile};
use saltus_types::StructId;

/// Runs our drivers, and the dynamic codec, which is the reference. Returns its answers.
fn expect_agreement(messages: &[(StructId, Vec<u8>)]) -> Vec<Answer> {
    let suite = suite();
    let schema = &suite.corpus.schema;
    let asked: Vec<(StructId, &[u8])> = messages.iter().map(|(id, bytes)| (*id, bytes.as_slice())).collect();
    let right: Vec<Answer> = asked.iter().map(|(id, bytes)| dynamic::answer(schema, *id, bytes)).collect();
    let mut complaints = Vec::new();
    for (driver, answers) in suite.ask(&suite.ours(), &asked).unwrap_or_else(|why| panic!("{why}")) {
        for (((id, bytes), right), answer) in messages.iter().zip(&right).zip(answers) {
            let Some(answer) = answer else { continue };
            if !may_say(driver, right, &answer) {
                let name = &schema.get(*id).name;
                complaints.push(format!(
                    "{}| {name} {}\nright: {right}\nfound: {answer}",
                    driver.name,
                    hex(bytes)
                ));
            }
        }
    }
    expect_none(&complaints);
    right
}

/// Whether a driver may give this answer, given the dynamic codec's. They must be the same, except for values that
/// a language cannot represent.
fn may_say(driver: &Driver, right: &Answer, answer: &Answer) -> bool {
    match (right, answer) {
        (Answer::Refused, Answer::Refused) => true,
        (Answer::Refused, Answer::Accepted { .. }) => false,
        // Rust refuses what is not UTF-8.
        (Answer::Accepted { json, .. }, Answer::Refused) => driver.name == "Rust" && has_odd_strings(json),
        (Answer::Accepted { json: right, bytes }, Answer::Accepted { json, bytes: found }) => {
            // Others replace it, and C does not see anything after a NUL.
            let odd_strings = has_odd_strings(right);
            let other_bytes = match driver.name.as_str() {
                // A boolean that is neither 0 nor 1 stays unchanged.
                "C" | "C++" => true,
                // All NaNs become the same in Java, and signalling ones quiet in Python, as in LCM's.
                "Java, LCM style" | "Python" | "Python, LCM style" => canonical::has_nan(right),
                _ => false,
            };
            odd_strings || (json == right && (found == bytes || other_bytes))
        }
    }
}

/// Whether any string has a NUL in it, or is not UTF-8.
fn has_odd_strings(json: &str) -> bool {
    canonical::strings(json).any(|text| text.contains(&0) || str::from_utf8(&text).is_err())
}

#[test]
fn damaged_messages_are_accepted_or_refused_by_all() {
    let schema = &suite().corpus.schema;
    let mut rng = Rng::new(seed());
    let mut messages = Vec::new();
    for id in schema.ids() {
        messages
            .extend(hostile::damaged(&mut rng, schema, id, extent().damaged).into_iter().map(|m| (id, m)));
    }
    let answers = expect_agreement(&messages);
    let refused = answers.iter().filter(|a| **a == Answer::Refused).count();
    println!("{} damaged messages, of which {refused} are refused", messages.len());
    assert!(refused > messages.len() / 10 && refused < messages.len(), "damage must hurt, but not always");
}

#[test]
fn a_message_cut_anywhere_is_refused_by_all() {
    let schema = &suite().corpus.schema;
    let mut rng = Rng::new(seed() + 1);
    let mut messages = Vec::new();
    for id in schema.ids() {
        let mut whole = random_messages::message(&mut rng, schema, id, Strings::Utf8).bytes;
        // Of a long message, only truncations near the start.
        whole.truncate(120);
        messages.extend(hostile::cut(&whole).map(|m| (id, m)));
    }
    for (answer, (id, bytes)) in expect_agreement(&messages).iter().zip(&messages) {
        assert_eq!(*answer, Answer::Refused, "{} {}", schema.get(*id).name, hex(bytes));
    }
}

#[test]
fn structs_may_lie_in_each_other_so_deep_and_no_deeper() {
    let schema = &suite().corpus.schema;
    let of = |depth| hostile::chain(schema, depth).expect("every.node_t");
    let messages = [0, 1, 127, 128, 129, 1_000, 100_000].map(of);
    let answers = expect_agreement(&messages);
    let accepted: Vec<bool> = answers.iter().map(|a| *a != Answer::Refused).collect();
    assert_eq!(accepted, [true, true, true, true, false, false, false]);
}

#[test]
fn things_that_take_no_room_are_bounded() {
    let schema = &suite().corpus.schema;
    let counts = [0, 1, 100, 250, 1_000, 5_000, 1 << 20, i32::MAX, -1, i32::MIN];
    let mut messages: Vec<(StructId, Vec<u8>)> = Vec::new();
    for count in counts {
        messages.push(hostile::empties(schema, count).expect("every.empties_t"));
        messages.push(hostile::rows_without_columns(schema, count).expect("every.matrix_t"));
    }
    let answers = expect_agreement(&messages);
    assert_ne!(answers[0], Answer::Refused, "none");
    assert_ne!(answers[4], Answer::Refused, "a hundred");
    for (answer, (id, bytes)) in answers.iter().zip(&messages).skip(12) {
        assert_eq!(*answer, Answer::Refused, "{} {}", schema.get(*id).name, hex(bytes));
    }
}

#[test]
fn the_rule_of_sizes_is_the_same_for_all() {
    let schema = &suite().corpus.schema;
    let of = |(name, pieces, _): &(&str, &[hostile::Piece], bool)| {
        hostile::of_pieces(schema, name, pieces).unwrap_or_else(|| panic!("no type {name}"))
    };
    let messages: Vec<(StructId, Vec<u8>)> = hostile::SIZES.iter().map(of).collect();
    for (answer, line) in expect_agreement(&messages).iter().zip(hostile::SIZES) {
        assert_eq!(*answer != Answer::Refused, line.2, "{line:?}");
    }
}
