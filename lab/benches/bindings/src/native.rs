//! The contender in Rust.

use crate::program::Result;
use saltus_channel::{Attributes, Until, Which, clock};
use saltus_domain::{Message, Missed, Options, Pattern};
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufRead, Write};

/// Number of calls timed together, since one call is shorter than a step of the clock.
const BATCH: usize = 64;

struct Calls {
    publisher: saltus_channel::Publisher,
    subscriber: saltus_channel::Subscriber,
    of_domain: saltus_domain::Publisher,
    next: saltus_domain::Subscriber,
    newest: saltus_domain::Subscriber,
}

/// Executes the commands on standard input, until its end.
pub fn serve() -> Result<()> {
    let path = format!("/dev/shm/saltus-bench-bindings-{}", std::process::id());
    let served = open(&path).and_then(|mut calls| answer(&mut calls));
    std::fs::remove_dir_all(&path).map_err(|e| format!("{path}: {e}"))?;
    served
}

fn open(path: &str) -> Result<Calls> {
    let (url, text) = (format!("shm://{path}"), |e: saltus_channel::Error| e.to_string());
    let channel = saltus_channel::Directory::open(&url).map_err(text)?;
    let channel = channel.create("channel", &Attributes::new().depth(256)).map_err(text)?;
    let domain = saltus_domain::Domain::open(&format!("{url}?depth=256")).map_err(|e| e.to_string())?;
    let mut of_domain = domain.publisher("domain").map_err(|e| e.to_string())?;
    of_domain.publish(&[0; 64]).map_err(|e| e.to_string())?;
    let name = Pattern::name("domain").map_err(|e| e.to_string())?;
    Ok(Calls {
        publisher: channel.publisher().map_err(text)?,
        subscriber: channel.subscriber().map_err(text)?,
        of_domain,
        next: domain.subscriber_with(name, Options::next(1000)).map_err(|e| e.to_string())?,
        newest: domain.subscriber("domain").map_err(|e| e.to_string())?,
    })
}

fn answer(calls: &mut Calls) -> Result<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut say =
        |text: &str| writeln!(output, "{text}").and_then(|()| output.flush()).map_err(|e| e.to_string());
    say("ready")?;
    for line in input.lines() {
        let line = line.map_err(|e| e.to_string())?;
        let (count, what) = line.split_once(' ').ok_or("no number")?;
        let count: usize = count.parse().map_err(|_| "no number")?;
        let mut times = String::new();
        for _ in 0..count {
            let ns = calls.batch(what)?;
            let _ = write!(times, "{:.1} ", ns as f64 / BATCH as f64); // into a string
        }
        say(&times)?;
    }
    Ok(())
}

/// Times a batch of one call.
macro_rules! timed {
    ($call:expr) => {{
        let start = clock::monotonic();
        for _ in 0..BATCH {
            black_box($call.map_err(|e| e.to_string())?);
        }
        clock::monotonic() - start
    }};
}

/// Reads all metadata of a message, one by one: fields that were just written are slow to load two at a time, as
/// compilers prefer to.
fn known(m: Message<'_>) {
    black_box(m.data.as_ptr());
    black_box(m.data.len());
    black_box(m.channel.as_bytes().as_ptr());
    black_box(m.channel.as_bytes().len());
    black_box(m.published.unwrap_or(0));
    black_box(m.arrived);
    black_box(m.logged.unwrap_or(0));
    black_box(m.sender.unwrap_or(0));
    black_box(m.sequence.unwrap_or(0));
    black_box(m.missed.count().unwrap_or(0));
    black_box(m.dropped);
    black_box(matches!(m.missed, Missed::OfSender(_)));
}

impl Calls {
    /// One batch, in ns.
    fn batch(&mut self, what: &str) -> Result<u64> {
        let (message, mut buf) = ([7u8; 64], [0u8; 512]);
        let message = black_box(&message[..]);
        let Calls { publisher, subscriber, of_domain, next, newest } = self;
        let took = match what {
            "publish" => timed!(publisher.publish(message)),
            "next" => {
                subscriber.flush();
                let _ = timed!(publisher.publish(message)); // not measured here
                timed!(subscriber.receive(Which::Next, Until::Poll, &mut buf))
            }
            "publish+newest" => timed!({
                publisher.publish(message).map_err(|e| e.to_string())?;
                subscriber.receive(Which::Newest, Until::Poll, &mut buf)
            }),
            "poll" => timed!(subscriber.receive(Which::Newest, Until::Poll, &mut buf)),
            "domain publish" => timed!(of_domain.publish(message)),
            "domain next" => {
                while next.receive(Until::Poll).map_err(|e| e.to_string())?.is_some() {}
                let _ = timed!(of_domain.publish(message)); // not measured here
                timed!(next.receive(Until::Poll).map(|message| message.map(known)))
            }
            "domain publish+newest" => timed!({
                of_domain.publish(message).map_err(|e| e.to_string())?;
                newest.receive(Until::Poll).map(|message| message.map(known))
            }),
            "domain poll" => timed!(newest.receive(Until::Poll).map(|message| message.map(known))),
            other => return Err(format!("cannot {other}")),
        };
        black_box(&buf);
        Ok(took)
    }
}
