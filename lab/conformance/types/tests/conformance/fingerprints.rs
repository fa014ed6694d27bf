//! Base hashes and fingerprints of thousands of random types equal LCM's.

use crate::{directory, expect_none, extent, seed};
use saltus_conformance_types::oracle::{self, Verdict};
use saltus_conformance_types::random_types::{self, Taste};
use saltus_conformance_types::rng::Rng;
use saltus_conformance_types::{Corpus, tools};
use saltus_types::Schema;
use std::path::PathBuf;

/// Files of random types, each with a separate package.
fn files(name: &str, any_base: bool) -> Vec<PathBuf> {
    let dir = directory(name);
    tools::fresh(&dir).unwrap_or_else(|why| panic!("{why}"));
    let mut rng = Rng::new(seed());
    let mut write = |i: usize| {
        let taste = Taste {
            package: format!("{name}.p{i}"),
            types: 200,
            longest_name: 140,
            any_base,
            forward: true,
            largest: 9,
        };
        let path = dir.join(format!("{i}.lcm"));
        tools::write(&path, &random_types::text(&mut rng, &taste)).unwrap_or_else(|why| panic!("{why}"));
        path
    };
    (0..extent().fingerprint_files).map(&mut write).collect()
}

fn schema(files: &[PathBuf]) -> Schema {
    let corpus = Corpus::of(files.to_vec()).unwrap_or_else(|why| panic!("{why}"));
    (*corpus.schema).clone()
}

#[test]
fn base_hashes_of_random_types_are_those_of_lcm() {
    let files = files("bases", true);
    let ours = schema(&files);
    let mut theirs = Vec::new();
    for file in &files {
        match oracle::verdict(file).unwrap_or_else(|why| panic!("{why}")) {
            Verdict::Accepted(structs) => theirs.extend(structs),
            Verdict::Refused => panic!("lcm-gen refuses {}", file.display()),
        }
    }
    assert_eq!(theirs.len(), ours.structs().len());
    let different = |(ours, (name, hash)): (&saltus_types::Struct, &(String, u64))| {
        (ours.base_hash != *hash || !ours.name.to_string().ends_with(name.as_str()))
            .then(|| format!("{}: {:016x}, LCM's {name}: {hash:016x}", ours.name, ours.base_hash))
    };
    expect_none(&ours.structs().iter().zip(&theirs).filter_map(different).collect::<Vec<_>>());
    println!("{} base hashes", theirs.len());
}

#[test]
fn fingerprints_of_random_types_are_those_of_lcm() {
    let files = files("recursive", false);
    let ours = schema(&files);
    let theirs = oracle::fingerprints(&directory("recursive-python"), &files);
    let theirs = theirs.unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(theirs.len(), ours.structs().len());
    let different = |ours: &saltus_types::Struct| {
        let hash = theirs.get(&ours.name.to_string()).copied();
        (hash != Some(ours.fingerprint))
            .then(|| format!("{}: {:016x}, LCM's: {hash:016x?}", ours.name, ours.fingerprint))
    };
    expect_none(&ours.structs().iter().filter_map(different).collect::<Vec<_>>());
    println!("{} fingerprints", theirs.len());
}
