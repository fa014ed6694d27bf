//! Which messages of a log are meant.

use clap::Args;
use saltus_log::edit::{Moment, Selection, Times as Part};

use crate::exit::{Code, Failure, Outcome};
use crate::flags::selection::Matching;

/// By channel.
#[derive(Args, Default)]
pub(crate) struct Channels {
    #[command(flatten)]
    matching: Matching,

    /// As -v, in lcm-logfilter
    #[arg(short = 'i', hide = true)]
    others: bool,
}

/// By time.
#[derive(Args, Default)]
pub(crate) struct Times {
    /// From this time on: so long after the first event (90s, 2.5m), or @SECONDS since 1970
    #[arg(long, value_name = "TIME", short_alias = 's')]
    from: Option<Moment>,

    /// Up to this time, and not that itself; as --from
    #[arg(long, value_name = "TIME")]
    to: Option<Moment>,
}

/// What is meant by these.
pub(crate) fn selection(channels: &Channels, times: &Times) -> Outcome<Selection<'static>> {
    if let Some(time) = channels.matching.texts().find(|text| text.parse::<Moment>().is_ok()) {
        let words = format!("-e selects channels, and `{time}` is a time: --to says where to end");
        return Err(Failure::new(Code::Usage, words));
    }
    let (pattern, invert) = channels.matching.meant()?;
    let invert = invert || channels.others;
    let part = Part { from: times.from, to: times.to };
    Ok(Selection::new(part, move |name: &[u8]| pattern.matches(name) != invert))
}

impl Times {
    /// Fails if neither end is given.
    pub(crate) fn some(&self) -> Outcome {
        match (self.from, self.to) {
            (None, None) => Err(Failure::new(Code::Usage, "say where to cut: --from, --to, or both")),
            _ => Ok(()),
        }
    }
}
