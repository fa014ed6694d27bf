//! Receiving: topics, a reader for each topic with subscribers, and received messages.

use super::kinds::Kinds;
use super::node::{self, Node};
use super::raw::{self, Adapter, Raw};
use rustdds::GUID;
use rustdds::no_key::SimpleDataReader;
use rustdds::policy::Reliability;
use saltus_channel::Name;
use saltus_os::clock;
use saltus_transport::losses::Gaps;
use saltus_transport::{About, Arrival, Count, Error, Of, Pattern, Result, Sink};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::task::Waker;

/// Messages received from one reader between two checks for waiting subscribers.
const BATCH: usize = 1024;
/// Most topics that are read. A network may invent any number of them.
const MOST: usize = 4096;

/// The receiving side.
#[derive(Default)]
pub(super) struct Readers {
    wanted: Vec<Pattern>,
    /// Messages of a topic that subscribers request to keep.
    depth: u64,
    readers: BTreeMap<String, Reader>,
    /// The writers of other processes.
    writers: HashMap<GUID, Writer>,
    /// The losses of each writer, and the channel on which its messages arrived.
    senders: Gaps<(GUID, Name)>,
    /// Topics and types that were reported not to match.
    reported: HashSet<(String, String)>,
}

/// Receives one topic.
struct Reader {
    source: SimpleDataReader<Raw, Adapter>,
    channel: Name,
    kind: String,
}

/// A writer of another process.
struct Writer {
    topic: String,
    kind: String,
    offered: Option<Reliability>,
}

impl Readers {
    /// Without readers; `depth` messages of a topic are kept.
    pub fn new(depth: u64) -> Readers {
        Readers { depth, ..Readers::default() }
    }
    pub fn subscribe(&mut self, pattern: &Pattern) {
        self.wanted.push(pattern.clone());
    }
    pub fn unsubscribe(&mut self, pattern: &Pattern) {
        let expression = pattern.expression();
        if let Some(at) = self.wanted.iter().position(|p| p.expression() == expression) {
            self.wanted.swap_remove(at);
        }
        let wanted = &self.wanted;
        self.readers.retain(|_, reader| wanted.iter().any(|p| p.matches(&reader.channel)));
        // Messages that arrive without a subscriber are not lost. The library may have kept earlier ones, and pass
        // them to the next reader.
        self.senders.pause(|(_, channel)| !wanted.iter().any(|p| p.matches(channel)));
    }
    /// Requests that at least `depth` messages of a topic are kept, for readers created from now on.
    pub fn deepen(&mut self, depth: u64) {
        self.depth = self.depth.max(depth);
    }

    /// The type received on a channel.
    pub fn kind_of(&self, channel: &Name) -> Option<&str> {
        self.readers.values().find(|reader| reader.channel == *channel).map(|reader| &*reader.kind)
    }

    /// The losses of each known writer.
    pub fn losses(&self) -> Vec<(Of, Count)> {
        self.senders.iter().map(|((guid, _), count)| ((node::number(*guid), None), count)).collect()
    }

    /// Checks which topics are published, and creates a reader for each topic with subscribers.
    pub fn survey(&mut self, node: &Node, waker: &Waker) -> Result<()> {
        self.writers.clear();
        for found in node.participant().discovered_writers() {
            let what = found.publication_topic_data;
            let writer = Writer { topic: what.topic_name, kind: what.type_name, offered: what.reliability };
            if !node.is_own(what.key) && node.names().channel(&writer.topic).is_some() {
                self.writers.insert(what.key, writer);
            }
        }
        self.senders.retain(|(guid, _)| self.writers.contains_key(guid));
        let mut trouble = Ok(());
        for writer in self.writers.values() {
            let Some(channel) = node.names().channel(&writer.topic) else { continue };
            if !self.wanted.iter().any(|p| p.matches(&channel)) {
                continue;
            }
            if let Some(reader) = self.readers.get(&writer.topic) {
                if reader.kind == writer.kind {
                    continue;
                }
                let lives = |w: &Writer| w.topic == writer.topic && w.kind == reader.kind;
                if self.writers.values().any(lives) {
                    if self.reported.len() < MOST
                        && self.reported.insert((writer.topic.clone(), writer.kind.clone()))
                    {
                        trouble = Err(Error::invalid(format!(
                            "the topic `{}` is published with two types, `{}` and `{}`: only the first is received",
                            writer.topic, reader.kind, writer.kind
                        )));
                    }
                    continue;
                }
            }
            if self.readers.len() >= MOST {
                return Err(Error::invalid(format!("more than {MOST} topics of DDS: subscribe to fewer")));
            }
            self.readers.remove(&writer.topic); // the old one is dropped before the new one is created
            let source = node.reader(&writer.topic, &writer.kind, writer.offered, self.depth)?;
            source.set_waker(Some(waker.clone()));
            self.readers.insert(writer.topic.clone(), Reader { source, channel, kind: writer.kind.clone() });
        }
        trouble
    }

    /// Receives messages that have arrived. Returns whether none is left.
    pub fn drain(&mut self, node: &Node, kinds: &Kinds, waker: &Waker, sink: &mut dyn Sink) -> Result<bool> {
        let (mut all, mut trouble) = (true, Ok(()));
        for reader in self.readers.values() {
            reader.source.drain_read_notifications();
            reader.source.set_waker(Some(waker.clone()));
            let mut nothing = 0;
            for taken in 0.. {
                if taken >= BATCH {
                    all = false;
                    break;
                }
                // `NoData` is also returned at the end of an instance, but there are no instances here.
                let change = match reader.source.try_take_one() {
                    Ok(Some(change)) => change,
                    Ok(None) if nothing > 0 => break,
                    Ok(None) => {
                        nothing += 1;
                        continue;
                    }
                    Err(_) => continue, // a payload that is not CDR according to its header
                };
                let guid = change.writer_guid;
                if node.is_own(guid) {
                    continue; // subscribers in this process received it when it was published
                }
                let Ok(sequence) = i64::from(change.sequence_number).try_into() else { continue };
                let (Count { lost, count }, is_new) =
                    self.senders.note((guid, reader.channel.clone()), sequence);
                if !is_new {
                    continue;
                }
                let about = About {
                    published: 0,
                    arrived: clock::boottime(),
                    sender: node::number(guid),
                    sequence,
                    lost,
                    count,
                };
                let kind = self.writers.get(&guid).map_or(&reader.kind, |writer| &writer.kind);
                let channel = reader.channel.as_bytes();
                let mut take = |payload: &[u8]| sink.take(Arrival { channel, payload, about });
                let payload = &change.sample.0;
                if kind == node.names().bytes() {
                    match raw::unwrap(payload) {
                        Some(bytes) => take(bytes),
                        None => {
                            trouble =
                                Err(damaged(&reader.channel, kind, "it is shorter than its length field"))
                        }
                    }
                } else if let Some(kind) = kinds.named(kind) {
                    match kind.to_lcm(payload) {
                        Ok(bytes) => take(&bytes),
                        Err(why) => trouble = Err(damaged(&reader.channel, &kind.name, &why)),
                    }
                } else {
                    take(payload);
                }
            }
        }
        trouble.map(|()| all)
    }
}

fn damaged(channel: &Name, kind: &str, why: &str) -> Error {
    Error::undecodable(format!(
        "a message of `{channel}` is not a valid `{kind}`: {why}; compare the type with the publisher's"
    ))
}
