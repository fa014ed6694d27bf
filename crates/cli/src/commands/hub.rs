//! `saltus hub`: a hub for LCM's tcpq:// transport.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Instant;

use clap::Args;
use saltus_net::tcpq::{self, Access, ClientStats, Limits, Network, QueueLimits, Reason, Stats, Told};
use saltus_os::peer;
use serde::Serialize;

use crate::exit::{self, Code, Failure, Outcome};
use crate::flags::{Json, Reports};
use crate::print::out::Out;
use crate::stop;
use saltus_text::human::{bytes, plural};
use saltus_text::table::{Align, Table};
use saltus_text::units;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hub {
    /// Address and port to listen on
    ///
    /// Give the address, the port, or both. The address may be a host name. Port 0 picks a free port.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7700", value_parser = address)]
    listen: SocketAddr,

    /// Accept clients of these addresses or networks only
    ///
    /// Separate them by commas: 127.0.0.1,192.168.1.0/24. The default is any client that reaches the listening address, which at
    /// a loopback address means every program on this machine. LCM's protocol cannot carry a token.
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',')]
    allow: Vec<Network>,

    /// Accept only programs of this user and of root
    ///
    /// They must be on this machine. A program that connects, publishes and exits immediately may be refused.
    #[arg(long)]
    own_user: bool,

    /// Memory for messages that wait for one client
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = units::size)]
    queue: u64,

    /// Memory for messages that wait for all clients together
    ///
    /// A message for several clients counts for each of them. Beyond it, the client that holds the most loses its oldest messages.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = units::size)]
    memory: u64,

    /// Maximum number of clients
    #[arg(long, value_name = "N", default_value_t = Limits::default().clients, value_parser = clients)]
    clients: usize,

    #[command(flatten)]
    reports: Reports,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus hub                            for tcpq:// on this machine
  saltus hub --listen 0.0.0.0           for tcpq://THIS-MACHINE on others too
  saltus hub --listen 0.0.0.0 --allow 127.0.0.1,192.168.1.0/24   only these
  saltus hub --stat -i 500ms --json | jq .dropped";

/// A line of `hub --json` about a client, or all clients. Its fields are a stable interface.
#[derive(Serialize)]
struct Line {
    /// Its address; `all` is the sum, including disconnected clients.
    client: String,
    subscriptions: usize,
    received: u64,
    received_bytes: u64,
    sent: u64,
    sent_bytes: u64,
    waiting: usize,
    waiting_bytes: usize,
    dropped: u64,
    dropped_bytes: u64,
    refused: u64,
}

/// The first line of `hub --json`.
#[derive(Serialize)]
struct Listening {
    listening: SocketAddr,
    /// The networks of accepted clients; empty: any.
    allow: Vec<String>,
    /// Whether only programs of this user and of root are accepted.
    own_user: bool,
}

/// The columns of the table.
const COLUMNS: [(&str, Align); 9] = [
    ("CLIENT", Align::Left),
    ("SUBSCRIPTIONS", Align::Right),
    ("RECEIVED", Align::Right),
    ("", Align::Right),
    ("SENT", Align::Right),
    ("", Align::Right),
    ("WAITING", Align::Right),
    ("", Align::Right),
    ("DROPPED", Align::Right),
];

fn address(text: &str) -> Result<SocketAddr, String> {
    let with_port = match text.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) if text.contains(':') => {
            text.strip_prefix(':').map_or(text.into(), |p| format!("127.0.0.1:{p}"))
        }
        Err(_) => format!("{text}:{}", tcpq::PORT),
    };
    let found = with_port.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| "expected an address and a port, such as 127.0.0.1:7700".into())
}

fn clients(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| "expected a whole number, 1 or more".into())
}

/// Forwards messages until a stop signal.
pub(crate) fn run(args: Hub) -> Outcome {
    if args.own_user && !peer::REPORTS_USERS {
        return Err(Failure::new(
            Code::Usage,
            "--own-user needs Linux: this system does not report who connects",
        ));
    }
    let failed = |e: saltus_net::Error| Failure::new(Code::Failed, e.to_string());
    let queue =
        QueueLimits { bytes: usize::try_from(args.queue).unwrap_or(usize::MAX), ..QueueLimits::default() };
    let queues = usize::try_from(args.memory).unwrap_or(usize::MAX);
    let mut hub =
        tcpq::Hub::bind(args.listen, Limits { clients: args.clients, queue, queues, ..Limits::default() })
            .map_err(failed)?;
    let mut access = hub.access().clone();
    if !args.allow.is_empty() {
        access.networks = args.allow;
    }
    access.own_user = args.own_user;
    hub.admit(access.clone());
    stop::on_signals()?;
    let mut out = Out::new()?;
    if args.json.json {
        let allow = access.networks.iter().map(Network::to_string).collect();
        out.json(&Listening { listening: hub.address(), allow, own_user: access.own_user })?;
    } else {
        out.line(format_args!("listening on {}; {}", hub.address(), who(&access)))?;
    }
    out.flush()?;
    let mut notes = Notes::default();
    let mut due = args.reports.every().map(|interval| Instant::now() + interval);
    while !stop::requested() {
        // No poll while the last turn had work.
        if !hub.turn(0).map_err(failed)? {
            stop::readable_until(&hub, due);
        }
        let told = hub.told();
        told.iter().filter_map(problem).for_each(|words| notes.print(words, Instant::now()));
        notes.sum_up(Instant::now());
        if due.is_some_and(|due| Instant::now() >= due) {
            due = args.reports.every().map(|interval| Instant::now() + interval);
            show(&hub, args.json.json, &mut out)?;
        }
    }
    show_end(&hub, args.json.json, &mut out)
}

