//! Channels: made, opened, awaited, removed.

use crate::attributes::{self, SaltusAttributes};
use crate::border::{Fail, Result, call, hand_out, string, take_back};
use crate::code::SALTUS_OK;
use crate::handle::{Kind, shared};
use crate::sized;
use crate::wait::until;
use saltus_channel::{Channel, Domain};
use std::ffi::{c_char, c_int};

/// An open channel, from which publishers and subscribers are made. It holds two descriptors, however many those are.
///
/// The one kind of handle that several threads may use at the same time.
pub struct SaltusChannel(pub(crate) Channel);

impl Kind for SaltusChannel {
    const KIND: usize = 1;
}

/// The place for a channel that C wants to be given.
type Out = *mut *mut SaltusChannel;

const NO_NAME: &str = "the channel's name is NULL";
const NO_CHANNEL: &str = "the channel is NULL";

/// The domain that C names; NULL is `$SALTUS_DOMAIN`, or else `shm://`.
unsafe fn domain(url: *const c_char) -> Result<Domain> {
    if url.is_null() {
        return Ok(Domain::from_env()?);
    }
    // SAFETY: as the caller has it.
    let url = unsafe { string(url, "the domain is NULL")? };
    Ok(Domain::open(url.to_str().map_err(|_| Fail::Misuse("the domain's URL is not UTF-8"))?)?)
}

/// Finds domain and name, and gives out the channel that `make` makes of them.
unsafe fn give(
    url: *const c_char,
    name: *const c_char,
    out: Out,
    make: impl FnOnce(Domain, &[u8]) -> Result<Option<Channel>>,
) -> c_int {
    let made = || {
        // SAFETY: the header demands strings.
        let (domain, name) = unsafe { (domain(url)?, string(name, NO_NAME)?) };
        Ok(make(domain, name.to_bytes())?.map(SaltusChannel))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(out, made) })
}

/// Creates channel `name` in `domain`. It appears whole, in one step.
///
/// `domain`: a URL ("shm://", "shm://NAME", "shm:///dev/shm/DIRECTORY"), or NULL for $SALTUS_DOMAIN, or else "shm://".
/// `name`: 1 to 63 bytes of any kind. `attributes`: NULL for the defaults.
/// `*channel` gets the open channel, to be closed with saltus_channel_close(); NULL if it fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_create(
    domain: *const c_char,
    name: *const c_char,
    attributes: *const SaltusAttributes,
    channel: *mut *mut SaltusChannel,
) -> c_int {
    // SAFETY: as the header demands.
    unsafe {
        give(domain, name, channel, |domain, name| {
            Ok(Some(domain.create(name, &attributes::read(attributes)?)?))
        })
    }
}

/// Opens channel `name`; creates it if there is none. An existing one keeps its attributes, whatever these say.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_open_or_create(
    domain: *const c_char,
    name: *const c_char,
    attributes: *const SaltusAttributes,
    channel: *mut *mut SaltusChannel,
) -> c_int {
    // SAFETY: as the header demands.
    unsafe {
        give(domain, name, channel, |domain, name| {
            Ok(Some(domain.open_or_create(name, &attributes::read(attributes)?)?))
        })
    }
}

/// Creates channel `name`, in the place of the old one if there is one, whose users then get SALTUS_RETIRED.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_replace(
    domain: *const c_char,
    name: *const c_char,
    attributes: *const SaltusAttributes,
    channel: *mut *mut SaltusChannel,
) -> c_int {
    // SAFETY: as the header demands.
    unsafe {
        give(domain, name, channel, |domain, name| {
            Ok(Some(domain.replace(name, &attributes::read(attributes)?)?))
        })
    }
}

/// Opens channel `name`.
///
/// Arguments and costs: as saltus_channel_create().
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_open(
    domain: *const c_char,
    name: *const c_char,
    channel: *mut *mut SaltusChannel,
) -> c_int {
    // SAFETY: as the header demands.
    unsafe { give(domain, name, channel, |domain, name| Ok(Some(domain.open_channel(name)?))) }
}

/// Opens channel `name` as soon as it exists. Subscribers often start first.
///
/// Arguments and costs: as saltus_channel_create(); blocks until the channel exists, or until `until` (see "Time"), and
/// looks every 10 ms meanwhile.
/// Returns SALTUS_NOTHING, and `*channel` is NULL, if the channel does not exist until then.
/// Fails: SALTUS_INVALID, SALTUS_DENIED, SALTUS_DAMAGED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_wait_for(
    domain: *const c_char,
    name: *const c_char,
    until: u64,
    channel: *mut *mut SaltusChannel,
) -> c_int {
    // SAFETY: as the header demands.
    unsafe { give(domain, name, channel, |domain, name| Ok(domain.wait_for(name, self::until(until))?)) }
}

/// Removes channel `name` from `domain`. Those who have it open get SALTUS_RETIRED, subscribers once they have
/// received all that was published.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_INVALID, SALTUS_DENIED, SALTUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_unlink(domain: *const c_char, name: *const c_char) -> c_int {
    call(|| {
        // SAFETY: the header demands strings.
        let (domain, name) = unsafe { (self::domain(domain)?, string(name, NO_NAME)?) };
        domain.unlink(name.to_bytes())?;
        Ok(SALTUS_OK)
    })
}

/// Closes a channel. Publishers and subscribers made from it stay as they are. NULL does nothing.
///
/// Blocks: never. Allocates: no. Kernel: yes, to unmap once nothing uses the channel any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_close(channel: *mut SaltusChannel) {
    take_back(channel)
}

/// What the channel was created with; mode and group as they were when it was opened. Its frame_size is the size of
/// a buffer that every message fits into. `size` is sizeof(saltus_attributes).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_attributes(
    channel: *const SaltusChannel,
    attributes: *mut SaltusAttributes,
    size: usize,
) -> c_int {
    call(|| {
        // SAFETY: the header demands an open handle.
        let channel = unsafe { shared(channel, NO_CHANNEL)? };
        // SAFETY: the header demands room for `size` bytes.
        unsafe { sized::write(attributes, size, &attributes::from_rust(channel.0.attributes()))? };
        Ok(SALTUS_OK)
    })
}

/// The channel of a handle, for what is made from it.
pub(crate) unsafe fn channel<'a>(handle: *const SaltusChannel) -> Result<&'a Channel> {
    // SAFETY: the header demands an open handle.
    Ok(&unsafe { shared(handle, NO_CHANNEL)? }.0)
}
