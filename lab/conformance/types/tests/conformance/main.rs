//! Compares generated code of all languages with LCM's, and with each other.
//!
//! The short form is the default, also in CI. `SALTUS_CONFORMANCE=long` tests many more types and messages, and
//! `SALTUS_CONFORMANCE_SEED` others.

mod acceptance;
mod equal;
mod fingerprints;
mod hostile;
mod vectors;

use saltus_conformance_types::{Corpus, Suite};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

/// The size of the test.
struct Extent {
    random_files: usize,
    messages: usize,
    damaged: usize,
    fingerprint_files: usize,
    odd_texts: usize,
}

fn extent() -> Extent {
    match std::env::var("SALTUS_CONFORMANCE").as_deref() {
        Ok("long") => Extent {
            random_files: 15,
            messages: 100,
            damaged: 1_000,
            fingerprint_files: 100,
            odd_texts: 20_000,
        },
        Ok(other) => panic!("SALTUS_CONFORMANCE is `{other}`; it may be `long`"),
        Err(_) => {
            Extent { random_files: 2, messages: 12, damaged: 60, fingerprint_files: 10, odd_texts: 300 }
        }
    }
}

fn seed() -> u64 {
    let seed = std::env::var("SALTUS_CONFORMANCE_SEED").ok();
    seed.map_or(3, |text| text.parse().expect("SALTUS_CONFORMANCE_SEED is a number"))
}

/// A directory below the build directory, for the test with that name.
fn directory(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("conformance-types").join(name)
}

/// The drivers, built by the first test that uses them.
fn suite() -> &'static Suite {
    static SUITE: OnceLock<Result<Suite, String>> = OnceLock::new();
    let built = SUITE.get_or_init(|| {
        let start = Instant::now();
        let corpus = Corpus::load(&directory("schemas"), extent().random_files, seed())?;
        let suite = Suite::build(corpus, &directory("drivers"));
        println!("the drivers are built in {:.1} s", start.elapsed().as_secs_f64());
        suite
    });
    built.as_ref().unwrap_or_else(|why| panic!("{why}"))
}

/// Fails with the first few of `complaints`, if there are any; of those that start with `somebody|`, the first few
/// of each.
fn expect_none(complaints: &[String]) {
    let mut by_whom: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for complaint in complaints {
        let who = complaint.split_once('|').map_or("", |(who, _)| who);
        by_whom.entry(who).or_default().push(complaint);
    }
    let mut text = String::new();
    for (who, complaints) in by_whom {
        text += &format!(
            "{} complaints about {who}\n{}\n\n",
            complaints.len(),
            complaints[..complaints.len().min(3)].join("\n\n")
        );
    }
    assert!(text.is_empty(), "{text}");
}
