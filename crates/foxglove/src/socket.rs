//! The socket of one client: passes its messages to its session, and sends the items of its mailbox.

use crate::hub::{Hub, Mailbox, Order, Over, lock};
use crate::outbox::Item;
use crate::protocol::{self, Level, Status};
use crate::session::{Act, Powers, Session};
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time between two reports of losses to a client.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// Time to send the reason to a client before disconnecting it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Time for the reply to a ping to reach the socket. After it, the client does not read, and is disconnected.
const ANSWER: Duration = Duration::from_secs(5);

/// Serves one client until it disconnects, or is disconnected.
pub(crate) async fn serve(hub: Arc<Hub>, socket: WebSocket, protocol: String, first: String, powers: Powers) {
    let session = Arc::new(Mutex::new(Session::new(powers)));
    let (id, mailbox) = hub.join(&protocol, first, session.clone());
    let (sink, mut stream) = socket.split();
    let mut sender = tokio::spawn(send(sink, mailbox.clone()));
    let mut published = HashMap::new();
    loop {
        let said = tokio::select! {
            said = stream.next() => said,
            () = mailbox.end.notified() => break,
        };
        match said {
            Some(Ok(Message::Text(text))) => {
                let acts = lock(&session).text(text.as_str(), |channel| hub.exists(channel));
                if !execute(&hub, &mut published, (id, &mailbox), acts).await {
                    break;
                }
            }
            Some(Ok(Message::Binary(bytes))) => {
                let acts = lock(&session).binary(&bytes);
                if !execute(&hub, &mut published, (id, &mailbox), acts).await {
                    break;
                }
            }
            Some(Ok(Message::Ping(_))) => {
                // The WebSocket keeps the reply until it can be written. Nothing is read before that. Otherwise a client that sends and
                // does not read could fill the memory with replies.
                mailbox.ask_to_flush();
                let flushed = tokio::select! {
                    flushed = tokio::time::timeout(ANSWER, mailbox.flushed.notified()) => flushed,
                    () = mailbox.end.notified() => break,
                };
                if flushed.is_err() {
                    mailbox.close("the client does not read the replies to its pings");
                    break;
                }
            }
            Some(Ok(Message::Pong(_))) => {}
            Some(Ok(Message::Close(_))) | None => {
                mailbox.finish(Over::Left);
                break;
            }
            Some(Err(_)) => {
                mailbox.close("a message was too long, or not a WebSocket frame");
                break;
            }
        }
    }
    hub.leave(id);
    mailbox.close("bye");
    // The sender sends the reason, and ends. A client that does not read gets no more time.
    if tokio::time::timeout(CLOSE_TIMEOUT, &mut sender).await.is_err() {
        sender.abort();
    }
    drop(stream); // a busy domain must not keep the connection open
    let mut places: Vec<usize> = published.into_values().collect();
    places.sort_unstable();
    places.dedup();
    for (_, inlet) in places.into_iter().filter_map(|at| hub.inlets().get(at)) {
        let _ = inlet.send((id, Order::Left)).await; // the domain's thread has ended
    }
}

/// Handles the actions for a client; `false` if it is closed in the meantime. `published` maps its published channels to domains, by their
/// index in [`Hub::inlets`].
async fn execute(
    hub: &Hub,
    published: &mut HashMap<u32, usize>,
    (id, mailbox): (u64, &Mailbox),
    acts: Vec<Act<'_>>,
) -> bool {
    for act in acts {
        let Some((at, order)) = order(hub, published, id, act) else { continue };
        let Some((_, inlet)) = hub.inlets().get(at) else { continue };
        // While the domain is busy, this waits, and only this client with it.
        let place = tokio::select! {
            place = inlet.reserve() => place,
            () = mailbox.end.notified() => return false,
        };
        let Ok(place) = place else { continue }; // the domain's thread has ended
        match &order {
            Order::Advertise(advert) => drop(published.insert(advert.id, at)),
            Order::Unadvertise(channel) => drop(published.remove(channel)),
            Order::Publish(..) | Order::Left => {}
        }
        place.send((id, order));
    }
    true
}

