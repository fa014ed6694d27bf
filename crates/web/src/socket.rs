//! One page: what it says, and frames for it.

use crate::State;
use crate::protocol::{self, Ask};
use crate::viewer::Viewer;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Who takes no frame for so long is let go.
const PATIENCE: Duration = Duration::from_secs(10);
/// Frames a second, until a page asks for others.
const HZ: f64 = 10.0;

/// Serves a page until it goes.
pub(crate) async fn serve(mut socket: WebSocket, state: Arc<State>) {
    let mut viewer = Viewer::new(state.clone());
    if !send(&mut socket, viewer.hello()).await {
        return;
    }
    let mut ticks = interval(Duration::from_secs_f64(1.0 / HZ));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            said = socket.recv() => {
                let text = match said {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => {
                        let reason = "requests are text".into();
                        let frame = CloseFrame { code: close_code::UNSUPPORTED, reason };
                        let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
                        return;
                    }
                    // It went, or said something too long or malformed, and the connection is of no more use.
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
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
                    Ask::Player(steer) => match &state.deck {
                        Some(deck) => deck.steer(steer),
                        None => Err("there is no log to play: name one when it is started".into()),
                    },
                });
                if let Err(words) = done
                    && !send(&mut socket, Message::Text(json!({ "op": "error", "text": words }).to_string().into())).await
                {
                    return;
                }
            }
            _ = ticks.tick() => {
                for frame in viewer.frames() {
                    if !send(&mut socket, frame).await {
                        return;
                    }
                }
            }
        }
    }
}

/// Sends; whether it went.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}
