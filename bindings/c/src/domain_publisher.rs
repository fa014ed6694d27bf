//! Publishing in a domain.

use crate::border::{call, name, slice, write_unless_null};
use crate::code::{SALTUS_OK, SaltusError};
use crate::domain::SaltusDomain;
use crate::handle::{close, kind, locked, open, used};
use crate::types::{SaltusType, description};
use saltus_domain::Publisher;
use std::cell::UnsafeCell;
use std::ffi::{c_char, c_void};

/// A publisher in one channel of a domain. One call at a time may use it: a second call at the same time is refused.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusDomainPublisher {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
kind!(SaltusDomainPublisher, 5, "the publisher", UnsafeCell<Publisher>);

/// saltus_domain_publisher_open opens a publisher in channel `channel`, a name of 1 to 63 bytes. `type`: the type of its messages, so
/// that tools can read them; NULL for untyped bytes. You close `*publisher` with saltus_domain_publisher_close(); its id is 0 if the
/// call fails.
///
/// In shared memory the first message opens or creates the channel, for messages of up to twice its length; `depth` and `max_message_size`
/// in the URL override this.
///
/// Blocks: in the file system, or while it joins a network. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_UNSUPPORTED (zmq:// without an address).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publisher_open(
    domain: SaltusDomain,
    channel: *const c_char,
    r#type: *const SaltusType,
    publisher: *mut SaltusDomainPublisher,
) -> SaltusError {
    let make = || {
        // SAFETY: the header demands a string, and a structure of strings or NULL.
        let (channel, of) = unsafe { (name(channel)?, description(r#type)?) };
        let domain = used(domain)?;
        let publisher = match of {
            Some(of) => domain.publisher_described(channel, &of)?,
            None => domain.publisher(channel)?,
        };
        Ok(Some(UnsafeCell::new(publisher)))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(publisher, make) }
}

/// saltus_domain_publisher_close closes a publisher. Its messages stay.
///
/// Blocks: until the transport has sent all messages. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publisher_close(publisher: SaltusDomainPublisher) -> SaltusError {
    close(publisher)
}

/// saltus_domain_publish publishes a copy of the `len` bytes at `message`, which may be NULL if `len` is 0. The result never depends on
/// subscribers.
///
/// Blocks: in shared memory only for the first message, in the file system; on a network to keep the rate that the URL sets. Allocates:
/// for the first message. Kernel: in shared memory to wake blocked subscribers; on a network to send.
/// Fails: SALTUS_TOO_LONG, SALTUS_TOO_MANY_PUBLISHERS, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_INVALID,
/// SALTUS_UNSUPPORTED (in a log that is played).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publish(
    publisher: SaltusDomainPublisher,
    message: *const c_void,
    len: usize,
) -> SaltusError {
    call(|| {
        let mut publisher = locked(publisher)?;
        // SAFETY: the header demands `len` bytes there.
        publisher.publish(unsafe { slice(message, len)? })?;
        Ok(SALTUS_OK)
    })
}

/// saltus_domain_publish_with_timestamp publishes a message with a timestamp of your choice, for programs that replay a log: ns of boot time in
/// shared memory, of wall time in a log. `*given`, unless it is NULL, gets the timestamp that the message got: a publisher's timestamps
/// never decrease, and none is in the future.
///
/// Blocks, allocates, kernel: as saltus_domain_publish().
/// Fails: as that, and SALTUS_UNSUPPORTED where messages carry no timestamps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publish_with_timestamp(
    publisher: SaltusDomainPublisher,
    message: *const c_void,
    len: usize,
    timestamp_ns: i64,
    given: *mut i64,
) -> SaltusError {
    call(|| {
        let mut publisher = locked(publisher)?;
        // SAFETY: the header demands `len` bytes there.
        let got = publisher.publish_with_timestamp(unsafe { slice(message, len)? }, timestamp_ns)?;
        // SAFETY: the header demands room for it, or NULL.
        unsafe { write_unless_null(given, got) };
        Ok(SALTUS_OK)
    })
}
