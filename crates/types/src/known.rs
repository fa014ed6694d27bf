//! What a schema remembers of its structs.

/// What the schema remembers of a struct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    /// Least size on the wire.
    pub least: u64,
    /// Whether it is the only one.
    pub fixed: bool,
    /// Elements and rows that it always has and that may take no room.
    pub free: u64,
    /// Memory of what a record of it always has.
    pub memory: u64,
}
