//! The server: accepts connections, with limits on number and time.

use crate::assets::{self, Views};
use crate::gate::Gate;
use crate::socket;
use crate::{Error, Options, Result, State, Stop};
use axum::Router;
use axum::extract::ws::close_code;
use axum::extract::{Path, Request, State as Of, WebSocketUpgrade};
use axum::http::{HeaderName, HeaderValue, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use saltus_door::{Admits, Limits};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Limits for connections that are not a page.
const LIMITS: Limits =
    Limits { strangers: 256, head: PATIENCE, whole: None, keep_alive: true, admits: Admits::All };
/// Most pages at a time. Further ones are refused with a message.
const PAGES: usize = 64;
/// A client that sends no request, or takes no turn, within this time is disconnected.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest message of a client, in bytes.
const MESSAGE: usize = 64 << 10;
/// Time between two checks for a stop request.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Security headers of every response: only our own files run, and no other site can frame them.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// A server that listens, but does not serve yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    gate: Arc<Gate>,
    state: Arc<State>,
    patience: Duration,
    stop: Stop,
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    /// The address is in use, or is not an address of this machine.
    pub fn bind(options: Options, stop: &Stop) -> Result<Server> {
        let listen = options.listen;
        let failed = |e| Error::Listen(listen, e);
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let gate = Gate::new(address, options.token).map_err(failed)?;
        let state = State::new(options);
        Ok(Server {
            listener,
            address,
            gate: Arc::new(gate),
            state: Arc::new(state),
            patience: PATIENCE,
            stop: stop.clone(),
        })
    }

    /// Disconnects pages that take no turn for this time; the default is 10 s.
    pub fn patience(self, patience: Duration) -> Server {
        Server { patience, ..self }
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// The URL to open in a browser, with the token if needed. If it listens on all addresses, the URL has the loopback address.
    pub fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip([127, 0, 0, 1].into());
        }
        format!("http://{address}/{}", self.gate.query())
    }

    /// Serves until a stop is requested. Blocks.
    ///
    /// # Errors
    /// A system call failed.
    pub fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(Error::System)?.block_on(async {
            let admits = if self.gate.has_token() { Admits::All } else { Admits::OwnUser };
            let limits = Limits { admits, ..LIMITS };
            let (listener, stop) = (self.listener.try_clone().map_err(Error::System)?, self.stop.clone());
            tokio::select! {
                e = saltus_door::accept(listener, self.app(), limits) => Err(Error::System(e)),
                () = stopped(stop) => Ok(()),
            }
        })
    }

    fn app(&self) -> Router {
        let router = Router::new().route("/ws", get(upgrade)).route("/own/{name}", get(own)).fallback(page);
        let gated = middleware::from_fn_with_state(self.gate.clone(), guard);
        let pages = Pages { places: Arc::new(Semaphore::new(PAGES)), patience: self.patience };
        router.layer(gated).layer(axum::Extension(pages)).with_state(self.state.clone())
    }
}

async fn stopped(stop: Stop) {
    while !stop.is_asked() {
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

/// Admits requests that the gate accepts.
async fn guard(Of(gate): Of<Arc<Gate>>, request: Request, next: Next) -> Response {
    let mut response = match gate.check(request.headers(), request.uri().query()) {
        Err(refusal) => refusal.into_response(),
        Ok(cookie) => {
            let mut response = next.run(request).await;
            if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn page(uri: Uri) -> Response {
    assets::file(uri.path())
}

async fn own(Of(state): Of<Arc<State>>, Path(name): Path<String>) -> Response {
    let views: &Views = &state.views;
    views.file(&name)
}

/// Slots for pages, and the time that they may take no turn.
#[derive(Clone)]
struct Pages {
    places: Arc<Semaphore>,
    patience: Duration,
}

async fn upgrade(
    Of(state): Of<Arc<State>>,
    axum::Extension(pages): axum::Extension<Pages>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade = upgrade.max_message_size(MESSAGE).max_frame_size(MESSAGE);
    upgrade.on_upgrade(move |socket| async move {
        match pages.places.try_acquire_owned() {
            Ok(_page) => socket::serve(socket, state, pages.patience).await,
            Err(_) => {
                let words = format!("{PAGES} pages are open already: close one, and try again");
                socket::refuse(socket, close_code::AGAIN, &words, pages.patience).await;
            }
        }
    })
}
