//! Litmus tests of the channel's protocols: a checker that enumerates the executions of small programs under the memory models of C11,
//! ARMv8 and x86, the tests, the map from their lines to those of the code, and mutations. README.md shows what they found.

pub mod check;
pub mod code;
pub mod execution;
pub mod model;
pub mod mutate;
pub mod parse;
pub mod program;
pub mod relation;
pub mod report;
