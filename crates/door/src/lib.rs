//! Takes the HTTP connections of a server, and bounds those that have not become clients.
//!
//! A connection is a stranger until it ends or its WebSocket upgrade is complete. Of strangers there is a bounded number, and the
//! oldest ends when another one comes, so that connections which say nothing, or never end their request, hold no place for ever. What
//! this does not give: a client whose upgrade takes longer than an attacker needs to open that many connections is turned away too.

mod strangers;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::time::Duration;
use strangers::Strangers;
use tokio::net::{TcpListener, TcpStream};

/// Longest request head, in bytes.
const HEAD: usize = 16 << 10;
/// How long it waits after a connection that could not be taken: too many open files, for example, may pass.
const PAUSE: Duration = Duration::from_millis(50);

/// What strangers may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many there may be.
    pub strangers: usize,
    /// Time for the head of each request.
    pub head: Duration,
    /// Time for everything until the upgrade, if that is bounded too.
    pub whole: Option<Duration>,
    /// Whether a connection may have several requests.
    pub keep_alive: bool,
}

/// Answers connections to `listener` by `app`, and ends only where it cannot begin. The listener must not block. It needs a runtime of
/// tokio with input, output and time. A client whose machine is gone without a word is noticed after two minutes.
pub async fn accept(listener: std::net::TcpListener, app: Router, limits: Limits) -> io::Error {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(e) => return e,
    };
    let strangers = Strangers::new(limits.strangers);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        prepare(&stream);
        let service = TowerToHyperService::new(app.clone());
        strangers.spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(limits.head);
            http.max_buf_size(HEAD).keep_alive(limits.keep_alive);
            let served = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
            // What a client does wrong ends its connection, and is nobody else's affair.
            match limits.whole {
                Some(time) => drop(tokio::time::timeout(time, served).await),
                None => drop(served.await),
            }
        });
    }
}

/// Small frames are sent at once, and a silent machine is asked whether it is still there. Without either, all still works.
fn prepare(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let alive = TcpKeepalive::new().with_time(Duration::from_secs(60));
    let alive = alive.with_interval(Duration::from_secs(20)).with_retries(3);
    let _ = SockRef::from(stream).set_tcp_keepalive(&alive);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_gone_is_asked_after() {
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