/// Returns the order for a domain, and the domain, if the action needs one. Handles other actions.
fn order(hub: &Hub, published: &HashMap<u32, usize>, id: u64, act: Act<'_>) -> Option<(usize, Order)> {
    match act {
        Act::Subscribe { subscription, channel } => {
            if !hub.subscribe(id, subscription, channel) {
                hub.tell(id, &Status::new(Level::Warning, format!("channel {channel} was just removed")));
            }
        }
        Act::Unsubscribe { subscription, channel } => hub.unsubscribe(id, subscription, channel),
        Act::Graph(show) => hub.show_graph(id, show),
        Act::Playback(playback) => hub.playback(id, playback),
        Act::Tell(status) => hub.tell(id, &status),
        Act::Advertise(advert) => {
            // The longest matching prefix, because one domain's prefix may be the beginning of another's.
            let fits = hub.inlets().iter().enumerate().filter(|(_, (p, _))| advert.topic.starts_with(p));
            if let Some((at, _)) = fits.max_by_key(|(_, (prefix, _))| prefix.len()) {
                return Some((at, Order::Advertise(advert)));
            }
            let prefixes: Vec<&str> = hub.inlets().iter().map(|(prefix, _)| prefix.as_str()).collect();
            let words = format!("channel names must begin with {}", prefixes.join(" or "));
            hub.tell(id, &Status::new(Level::Error, words));
        }
        Act::Unadvertise(channel) => return Some((*published.get(&channel)?, Order::Unadvertise(channel))),
        Act::Publish { channel, data } => {
            return Some((*published.get(&channel)?, Order::Publish(channel, data.to_vec())));
        }
    }
    None
}

/// Sends waiting items until the client is closed or does not read, and closes the connection.
async fn send(mut sink: SplitSink<WebSocket, Message>, mailbox: Arc<Mailbox>) {
    let why = send_all(&mut sink, &mailbox).await;
    // The connection may be closed already.
    let _ = match why {
        Over::LetGo(why) => {
            let frame = CloseFrame { code: close_code::POLICY, reason: why.into() };
            sink.send(Message::Close(Some(frame))).await
        }
        // Sends the reply to the client's Close frame, which the WebSocket has queued.
        Over::Left => sink.flush().await,
    };
    mailbox.flushed.notify_one();
}

/// Sends waiting items until the connection ends; returns the reason.
async fn send_all(sink: &mut SplitSink<WebSocket, Message>, mailbox: &Mailbox) -> Over {
    let (mut reported, mut lost_before) = (None::<Instant>, 0);
    loop {
        if let Some(why) = mailbox.over() {
            return why;
        }
        if mailbox.must_flush() {
            if sink.flush().await.is_err() {
                return Over::Left;
            }
            mailbox.flushed.notify_one();
        }
        let (item, lost) = mailbox.pop();
        if lost > lost_before && reported.is_none_or(|reported| reported.elapsed() >= REPORT_INTERVAL) {
            (reported, lost_before) = (Some(Instant::now()), lost);
            if sink.feed(Message::Text(protocol::status(&losses(lost)).into())).await.is_err() {
                return Over::Left;
            }
        }
        let sent = match item {
            None => {
                if sink.flush().await.is_err() {
                    return Over::Left;
                }
                // Reports new losses, when it is time.
                let rest = if lost > lost_before { REPORT_INTERVAL } else { Duration::from_secs(3600) };
                let _ = tokio::time::timeout(rest, mailbox.bell.notified()).await;
                Ok(())
            }
            Some(item) => sink.feed(message(item)).await,
        };
        if sent.is_err() {
            return Over::Left;
        }
    }
}

fn message(item: Item) -> Message {
    match item {
        Item::Text(text) => Message::Text(text.into()),
        Item::Binary(bytes) => Message::Binary(bytes),
        Item::Time(time) => Message::Binary(protocol::time(time)),
        Item::Advertise(channels) => {
            Message::Text(protocol::advertise(channels.iter().map(|advert| &**advert)).into())
        }
        Item::Message { subscription, time, data } => {
            Message::Binary(protocol::message(subscription, time, &data))
        }
    }
}

fn losses(lost: u64) -> Status {
    Status {
        level: Level::Warning,
        message: format!("{lost} messages were lost so far, because this client reads too slowly"),
        id: Some("lost".into()),
    }
}
