//! This process on the network: a participant, created when the first publisher or subscriber needs it.

use super::failed::failed;
use super::guard;
use super::limits::{DEPTH, LEAST_WINDOW, SENDING};
use super::names::Names;
use super::overwrite::Speaker;
use super::raw::{Adapter, Raw};
use rustdds::no_key::{DataWriter, SimpleDataReader};
use rustdds::policy::{History, Reliability, ResourceLimits};
use rustdds::{
    DomainParticipant, DomainParticipantBuilder, DomainParticipantStatusListener, GUID, Publisher,
    QosPolicies, QosPolicyBuilder, RTPSEntity, Subscriber, Topic, TopicKind,
};
use saltus_transport::{Error, Result};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The settings of a URL.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The domain's number, from 0 to 232.
    pub id: u16,
    pub names: Names,
    pub reliable: bool,
    /// Messages of a topic that the library keeps; `None`: as many as subscribers request.
    pub depth: Option<u64>,
    /// An interface by name or address; `None`: the loopback interface; `all` for all.
    pub iface: Option<String>,
    /// How long a subscriber may take to acknowledge a message of a reliable publisher, before a newer one may
    /// replace it.
    pub patience: Duration,
}

/// The participant and the objects that belong to it.
pub(super) struct Node {
    participant: DomainParticipant,
    publisher: Publisher,
    subscriber: Subscriber,
    speaker: Speaker,
    settings: Settings,
}

/// A number that identifies a writer.
pub(super) fn number(writer: GUID) -> u64 {
    let mut hasher = DefaultHasher::new();
    writer.to_bytes().hash(&mut hasher);
    hasher.finish().max(1) // 0 means unknown
}

impl Node {
    pub fn open(settings: &Settings) -> Result<Node> {
        // So that new sockets are those of this participant.
        static ONE: Mutex<()> = Mutex::new(());
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut builder = DomainParticipantBuilder::new(settings.id);
        let addresses = addresses(settings.iface.as_deref())?;
        let stays = addresses.as_ref().is_some_and(|all| all.iter().all(IpAddr::is_loopback));
        if let Some(addresses) = addresses {
            builder = builder.with_only_networks(addresses);
        }
        let before = guard::sockets();
        let what = || format!("join DDS domain {}", settings.id);
        let participant = builder.build().map_err(|e| failed(what(), e))?;
        if stays {
            guard::keep_here(&before, settings.id, participant.participant_id())?;
        }
        drop(one);
        let qos = QosPolicyBuilder::new().build();
        let publisher = participant.create_publisher(&qos).map_err(|e| failed(what(), e))?;
        let subscriber = participant.create_subscriber(&qos).map_err(|e| failed(what(), e))?;
        let speaker = Speaker::new(settings.id, participant.participant_id(), stays)?;
        Ok(Node { participant, publisher, subscriber, speaker, settings: settings.clone() })
    }

    pub fn participant(&self) -> &DomainParticipant {
        &self.participant
    }
    pub fn names(&self) -> Names {
        self.settings.names
    }
    /// Events of the network.
    pub fn listener(&self) -> DomainParticipantStatusListener {
        self.participant.status_listener()
    }
    /// Whether a writer or reader belongs to this process.
    pub fn is_own(&self, guid: GUID) -> bool {
        guid.prefix == self.participant.guid().prefix
    }

    fn qos(&self, reliable: bool, depth: u64, most: u64) -> QosPolicies {
        let [depth, most] = [depth, most].map(|n| i32::try_from(n).unwrap_or(i32::MAX));
        let limits = ResourceLimits { max_samples: most, max_instances: 1, max_samples_per_instance: most };
        let max_blocking_time = (self.settings.patience + SENDING).into();
        QosPolicyBuilder::new()
            .reliability(if reliable {
                Reliability::Reliable { max_blocking_time }
            } else {
                Reliability::BestEffort
            })
            .history(History::KeepLast { depth })
            .resource_limits(limits)
            .build()
    }
    fn topic(&self, name: &str, kind: &str, qos: &QosPolicies) -> Result<Topic> {
        let topic = self.participant.create_topic(name.into(), kind.into(), qos, TopicKind::NoKey);
        topic.map_err(|e| failed(format!("make the topic `{name}` of DDS"), e))
    }

    /// Most unacknowledged messages of a writer.
    pub fn window(&self) -> u64 {
        self.settings.depth.unwrap_or(DEPTH).max(LEAST_WINDOW)
    }
    pub fn patience(&self) -> Duration {
        self.settings.patience
    }
    /// Releases the reliable readers of a topic from the messages of `writer` up to `last`, if they have not
    /// acknowledged them.
    pub fn skip(&self, topic: &str, writer: GUID, last: i64) {
        for found in self.participant.discovered_readers() {
            let (what, reader) = (found.subscription_topic_data, found.reader_proxy);
            if what.topic_name == topic && what.qos().is_reliable() {
                let places = reader.unicast_locator_list.into_iter().map(SocketAddr::from);
                self.speaker.skip(writer, reader.remote_reader_guid, places, last);
            }
        }
    }

    pub fn writer(&self, topic: &str, kind: &str) -> Result<DataWriter<Raw, Adapter>> {
        let depth = self.settings.depth.unwrap_or(DEPTH);
        let window = if self.settings.reliable { self.window() } else { depth };
        let qos = self.qos(self.settings.reliable, depth, window);
        let topic = self.topic(topic, kind, &qos)?;
        let writer = self.publisher.create_datawriter_no_key(&topic, Some(qos));
        writer.map_err(|e| failed(format!("publish on the topic `{}` of DDS", topic_name(&topic)), e))
    }

    /// `offered`: the QoS of the writer that this reader is for; a reader that requests more receives nothing.
    pub fn reader(
        &self,
        topic: &str,
        kind: &str,
        offered: Option<Reliability>,
        depth: u64,
    ) -> Result<SimpleDataReader<Raw, Adapter>> {
        let reliable = self.settings.reliable && matches!(offered, Some(Reliability::Reliable { .. }));
        let qos = self.qos(reliable, depth, depth);
        let topic = self.topic(topic, kind, &qos)?;
        let reader = self.subscriber.create_simple_datareader_no_key(&topic, Some(qos));
        reader.map_err(|e| failed(format!("subscribe to the topic `{}` of DDS", topic_name(&topic)), e))
    }
}

fn topic_name(topic: &Topic) -> String {
    use rustdds::TopicDescription;
    topic.name()
}

/// The addresses of an interface; `None`: all.
fn addresses(iface: Option<&str>) -> Result<Option<Vec<IpAddr>>> {
    let iface = match iface {
        None | Some("lo") => return Ok(Some(vec![Ipv4Addr::LOCALHOST.into()])),
        Some("all") => return Ok(None),
        Some(iface) => iface,
    };
    let mut found: Vec<IpAddr> = Vec::new();
    for known in netdev::get_interfaces() {
        let own = known.ipv4.iter().map(|net| IpAddr::V4(net.addr()));
        found.extend(own.filter(|address| known.name == iface || address.to_string() == iface));
    }
    if found.is_empty() {
        return Err(Error::invalid(format!(
            "there is no network interface `{iface}` with an IPv4 address: `ip address` lists them; use a name or an address"
        )));
    }
    Ok(Some(found))
}
