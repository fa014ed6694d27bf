//! What can be known of a channel: its counts, and what its messages are.

use crate::border::{Fail, Result, call};
use crate::channel::{SaltusChannel, channel};
use crate::code::SALTUS_OK;
use crate::domain::{SaltusType, name};
use crate::domain_subscriber::{SaltusDomainSubscriber, own};
use crate::sized::{self, Growing};
use saltus_channel::{Description, Info, Name};
use std::ffi::{CString, c_char, c_int, c_void};

/// A channel at one moment, read from counters without disturbing anybody.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusInfo {
    /// Bytes that this structure has for the program.
    pub size: usize,
    /// Messages published, by all publishers together, the dead ones' too.
    pub published: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Messages that a subscriber can still get.
    pub kept: u64,
    /// Messages that all living subscribers together missed, as far as they keep counters.
    pub missed: u64,
    /// Publishers that live.
    pub publishers: u64,
    /// Subscribers that live and keep counters.
    pub subscribers: u64,
    /// Shared memory in bytes, without counters and descriptions.
    pub memory: u64,
    /// How old the newest message is, in ns, or SALTUS_UNKNOWN.
    pub age: u64,
    /// When the channel was created, ns of boot time.
    pub created: u64,
}

// SAFETY: ten 8-byte numbers, the size first, without padding.
unsafe impl Growing for SaltusInfo {
    const FIRST: usize = 80;
    const DEFAULT: SaltusInfo = SaltusInfo {
        size: size_of::<SaltusInfo>(),
        published: 0,
        bytes: 0,
        kept: 0,
        missed: 0,
        publishers: 0,
        subscribers: 0,
        memory: 0,
        age: crate::SALTUS_UNKNOWN,
        created: 0,
    };
}

/// What Rust knows, as C sees it.
fn told(info: &Info) -> SaltusInfo {
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
    let living = || info.subscribers.iter().filter(|subscriber| subscriber.alive);
    SaltusInfo {
        published: info.published(),
        bytes: sum(&mut info.lanes.iter().map(|lane| lane.bytes)),
        kept: sum(&mut info.lanes.iter().map(|lane| lane.kept)),
        missed: sum(&mut living().map(|subscriber| subscriber.missed)),
        publishers: info.lanes.iter().filter(|lane| lane.alive).count() as u64,
        subscribers: living().count() as u64,
        memory: info.memory,
        age: info.age_of_newest().unwrap_or(crate::SALTUS_UNKNOWN),
        created: info.created,
        ..SaltusInfo::DEFAULT
    }
}

/// Tells what can be known of a channel at this moment. `size` is sizeof(saltus_info).
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes. It costs publishers nothing but cache misses.
/// Fails: SALTUS_INVALID (NULL, or a senseless size), SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_info(
    channel: *const SaltusChannel,
    info: *mut SaltusInfo,
    size: usize,
) -> c_int {
    call(|| {
        // SAFETY: the header demands an open handle, and room for `size` bytes.
        unsafe { sized::write(info, size, &told(&self::channel(channel)?.info()?))? };
        Ok(SALTUS_OK)
    })
}

/// Is called with what messages of a channel are; returns 0 to go on, and anything else for no more. The strings are valid during the
/// call. It must return: no longjmp, no C++ exception.
pub type SaltusTypeCallback =
    Option<unsafe extern "C" fn(what: *const SaltusType, context: *mut c_void) -> c_int>;

/// Calls `each` with what publishers said about the messages of a channel (see saltus_channel_describe()), in this thread. `context` is handed on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL), SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_descriptions(
    channel: *const SaltusChannel,
    each: SaltusTypeCallback,
    context: *mut c_void,
) -> c_int {
    call(|| {
        // SAFETY: the header demands an open handle, and a function of this kind.
        unsafe { tell(self::channel(channel)?.descriptions()?, each, context) }
    })
}

/// Calls `each` with what publishers said about the messages of one of the channels that a subscriber has joined, in this thread: where
/// there is a place for it, as in shared memory. `context` is handed on. The subscriber may not be used in `each`.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, or a bad name).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_descriptions(
    subscriber: *mut SaltusDomainSubscriber,
    channel: *const c_char,
    each: SaltusTypeCallback,
    context: *mut c_void,
) -> c_int {
    call(|| {
        // SAFETY: the header demands a string.
        let name = Name::new(unsafe { name(channel)? })?;
        let said = own(subscriber)?.subscriber.descriptions(&name);
        // SAFETY: the header demands a function of this kind.
        unsafe { tell(said, each, context) }
    })
}

/// Messages of other types than expected that a subscriber has passed over.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or closed). `*mismatched` is 0 then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_mismatched(
    subscriber: *mut SaltusDomainSubscriber,
    mismatched: *mut u64,
) -> c_int {
    call(|| {
        const NO_PLACE: &str = "the place for the number is NULL";
        // SAFETY: the header demands room for a number.
        unsafe { crate::border::put(mismatched, 0, NO_PLACE)? };
        let passed = own(subscriber)?.expected.as_ref().map_or(0, saltus_domain::Expected::mismatched);
        // SAFETY: not NULL, as was just seen.
        unsafe { crate::border::put(mismatched, passed, NO_PLACE)? };
        Ok(SALTUS_OK)
    })
}

unsafe fn tell(said: Vec<Description>, each: SaltusTypeCallback, context: *mut c_void) -> Result {
    let each = each.ok_or(Fail::Misuse("the function to call with types is NULL"))?;
    for one in said {
        // What another process wrote may have zero bytes in it: that is no name or schema.
        let (Ok(name), Ok(schema)) = (CString::new(one.name), CString::new(one.schema)) else { continue };
        let what = SaltusType { name: name.as_ptr(), fingerprint: one.fingerprint, schema: schema.as_ptr() };
        // SAFETY: the header demands a function of this kind; all of it lives across the call.
        if unsafe { each(&what, context) } != 0 {
            break;
        }
    }
    Ok(SALTUS_OK)
}
