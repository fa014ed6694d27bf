//! Generates the types of the driver in Rust.

fn main() -> Result<(), saltus_gen::build::Error> {
    saltus_gen::build::Builder::new().file("drivers/types.lcm").compile()
}
