//! A message as C sees it, and the options of a domain's subscriber.

use crate::border::{Fail, Result, string, text};
use crate::code::SaltusError;
use crate::options::{SALTUS_START_NEWEST, start};
use crate::sized::{self, Growing};
use crate::types::{SaltusType, description};
use saltus_channel::Description;
pub use saltus_domain::RawMessage;
use saltus_domain::{Options, Pattern};
use std::ffi::c_char;

/// In a message: a number that the transport does not provide.
pub const SALTUS_UNKNOWN: u64 = u64::MAX;
/// In a message or an event of a log: a time that is not known.
pub const SALTUS_NO_TIME: i64 = i64::MIN;

const _: () = assert!(SALTUS_UNKNOWN == RawMessage::UNKNOWN && SALTUS_NO_TIME == RawMessage::NO_TIME);

/// For `depth`: each receive returns the newest message. The default.
pub const SALTUS_NEWEST_ONLY: u64 = 0;
/// `channels` is the name of one channel. The default.
pub const SALTUS_BY_NAME: u32 = 0;
/// `channels` is a regular expression for whole names.
pub const SALTUS_BY_PATTERN: u32 = 1;

/// Which messages a subscriber of a domain receives. Fill it with saltus_domain_options_init(), then set the fields you want to change.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusDomainOptions {
    /// The size of this structure in the program; set by saltus_domain_options_init(). Do not change it.
    pub size: usize,
    /// SALTUS_NEWEST_ONLY: older messages are skipped. Else all messages are received in order, unless more than `depth` of a channel
    /// are waiting: then the oldest are dropped. Over shm://, a channel subscribed to by its name that keeps fewer messages is replaced by a
    /// deeper one, or subscribing fails with an error that names the remedy. Default SALTUS_NEWEST_ONLY.
    pub depth: u64,
    /// The type of the messages. Messages of another type are reported once, with SALTUS_WRONG_TYPE, and then skipped. NULL: any type.
    /// Default NULL.
    pub expected: *const SaltusType,
    /// Where to start in channels that exist already: SALTUS_START_NEWEST, SALTUS_START_NOW or SALTUS_START_OLDEST.
    pub start: u32,
    /// SALTUS_BY_NAME or SALTUS_BY_PATTERN.
    pub by: u32,
}

// SAFETY: numbers and a pointer, of which any bytes are one; the size first; three 8-byte fields and two 4-byte ones leave no padding.
unsafe impl Growing for SaltusDomainOptions {
    const FIRST: usize = 32;
    const DEFAULT: SaltusDomainOptions = SaltusDomainOptions {
        size: size_of::<SaltusDomainOptions>(),
        depth: SALTUS_NEWEST_ONLY,
        expected: std::ptr::null(),
        start: SALTUS_START_NEWEST,
        by: SALTUS_BY_NAME,
    };
}

/// Which channels, how, and of which type, as Rust has it.
pub(crate) unsafe fn read(
    channels: *const c_char,
    from: *const SaltusDomainOptions,
) -> Result<(Pattern, Options, Option<Description>)> {
    // SAFETY: the header demands options with their size, or NULL.
    let c = unsafe { sized::read(from)? };
    let start = start(c.start)?;
    let options = if c.depth == SALTUS_NEWEST_ONLY { Options::newest() } else { Options::next(c.depth) };
    if c.by > SALTUS_BY_PATTERN {
        return Err(Fail::Misuse("options: by is neither SALTUS_BY_NAME nor SALTUS_BY_PATTERN"));
    }
    let pattern = if channels.is_null() {
        Pattern::all()
    } else {
        // SAFETY: not NULL, so it is a string, as the header demands.
        let given = unsafe { string(channels, "")? };
        match c.by {
            SALTUS_BY_NAME => Pattern::name(given.to_bytes())?,
            _ => Pattern::regex(text(given, "the pattern is not UTF-8")?)?,
        }
    };
    // SAFETY: the header demands a structure of strings, or NULL.
    Ok((pattern, options.start(start), unsafe { description(c.expected)? }))
}

/// saltus_domain_options_init fills `options` with the defaults. `size` is sizeof(saltus_domain_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or an impossible size).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_options_init(
    options: *mut SaltusDomainOptions,
    size: usize,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { sized::init(options, size) }
}
