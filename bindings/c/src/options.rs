//! How a subscriber joins a channel.

use crate::attributes::flag;
use crate::border::{Fail, Result, call};
use crate::code::SALTUS_OK;
use crate::sized::{self, Growing};
use saltus_channel::{Start, SubscriberOptions};
use std::ffi::c_int;
use std::time::Duration;

/// Start at the present newest message, which counts as unseen. The default.
pub const SALTUS_START_NEWEST: u32 = 0;
/// Start with what is published from now on.
pub const SALTUS_START_NOW: u32 = 1;
/// Start at the oldest message kept.
pub const SALTUS_START_OLDEST: u32 = 2;

/// How a subscriber joins. Fill it with saltus_channel_options_init(), then change what shall be different.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusChannelOptions {
    /// Bytes that this structure has for the program; set by saltus_channel_options_init(), not to be changed.
    pub size: usize,
    /// How long a wait looks again and again before it sleeps, in ns; for isolated processors. Default 0.
    pub spin: u64,
    /// 0: sleeps until it is woken. Else it never asks to be woken and looks by itself every so many ns: for tools
    /// that watch. Default 0.
    pub quiet: u64,
    /// SALTUS_START_NEWEST, SALTUS_START_NOW or SALTUS_START_OLDEST.
    pub start: u32,
    /// 1: keeps a file of counters for tools (4 KiB), if permissions and memory allow. Default 1.
    pub counters: u32,
    /// 1: these counters include the time from publish to receive: one reading of the clock a message. Default 1.
    pub latency: u32,
    /// 1: saltus_channel_cancel() calls off this subscriber's waits. It then counts twice in saltus_channel_wait_any(). Default 1.
    pub cancelable: u32,
}

// SAFETY: numbers only; the size first; three 8-byte fields and four 4-byte ones leave no padding.
unsafe impl Growing for SaltusChannelOptions {
    const FIRST: usize = 40;
    const DEFAULT: SaltusChannelOptions = SaltusChannelOptions {
        size: size_of::<SaltusChannelOptions>(),
        spin: 0,
        quiet: 0,
        start: SALTUS_START_NEWEST,
        counters: 1,
        latency: 1,
        cancelable: 1,
    };
}

/// Fills `options` with the defaults. `size` is sizeof(saltus_channel_options).
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or a senseless size).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_channel_options_init(
    options: *mut SaltusChannelOptions,
    size: usize,
) -> c_int {
    call(|| {
        // SAFETY: the header demands room for `size` bytes.
        unsafe { sized::write(options, size, &SaltusChannelOptions::DEFAULT)? };
        Ok(SALTUS_OK)
    })
}

/// What C asks for, as Rust has it, and whether it shall be cancelable. NULL asks for the defaults.
pub(crate) unsafe fn read(from: *const SaltusChannelOptions) -> Result<(SubscriberOptions, bool)> {
    // SAFETY: as the caller has it.
    let c = unsafe { sized::read(from)? };
    let start = match c.start {
        SALTUS_START_NEWEST => Start::Newest,
        SALTUS_START_NOW => Start::Now,
        SALTUS_START_OLDEST => Start::Oldest,
        _ => return Err(Fail::Misuse("options: start is none of SALTUS_START_*")),
    };
    let mut options = SubscriberOptions::new()
        .start(start)
        .spin(Duration::from_nanos(c.spin))
        .counters(flag(c.counters, "options: counters is neither 0 nor 1")?)
        .latency(flag(c.latency, "options: latency is neither 0 nor 1")?);
    if c.quiet != 0 {
        options = options.quiet(Duration::from_nanos(c.quiet));
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
        let all = SaltusChannelOptions { spin: 5, quiet: 6, start: SALTUS_START_OLDEST, counters: 0, ..c };
        let all = SaltusChannelOptions { latency: 0, cancelable: 0, ..all };
        let ns = Duration::from_nanos;
        let want = new().spin(ns(5)).quiet(ns(6)).start(Start::Oldest).counters(false).latency(false);
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
