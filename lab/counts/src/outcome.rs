//! Results.

/// A result with any error.
pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;
/// Success, or why not.
pub type Outcome = Result<()>;
