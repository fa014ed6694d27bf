//! Properties of structs that a schema computes once.

/// Properties of a struct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    /// Least size on the wire.
    pub least: u64,
    /// Whether every value has that size.
    pub fixed: bool,
    /// Elements and rows that every value has and that may have zero size.
    pub free: u64,
    /// Memory of the minimum contents of a record.
    pub memory: u64,
}
