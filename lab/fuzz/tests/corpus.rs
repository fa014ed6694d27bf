//! Every input of the stored corpora, and inputs made from them, for every target, with no instrumentation and the same ones in each run.

use saltus_fuzz::TARGETS;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Inputs that are made from each stored one.
const MADE: usize = 4;

/// The longest input, as in `run.sh`.
const LONGEST: usize = 2048;

/// Xorshift: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (14), 2003.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// A copy of `input` with a few changes: bits, numbers at their limits, pieces that are missing, twice there, or of another input.
fn changed(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let len = random.below(8.min(bytes.len() - at + 1));
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            2 => drop(bytes.drain(at..at + len)),
            3 => {
                let piece = bytes[at..at + len].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            4 => {
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => drop(bytes.splice(
                at..at + len,
                [[0; 4], [0xff; 4], [0, 0, 0, 1], [0x7f, 0xff, 0xff, 0xff]][random.below(4)],
            )),
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// The stored inputs of a target, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).expect("a stored input")).collect()
}

/// Runs one target on all its inputs; the first that fails is printed, for `lab/fuzz/run.sh`'s programs or a new file of the corpus.
fn run(target: &str, attack: fn(&[u8])) {
    let (inputs, mut random) = (corpus(target), Random(0x005a_1705));
    assert!(!inputs.is_empty(), "{target} has no corpus");
    let check = |input: &[u8]| {
        if catch_unwind(AssertUnwindSafe(|| attack(input))).is_err() {
            panic!("{target} fails with these bytes: {input:02x?}");
        }
    };
    for input in &inputs {
        check(input);
        for _ in 0..MADE {
            let other = random.below(inputs.len());
            check(&changed(input, &inputs[other], &mut random));
        }
    }
}

macro_rules! tests {
    ($($target:ident)*) => {
        $(#[test] fn $target() { run(stringify!($target), saltus_fuzz::$target::attack); })*

        #[test]
        fn every_target_is_here() {
            assert_eq!(TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), [$(stringify!($target)),*]);
        }
    };
}

tests! { cdr foxglove index json lcmlog mcap packet parser plain reassembly report rust tcpq text tunnel wire }
