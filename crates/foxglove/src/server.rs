//! The server: its address, and the domains or logs that it shows.

use crate::hub::Hub;
use crate::live::Live;
use crate::protocol::{self, OLD, SUBPROTOCOLS};
use crate::publishing::{self, Publishing};
use crate::session::Powers;
use crate::tape::Tape;
use crate::{Error, Result, socket};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use saltus_domain::Domain;
use saltus_door::{Admits, Limits};
use saltus_log::Types;
use saltus_os::{peer, process};
use saltus_types::cdr::Dialect;
use std::collections::HashMap;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::thread;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

/// Most clients at a time.
const CLIENTS: usize = 64;
/// Limits for connections that have not become clients. They have one request; a refused client must connect again.
const LIMITS: Limits =
    Limits { strangers: 64, head: HELLO, whole: Some(HELLO), keep_alive: false, admits: Admits::All };
/// Time to become a client.
const HELLO: Duration = Duration::from_secs(5);
/// Longest message of a client.
const LONGEST: usize = 1 << 20;
/// Most requests to the player that wait.
const ORDERS: usize = 64;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address to listen on; port 0 picks a free port.
    pub listen: SocketAddr,
    /// The name that clients show.
    pub name: String,
    /// The schema language.
    pub dialect: Dialect,
    /// Whether clients may publish in the shown domains.
    pub publish: bool,
    /// Whether clients on this machine need a token too. If they need none, only programs of this process's user and of root may connect.
    pub token: bool,
    /// Most bytes of messages that wait for one client. Beyond it, the oldest are dropped and counted.
    pub queue: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 8765)),
            name: concat!("saltus ", env!("CARGO_PKG_VERSION")).into(),
            dialect: Dialect::Ros2Msg,
            publish: false,
            token: false,
            queue: 16 << 20,
        }
    }
}

/// A server of the protocol. It listens from its creation, and serves in [`run`](Server::run).
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    token: Option<String>,
    settings: Settings,
    domains: Vec<(Domain, String, Types)>,
    tape: Option<Tape>,
}

