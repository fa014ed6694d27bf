//! One client's socket: what it says goes to its session, what waits in its mailbox goes out.

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

/// A client is told of its losses so often.
const TELL: Duration = Duration::from_secs(1);
/// A client that is let go has so long to hear why.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The answer to a ping must reach the socket within this time, or the client is let go: it does not read.
const ANSWER: Duration = Duration::from_secs(5);

/// Serves one client until it goes, or is let go.
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
                if !obey(&hub, &mut published, (id, &mailbox), acts).await {
                    break;
                }
            }
            Some(Ok(Message::Binary(bytes))) => {
                let acts = lock(&session).binary(&bytes);
                if !obey(&hub, &mut published, (id, &mailbox), acts).await {
                    break;
                }
            }
            Some(Ok(Message::Ping(_))) => {
                // The WebSocket keeps the answer until it can be written. Nothing else is read before that: a client that asks and
                // does not read would otherwise fill the memory with answers.
                mailbox.ask_to_flush();
                let flushed = tokio::select! {
                    flushed = tokio::time::timeout(ANSWER, mailbox.flushed.notified()) => flushed,
                    () = mailbox.end.notified() => break,
                };
                if flushed.is_err() {
                    mailbox.close("the client does not read the answers to its pings");
                    break;
                }
            }
            Some(Ok(Message::Pong(_))) => {}
            Some(Ok(Message::Close(_))) | None => {
                mailbox.finish(Over::Left);
                break;
            }
            Some(Err(_)) => {
                mailbox.close("a message was too long, or no WebSocket frame");
                break;
            }
        }
    }
    hub.leave(id);
    mailbox.close("bye");
    // It says why, and ends; a client that does not read gets no more time than this.
    if tokio::time::timeout(LAST_WORDS, &mut sender).await.is_err() {
        sender.abort();
    }
    drop(stream); // a domain that is busy keeps no connection
    let mut places: Vec<usize> = published.into_values().collect();
    places.sort_unstable();
    places.dedup();
    for (_, inlet) in places.into_iter().filter_map(|at| hub.inlets().get(at)) {
        let _ = inlet.send((id, Order::Left)).await; // the domain is shown no more
    }
}

/// Does what a client asks for; `false` if it is let go meanwhile. `published` are the domains of the channels that it publishes, by
/// their place in [`Hub::inlets`].
async fn obey(
    hub: &Hub,
    published: &mut HashMap<u32, usize>,
    (id, mailbox): (u64, &Mailbox),
    acts: Vec<Act<'_>>,
) -> bool {
    for act in acts {
        let Some((at, order)) = order(hub, published, id, act) else { continue };
        let Some((_, inlet)) = hub.inlets().get(at) else { continue };
        // It waits while the domain is busy, and its client with it; nobody else does.
        let place = tokio::select! {
            place = inlet.reserve() => place,
            () = mailbox.end.notified() => return false,
        };
        let Ok(place) = place else { continue }; // the domain is shown no more
        match &order {
            Order::Advertise(advert) => drop(published.insert(advert.id, at)),
            Order::Unadvertise(channel) => drop(published.remove(channel)),
            Order::Publish(..) | Order::Left => {}
        }
        place.send((id, order));
    }
    true
}

/// What is for a domain to do of what a client asks for, and for which; the rest is done here.
fn order(hub: &Hub, published: &HashMap<u32, usize>, id: u64, act: Act<'_>) -> Option<(usize, Order)> {
    match act {
        Act::Subscribe { subscription, channel } => {
            if !hub.subscribe(id, subscription, channel) {
                hub.tell(id, &Status::new(Level::Warning, format!("channel {channel} has just gone")));
            }
        }
        Act::Unsubscribe { subscription, channel } => hub.unsubscribe(id, subscription, channel),
        Act::Graph(show) => hub.show_graph(id, show),
        Act::Playback(playback) => hub.playback(id, playback),
        Act::Tell(status) => hub.tell(id, &status),
        Act::Advertise(advert) => {
            // The longest prefix: that of one domain may be the beginning of another's.
            let fits = hub.inlets().iter().enumerate().filter(|(_, (p, _))| advert.topic.starts_with(p));
            if let Some((at, _)) = fits.max_by_key(|(_, (prefix, _))| prefix.len()) {
                return Some((at, Order::Advertise(advert)));
            }
            let prefixes: Vec<&str> = hub.inlets().iter().map(|(prefix, _)| prefix.as_str()).collect();
            let words = format!("names of channels begin with {} here", prefixes.join(" or "));
            hub.tell(id, &Status::new(Level::Error, words));
        }
        Act::Unadvertise(channel) => return Some((*published.get(&channel)?, Order::Unadvertise(channel))),
        Act::Publish { channel, data } => {
            return Some((*published.get(&channel)?, Order::Publish(channel, data.to_vec())));
        }
    }
    None
}

/// Sends what waits, until the client is let go or does not take it, and closes the connection.
async fn send(mut sink: SplitSink<WebSocket, Message>, mailbox: Arc<Mailbox>) {
    let why = send_all(&mut sink, &mailbox).await;
    // It may be gone already.
    let _ = match why {
        Over::LetGo(why) => {
            let frame = CloseFrame { code: close_code::POLICY, reason: why.into() };
            sink.send(Message::Close(Some(frame))).await
        }
        // The WebSocket has prepared the answer to the client's Close frame; here it goes out.
        Over::Left => sink.flush().await,
    };
    mailbox.flushed.notify_one();
}

/// Sends what waits until the connection is over; says why.
async fn send_all(sink: &mut SplitSink<WebSocket, Message>, mailbox: &Mailbox) -> Over {
    let (mut told, mut lost_before) = (None::<Instant>, 0);
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
        if lost > lost_before && told.is_none_or(|told| told.elapsed() >= TELL) {
            (told, lost_before) = (Some(Instant::now()), lost);
            if sink.feed(Message::Text(protocol::status(&losses(lost)).into())).await.is_err() {
                return Over::Left;
            }
        }
        let sent = match item {
            None => {
                if sink.flush().await.is_err() {
                    return Over::Left;
                }
                // Losses that were not told yet are, when it is time.
                let rest = if lost > lost_before { TELL } else { Duration::from_secs(3600) };
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
