//! Publishing in a domain.

use crate::border::{Result, call, hand_out, slice, take_back};
use crate::code::SALTUS_OK;
use crate::domain::{SaltusDomain, SaltusType, description, domain, name};
use crate::handle::{Guarded, Kind, Locked, locked};
use saltus_domain::Publisher;
use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_void};

/// Publishes in one channel of a domain. One call at a time may use it: a second one is refused.
pub struct SaltusDomainPublisher(UnsafeCell<Publisher>);

impl Kind for SaltusDomainPublisher {
    const KIND: usize = 5;
}
impl Guarded for SaltusDomainPublisher {
    type Own = Publisher;
    fn own(&self) -> &UnsafeCell<Publisher> {
        &self.0
    }
}

/// Makes a publisher in channel `channel`, 1 to 63 bytes. `what`: what its messages are, so that tools can read them; NULL if they
/// are only bytes. `*publisher` is to be closed with saltus_domain_publisher_close(); it is NULL if this fails.
///
/// In shared memory the channel is opened, or made, by the first message, with room for messages of twice its length; the URL's
/// `frames` and `frame_size` say otherwise.
///
/// Blocks: in the file system, or while a network is joined. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_UNSUPPORTED (zmq:// that does not say where).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publisher_open(
    domain: *const SaltusDomain,
    channel: *const c_char,
    what: *const SaltusType,
    publisher: *mut *mut SaltusDomainPublisher,
) -> c_int {
    let open = || {
        // SAFETY: the header demands a string, and a structure of strings or NULL.
        let (channel, what) = unsafe { (name(channel)?, description(what)?) };
        let domain = self::domain(domain)?;
        let publisher = match what {
            Some(what) => domain.0.publisher_described(channel, &what)?,
            None => domain.0.publisher(channel)?,
        };
        Ok(Some(SaltusDomainPublisher(UnsafeCell::new(publisher))))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(publisher, open) })
}

/// Closes a publisher. What it published stays. NULL does nothing.
///
/// Blocks: until what was sent is out, where the transport keeps it back. Allocates: no. Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publisher_close(publisher: *mut SaltusDomainPublisher) {
    take_back(publisher)
}

/// Publishes a copy of `len` bytes at `message`, which may be NULL if `len` is 0. The result never depends on subscribers.
///
/// Blocks: in shared memory only for the first message, in the file system; on a network for the pace that the URL sets. Allocates: for
/// the first message. Kernel: in shared memory to wake who sleeps; on a network what sending takes.
/// Fails: SALTUS_TOO_LONG, SALTUS_NO_LANE, SALTUS_NO_SPACE, SALTUS_DENIED, SALTUS_NETWORK, SALTUS_SYSTEM, SALTUS_INVALID,
/// SALTUS_UNSUPPORTED (in a log that is played).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publish(
    publisher: *mut SaltusDomainPublisher,
    message: *const c_void,
    len: usize,
) -> c_int {
    call(|| {
        let mut publisher = own(publisher)?;
        // SAFETY: the header demands `len` bytes there.
        publisher.publish(unsafe { slice(message, len)? })?;
        Ok(SALTUS_OK)
    })
}

/// Publishes a message as if it had been published at another time, for who publishes a log again: ns of boot time in shared
/// memory, of wall time in a log. `*given`, unless that is NULL, gets the stamp that the message got: a publisher's stamps
/// never go back, and none lies in the future.
///
/// Blocks, allocates, kernel: as saltus_domain_publish().
/// Fails: as that, and SALTUS_UNSUPPORTED where messages carry no stamps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_domain_publish_at(
    publisher: *mut SaltusDomainPublisher,
    message: *const c_void,
    len: usize,
    stamp: i64,
    given: *mut i64,
) -> c_int {
    call(|| {
        let mut publisher = own(publisher)?;
        // SAFETY: the header demands `len` bytes there.
        let got = publisher.publish_at(unsafe { slice(message, len)? }, stamp)?;
        if !given.is_null() {
            // SAFETY: not NULL, so there is room for it, as the header demands.
            unsafe { given.write(got) };
        }
        Ok(SALTUS_OK)
    })
}

fn own(publisher: *mut SaltusDomainPublisher) -> Result<Locked<SaltusDomainPublisher>> {
    locked(publisher, "the publisher is NULL")
}
