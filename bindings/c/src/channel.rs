//! Channels: create, open, wait for, remove.

use crate::attributes::{self, SaltusAttributes};
use crate::border::{Result, call, name, string, text};
use crate::clock::until;
use crate::code::{SALTUS_OK, SaltusError};
use crate::handle::{close, kind, open, shared};
use crate::sized;
use saltus_channel::{Channel, Directory};
use std::ffi::c_char;

/// An open channel, from which you open publishers and subscribers. It holds two file descriptors, however many of them are open.
///
/// Several threads may use it at the same time.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusChannel {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
kind!(SaltusChannel, 1, "the channel", Channel);

/// The domain that C names; NULL is `$SALTUS_DOMAIN`, or else `shm://`.
unsafe fn domain(url: *const c_char) -> Result<Directory> {
    if url.is_null() {
        return Ok(Directory::from_env()?);
    }
    // SAFETY: as the caller has it.
    let url = unsafe { string(url, "the domain is NULL")? };
    Ok(Directory::open(text(url, "the domain's URL is not UTF-8")?)?)
}

/// Finds the domain, and gives out the channel that `make` makes there of a name and attributes.
unsafe fn create(
    url: *const c_char,
    channel: *const c_char,
    attributes: *const SaltusAttributes,
    out: *mut SaltusChannel,
    make: fn(&Directory, &[u8], &saltus_channel::Attributes) -> saltus_channel::Result<Channel>,
) -> SaltusError {
    let made = || {
        // SAFETY: the header demands strings, and attributes with their size or NULL.
        let (domain, name, with) = unsafe { (domain(url)?, name(channel)?, attributes::read(attributes)?) };
        Ok(Some(make(&domain, name, &with)?))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(out, made) }
}

/// saltus_channel_create creates channel `name` in `domain` and opens it. The channel appears in one step, complete.
///
/// `domain`: a URL ("shm://", "shm://NAME", "shm:///dev/shm/DIRECTORY"), or NULL for $SALTUS_DOMAIN, else "shm://".
/// `name`: 1 to 63 bytes of any value. `attributes`: NULL for the defaults.
/// `*channel` gets the handle, which you close with saltus_channel_close(); its id is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_create(
    domain: *const c_char,
    name: *const c_char,
    attributes: *const SaltusAttributes,
    channel: *mut SaltusChannel,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { create(domain, name, attributes, channel, |domain, name, with| domain.create(name, with)) }
}

/// saltus_channel_open_or_create opens channel `name`, or creates it if it does not exist. An existing channel keeps its attributes;
/// `attributes` is then ignored.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_open_or_create(
    domain: *const c_char,
    name: *const c_char,
    attributes: *const SaltusAttributes,
    channel: *mut SaltusChannel,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe {
        create(domain, name, attributes, channel, |domain, name, with| domain.open_or_create(name, with))
    }
}

/// saltus_channel_replace creates channel `name` in place of the existing one, if any. The users of the old channel get SALTUS_RETIRED.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_replace(
    domain: *const c_char,
    name: *const c_char,
    attributes: *const SaltusAttributes,
    channel: *mut SaltusChannel,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { create(domain, name, attributes, channel, |domain, name, with| domain.replace(name, with)) }
}

/// saltus_channel_open opens channel `name`, which must exist.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_open(
    domain: *const c_char,
    name: *const c_char,
    channel: *mut SaltusChannel,
) -> SaltusError {
    // SAFETY: as the header demands; NULL is allowed for attributes.
    unsafe { create(domain, name, std::ptr::null(), channel, |domain, name, _| domain.open_channel(name)) }
}

/// saltus_channel_wait_for waits until channel `name` exists and opens it. Use it where subscribers may start before publishers.
///
/// Arguments and costs: as saltus_channel_create(); blocks until the channel exists, at most until `until` (see "Time"), and checks
/// every 10 ms.
/// Returns SALTUS_NOTHING if the channel does not exist in time; the id of `*channel` is then 0.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_wait_for(
    domain: *const c_char,
    name: *const c_char,
    until: u64,
    channel: *mut SaltusChannel,
) -> SaltusError {
    let wait = || {
        // SAFETY: the header demands strings.
        let (domain, name) = unsafe { (self::domain(domain)?, self::name(name)?) };
        Ok(domain.wait_for(name, self::until(until))?)
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(channel, wait) }
}

/// saltus_channel_unlink removes channel `name` from `domain`. Publishers that have it open get SALTUS_RETIRED, and subscribers do once
/// they have received all messages.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_unlink(domain: *const c_char, name: *const c_char) -> SaltusError {
    call(|| {
        // SAFETY: the header demands strings.
        let (domain, name) = unsafe { (self::domain(domain)?, self::name(name)?) };
        domain.unlink(name)?;
        Ok(SALTUS_OK)
    })
}

/// saltus_channel_close closes a channel. Its publishers and subscribers stay open. No other thread may be in a call with the handle.
///
/// Blocks: never. Allocates: no. Kernel: yes, to unmap the channel when the last user closes it.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_close(channel: SaltusChannel) -> SaltusError {
    close(channel)
}

/// saltus_channel_attributes returns the attributes that the channel was created with; mode and group as they were when it was opened.
/// A buffer of `max_message_size` bytes fits every message. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, an impossible size, or closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_attributes(
    channel: SaltusChannel,
    attributes: *mut SaltusAttributes,
    size: usize,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands that no thread closes it in the meantime.
        let channel = unsafe { shared(channel)? };
        // SAFETY: the header demands room for `size` bytes.
        unsafe { sized::write(attributes, size, &attributes::from_rust(channel.attributes()))? };
        Ok(SALTUS_OK)
    })
}
