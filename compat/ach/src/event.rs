//! The event loop over several channels.

use crate::abi::AchChannel;
use crate::border::{Result, call};
use crate::errors::{refused, status};
use crate::get::{Call, TURN};
use crate::status::*;
use crate::time::Limit;
use libc::timespec;
use saltus_channel::{Error, Retired, Subscriber, Until, clock, wait_any};
use saltus_os::process;
use std::ffi::{c_int, c_void};

/// `ACH_EV_O_PERIODIC_TIMEOUT`
const TIMEOUT: c_int = 1;
/// `ACH_EV_O_PERIODIC_INPUT`
const INPUT: c_int = 2;
/// The most channels: with their cancellations, as many as the kernel waits for at the same time.
const MOST: usize = 60;

/// `struct ach_evhandler`
#[repr(C)]
pub struct AchEvhandler {
    /// Its channel.
    pub channel: *mut AchChannel,
    /// The first argument of the handler.
    pub context: *mut c_void,
    /// Called to get a message.
    pub handler: Option<unsafe extern "C" fn(*mut c_void, *mut AchChannel) -> AchStatus>,
}

/// See `ach/experimental.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_evhandle(
    handlers: *mut AchEvhandler,
    n: usize,
    period: *const timespec,
    periodic_handler: Option<unsafe extern "C" fn(*mut c_void) -> AchStatus>,
    periodic_context: *mut c_void,
    options: c_int,
) -> AchStatus {
    call(|| {
        let wanted = options & (TIMEOUT | INPUT) != 0;
        if handlers.is_null() || n == 0 || wanted && periodic_handler.is_none() {
            return Err(ACH_EINVAL);
        }
        if n > MOST {
            let text = format_args!("an event loop over {n} channels: expected at most {MOST}");
            return Err(refused(ACH_ENOTSUP, libc::ENOTSUP, text));
        }
        // SAFETY: not NULL, so there are `n` structures, as the header demands.
        let handlers = unsafe { std::slice::from_raw_parts(handlers, n) };
        let period = if options & TIMEOUT == 0 {
            None
        } else if period.is_null() {
            return Err(ACH_EINVAL);
        } else {
            // SAFETY: not NULL, so it is a time.
            Some(unsafe { Limit::new(period, 0, libc::CLOCK_MONOTONIC)? }.ns().max(1))
        };
        let periodic = || match periodic_handler {
            // SAFETY: a function of the program, with its context.
            Some(function) => proceeds(unsafe { function(periodic_context) }),
            None => Ok(false),
        };
        let mut next = period.map(|period| clock::monotonic().saturating_add(period));
        loop {
            let mut is_new = false;
            for each in handlers {
                let handler = each.handler.ok_or(ACH_EINVAL)?;
                // SAFETY: a function of the program, with its context and its channel.
                is_new |= proceeds(unsafe { handler(each.context, each.channel) })?;
            }
            if is_new && options & INPUT != 0 {
                periodic()?;
            }
            if let (Some(at), Some(period)) = (next, period)
                && clock::monotonic() >= at
            {
                periodic()?;
                // A loop that was held up does not make up for what it missed.
                next = Some(at.saturating_add(period).max(clock::monotonic()));
            }
            if !is_new {
                wait(handlers, next.unwrap_or(u64::MAX))?;
            }
        }
    })
}

/// Whether there was something new; an error if it ends the loop.
fn proceeds(status: AchStatus) -> Result<bool> {
    match status {
        ACH_OK => Ok(true),
        ACH_STALE_FRAMES => Ok(false),
        other => Err(other),
    }
}

/// Waits until a channel has a message, until `deadline`, or for anything that a handler's get returns.
fn wait(handlers: &[AchEvhandler], deadline: u64) -> Result<()> {
    let mut calls = Vec::with_capacity(handlers.len());
    for (i, each) in handlers.iter().enumerate() {
        if handlers[..i].iter().any(|before| before.channel == each.channel) {
            continue; // it has several handlers
        }
        // SAFETY: the header demands structures.
        let call = match unsafe { Call::new(each.channel, |_| Ok(None)) } {
            // Another thread gets with this handle. Until it is done, the handlers find out what there is.
            Err(ACH_EAGAIN) => {
                process::sleep_until(deadline.min(clock::monotonic().saturating_add(TURN)));
                return Ok(());
            }
            call => call?,
        };
        if call.check_cancel().is_err() {
            return Ok(()); // the handler's get returns it
        }
        calls.push(call);
    }
    let mut subscribers: Vec<&mut Subscriber> = Vec::with_capacity(calls.len());
    for call in &mut calls {
        subscribers.push(&mut call.reader()?.subscriber);
    }
    match wait_any(&mut subscribers, Until::At(deadline)) {
        // Of a channel whose name is gone, whose users continue; of one that was replaced, which a get follows.
        Ok(_) | Err(Error::Canceled | Error::Retired { how: Retired::Vanished | Retired::Replaced, .. }) => {
            Ok(())
        }
        // Perhaps `ach_unlink` has taken the name away, and not yet the files. If not, the handler's get returns it.
        Err(Error::Retired { how: Retired::Removed, .. }) => {
            process::sleep_until(deadline.min(clock::monotonic().saturating_add(TURN)));
            Ok(())
        }
        Err(e) => Err(status(&e)),
    }
}
