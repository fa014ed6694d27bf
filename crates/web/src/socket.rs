//! The connection of one page: handles its requests, and sends each turn after it has received the one before.

use crate::State;
use crate::protocol::{self, Ask};
use crate::viewer::Viewer;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::SinkExt;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

/// Default frames per second.
const HZ: f64 = 10.0;

/// Closes the connection with a reason.
pub(crate) async fn refuse(mut socket: WebSocket, code: u16, why: &str, patience: Duration) {
    let frame = CloseFrame { code, reason: why.into() };
    send(&mut socket, Message::Close(Some(frame)), patience).await;
}

/// Serves a page until it disconnects, or takes no turn for `patience`.
pub(crate) async fn serve(mut socket: WebSocket, state: Arc<State>, patience: Duration) {
    let mut viewer = Viewer::new(state.clone());
    if !send(&mut socket, viewer.hello(), patience).await {
        return;
    }
    let mut ticks = interval(Duration::from_secs_f64(1.0 / HZ));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The time of a turn that the page has not acknowledged. No new turn is made until then.
    let mut sent: Option<Instant> = None;
    loop {
        let late = sleep_until(sent.map_or_else(Instant::now, |at| at + patience));
        tokio::select! {
            said = socket.recv() => {
                let text = match said {
                    Some(Ok(Message::Text(text))) => text,
                    // Sends the reply before it reads more. Otherwise a page that sends and does not read could fill the memory with
                    // replies.
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
                    // It disconnected, or sent something too long or malformed, so the connection is unusable.
                    Some(Err(_)) | None => return,
                    // Sends the reply that the WebSocket has queued.
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
                        None => Err("no log to play: name one when you start the server".into()),
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

/// Flushes the socket; `false` if that fails.
async fn flush(socket: &mut WebSocket, patience: Duration) -> bool {
    matches!(timeout(patience, socket.flush()).await, Ok(Ok(())))
}

/// Sends a message; `false` if that fails.
async fn send(socket: &mut WebSocket, message: Message, patience: Duration) -> bool {
    matches!(timeout(patience, socket.send(message)).await, Ok(Ok(())))
}
