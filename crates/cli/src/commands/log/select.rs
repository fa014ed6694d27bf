//! Selection of messages of a log.

use clap::Args;
use saltus_log::edit::{Moment, Selection, Times as Part};

use crate::exit::{Code, Failure, Outcome};
use crate::flags::selection::Matching;

/// Selection by channel.
#[derive(Args, Default)]
pub(crate) struct Channels {
    #[command(flatten)]
    matching: Matching,
}

/// Selection by time.
#[derive(Args, Default)]
pub(crate) struct Times {
    /// Start at TIME after the first event, or @SECONDS since 1970
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<Moment>,

    /// End before TIME after the first event, or @SECONDS
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<Moment>,
}

/// The parsed selection.
pub(crate) fn selection(channels: &Channels, times: &Times) -> Outcome<Selection<'static>> {
    if let Some(time) = channels.matching.texts().find(|text| text.parse::<Moment>().is_ok()) {
        let words = format!("-e selects channels, but `{time}` is a time: did you mean `--to {time}`?");
        return Err(Failure::new(Code::Usage, words));
    }
    let (pattern, invert) = channels.matching.meant()?;
    let part = Part { from: times.from, to: times.to };
    Ok(Selection::new(part, move |name: &[u8]| pattern.matches(name) != invert))
}

impl Times {
    /// Fails if neither end is given.
    pub(crate) fn some(&self) -> Outcome {
        match (self.from, self.to) {
            (None, None) => Err(Failure::new(Code::Usage, "expected a part to copy: --from, --to, or both")),
            _ => Ok(()),
        }
    }
}
