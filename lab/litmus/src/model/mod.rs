//! The memory models: which candidate executions they allow.

mod arm;
mod c11;
mod x86;

use crate::execution::Execution;
use crate::program::{Model, Orders};

/// Whether `model` allows a candidate execution of a program with these orderings.
pub fn allows(model: Model, execution: &Execution, orders: &Orders) -> bool {
    match model {
        Model::C11 => c11::allows(execution, orders),
        Model::Arm => arm::allows(execution, orders),
        Model::X86 => x86::allows(execution, orders),
    }
}
