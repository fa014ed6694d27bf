//! Generates the Rust code of the types for the fuzzed decoders.

use std::error::Error;

#[cfg(feature = "libfuzzer")]
#[path = "native/build.rs"]
mod native;

const TYPES: &str = "../../crates/gen/tests/rust/constructs.lcm";

fn main() -> Result<(), Box<dyn Error>> {
    saltus_gen::build::Builder::new().file(TYPES).plain(true).compile()?;
    #[cfg(feature = "libfuzzer")]
    native::build(TYPES)?;
    Ok(())
}
