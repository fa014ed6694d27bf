//! Why a method fails: a number and a sentence.

use jni_sys::jint;
use saltus_text::words::plain;

/// The codes that this crate gives by itself; the others come from the crates below.
pub(crate) mod code {
    pub const TOO_SMALL: i32 = 3;
    pub const INVALID: i32 = 12;
    pub const BUG: i32 = 100;
    /// Not of Rust: what is said by a handle. Java makes an `IllegalStateException` of them.
    pub const CLOSED: i32 = -12;
    pub const BUSY: i32 = -13;
}

/// Why a method fails.
pub(crate) enum Fail {
    /// With this number and this sentence.
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

/// What the bodies of methods give.
pub(crate) type Result<T = jint> = std::result::Result<T, Fail>;
