//! What is counted: the way of a message, of one type and size each, without waiting.

mod channel;
mod codec;
mod log;
mod network;

use crate::operation::Operation;

/// All operations, in the order of the record.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    [channel::ALL, codec::ALL, network::ALL, log::ALL].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_has_its_own_name() {
        let names: BTreeSet<_> = all().map(|operation| operation.name).collect();
        assert_eq!(names.len(), all().count());
    }

    #[test]
    fn counts_repeat_to_the_instruction() {
        let some = ["publish 64 B", "receive the newest, 64 B", "write 64 B to an LCM log"];
        for operation in all().filter(|operation| some.contains(&operation.name)) {
            assert_eq!(operation.count().unwrap(), operation.count().unwrap(), "{}", operation.name);
        }
    }
}
