//! One page: what it says, and turns for it, each when it has taken the one before.

use crate::State;
use crate::protocol::{self, Ask};
use crate::viewer::Viewer;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::SinkExt;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

/// Frames a second, until a page asks for others.
const HZ: f64 = 10.0;

/// Tells why there is no more to say, and ends it.
pub(crate) async fn refuse(mut socket: WebSocket, code: u16, why: &str, patience: Duration) {
    let frame = CloseFrame { code, reason: why.into() };
    send(&mut socket, Message::Close(Some(frame)), patience).await;
}

/// Serves a page until it goes, or takes no turn for so long.
pub(crate) async fn serve(mut socket: WebSocket, state: Arc<State>, patience: Duration) {
    let mut viewer = Viewer::new(state.clone());
    if !send(&mut socket, viewer.hello(), patience).await {
        return;
    }
    let mut ticks = interval(Duration::from_secs_f64(1.0 / HZ));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // When a turn was sent that the page has not taken yet: until then nothing is made for it.
    let mut sent: Option<Instant> = None;
    loop {
        let late = sleep_until(sent.map_or_else(Instant::now, |at| at + patience));
        tokio::select! {
            said = socket.recv() => {
                let text = match said {
                    Some(Ok(Message::Text(text))) => text,
                    // Its answer goes out before anything else is read: a page that asks and does not read would otherwise fill
                    // the memory with answers.
                    Some(Ok(Message::Ping(_))) => {
                        if !flush(&mut socket, patience).await {
                            return;
                        }
                        continue;
                    }
                    Some(Ok(Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => {
                        return refuse(socket, close_code::UNSUPPORTED, "requests are text", patience).await;
                    }
                    // It went, or said something too long or malformed, and the connection is of no more use.
                    Some(Err(_)) | None => return,
                    // The WebSocket has prepared the answer; here it goes out.
                    Some(Ok(Message::Close(_))) => {
                        flush(&mut socket, patience).await;
                        return;
                    }
                };
                let done = protocol::ask(&text).and_then(|ask| match ask {
                    Ask::Show(show) => {
                        let hz = show.hz.filter(|hz| hz.is_finite()).unwrap_or(HZ).clamp(1.0, 30.0);
                        let period = Duration::from_secs_f64(1.0 / hz);
                        if period != ticks.period() {
                            ticks = interval(period);
                            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                        }
                        viewer.show(show);
                        Ok(())
                    }
                    Ask::Took => {
                        sent = None;
                        Ok(())
                    }
                    Ask::Player(steer) => match &state.deck {
                        Some(deck) => deck.steer(steer),
                        None => Err("there is no log to play: name one when it is started".into()),
                    },
                });
                if let Err(words) = done
                    && !send(&mut socket, Message::Text(json!({ "op": "error", "text": words }).to_string().into()), patience).await
                {
                    return;
                }
            }
            _ = ticks.tick(), if sent.is_none() => {
                for message in viewer.turn() {
                    sent = Some(Instant::now());
                    if !send(&mut socket, message, patience).await {
                        return;
                    }
                }
            }
            () = late, if sent.is_some() => return,
        }
    }
}

/// Writes what waits to the socket; whether it went.
async fn flush(socket: &mut WebSocket, patience: Duration) -> bool {
    matches!(timeout(patience, socket.flush()).await, Ok(Ok(())))
}

/// Sends; whether it went.
async fn send(socket: &mut WebSocket, message: Message, patience: Duration) -> bool {
    matches!(timeout(patience, socket.send(message)).await, Ok(Ok(())))
}
