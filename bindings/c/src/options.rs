//! The options of a channel's subscriber.

use crate::attributes::flag;
use crate::border::{Fail, Result};
use crate::code::SaltusError;
use crate::sized::{self, Growing};
use saltus_channel::{Start, SubscriberOptions};
use std::time::Duration;

/// Start with the current newest message, which counts as not yet received. The default.
pub const SALTUS_START_NEWEST: u32 = 0;
/// Start with the messages published from now on.
pub const SALTUS_START_NOW: u32 = 1;
/// Start with the oldest message kept.
pub const SALTUS_START_OLDEST: u32 = 2;

/// How a subscriber of a channel starts and waits. Fill it with saltus_channel_options_init(), then set the fields you want to change.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusChannelOptions {
    /// The size of this structure in the program; set by saltus_channel_options_init(). Do not change it.
    pub size: usize,
    /// How long a wait polls before it sleeps, in ns; for isolated CPUs. Default 0.
    pub spin: u64,
    /// 0: a wait sleeps until a publisher wakes it. Else it never asks to be woken and checks at this period in ns: for monitoring
    /// tools. Default 0.
    pub poll_every: u64,
    /// SALTUS_START_NEWEST, SALTUS_START_NOW or SALTUS_START_OLDEST.
    pub start: u32,
    /// 1: keeps a file of counters for tools (4 KiB), if permissions and memory allow it. Default 1.
    pub counters: u32,
    /// 1: these counters include the time from publish to receive, at the cost of one clock reading per message. Default 1.
    pub latency: u32,
    /// 1: saltus_channel_cancel() can cancel this subscriber's waits, which counts twice in saltus_channel_wait_any(). Default 1.
    pub cancelable: u32,
}

// SAFETY: numbers only; the size first; three 8-byte fields and four 4-byte ones leave no padding.
unsafe impl Growing for SaltusChannelOptions {
    const FIRST: usize = 40;
    const DEFAULT: SaltusChannelOptions = SaltusChannelOptions {
        size: size_of::<SaltusChannelOptions>(),
        spin: 0,
        poll_every: 0,
        start: SALTUS_START_NEWEST,
        counters: 1,
        latency: 1,
        cancelable: 1,
    };
}

/// saltus_channel_options_init fills `options` with the defaults. `size` is sizeof(saltus_channel_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or an impossible size).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_options_init(
    options: *mut SaltusChannelOptions,
    size: usize,
) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { sized::init(options, size) }
}

/// Where to start.
pub(crate) fn start(number: u32) -> Result<Start> {
    match number {
        SALTUS_START_NEWEST => Ok(Start::Newest),
        SALTUS_START_NOW => Ok(Start::Now),
        SALTUS_START_OLDEST => Ok(Start::Oldest),
        _ => Err(Fail::Misuse("options: start: expected a SALTUS_START_* value")),
    }
}

/// The options that C asks for, as Rust has them, and whether the subscriber is cancelable. NULL asks for the defaults.
pub(crate) unsafe fn read(from: *const SaltusChannelOptions) -> Result<(SubscriberOptions, bool)> {
    // SAFETY: as the caller has it.
    let c = unsafe { sized::read(from)? };
    let mut options = SubscriberOptions::new()
        .start(start(c.start)?)
        .spin(Duration::from_nanos(c.spin))
        .counters(flag(c.counters, "options: counters is neither 0 nor 1")?)
        .latency(flag(c.latency, "options: latency is neither 0 nor 1")?);
    if c.poll_every != 0 {
        options = options.poll_every(Duration::from_nanos(c.poll_every));
    }
    Ok((options, flag(c.cancelable, "options: cancelable is neither 0 nor 1")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(c: &SaltusChannelOptions) -> Option<String> {
        // SAFETY: a live structure with its size.
        unsafe { read(c) }.ok().map(|read| format!("{read:?}"))
    }

    #[test]
    fn every_option_crosses() {
        let rust =
            |options: SubscriberOptions, cancelable: bool| Some(format!("{:?}", (options, cancelable)));
        let new = SubscriberOptions::new;
        let c: SaltusChannelOptions = Growing::DEFAULT;
        assert_eq!(text(&c), rust(new(), true));
        assert_eq!(size_of::<SaltusChannelOptions>(), SaltusChannelOptions::FIRST, "the first version");
        let all =
            SaltusChannelOptions { spin: 5, poll_every: 6, start: SALTUS_START_OLDEST, counters: 0, ..c };
        let all = SaltusChannelOptions { latency: 0, cancelable: 0, ..all };
        let ns = Duration::from_nanos;
        let want = new().spin(ns(5)).poll_every(ns(6)).start(Start::Oldest).counters(false).latency(false);
        assert_eq!(text(&all), rust(want, false));
        assert_eq!(
            text(&SaltusChannelOptions { start: SALTUS_START_NOW, ..c }),
            rust(new().start(Start::Now), true)
        );
        let bad = [
            SaltusChannelOptions { start: 3, ..c },
            SaltusChannelOptions { counters: 2, ..c },
            SaltusChannelOptions { latency: 2, ..c },
            SaltusChannelOptions { cancelable: 2, ..c },
        ];
        assert!(bad.iter().all(|bad| text(bad).is_none()));
    }
}
