//! Generates the Rust code of the types that the decoders are tried with.

fn main() -> Result<(), saltus_gen::build::Error> {
    saltus_gen::build::Builder::new().file("../crates/gen/tests/rust/constructs.lcm").plain(true).compile()
}