/// The clients that may read and write everything.
fn who(access: &Access) -> String {
    let networks: Vec<String> = access.networks.iter().map(Network::to_string).collect();
    match (access.own_user, networks.is_empty()) {
        (true, _) => "it accepts only programs of this user and of root".into(),
        (false, _) if access.networks == Network::LOOPBACK => {
            "every user of this machine may read and write (--own-user: only you)".into()
        }
        (false, true) => {
            "any client that reaches it may read and write (--allow: only these addresses)".into()
        }
        (false, false) => format!("it accepts clients from {}", networks.join(", ")),
    }
}

/// A problem of a client, in words.
fn problem(reported: &Told) -> Option<String> {
    match reported {
        Told::Left(client, reason) if *reason != Reason::Left => {
            Some(format!("disconnected {client}: {reason}"))
        }
        Told::Refused(client, why) => Some(format!("a subscription of {client} matches nothing: {why}")),
        Told::NoMore(why) => Some(format!("cannot accept more clients for now: {why}")),
        _ => None,
    }
}

/// Prints problems, at most [`Notes::MOST`] in each second, so that a client that connects again and again fills no log.
#[derive(Default)]
struct Notes {
    /// The start of the second.
    since: Option<Instant>,
    printed: usize,
    omitted: usize,
}

impl Notes {
    const MOST: usize = 20;

    fn print(&mut self, words: String, now: Instant) {
        self.sum_up(now);
        self.since.get_or_insert(now);
        if self.printed < Notes::MOST {
            self.printed += 1;
            exit::note(words);
        } else {
            self.omitted += 1;
        }
    }

    /// After each second: prints how many were omitted.
    fn sum_up(&mut self, now: Instant) {
        if self.since.is_none_or(|since| now.duration_since(since).as_secs() == 0) {
            return;
        }
        if self.omitted > 0 {
            exit::note(format_args!("{} more problems of clients", self.omitted));
        }
        *self = Notes::default();
    }
}

fn line(client: String, stats: &ClientStats) -> Line {
    let ClientStats { counts, subscriptions, waiting, waiting_bytes } = *stats;
    let Stats { received, received_bytes, sent, sent_bytes, dropped, dropped_bytes, refused } = counts;
    Line {
        client,
        subscriptions,
        received,
        received_bytes,
        sent,
        sent_bytes,
        waiting,
        waiting_bytes,
        dropped,
        dropped_bytes,
        refused,
    }
}

fn show(hub: &tcpq::Hub, json: bool, out: &mut Out) -> Outcome {
    let clients = hub.clients();
    let mut lines: Vec<Line> = clients.iter().map(|c| line(c.address.to_string(), &c.stats)).collect();
    lines.push(line("all".into(), &hub.all()));
    if json {
        lines.iter().try_for_each(|line| out.json(line))?;
    } else {
        let mut table = Table::new(&COLUMNS);
        for line in &lines {
            table.row(vec![
                line.client.clone(),
                line.subscriptions.to_string(),
                line.received.to_string(),
                bytes(line.received_bytes as f64),
                line.sent.to_string(),
                bytes(line.sent_bytes as f64),
                line.waiting.to_string(),
                bytes(line.waiting_bytes as f64),
                line.dropped.to_string(),
            ]);
        }
        out.line("")?;
        table.lines().iter().try_for_each(|line| out.line(line))?;
    }
    out.flush()
}

fn show_end(hub: &tcpq::Hub, json: bool, out: &mut Out) -> Outcome {
    let all = line("all".into(), &hub.all());
    if json {
        out.json(&all)?;
    } else {
        let (received, dropped) = (plural(all.received, "message"), all.dropped);
        out.line(format_args!(
            "{received} received, {} forwarded, {dropped} dropped for slow clients",
            all.sent
        ))?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn many_problems_in_one_second_are_counted_instead_of_printed() {
        let (mut notes, start) = (Notes::default(), Instant::now());
        for _ in 0..50 {
            notes.print("a problem".into(), start);
        }
        assert_eq!((notes.printed, notes.omitted), (Notes::MOST, 50 - Notes::MOST));
        notes.sum_up(start + Duration::from_millis(999));
        assert_eq!(notes.printed, Notes::MOST);
        notes.sum_up(start + Duration::from_secs(1));
        assert_eq!((notes.printed, notes.omitted), (0, 0));
    }
}
