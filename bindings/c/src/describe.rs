//! What the messages of a channel are.

use crate::border::{Fail, Result, call, string};
use crate::code::SALTUS_OK;
use crate::publisher::{SaltusChannelPublisher, free, own};
use std::ffi::{CStr, c_char, c_int};

/// Leaves with the channel what its messages are, so that tools can read them: the full name of the type, its
/// fingerprint (or the hash of its plain layout), and the type itself in the type language. Generated code has all three
/// as constants. Saying the same again adds nothing.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. Not for control loops: once, after saltus_channel_publisher_open().
/// Fails: SALTUS_INVALID (NULL, not UTF-8, an empty name, or more than 1 MiB in all; or something is borrowed from this
/// publisher), SALTUS_RETIRED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_describe(
    publisher: *mut SaltusChannelPublisher,
    name: *const c_char,
    fingerprint: u64,
    schema: *const c_char,
) -> c_int {
    call(|| {
        let mut own = own(publisher)?;
        // SAFETY: the header demands strings.
        let (name, schema) =
            unsafe { (string(name, "the type's name is NULL")?, string(schema, "the schema is NULL")?) };
        free(&mut own)?.describe(text(name)?, fingerprint, text(schema)?)?;
        Ok(SALTUS_OK)
    })
}

fn text(c: &CStr) -> Result<&str> {
    c.to_str().map_err(|_| Fail::Misuse("a type's name or schema is not UTF-8"))
}
