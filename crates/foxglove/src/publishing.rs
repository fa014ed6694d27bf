//! Publishing by clients: converts their messages to the encoding that the channel's subscribers expect.

use crate::hub::{Hub, Order};
use crate::protocol::{ClientAdvert, Level, Status};
use saltus_domain::{Domain, Name, Publisher};
use saltus_log::{Kind, Types};
use saltus_types::cdr::Dialect;
use saltus_types::json;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

/// Encodings in which clients may publish.
pub(crate) const ENCODINGS: [&str; 3] = ["json", "cdr", "lcm"];
/// Most orders of clients that wait for a domain. A client with further orders waits.
pub(crate) const ORDERS: usize = 64;
/// Most channels that all clients together publish in a domain. Each takes memory.
const MOST: usize = 256;
/// Time between two reports to a client about unpublished messages of a channel.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The conversion of a client's messages to messages of a channel.
enum Form {
    Json(Arc<Kind>),
    Cdr(Arc<Kind>, Dialect),
    /// None needed: the messages are already encoded, of this type if known.
    Raw(Option<Arc<Kind>>),
}

impl Form {
    /// # Errors
    /// The encoding cannot be converted to messages of the type. The text is the error.
    fn of(advert: &ClientAdvert, kind: Option<Arc<Kind>>, dialect: Dialect) -> Result<Form, String> {
        let untyped = || format!("unknown type `{}`: start the server with -I", advert.schema_name);
        match (&advert.encoding[..], kind) {
            ("json", Some(kind)) => Ok(Form::Json(kind)),
            ("cdr", Some(kind)) if kind.cdr_schema(dialect).is_some() => Ok(Form::Cdr(kind, dialect)),
            ("cdr", Some(kind)) => Err(format!("CDR cannot represent type `{}`: publish json", kind.name())),
            ("json" | "cdr", None) => Err(untyped()),
            ("lcm", kind) => Ok(Form::Raw(kind)),
            (other, _) => {
                Err(format!("unsupported encoding `{other}`: expected one of {}", ENCODINGS.join(", ")))
            }
        }
    }
    fn kind(&self) -> Option<&Arc<Kind>> {
        match self {
            Form::Json(kind) | Form::Cdr(kind, _) => Some(kind),
            Form::Raw(kind) => kind.as_ref(),
        }
    }
    /// # Errors
    /// The bytes are not a message of the type. The text is the error.
    fn message<'a>(&self, data: &'a [u8]) -> Result<Cow<'a, [u8]>, String> {
        match self {
            Form::Json(kind) => {
                let text = str::from_utf8(data).map_err(|_| "it is not UTF-8".to_string())?;
                let record = json::from_str(kind.schema(), kind.id(), text).map_err(|e| e.to_string())?;
                kind.encode(&record).map(Cow::Owned)
            }
            Form::Cdr(kind, dialect) => kind.from_cdr(*dialect, data).map(Cow::Owned),
            Form::Raw(Some(kind)) => kind.decode(data).map(|_| Cow::Borrowed(data)),
            Form::Raw(None) => Ok(Cow::Borrowed(data)),
        }
    }
}

/// A channel that a client publishes.
struct Outlet {
    publisher: Publisher,
    form: Form,
    topic: String,
    /// The time of the last report about an unpublished message.
    reported: Option<Instant>,
}

/// The channels that clients publish in one domain.
pub(crate) struct Publishing {
    pub orders: Receiver<(u64, Order)>,
    /// By client, and the client's number of the channel.
    outlets: HashMap<(u64, u32), Outlet>,
}

impl Publishing {
    pub fn new(orders: Receiver<(u64, Order)>) -> Publishing {
        Publishing { orders, outlets: HashMap::new() }
    }

    /// Adds a channel published by a client. `kind` is the type of its messages, if known.
    ///
    /// # Errors
    /// The channel cannot be published. The text is the error.
    pub fn advertise(
        &mut self,
        (client, advert): (u64, ClientAdvert),
        domain: &Domain,
        name: &Name,
        kind: Option<Arc<Kind>>,
        dialect: Dialect,
    ) -> Result<(), String> {
        if self.outlets.len() >= MOST {
            return Err(format!("clients already publish {MOST} channels, the maximum"));
        }
        let form = Form::of(&advert, kind, dialect)?;
        let publisher = match form.kind() {
            Some(kind) => domain.publisher_described(name, &saltus_domain::description(kind)),
            None => domain.publisher(name),
        };
        let publisher = publisher.map_err(|e| e.to_string())?;
        self.outlets
            .insert((client, advert.id), Outlet { publisher, form, topic: advert.topic, reported: None });
        Ok(())
    }
    /// Removes a channel published by a client.
    pub fn unadvertise(&mut self, client: u64, channel: u32) {
        self.outlets.remove(&(client, channel));
    }
    /// Removes all channels of a client.
    pub fn left(&mut self, client: u64) {
        self.outlets.retain(|(of, _), _| *of != client);
    }

    /// Publishes a client's message. Reports a failure to the client, except on a channel that was refused before.
    pub fn publish(&mut self, hub: &Hub, client: u64, channel: u32, data: &[u8]) {
        let Some(outlet) = self.outlets.get_mut(&(client, channel)) else { return };
        let message = outlet.form.message(data);
        let done = message.and_then(|data| outlet.publisher.publish(&data).map_err(|e| e.to_string()));
        let Err(why) = done else { return };
        if outlet.reported.is_none_or(|at| at.elapsed() >= REPORT_INTERVAL) {
            outlet.reported = Some(Instant::now());
            let message = format!("a message for `{}` was not published: {why}", outlet.topic);
            let id = Some(format!("publish-{channel}"));
            hub.tell(client, &Status { level: Level::Error, message, id });
        }
    }
}

/// The type with this name, if it is unique. The name is in LCM's form, or in the form of the schemas sent to clients.
pub(crate) fn named(types: &Types, name: &str, dialect: Dialect) -> Option<Arc<Kind>> {
    let is = |kind: &&Arc<Kind>| kind.encoding() == "lcm" && is_named(kind, name, dialect);
    let mut found = types.all().filter(is);
    let first = found.next()?.clone();
    found.next().is_none().then_some(first)
}

/// Whether the name is that of this type.
pub(crate) fn is_named(kind: &Kind, name: &str, dialect: Dialect) -> bool {
    kind.name() == name || kind.cdr_schema(dialect).is_some_and(|schema| schema.name == name)
}
