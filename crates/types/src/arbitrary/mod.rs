//! Random types and random messages of them, for tests: the same seed always gives the same result.
//!
//! ```
//! # use saltus_types::arbitrary::{Options, Rng, message, schema_text};
//! # use std::sync::Arc;
//! let mut rng = Rng::new(7);
//! let options = Options::default();
//! let text = schema_text(&mut rng, &options);
//! let schema = Arc::new(saltus_types::parse("random.lcm", &text).expect("random types are right"));
//! let id = schema.ids().last().expect("there is at least one");
//! let message = message(&mut rng, &options, &schema, id);
//! assert!(saltus_types::wire::encode(&message).is_ok());
//! ```

mod text;
mod values;

pub use text::schema_text;
pub use values::message;

/// Features of random types and messages.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Most structs of a schema; at least one.
    pub structs: usize,
    /// Structs that contain themselves, in arrays.
    pub recursion: bool,
    /// Enums of the old language.
    pub enums: bool,
    /// Field names that are keywords somewhere, or have capitals or `_` in odd places.
    pub odd_names: bool,
    /// Strings that are not UTF-8.
    pub odd_strings: bool,
    /// Floats that are NaN, with any bits.
    pub nans: bool,
}

impl Default for Options {
    /// All but enums and odd names, which some other implementations do not support.
    fn default() -> Options {
        Options { structs: 6, recursion: true, enums: false, odd_names: false, odd_strings: true, nans: true }
    }
}

/// Random numbers (splitmix64), the same on every machine.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }
    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// One of these.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
