//! `saltus serve`: show channels to viewers, and play logs to them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use saltus_foxglove::{Error, Playing, Server, Settings, Tape};
use saltus_play::Reel;
use saltus_types::cdr::Dialect;
use serde::Serialize;

use super::log;
use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::domain;
use crate::flags::mcap::Schema;
use crate::flags::types;
use crate::flags::{Output, TypeDirs};
use crate::print::out::Out;
use crate::stop;
use saltus_text::units;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Logs to play, instead of showing channels
    #[arg(value_name = "FILE")]
    logs: Vec<PathBuf>,

    /// Use Foxglove's WebSocket protocol
    #[arg(long, required = true)]
    foxglove: bool,

    /// Address and port to listen on
    ///
    /// Clients on other machines need the printed token.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8765")]
    listen: SocketAddr,

    /// Require a token on this machine too
    ///
    /// Without it, programs of other users are refused at loopback addresses. With it, everyone who has the printed URL may connect.
    #[arg(long)]
    token: bool,

    /// Include the domain URL too (repeatable)
    ///
    /// The URL of the domain is then prefixed to the names of channels.
    #[arg(long, value_name = "URL", conflicts_with = "logs")]
    also: Vec<String>,

    #[command(flatten)]
    schema: Schema,

    /// Memory for messages that wait for one client
    ///
    /// Beyond it the oldest messages are dropped, counted and reported to the client.
    #[arg(long, value_name = "SIZE", value_parser = units::size, default_value = "16M")]
    queue: u64,

    /// Let clients publish
    #[arg(long, conflicts_with = "logs")]
    allow_publish: bool,

    /// Playback speed
    ///
    /// A factor from 0.01 to 100.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = speed)]
    speed: f64,

    /// Start paused
    ///
    /// Without it, playback starts when a client subscribes.
    #[arg(short, long)]
    paused: bool,

    /// Start again at the end
    #[arg(long = "loop")]
    repeat: bool,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  saltus serve --foxglove             then open ws://localhost:8765 in Foxglove
  saltus serve --foxglove --domain udpm:// -I types
  saltus serve --foxglove run.mcap    a log, with a play bar
  saltus serve --foxglove --listen 0.0.0.0:8765   elsewhere, with a token
  saltus serve --foxglove --allow-publish   clients may publish, with a token";

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if (0.01..=100.0).contains(&speed) => Ok(speed),
        _ => Err("expected a number from 0.01 to 100".into()),
    }
}

/// The line of `serve --json`, printed when clients can connect. Its fields are a stable interface.
#[derive(Serialize)]
struct Ready<'a> {
    url: String,
    address: String,
    token: Option<&'a str>,
}

/// Serves until a stop signal. `given` is the domain of the command line, `url` that or the environment's.
pub(crate) fn run(given: bool, url: Option<&str>, args: Serve) -> Outcome {
    stop::on_signals()?;
    if given && !args.logs.is_empty() {
        let words =
            "cannot play logs and show a domain in one server: run `saltus serve` twice, on two ports";
        return Err(Failure::new(Code::Usage, words));
    }
    let dialect = args.schema.dialect();
    let queue = usize::try_from(args.queue).unwrap_or(usize::MAX);
    let publish = args.allow_publish;
    let settings =
        Settings { listen: args.listen, dialect, publish, token: args.token, queue, ..Settings::default() };
    let mut server = Server::new(settings).map_err(failure)?;
    if args.logs.is_empty() {
        let first = url.unwrap_or("shm://");
        for url in std::iter::once(first).chain(args.also.iter().map(String::as_str)) {
            let prefix = if args.also.is_empty() { String::new() } else { format!("{url}/") };
            server.show(domain::network(url)?, prefix, types::types(&args.dirs)?).map_err(failure)?;
        }
    } else {
        server.play(args.tape(dialect)?).map_err(failure)?;
    }
    args.ready(&server)?;
    let (send, receive) = tokio::sync::oneshot::channel();
    stop::spawn("saltus-end", move || {
        while stop::sleep_until(std::time::Instant::now() + Duration::from_secs(3600)) {}
        let _ = send.send(()); // the receiver is gone if serving has failed
    })?;
    server.run(async { drop(receive.await) }).map_err(failure)
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Domain(error) => error.into(),
        Error::Options(words) => Failure::new(Code::Usage, words),
        _ => Failure::new(Code::Failed, error.to_string()),
    }
}

impl Serve {
    fn tape(&self, dialect: Dialect) -> Outcome<Tape> {
        let logs = self.logs.iter().map(|path| log::open(path, self.output.is_quiet()));
        let logs = logs.collect::<Outcome<_>>()?;
        let playing = Playing { speed: self.speed, paused: self.paused, repeat: self.repeat };
        let tape = Tape::new(Reel::new(logs), types::types(&self.dirs)?, dialect, playing);
        let tape = tape.map_err(|e| Failure::new(Code::Failed, e.to_string()))?;
        tape.ok_or_else(|| Failure::new(Code::Failed, "the logs have no events"))
    }

    /// Prints the address for clients.
    fn ready(&self, server: &Server) -> Outcome {
        if self.output.is_json() {
            let mut out = Out::new()?;
            let (url, address) = (server.url(), server.address().to_string());
            out.json(&Ready { url, address, token: server.token() })?;
            return out.flush();
        }
        if !self.output.is_quiet() || server.token().is_some() {
            note(format_args!("open {} in Foxglove or Lichtblick", server.url()));
        }
        Ok(())
    }
}
