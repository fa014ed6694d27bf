//! One direction of a bridge.

use crate::Rename;
use saltus_domain::{Domain, Name, Options, Pattern};
use std::borrow::Cow;

/// The domains, channels and limits of one direction. A builder.
#[derive(Clone, Debug)]
pub struct Route {
    pub(crate) from: Domain,
    pub(crate) to: Domain,
    pub(crate) channels: Pattern,
    /// The channels among these that are not carried.
    pub(crate) except: Option<Pattern>,
    pub(crate) rename: Option<Rename>,
    pub(crate) options: Options,
    /// Least time between two messages of a channel, in ns.
    pub(crate) period: u64,
}

impl Route {
    /// Carries all channels of `from` under their own names, and every message as long as at most 1,000 of a
    /// channel are waiting.
    pub fn new(from: &Domain, to: &Domain) -> Route {
        Route {
            from: from.clone(),
            to: to.clone(),
            channels: Pattern::all(),
            except: None,
            rename: None,
            options: Options::next(1000).at_most(),
            period: 0,
        }
    }
    /// Which channels are carried.
    pub fn channels(mut self, channels: Pattern) -> Route {
        self.channels = channels;
        self
    }
    /// Which of the chosen channels are not carried.
    pub fn except(mut self, channels: Pattern) -> Route {
        self.except = Some(channels);
        self
    }
    /// The names of channels on the other side.
    pub fn rename(mut self, rename: Rename) -> Route {
        self.rename = Some(rename);
        self
    }
    /// Whether the newest message of each channel is carried or all, and where to start.
    pub fn options(mut self, options: Options) -> Route {
        self.options = options;
        self
    }
    /// The name of a channel on the other side.
    pub(crate) fn name<'a>(&self, channel: &'a Name) -> Cow<'a, [u8]> {
        let name = channel.as_bytes();
        self.rename.as_ref().map_or(name.into(), |rename| rename.apply(name))
    }
    /// At most `hertz` messages per second of each channel; of those between, the newest is carried. At most 10^9;
    /// 0: no limit.
    pub fn max_rate(mut self, hertz: f64) -> Route {
        self.period = if hertz > 0.0 { (1e9 / hertz) as u64 } else { 0 };
        self
    }
}
