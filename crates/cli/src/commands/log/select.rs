//! Which messages of a log are meant.

use clap::Args;
use saltus_domain::Pattern;
use saltus_log::edit::{Moment, Selection, Times as Part};

use crate::failure::{Code, Failure, Outcome};

/// By channel.
#[derive(Args, Default)]
pub(crate) struct Channels {
    /// Only channels whose whole name this regular expression matches; may be given several times
    #[arg(short, long = "channel", value_name = "REGEX")]
    channels: Vec<String>,

    /// All channels but those of --channel
    #[arg(short, long, requires = "channels")]
    invert: bool,
}

/// By time.
#[derive(Args, Default)]
pub(crate) struct Times {
    /// From this time on: so long after the first event (90s, 2.5m), or @SECONDS since 1970
    #[arg(short = 's', long, value_name = "TIME")]
    from: Option<Moment>,

    /// Up to this time, and not that itself; as --from
    #[arg(short = 'e', long, value_name = "TIME")]
    to: Option<Moment>,
}

/// What is meant by these.
pub(crate) fn selection(channels: &Channels, times: &Times) -> Outcome<Selection<'static>> {
    let pattern = |text: &String| Ok(Pattern::regex(text)?);
    let patterns = channels.channels.iter().map(pattern).collect::<Outcome<Vec<Pattern>>>()?;
    let invert = channels.invert;
    let matches = move |name: &[u8]| patterns.iter().any(|pattern| pattern.matches(name)) != invert;
    let part = Part { from: times.from, to: times.to };
    Ok(if channels.channels.is_empty() {
        Selection::new(part, |_| true)
    } else {
        Selection::new(part, matches)
    })
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
