//! Why JSON is no message of a type, and where.

use std::fmt;

/// Why JSON is no message of a type, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonError {
    /// The field, `pose.position[2]`; empty if it concerns the whole.
    pub path: String,
    /// Why.
    pub cause: JsonCause,
}

/// Why JSON is no message of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonCause {
    /// It is no JSON.
    Syntax {
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
        /// Why.
        why: String,
    },
    /// Brackets in brackets, or structs in structs, deeper than any message is.
    TooDeep,
    /// Something of another kind than the field takes, or out of its range.
    Expected {
        /// What the field takes.
        expected: String,
        /// What there is.
        found: String,
    },
    /// A field that the type does not have.
    Unknown {
        /// Name of the type.
        of: String,
        /// The field that was probably meant.
        meant: Option<String>,
    },
    /// A row of an array has another length than the rows before it, or than its dimension.
    Length {
        /// How many elements there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An array has another size than its size field says.
    Size {
        /// Name of the size field.
        size_field: String,
        /// What it says, or another array that it counts has.
        says: i64,
        /// What this array has.
        has: usize,
    },
    /// What is left out would be absurdly large.
    TooLarge,
}

impl fmt::Display for JsonCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonCause::Syntax { line, column, why } => {
                write!(f, "not JSON: {why} (line {line}, column {column})")
            }
            JsonCause::TooDeep => f.write_str("nested deeper than any message is"),
            JsonCause::Expected { expected, found } => write!(f, "expected {expected}, found {found}"),
            JsonCause::Unknown { of, meant: Some(meant) } => {
                write!(f, "{of} has no such field; did you mean `{meant}`?")
            }
            JsonCause::Unknown { of, meant: None } => write!(f, "{of} has no such field"),
            JsonCause::Length { expected, found } => write!(f, "expected {expected} elements, found {found}"),
            JsonCause::Size { size_field, says, has } => write!(
                f,
                "has {has} elements, but `{size_field}` is {says}; leave `{size_field}` out and it is taken from the \
                 array, if all arrays that it counts have the same size"
            ),
            JsonCause::TooLarge => f.write_str("what is left out would be more than 256 MiB of zeros"),
        }
    }
}

impl JsonError {
    /// What went wrong lies in that field, or at that index, of what was thought.
    pub(super) fn within(mut self, step: &str) -> JsonError {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{step}{dot}{}", self.path);
        self
    }
}

impl From<JsonCause> for JsonError {
    fn from(cause: JsonCause) -> JsonError {
        JsonError { path: String::new(), cause }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { self.cause.fmt(f) } else { write!(f, "`{}`: {}", self.path, self.cause) }
    }
}
impl std::error::Error for JsonError {}
