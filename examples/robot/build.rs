//! Generates the Rust code of `types/robot.lcm`.

fn main() -> Result<(), saltus_gen::build::Error> {
    saltus_gen::build::Builder::new().file("types/robot.lcm").compile()
}
