//! The reason for a failure of a method: a number and a message.

use jni_sys::jint;
use saltus_text::words::plain;

/// The codes that this crate returns itself; the others are from the crates below.
pub(crate) mod code {
    pub const TOO_SMALL: i32 = 3;
    pub const INVALID: i32 = 12;
    pub const BUG: i32 = 100;
    /// Not codes of Rust: errors of a handle, which Java turns into an `IllegalStateException`.
    pub const CLOSED: i32 = -12;
    pub const BUSY: i32 = -13;
}

/// The reason for a failure of a method.
pub(crate) enum Fail {
    /// An error with this number and this message.
    Told(i32, String),
    /// Java has thrown an exception already.
    Thrown,
}

impl Fail {
    #[cold]
    pub fn invalid(text: impl Into<String>) -> Fail {
        Fail::Told(code::INVALID, text.into())
    }
}

impl From<saltus_domain::Error> for Fail {
    #[cold]
    fn from(error: saltus_domain::Error) -> Fail {
        Fail::Told(error.code(), plain(&error.to_string()))
    }
}
impl From<saltus_log::Error> for Fail {
    #[cold]
    fn from(error: saltus_log::Error) -> Fail {
        Fail::Told(error.code(), plain(&error.to_string()))
    }
}

/// The result of a method's body.
pub(crate) type Result<T = jint> = std::result::Result<T, Fail>;
