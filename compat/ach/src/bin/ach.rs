//! The command `ach`.
fn main() {}
