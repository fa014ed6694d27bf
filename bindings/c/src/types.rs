//! The types of a channel's messages.

use crate::border::{Fail, Result, string, text};
use crate::code::SALTUS_OK;
use saltus_channel::Description;
use std::ffi::{CString, c_char, c_int, c_void};

/// A type of messages. Generated code has all three fields as constants. Never changes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusType {
    /// The full name of the type, such as "robot.pose_t".
    pub name: *const c_char,
    /// Its fingerprint, or the hash of its plain layout: every message begins with it.
    pub fingerprint: u64,
    /// The type, and all types in it, in the type language.
    pub schema: *const c_char,
}

/// A function that receives a type; it returns 0 to continue, and anything else to stop. The strings are valid during the call. It must
/// return: no longjmp, no C++ exception.
pub type SaltusTypeCallback =
    Option<unsafe extern "C" fn(r#type: *const SaltusType, context: *mut c_void) -> c_int>;

/// The type that C gives, if it gives one.
pub(crate) unsafe fn description(from: *const SaltusType) -> Result<Option<Description>> {
    const NOT_TEXT: &str = "a type's name or schema is not UTF-8";
    // SAFETY: the header demands a structure, or NULL.
    let Some(from) = (unsafe { from.as_ref() }) else { return Ok(None) };
    // SAFETY: the header demands strings in it.
    let (name, schema) = unsafe {
        (string(from.name, "the type's name is NULL")?, string(from.schema, "the schema is NULL")?)
    };
    Ok(Some(Description {
        name: text(name, NOT_TEXT)?.into(),
        fingerprint: from.fingerprint,
        schema: text(schema, NOT_TEXT)?.into(),
    }))
}

/// The type that C must give.
pub(crate) unsafe fn demanded(from: *const SaltusType) -> Result<Description> {
    // SAFETY: as the caller has it.
    unsafe { description(from)? }.ok_or(Fail::Misuse("the type is NULL"))
}

/// Calls C with each type.
pub(crate) unsafe fn call_each(
    types: Vec<Description>,
    each: SaltusTypeCallback,
    context: *mut c_void,
) -> Result {
    let each = each.ok_or(Fail::Misuse("the function to call with types is NULL"))?;
    for one in types {
        // Text from another process may contain zero bytes; then it is not a name or a schema.
        let (Ok(name), Ok(schema)) = (CString::new(one.name), CString::new(one.schema)) else { continue };
        let one = SaltusType { name: name.as_ptr(), fingerprint: one.fingerprint, schema: schema.as_ptr() };
        // SAFETY: the header demands a function of this kind; all of it lives across the call.
        if unsafe { each(&one, context) } != 0 {
            break;
        }
    }
    Ok(SALTUS_OK)
}
