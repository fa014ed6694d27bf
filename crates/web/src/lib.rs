//! The spy in a browser: a page, its server, and a player of logs.
//!
//! ```text
//! saltus-spy: Model ──► Viewer, one for each page, with its displayed parts ──► WebSocket ──► the page (assets/)
//! saltus-play: Player ─► Deck: a thread that publishes logs, and handles requests ◄──────── WebSocket ◄──┘
//! ```
//!
//! The server runs in one thread. By default it listens on loopback. It refuses pages of other sites, refuses other users of this machine, and requires a token beyond loopback.
//! Each client has limits on the size of its requests, one frame in transit, and no queue. A slow client gets fewer frames; one that takes
//! none for 10 s is disconnected.
//!
//! The files of the page are embedded unchanged. `docs/spy-web.md` describes the protocol, and how to write your own view.

mod assets;
mod card;
mod deck;
mod error;
mod gate;
mod player;
mod protocol;
mod serve;
mod socket;
mod stop;
mod turn;
mod value;
mod viewer;

pub use deck::Deck;
pub use error::{Error, Result};
pub use serve::Server;
pub use stop::Stop;

use assets::Views;
use saltus_spy::{Row, Watch};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The configuration of a server.
pub struct Options {
    /// The address to listen on. Beyond loopback, clients need a token. On loopback only programs of this process's user and of root may
    /// connect.
    pub listen: SocketAddr,
    /// Whether clients need a token on loopback too. Then every user who has it may connect.
    pub token: bool,
    /// The watched domains.
    pub watch: Watch,
    /// Their URLs, for display.
    pub domains: Vec<String>,
    /// The player, if logs are played.
    pub deck: Option<Deck>,
    /// A directory with your own views.
    pub views: Option<PathBuf>,
}

/// Least time between two updates of the rows, shared by all pages.
const ROWS: Duration = Duration::from_millis(200);

/// All rows, the number of this update, from 1, and its time.
#[derive(Clone)]
struct Rows {
    number: u64,
    at: Instant,
    rows: Arc<Vec<Row>>,
}

/// The state shared by all connections.
struct State {
    watch: Watch,
    domains: Vec<String>,
    deck: Option<Deck>,
    views: Views,
    rows: Mutex<Option<Rows>>,
}

impl State {
    fn new(options: Options) -> State {
        let Options { watch, domains, deck, views, .. } = options;
        let types = deck.iter().flat_map(Deck::types);
        types.for_each(|schema| watch.model().add_types(schema));
        State { watch, domains, deck, views: Views(views), rows: Mutex::default() }
    }

    /// All rows, recently updated.
    fn rows(&self) -> Rows {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        match &*rows {
            Some(known) if known.at.elapsed() < ROWS => known.clone(),
            known => {
                let number = known.as_ref().map_or(0, |known| known.number) + 1;
                let fresh = Arc::new(self.watch.model().rows());
                rows.insert(Rows { number, at: Instant::now(), rows: fresh }).clone()
            }
        }
    }
}
