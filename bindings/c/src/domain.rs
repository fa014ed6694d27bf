//! Domains: channels that are reached by one URL, whatever carries their messages.

use crate::border::{Fail, Result, call, hand_out, string, take_back};
use crate::code::SALTUS_OK;
use crate::handle::{Kind, Used, used};
use saltus_channel::Description;
use saltus_domain::Domain;
use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// Channels that are reached by one URL: in shared memory, in this process, in a log, or on a network. Several threads may use it
/// at the same time.
pub struct SaltusDomain(pub(crate) Domain);

impl Kind for SaltusDomain {
    const KIND: usize = 4;
}

const NO_CHANNEL: &str = "the channel's name is NULL";

/// What messages are. Generated code has all three as constants. Never changes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusType {
    /// The full name of the type, such as "robot.pose_t".
    pub name: *const c_char,
    /// Its fingerprint, or the hash of its plain layout: what every message begins with.
    pub fingerprint: u64,
    /// The type, and all types in it, in the type language.
    pub schema: *const c_char,
}

/// Is called with the name of a channel; returns 0 to go on, and anything else for no more. It must return: no longjmp, no C++
/// exception.
pub type SaltusNameCallback =
    Option<unsafe extern "C" fn(name: *const c_char, context: *mut c_void) -> c_int>;

/// Opens the domain that `url` names, such as "shm://", "mem://", "udpm://239.255.76.67:7667?ttl=1" or "file:///tmp/robot.log"
/// (a log of LCM's); NULL is $SALTUS_DOMAIN, or else "shm://". The guide's page on providers has them all. It joins no network and
/// makes no file, but for a log that is to be written: that comes with the first publisher or subscriber that needs it. `*domain`
/// is to be closed with saltus_domain_close(); it is NULL if this fails.
///
/// Blocks: where a log is opened, to read it. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_NO_PROVIDER, SALTUS_NOT_FOUND and SALTUS_NO_LOG (of a log), SALTUS_DENIED, SALTUS_NO_SPACE,
/// SALTUS_NETWORK, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_open(url: *const c_char, domain: *mut *mut SaltusDomain) -> c_int {
    let open = || {
        if url.is_null() {
            return Ok(Some(SaltusDomain(Domain::from_env()?)));
        }
        // SAFETY: not NULL, so it is a string, as the header demands.
        let url = text(unsafe { string(url, "")? }, "the domain's URL is not UTF-8")?;
        Ok(Some(SaltusDomain(Domain::open(url)?)))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(domain, open) })
}

/// Closes a domain. Publishers, subscribers and dispatchers stay as they are. NULL does nothing.
///
/// Blocks: if nothing else of the domain is open, until its thread ends and what was sent is out, where the transport keeps it back.
/// Allocates: no. Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_close(domain: *mut SaltusDomain) {
    take_back(domain)
}

/// Calls `each` with the names of the channels that there are, in this thread: all of a domain in shared memory, those of a log; on
/// a network, those that somebody in this process wants and that something came on. A name is valid during its call; one
/// that contains a zero byte is left out. `context` is handed on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL), SALTUS_DENIED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_channels(
    domain: *const SaltusDomain,
    each: SaltusNameCallback,
    context: *mut c_void,
) -> c_int {
    call(|| {
        let each = each.ok_or(Fail::Misuse("the function to call with names is NULL"))?;
        for name in self::domain(domain)?.0.channels()? {
            let Ok(name) = CString::new(name.as_bytes()) else { continue };
            // SAFETY: the header demands a function of this kind; the name lives across the call.
            if unsafe { each(name.as_ptr(), context) } != 0 {
                break;
            }
        }
        Ok(SALTUS_OK)
    })
}

/// The domain of a handle, for a call.
pub(crate) fn domain(handle: *const SaltusDomain) -> Result<Used<SaltusDomain>> {
    used(handle, "the domain is NULL")
}

/// The bytes of a channel's name.
pub(crate) unsafe fn name<'a>(channel: *const c_char) -> Result<&'a [u8]> {
    // SAFETY: the header demands a string.
    Ok(unsafe { string(channel, NO_CHANNEL)? }.to_bytes())
}

/// A string that must be text.
pub(crate) fn text<'a>(c: &'a CStr, not: &'static str) -> Result<&'a str> {
    c.to_str().map_err(|_| Fail::Misuse(not))
}

/// What C says that messages are, if it does.
pub(crate) unsafe fn description(what: *const SaltusType) -> Result<Option<Description>> {
    const NOT_TEXT: &str = "a type's name or schema is not UTF-8";
    // SAFETY: the header demands a structure, or NULL.
    let Some(what) = (unsafe { what.as_ref() }) else { return Ok(None) };
    // SAFETY: the header demands strings in it.
    let (name, schema) = unsafe {
        (string(what.name, "the type's name is NULL")?, string(what.schema, "the schema is NULL")?)
    };
    Ok(Some(Description {
        name: text(name, NOT_TEXT)?.into(),
        fingerprint: what.fingerprint,
        schema: text(schema, NOT_TEXT)?.into(),
    }))
}
