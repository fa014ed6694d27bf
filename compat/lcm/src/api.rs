//! The functions that C calls.

use crate::border::{call, string};
use saltus_domain::Error;
use saltus_lcm_core::{self as core, Instance, Message, Subscription, Woken};
use saltus_os::clock;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

/// LCM's `lcm_subscription_t`, whose address alone C has.
#[derive(Debug)]
pub struct LcmSubscription(());

/// LCM's `lcm_recv_buf_t`.
#[repr(C)]
struct ReceiveBuffer {
    data: *mut c_void,
    data_size: u32,
    recv_utime: i64,
    lcm: *const Instance,
}

/// LCM's `lcm_msg_handler_t`. A C++ exception may leave it.
type Handler = unsafe extern "C-unwind" fn(*const c_void, *const c_char, *mut c_void);

/// A handler that C gave, with what it is called with.
struct Called {
    handler: Handler,
    user: *mut c_void,
    lcm: *const Instance,
}

// SAFETY: `user` and `lcm` are only passed to the handler, in the thread that called lcm_handle.
unsafe impl Send for Called {}
// SAFETY: as above.
unsafe impl Sync for Called {}

impl core::Handler for Called {
    fn call(&self, channel: &CStr, message: &mut Message) {
        let buffer = ReceiveBuffer {
            data: message.data.as_mut_ptr().cast(),
            data_size: message.data.len() as u32,
            recv_utime: message.utime,
            lcm: self.lcm,
        };
        // SAFETY: C gave this function with these arguments; the buffer and the name live across the call.
        unsafe { (self.handler)((&raw const buffer).cast(), channel.as_ptr(), self.user) };
    }
}

/// Why a function fails.
struct Fail(String);

impl From<&str> for Fail {
    fn from(what: &str) -> Fail {
        Fail(what.into())
    }
}
impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        // At the end of a log, LCM returns -1 and prints nothing.
        Fail(if matches!(error, Error::Ended) { String::new() } else { error.to_string() })
    }
}
impl std::fmt::Display for Fail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The instance at this address, kept while the result lives: a handler may destroy it.
unsafe fn instance(lcm: *const Instance) -> Result<Arc<Instance>, Fail> {
    if lcm.is_null() {
        return Err("the lcm_t is NULL".into());
    }
    // SAFETY: not NULL, so it is from `lcm_create` and not destroyed, as the header demands.
    unsafe {
        Arc::increment_strong_count(lcm);
        Ok(Arc::from_raw(lcm))
    }
}

/// The subscription at this address.
unsafe fn subscription<'a>(at: *const LcmSubscription) -> Result<&'a Subscription, Fail> {
    if at.is_null() {
        return Err("the lcm_subscription_t is NULL".into());
    }
    // SAFETY: not NULL, so it is from `lcm_subscribe` and not ended, as the header demands.
    Ok(unsafe { &*at.cast() })
}

/// Connects to the network that a URL names. NULL: that is not possible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_create(url: *const c_char) -> *const Instance {
    call(std::ptr::null(), || -> Result<_, Fail> {
        // SAFETY: NULL, or a string with an end, as the header demands.
        let url = if url.is_null() { c"" } else { unsafe { string(url, "")? } };
        let url = url.to_str().map_err(|_| Fail(format!("the URL {url:?} is not UTF-8")))?;
        Ok(Arc::into_raw(Arc::new(Instance::open(url)?)))
    })
}

/// Disconnects, and ends all subscriptions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_destroy(lcm: *const Instance) {
    call((), || -> Result<(), Fail> {
        if !lcm.is_null() {
            // SAFETY: not NULL, so it is from `lcm_create` and was not destroyed, as the header demands.
            let lcm = unsafe { Arc::from_raw(lcm) };
            lcm.close();
        }
        Ok(())
    });
}

/// A descriptor that is readable while `lcm_handle` would not block. -1: an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_get_fileno(lcm: *const Instance) -> c_int {
    // SAFETY: the header demands an instance.
    call(-1, || -> Result<_, Fail> { Ok(unsafe { instance(lcm)? }.fd()?) })
}

