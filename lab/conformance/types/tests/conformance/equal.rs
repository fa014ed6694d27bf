//! All encoders produce the same bytes; all decoders find the same contents in them.

use crate::{expect_none, extent, seed, suite};
use saltus_conformance_types::canonical::hex;
use saltus_conformance_types::random_messages::{self, Message, Strings};
use saltus_conformance_types::rng::Rng;
use saltus_conformance_types::{Answer, Driver, dynamic};
use saltus_types::StructId;

fn messages(strings: Strings, each: usize, rng: &mut Rng) -> Vec<(StructId, Message)> {
    let schema = &suite().corpus.schema;
    let of = |id| (0..each).map(move |_| id).collect::<Vec<_>>();
    schema.ids().flat_map(of).map(|id| (id, random_messages::message(rng, schema, id, strings))).collect()
}

/// Runs these drivers, and the dynamic codec; every answer must be the message.
fn expect_all_agree(drivers: &[&Driver], messages: &[(StructId, Message)]) {
    let suite = suite();
    let schema = &suite.corpus.schema;
    let asked: Vec<(StructId, &[u8])> = messages.iter().map(|(id, m)| (*id, m.bytes.as_slice())).collect();
    let mut complaints = Vec::new();
    let mut compare = |who: &str, id: StructId, message: &Message, answer: &Answer| {
        let right = Answer::Accepted { json: message.json.clone(), bytes: Some(message.bytes.clone()) };
        if *answer != right {
            let name = &schema.get(id).name;
            complaints
                .push(format!("{who}: {name} {}\nright: {right}\nfound: {answer}", hex(&message.bytes)));
        }
    };
    for (id, message) in messages {
        compare("the dynamic codec", *id, message, &dynamic::answer(schema, *id, &message.bytes));
    }
    let mut compared = 0;
    for (driver, answers) in suite.ask(drivers, &asked).unwrap_or_else(|why| panic!("{why}")) {
        for ((id, message), answer) in messages.iter().zip(answers) {
            if let Some(answer) = answer {
                compare(&driver.name, *id, message, &answer);
                compared += 1;
            }
        }
    }
    expect_none(&complaints);
    assert!(compared > messages.len() * drivers.len() / 2, "most types are known to most drivers");
    println!(
        "{} messages of {} types: {compared} answers of drivers",
        messages.len(),
        schema.structs().len()
    );
}

#[test]
fn every_pair_of_encoder_and_decoder_agrees() {
    let mut rng = Rng::new(seed());
    expect_all_agree(&suite().all(), &messages(Strings::Utf8, extent().messages, &mut rng));
}

#[test]
fn strings_of_any_bytes_survive_where_a_language_can_keep_them() {
    let mut rng = Rng::new(seed() + 1);
    let drivers: Vec<&Driver> = suite().drivers.iter().filter(|driver| driver.any_bytes).collect();
    expect_all_agree(&drivers, &messages(Strings::Bytes, extent().messages.div_ceil(4), &mut rng));
}