impl Server {
    /// Starts to listen. Clients need a [token](Server::token) on other machines, if they may publish, and if the settings say so.
    ///
    /// # Errors
    /// The address is in use, or is not an address of this machine.
    pub fn new(settings: Settings) -> Result<Server> {
        let failed = |source| Error::Listen { address: settings.listen.to_string(), source };
        let listener = std::net::TcpListener::bind(settings.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        // Any web page in a browser on this machine can reach loopback. Without a token, it could publish. And other users could connect,
        // where the system does not report who does.
        let guarded =
            !address.ip().is_loopback() || settings.publish || settings.token || !peer::REPORTS_USERS;
        let token = guarded.then(process::secret).transpose().map_err(failed)?;
        Ok(Server { listener, address, token, settings, domains: Vec::new(), tape: None })
    }
    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// The value of `token` that clients need in their URL, if required.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }
    /// The URL for clients.
    pub fn url(&self) -> String {
        let token = self.token().map(|token| format!("?token={token}"));
        format!("ws://{}/{}", self.address, token.unwrap_or_default())
    }

    /// Shows the channels of a domain. Their names get the prefix `prefix`. `types` are known in addition to publishers' descriptions.
    ///
    /// # Errors
    /// The server already plays logs.
    pub fn show(&mut self, domain: Domain, prefix: impl Into<String>, types: Types) -> Result<()> {
        if self.tape.is_some() {
            return Err(BOTH);
        }
        self.domains.push((domain, prefix.into(), types));
        Ok(())
    }
    /// Plays logs.
    ///
    /// # Errors
    /// The server already shows a domain.
    pub fn play(&mut self, tape: Tape) -> Result<()> {
        if !self.domains.is_empty() {
            return Err(BOTH);
        }
        self.tape = Some(tape);
        Ok(())
    }

    /// Serves until `stop` arrives. Blocks. This thread serves sockets; each domain, and the logs, have their own thread.
    ///
    /// # Errors
    /// A domain cannot be opened, or a system call failed.
    pub fn run(self, stop: impl Future<Output = ()>) -> Result<()> {
        let (orders, received) = std::sync::mpsc::sync_channel(ORDERS);
        let publish = self.settings.publish && !self.domains.is_empty();
        let powers = Powers { publish, playback: self.tape.is_some() };
        let (mut inlets, mut outlets) = (Vec::new(), Vec::new());
        for (_, prefix, _) in self.domains.iter().filter(|_| publish) {
            let (send, receive) = tokio::sync::mpsc::channel(publishing::ORDERS);
            inlets.push((prefix.clone(), send));
            outlets.push(Publishing::new(receive));
        }
        let hub = Arc::new(Hub::new(self.settings.queue, powers.playback.then_some(orders), inlets));
        let mut capabilities = vec!["connectionGraph"];
        let mut span = None;
        if let Some(tape) = &self.tape {
            capabilities.extend(["time", "playbackControl"]);
            span = Some(tape.span());
        }
        let mut encodings: &[&str] = &[];
        if publish {
            capabilities.push("clientPublish");
            encodings = &publishing::ENCODINGS;
        }
        let session = format!("{:016x}", process::random());
        let first = protocol::info(&self.settings.name, &capabilities, encodings, &session, span);
        capabilities.retain(|capability| *capability != "playbackControl");
        let first_old = protocol::info(&self.settings.name, &capabilities, encodings, &session, span);
        let over = AtomicBool::new(false);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::Thread)?;
        let (mut lives, mut outlets) = (Vec::new(), outlets.into_iter());
        for (domain, prefix, types) in self.domains {
            let live = Live::new(hub.clone(), domain, prefix, types, self.settings.dialect)?;
            lives.push(live.with_publishing(outlets.next()));
        }
        let (tape, over) = (self.tape, &over);
        let served = thread::scope(|threads| {
            let thread = |name: &str| thread::Builder::new().name(name.into());
            let started = process::without_signals(|| {
                for live in lives {
                    thread("saltus-live").spawn_scoped(threads, || live.run(over))?;
                }
                if let Some(tape) = tape {
                    let hub = hub.clone();
                    thread("saltus-tape").spawn_scoped(threads, move || tape.run(hub, received, over))?;
                }
                Ok(())
            });
            let places = Arc::new(Semaphore::new(CLIENTS));
            let door = Door { hub: hub.clone(), first, first_old, token: self.token, powers, places };
            let served = started.map_err(Error::Thread).and_then(|()| {
                runtime.block_on(async {
                    tokio::select! {
                        served = serve(self.listener, Arc::new(door)) => served,
                        () = stop => Ok(()),
                    }
                })
            });
            over.store(true, Release); // pairs with the acquire loads of the threads
            served
        });
        runtime.shutdown_timeout(Duration::from_millis(100));
        served
    }
}

const BOTH: Error = Error::Options(
    "a server shows domains or plays logs, not both, because their times are unrelated: start two servers",
);

/// The state shared by all connections.
struct Door {
    hub: Arc<Hub>,
    first: String,
    /// The first message for clients whose protocol has no player.
    first_old: String,
    token: Option<String>,
    powers: Powers,
    /// Slots for clients. One is acquired after all other checks, and released when the connection ends.
    places: Arc<Semaphore>,
}

async fn serve(listener: std::net::TcpListener, door: Arc<Door>) -> Result<()> {
    let admits = if door.token.is_some() { Admits::All } else { Admits::OwnUser };
    let app = Router::new().route("/", get(enter)).with_state(door);
    Err(Error::Thread(saltus_door::accept(listener, app, Limits { admits, ..LIMITS }).await))
}

