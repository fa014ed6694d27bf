//! Options of JSON output.

/// Options of JSON output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Arrays of `byte` as base64 strings; of several dimensions, the innermost.
    pub base64: bool,
    /// One field per line, for people. Arrays of numbers stay on their line.
    pub pretty: bool,
}
