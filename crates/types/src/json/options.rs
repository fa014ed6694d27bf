//! How JSON is written.

/// How JSON is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Arrays of `byte` as base64 strings; of several dimensions, the innermost.
    pub base64: bool,
    /// One field a line, for people. Arrays of numbers stay on their line.
    pub pretty: bool,
}
