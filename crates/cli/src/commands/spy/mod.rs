//! `saltus spy`: show channels, their messages and plots.

mod once;
mod web;

use std::io::{self, IsTerminal};
use std::time::Duration;

use clap::Args;
use saltus_spy::{Options, Source, Watch};

use crate::exit::{Code, Failure, Outcome};
use crate::flags::domain;
use crate::flags::help;
use crate::flags::time::at_least;
use crate::flags::types;
use crate::flags::{AnyNames, Json, TypeDirs};
use crate::stop;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, KEYS, help::PATTERNS]))]
pub(crate) struct Spy {
    #[command(flatten)]
    names: AnyNames,

    /// Include the domain URL too (repeatable)
    #[arg(long, value_name = "URL")]
    also: Vec<String>,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Print the table once and exit
    #[arg(long)]
    once: bool,

    /// Time that each report covers (requires --once)
    #[arg(short, long, value_name = "TIME", default_value = "2s", value_parser = interval)]
    interval: Duration,

    #[command(flatten)]
    json: Json,

    /// Use the mouse (most terminals then select text with Shift)
    #[arg(long)]
    mouse: bool,

    #[command(flatten)]
    web: web::Web,
}

const EXAMPLES: &str = "\
Examples:
  saltus spy                            all channels of this machine
  saltus spy 'SCAN*' -I types           types from files, if none are stored
  saltus spy --domain udpm:// --also shm://
  saltus spy --domain file:///data/run.lcmlog -I types
  saltus spy --once --json | jq 'select(.stale) | .channel'
  saltus spy --web                      in a browser
  saltus spy --web --play run.mcap      play a log in the browser";

const KEYS: &str = "\
Keys:
  arrows or hjkl   move; left and right choose the column to sort by
  r                reverse the order
  /                show only channels with these words; !word leaves out
  Enter            open a channel; inside it, fold and unfold
  p                plot the number, or close it; + and - zoom, e exports CSV
  Space            pause
  Esc              back
  ?                all keys
  q, Ctrl-C        quit";

fn interval(text: &str) -> Result<Duration, String> {
    at_least(text, Duration::from_millis(100), "100ms")
}

/// Shows channels until a stop signal.
pub(crate) fn run(url: Option<&str>, spy: Spy) -> Outcome {
    let web = spy.web.web;
    let once = spy.once || spy.json.json;
    if !once && !web && !io::stdout().is_terminal() {
        let words = "standard output is not a terminal: `saltus spy --once` prints the table once, with --json for programs; --web shows it in a browser";
        return Err(Failure::new(Code::Usage, words));
    }
    stop::on_signals()?;
    let mut types = types::everything(&spy.dirs)?;
    types.extend(types::carried());
    if web {
        return web::run(spy.sources(url)?, types, spy.web);
    }
    let options = Options { types, ..Options::default() };
    let sources = spy.sources(url)?;
    let finders = once.then(|| once::Finders::new(&sources)).transpose()?;
    let watch = Watch::start(sources, options)?;
    if let Some(finders) = finders {
        return once::run(&watch, finders, spy.interval, spy.json.json);
    }
    saltus_spy_tui::run(&watch, spy.mouse, stop::requested)
        .map_err(|e| Failure::new(Code::Failed, format!("cannot use the terminal: {e}")))
}

impl Spy {
    fn sources(&self, url: Option<&str>) -> Outcome<Vec<Source>> {
        let urls = [url.unwrap_or("shm://")].into_iter().chain(self.also.iter().map(String::as_str));
        let mut sources: Vec<Source> = Vec::new();
        for url in urls {
            let domain = domain::network(url)?;
            if sources.iter().any(|source| source.domain.is(&domain)) {
                return Err(Failure::new(
                    Code::Usage,
                    format!("{url} is given twice: name each domain once"),
                ));
            }
            sources.push(Source { wants: self.names.meant()?.subscription()?.1, ..Source::all(domain) });
        }
        Ok(sources)
    }
}