/// Calls `handler` for messages on the channels that match. NULL: an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_subscribe(
    lcm: *const Instance,
    channel: *const c_char,
    handler: Option<Handler>,
    user: *mut c_void,
) -> *const LcmSubscription {
    call(std::ptr::null(), || -> Result<_, Fail> {
        // SAFETY: the header demands an instance and a string.
        let (lcm, channel) = unsafe { (instance(lcm)?, string(channel, "the pattern of channels is NULL")?) };
        let handler = handler.ok_or("the handler of a subscription is NULL")?;
        // The instance keeps it until it is ended.
        Ok(Arc::as_ptr(&lcm.subscribe(channel, Box::new(Called { handler, user, lcm: Arc::as_ptr(&lcm) }))?)
            .cast())
    })
}

/// Ends a subscription. 0, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_unsubscribe(lcm: *const Instance, handler: *const LcmSubscription) -> c_int {
    call(-1, || -> Result<_, Fail> {
        // SAFETY: the header demands an instance; the subscription is only compared.
        let ended = unsafe { instance(lcm)? }.unsubscribe(handler.cast())?;
        Ok(if ended { 0 } else { -1 })
    })
}

/// Publishes a message. 0, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_publish(
    lcm: *const Instance,
    channel: *const c_char,
    data: *const c_void,
    datalen: c_uint,
) -> c_int {
    call(-1, || -> Result<_, Fail> {
        // SAFETY: the header demands an instance and a string.
        let (lcm, channel) = unsafe { (instance(lcm)?, string(channel, "the name of a channel is NULL")?) };
        let data: &[u8] = match datalen as usize {
            0 => &[],
            _ if data.is_null() => return Err("the message is NULL, but its length is not 0".into()),
            // SAFETY: not NULL, so there are that many bytes, as the header demands.
            len => unsafe { std::slice::from_raw_parts(data.cast(), len) },
        };
        lcm.publish(channel, data)?;
        Ok(0)
    })
}

/// As in LCM, a wait that a signal ends is an error with `errno`, which prints nothing: a program that a signal asks to end checks it.
fn interrupted() -> c_int {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() = libc::EINTR };
    -1
}

/// Handles a message if there is one until `deadline`: `handled`; 0 if there is none, or -1.
unsafe fn handle(
    lcm: *const Instance,
    deadline: impl FnOnce() -> Result<Option<u64>, Fail>,
    handled: c_int,
) -> c_int {
    // SAFETY: the header demands an instance.
    let Some(lcm) = call(None, || -> Result<_, Fail> { Ok(Some(unsafe { instance(lcm)? })) }) else {
        return -1;
    };
    // Handlers are called outside of `call`, which no C++ exception may pass.
    match call(None, || -> Result<_, Fail> { Ok(Some(lcm.next(deadline()?)?)) }) {
        Some(Ok(message)) => {
            message.call();
            handled
        }
        Some(Err(Woken::Interrupted)) => interrupted(),
        Some(Err(_)) => 0,
        None => -1,
    }
}

/// Waits for a message and calls its handlers. 0, or -1, with EINTR in `errno` if a signal was handled.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn lcm_handle(lcm: *const Instance) -> c_int {
    // SAFETY: the header demands an instance.
    unsafe { handle(lcm, || Ok(None), 0) }
}

/// The same for at most `timeout_millis`. More than 0: a message was handled; 0: there was none; less: an error.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn lcm_handle_timeout(lcm: *const Instance, timeout_millis: c_int) -> c_int {
    let deadline = || {
        let time = u64::try_from(timeout_millis).map_err(|_| "the timeout is negative")?;
        Ok(Some(clock::monotonic().saturating_add(time * 1_000_000)))
    };
    // SAFETY: the header demands an instance.
    unsafe { handle(lcm, deadline, 1) }
}

/// Sets how many messages a subscription queues; 0 or less: all. 0, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_subscription_set_queue_capacity(
    handler: *const LcmSubscription,
    num_messages: c_int,
) -> c_int {
    call(-1, || -> Result<_, Fail> {
        // SAFETY: the header demands a subscription.
        unsafe { subscription(handler)? }.set_capacity(num_messages);
        Ok(0)
    })
}

/// How many queued messages a subscription will receive. -1: an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_subscription_get_queue_size(handler: *const LcmSubscription) -> c_int {
    // SAFETY: the header demands a subscription.
    call(-1, || -> Result<_, Fail> { Ok(unsafe { subscription(handler)? }.queued()) })
}
