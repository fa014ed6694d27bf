//! Domains: the channels of one URL, over any transport.

use crate::border::{Fail, call, string, text};
use crate::code::{SALTUS_OK, SaltusError};
use crate::handle::{close, kind, open, used};
use saltus_domain::Domain;
use std::ffi::{CString, c_char, c_int, c_void};

/// An open domain: the channels that one URL reaches, in shared memory, in this process, in a log, or on a network. Several threads
/// may use it at the same time.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusDomain {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
kind!(SaltusDomain, 4, "the domain", Domain);

/// A function that receives the name of a channel; it returns 0 to continue, and anything else to stop. It must return: no longjmp, no
/// C++ exception.
pub type SaltusNameCallback =
    Option<unsafe extern "C" fn(name: *const c_char, context: *mut c_void) -> c_int>;

/// saltus_domain_open opens the domain at `url`, such as "shm://", "mem://", "udpm://239.255.76.67:7667?ttl=1" or
/// "file:///tmp/robot.log" (an LCM log); NULL is $SALTUS_DOMAIN, else "shm://". The guide's page on providers lists all. The call joins
/// no network and makes no file, except a log to write: the first publisher or subscriber that needs it does. You close `*domain` with
/// saltus_domain_close(); its id is 0 if the call fails.
///
/// Blocks: where it opens a log, to read it. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_NO_PROVIDER, SALTUS_NOT_FOUND and SALTUS_NOT_A_LOG (of a log), SALTUS_DENIED, SALTUS_NO_SPACE,
/// SALTUS_NETWORK, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_open(url: *const c_char, domain: *mut SaltusDomain) -> SaltusError {
    let make = || {
        if url.is_null() {
            return Ok(Some(Domain::from_env()?));
        }
        // SAFETY: not NULL, so it is a string, as the header demands.
        let url = text(unsafe { string(url, "")? }, "the domain's URL is not UTF-8")?;
        Ok(Some(Domain::open(url)?))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(domain, make) }
}

/// saltus_domain_close closes a domain. Its publishers, subscribers and dispatchers stay open.
///
/// Blocks: if nothing else of the domain is open, until its thread ends and the transport has sent all messages.
/// Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_close(domain: SaltusDomain) -> SaltusError {
    close(domain)
}

/// saltus_domain_channels calls `each` with the names of the domain's channels, in this thread: all of a domain in shared memory or of a
/// log; on a network, those that this process subscribes to and that had traffic. A name is valid during its call; a name
/// with a zero byte in it is left out. It passes `context` on.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID (NULL, or closed), SALTUS_DENIED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_channels(
    domain: SaltusDomain,
    each: SaltusNameCallback,
    context: *mut c_void,
) -> SaltusError {
    call(|| {
        let each = each.ok_or(Fail::Misuse("the function to call with names is NULL"))?;
        for name in used(domain)?.channels()? {
            let Ok(name) = CString::new(name.as_bytes()) else { continue };
            // SAFETY: the header demands a function of this kind; the name lives across the call.
            if unsafe { each(name.as_ptr(), context) } != 0 {
                break;
            }
        }
        Ok(SALTUS_OK)
    })
}