/// Handles the request of a connection to become a client.
async fn enter(
    State(door): State<Arc<Door>>,
    Query(query): Query<HashMap<String, String>>,
    upgrade: std::result::Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let refused = |code, words: &str| (code, format!("{words}\n")).into_response();
    let given = query.get("token").map(String::as_str).unwrap_or_default();
    if door.token.as_deref().is_some_and(|token| bool::from(token.as_bytes().ct_ne(given.as_bytes()))) {
        return refused(
            StatusCode::UNAUTHORIZED,
            "the token in the URL is missing or wrong: use the URL that the server printed",
        );
    }
    let Ok(upgrade) = upgrade else {
        return refused(
            StatusCode::UPGRADE_REQUIRED,
            "this is a WebSocket server for Foxglove: open its ws:// URL there",
        );
    };
    let upgrade = upgrade.protocols(SUBPROTOCOLS).max_message_size(LONGEST).max_frame_size(LONGEST);
    if upgrade.selected_protocol().is_none() {
        return refused(
            StatusCode::BAD_REQUEST,
            "the subprotocol must be foxglove.websocket.v1 or foxglove.sdk.v1",
        );
    }
    let Ok(place) = door.places.clone().try_acquire_owned() else {
        let words = format!("{CLIENTS} clients are connected, the maximum: close one, and try again");
        return refused(StatusCode::SERVICE_UNAVAILABLE, &words);
    };
    let protocol = upgrade.selected_protocol().and_then(|p| p.to_str().ok()).unwrap_or_default().to_string();
    upgrade.on_upgrade(move |socket| async move {
        let first = if protocol == OLD { &door.first_old } else { &door.first };
        socket::serve(door.hub.clone(), socket, protocol, first.clone(), door.powers).await;
        drop(place);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Order;
    use crate::protocol::{Level, Status};
    use std::io::{Read, Write};
    use std::net::TcpStream;

    /// Longer than any step takes.
    const LONG: Duration = Duration::from_secs(30);

    /// A text of a client, masked with zeros.
    fn frame(text: &str) -> Vec<u8> {
        assert!(text.len() < 126);
        [&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0], text.as_bytes()].concat()
    }

    #[test]
    fn disconnecting_a_client_that_waits_to_publish_ends_its_channels() {
        // A domain that is too busy to handle orders of clients.
        let (inlet, mut orders) = tokio::sync::mpsc::channel(1);
        let hub = Arc::new(Hub::new(1 << 20, None, vec![(String::new(), inlet.clone())]));
        let powers = Powers { publish: true, playback: false };
        let (first, first_old) = ("{}".into(), "{}".into());
        let places = Arc::new(Semaphore::new(CLIENTS));
        let door = Arc::new(Door { hub: hub.clone(), first, first_old, token: None, powers, places });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    served = serve(listener, door) => served.unwrap(),
                    _ = stopped => {}
                }
            });
        });
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(LONG)).unwrap();
        let upgrade = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n";
        client.write_all(upgrade.as_bytes()).unwrap();
        // Two orders; the second has to wait.
        let channel = |id| format!(r#"{{"id":{id},"topic":"A","encoding":"lcm"}}"#);
        let text = format!(r#"{{"op":"advertise","channels":[{},{}]}}"#, channel(1), channel(2));
        client.write_all(&frame(&text)).unwrap();
        let end = std::time::Instant::now() + LONG;
        while inlet.capacity() > 0 {
            assert!(std::time::Instant::now() < end, "the first order did not arrive");
            thread::sleep(Duration::from_millis(5));
        }
        // More than the limit for one client.
        hub.status(&Status::new(Level::Info, "x".repeat(5 << 20)));
        let mut reported = Vec::new();
        client.read_to_end(&mut reported).expect("the connection ends although the domain is still busy");
        assert!(String::from_utf8_lossy(&reported).contains("does not read its messages"));
        assert_eq!(hub.clients(), 0);
        // When the domain has time, it receives the first order, but not the one that waited.
        assert!(matches!(orders.blocking_recv(), Some((1, Order::Advertise(_)))));
        assert!(matches!(orders.blocking_recv(), Some((1, Order::Left))));
        drop(stop);
        serving.join().unwrap();
    }
}
