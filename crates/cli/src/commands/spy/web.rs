//! `saltus spy --web`: the spy in a browser.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use saltus_domain::Domain;
use saltus_spy::{Options, Source, Watch};
use saltus_types::Schema;
use saltus_web::{Deck, Error, Server, Stop};

use crate::exit::{Code, Failure, Outcome, note, readable};
use crate::flags::domain;
use crate::print::out::Out;
use crate::stop;

/// The options of the spy in a browser.
#[derive(Args)]
pub(crate) struct Web {
    /// Serve a page to browsers and print its URL
    #[arg(long, conflicts_with_all = ["once", "json", "mouse"])]
    pub(crate) web: bool,

    /// Address and port to listen on (requires --web)
    ///
    /// Browsers on other machines need the token in the URL.
    #[arg(long, value_name = "ADDR:PORT", requires = "web", default_value = "127.0.0.1:8760")]
    listen: SocketAddr,

    /// Require a token on this machine too (requires --web)
    ///
    /// Without it, programs of other users are refused at loopback addresses. With it, everyone who has the printed URL may connect.
    #[arg(long, requires = "web")]
    token: bool,

    /// Directory with your own views (requires --web)
    #[arg(long, value_name = "DIR", requires = "web")]
    views: Option<PathBuf>,

    /// Play FILE, controlled from the page (repeatable, with --web)
    #[arg(long, value_name = "FILE", requires = "web")]
    play: Vec<PathBuf>,

    /// Publish the played messages in this domain (requires --play)
    #[arg(long, value_name = "URL", requires = "play")]
    publish: Option<String>,
}

/// Serves the page until a stop signal.
pub(crate) fn run(mut sources: Vec<Source>, types: Vec<Arc<Schema>>, args: Web) -> Outcome {
    let asked = Stop::new();
    let stopper = asked.clone();
    stop::cancel_with(move || stopper.ask());
    if let Some(folder) = args.views.as_ref().filter(|folder| !folder.is_dir()) {
        let words = format!("--views `{}`: expected a directory", folder.display());
        return Err(Failure::new(Code::Usage, words));
    }
    args.play.iter().try_for_each(|log| readable(log))?;
    let mut deck = None;
    if !args.play.is_empty() {
        let domain = match &args.publish {
            Some(url) => domain::network(url)?,
            None => Domain::open("mem://")?,
        };
        deck = Some(Deck::start(&args.play, &domain, &types, &asked).map_err(failure)?);
        let wants = sources.first().and_then(|source| source.wants.clone());
        sources = vec![Source { domain, wants }];
    }
    let domains = sources.iter().map(|source| source.domain.url().to_string()).collect();
    let watch = Watch::start(sources, Options { types, ..Options::default() })?;
    let options = saltus_web::Options {
        listen: args.listen,
        token: args.token,
        watch,
        domains,
        deck,
        views: args.views,
    };
    let server = Server::bind(options, &asked).map_err(failure)?;
    let mut out = Out::new()?;
    out.line(server.url())?;
    out.flush()?;
    note(format_args!("open that in a browser; Ctrl-C stops it"));
    if !server.address().ip().is_loopback() {
        note(format_args!(
            "anyone with this URL can see all messages and control the player; the connection is not encrypted"
        ));
    }
    server.run().map_err(failure)
}

fn failure(error: Error) -> Failure {
    Failure::new(Code::Failed, error.to_string())
}
