//! The spy in a browser: a page, its server, and a player of logs.
//!
//! ```text
//! saltus-spy: Model ──► Viewer, one for each page: what it shows, and nothing else ──► WebSocket ──► the page (assets/)
//! saltus-play: Player ─► Deck: a thread that publishes what logs have, and obeys ◄──────── WebSocket ◄──┘
//! ```
//!
//! The server runs in one thread. It listens on loopback unless it is told otherwise, refuses pages of other sites, and asks
//! for a token beyond loopback. Each client has a bounded number of bytes to say things with, one frame under way at a time, and no
//! queue: who is slow gets fewer frames, and who takes none for 10 s is let go.
//!
//! The page is files of their own, embedded as they are. `docs/spy-web.md` has what the two say to each other, and how a
//! view of one's own is written.

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

/// What a server shows, and where.
pub struct Options {
    /// Where to listen. Beyond loopback a token is asked for.
    pub listen: SocketAddr,
    /// What is watched.
    pub watch: Watch,
    /// What that is called, for people: URLs of domains.
    pub domains: Vec<String>,
    /// A player to steer, if logs are played.
    pub deck: Option<Deck>,
    /// A folder with views of one's own.
    pub views: Option<PathBuf>,
}

/// All rows are made anew at most this often, however many pages look: nobody reads faster.
const ROWS: Duration = Duration::from_millis(200);

/// All rows, the number of them, from 1, and when they were made.
#[derive(Clone)]
struct Rows {
    number: u64,
    at: Instant,
    rows: Arc<Vec<Row>>,
}

/// What all connections share.
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

    /// All rows, nearly now.
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
