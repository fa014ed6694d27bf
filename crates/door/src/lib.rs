//! Accepts the HTTP connections of a server, and limits those that have not become clients.
//!
//! A connection is a stranger until it ends or its WebSocket upgrade is complete. The number of strangers is limited, and a new one closes
//! the oldest. So connections that send nothing, or never complete their request, do not block others forever. The limit does not protect
//! every client: if an attacker opens that many connections during a client's upgrade, the client is closed too.

mod strangers;

use axum::Router;
use axum::http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use saltus_os::peer;
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::time::Duration;
use strangers::Strangers;
use tokio::net::{TcpListener, TcpStream};

/// Longest request head, in bytes.
const HEAD: usize = 16 << 10;
/// Pause after a failed accept. Its cause, such as too many open files, may be temporary.
const PAUSE: Duration = Duration::from_millis(50);

/// The answer to other users.
const REFUSAL: &str = "this server answers only programs of the user who started it, and of root: start it with --token, and open the URL \
                       that it prints\n";

/// Limits for strangers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most strangers at a time.
    pub strangers: usize,
    /// Time for the head of each request.
    pub head: Duration,
    /// Time for everything until the upgrade, if limited.
    pub whole: Option<Duration>,
    /// Whether a connection may have several requests.
    pub keep_alive: bool,
    /// The programs that may connect.
    pub admits: Admits,
}

/// The programs that may connect. A server without a token must not serve every user of its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admits {
    /// Everybody: the server asks for a token itself.
    All,
    /// Programs of this process's user and of root, on this machine. Others get the status 403.
    OwnUser,
}

/// Serves connections to `listener` with `app`. Returns only if it cannot start. The listener must be nonblocking. It needs a tokio runtime
/// with I/O and time. A client whose machine disappears is detected after two minutes.
pub async fn accept(listener: std::net::TcpListener, app: Router, limits: Limits) -> io::Error {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return e,
    };
    // Those that are refused close no connection of the own user.
    let [strangers, refused] = [(); 2].map(|()| Strangers::new(limits.strangers));
    let refusal = |why: String| {
        Router::new().fallback(async move || (StatusCode::FORBIDDEN, format!("{REFUSAL}{why}")))
    };
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        prepare(&stream);
        let admitted = if limits.admits == Admits::All { Ok(true) } else { is_own(&stream) };
        let (app, list) = match admitted {
            Ok(true) => (app.clone(), &strangers),
            Ok(false) => (refusal(String::new()), &refused),
            Err(error) => (refusal(format!("\n{error}\n")), &refused),
        };
        let service = TowerToHyperService::new(app);
        list.spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(limits.head);
            http.max_buf_size(HEAD).keep_alive(limits.keep_alive);
            let served = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
            // An error of a client ends only its own connection.
            match limits.whole {
                Some(time) => drop(tokio::time::timeout(time, served).await),
                None => drop(served.await),
            }
        });
    }
}

/// Whether a connection comes from this process's user or from root. An error says why that cannot be found out.
fn is_own(stream: &TcpStream) -> std::io::Result<bool> {
    peer::is_own(stream.local_addr()?, stream.peer_addr()?)
}

/// Sends small frames immediately, and probes silent machines. Serving works without either, so errors are ignored.
fn prepare(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let alive = TcpKeepalive::new().with_time(Duration::from_secs(60));
    let alive = alive.with_interval(Duration::from_secs(20)).with_retries(3);
    let _ = SockRef::from(stream).set_tcp_keepalive(&alive);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::process::CommandExt;

    #[test]
    fn connections_of_other_users_close_none_of_the_own_user() {
        if saltus_os::process::user() != 0 {
            return eprintln!("skipped: only root can act as another user");
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let long = Duration::from_secs(60);
        let limits =
            Limits { strangers: 4, head: long, whole: None, keep_alive: false, admits: Admits::OwnUser };
        let app = Router::new().fallback(async || "welcome");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        std::thread::spawn(move || runtime.block_on(accept(listener, app, limits))); // ends with the tests
        let mut own = std::net::TcpStream::connect(address).unwrap();
        own.set_read_timeout(Some(long)).unwrap();
        own.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        let port = address.port();
        // The last one waits for its answer, and so until the server has accepted all.
        let script = format!(
            "for i in {{1..20}}; do exec {{fd}}<>/dev/tcp/127.0.0.1/{port}; done; printf 'GET / HTTP/1.1\r\nhost: x\r\n\r\n' >&$fd; \
             cat <&$fd"
        );
        let other = std::process::Command::new("bash").args(["-c", &script]).uid(60_001).gid(60_001).output();
        let other = String::from_utf8_lossy(&other.unwrap().stdout).into_owned();
        assert!(other.starts_with("HTTP/1.1 403"), "{other}");
        own.write_all(b"host: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        own.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("welcome"), "{answer}");
    }

    #[test]
    fn a_vanished_machine_is_probed() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            prepare(&stream);
            let socket = SockRef::from(&stream);
            assert!(socket.keepalive().unwrap() && stream.nodelay().unwrap());
            assert_eq!(socket.tcp_keepalive_time().unwrap(), Duration::from_secs(60));
        });
    }
}
