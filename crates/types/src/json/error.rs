//! Why JSON is not a message of a type, and where.

use std::fmt;

/// Why JSON is not a message of a type, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonError {
    /// The field, such as `pose.position[2]`; empty for the whole message.
    pub path: String,
    /// The cause.
    pub cause: JsonCause,
}

/// Why JSON is not a message of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonCause {
    /// It is not valid JSON.
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Why.
        why: String,
    },
    /// Brackets or structs nested deeper than in any message.
    TooDeep,
    /// A value of another kind than the field, or out of its range.
    Expected {
        /// The values that the field accepts.
        expected: String,
        /// The value found.
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
        /// The expected number of elements.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// An array's size differs from its size field.
    Size {
        /// Name of the size field.
        size_field: String,
        /// The value of the size field, or the size of another array that it counts.
        says: i64,
        /// The size of this array.
        has: usize,
    },
    /// The omitted fields would be too large.
    TooLarge,
}

impl fmt::Display for JsonCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonCause::Syntax { line, column, why } => {
                write!(f, "not JSON: {why} (line {line}, column {column})")
            }
            JsonCause::TooDeep => f.write_str("nested deeper than any message"),
            JsonCause::Expected { expected, found } => write!(f, "expected {expected}, found {found}"),
            JsonCause::Unknown { of, meant: Some(meant) } => {
                write!(f, "{of} has no such field; did you mean `{meant}`?")
            }
            JsonCause::Unknown { of, meant: None } => write!(f, "{of} has no such field"),
            JsonCause::Length { expected, found } => write!(f, "expected {expected} elements, found {found}"),
            JsonCause::Size { size_field, says, has } => write!(
                f,
                "has {has} elements, but `{size_field}` is {says}; omit `{size_field}` and it is set from the \
                 array, if all arrays that it counts have the same size"
            ),
            JsonCause::TooLarge => f.write_str("the omitted fields would be more than 256 MiB of zeros"),
        }
    }
}

impl JsonError {
    /// Prepends this field or index to the error's path.
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
