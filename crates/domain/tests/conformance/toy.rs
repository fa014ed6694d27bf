//! A provider for this suite only, which shows how to add one: a transport and a row. Its network is a list of
//! queues in this process.

use super::World;
use saltus_domain::transport::losses::Gaps;
use saltus_domain::transport::{
    Abilities, About, Arrival, Count, Event, Fd, Of, ReportsLosses, Sink, Transport, Url,
};
use saltus_domain::{
    Discovery, Keeps, Losses, Name, Pattern, Reach, Result, Scheme, Senders, Timestamps, Traits, Words,
};
use saltus_os::clock;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, Weak};

/// The row.
static TOY: Scheme = Scheme::network(
    "toy",
    Traits {
        reach: Reach::Process,
        shared_memory: false,
        losses: Losses::OfSender,
        senders: Senders::Processes,
        orders_channels: true,
        keeps: Keeps::Nothing,
        discovery: Discovery::Immediate,
        describes: false,
        timestamps: Timestamps::Present,
        publish_waits: false,
        returns_own: false,
        answers: false,
        address: None,
    },
    Words {
        reaches: "this test",
        order: "as it arrives",
        lost: "never",
        loss_counts: "each sender",
        needs: "nothing",
    },
    open,
);

pub fn toy(case: fn(&World)) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    case(&World::with(&TOY, format!("toy://{}", NEXT.fetch_add(1, Relaxed)), 3 << 20));
}

/// All stations of all networks. One thread at a time publishes.
static STATIONS: Mutex<Vec<Weak<Station>>> = Mutex::new(Vec::new());

/// A domain on the network.
struct Station {
    network: String,
    number: u64,
    published: AtomicU64,
    subscribers: AtomicUsize,
    queue: Mutex<VecDeque<Sent>>,
    news: Event,
    gaps: Mutex<Gaps<u64>>,
}

struct Sent {
    channel: Name,
    payload: Vec<u8>,
    about: About,
}

/// The transport.
struct Toy(Arc<Station>);

fn open(url: Url) -> Result<Box<dyn Transport>> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    url.finish("none")?;
    let station = Arc::new(Station {
        network: url.network,
        number: NEXT.fetch_add(1, Relaxed),
        published: AtomicU64::new(0),
        subscribers: AtomicUsize::new(0),
        queue: Mutex::default(),
        news: Event::new()?,
        gaps: Mutex::default(),
    });
    STATIONS.lock().unwrap().push(Arc::downgrade(&station));
    Ok(Box::new(Toy(station)))
}

impl Transport for Toy {
    fn publish(&self, channel: &Name, payload: &[u8]) -> Result<()> {
        let mut stations = STATIONS.lock().unwrap();
        stations.retain(|station| station.strong_count() > 0);
        let sequence = self.0.published.fetch_add(1, Relaxed) + 1;
        let now = clock::boottime();
        let about =
            About { published: now, arrived: now, sender: self.0.number, sequence, ..About::default() };
        let others = stations.iter().filter_map(Weak::upgrade).filter(|other| !Arc::ptr_eq(other, &self.0));
        for other in
            others.filter(|other| other.network == self.0.network && other.subscribers.load(Relaxed) > 0)
        {
            let sent = Sent { channel: channel.clone(), payload: payload.into(), about };
            other.queue.lock().unwrap().push_back(sent);
            other.news.raise();
        }
        Ok(())
    }
    fn subscribe(&self, _: &Pattern, _: u64) -> Result<()> {
        let _stations = STATIONS.lock().unwrap();
        self.0.subscribers.fetch_add(1, Relaxed);
        Ok(())
    }
    fn unsubscribe(&self, _: &Pattern) {
        let _stations = STATIONS.lock().unwrap();
        if self.0.subscribers.fetch_sub(1, Relaxed) == 1 {
            self.0.queue.lock().unwrap().clear();
            *self.0.gaps.lock().unwrap() = Gaps::default(); // what is published from now on is not lost
        }
    }
    fn receive(&self, sink: &mut dyn Sink) -> Result<()> {
        self.0.news.lower();
        let arrived = std::mem::take(&mut *self.0.queue.lock().unwrap());
        for Sent { channel, payload, mut about } in arrived {
            let (Count { lost, count }, _) = self.0.gaps.lock().unwrap().note(about.sender, about.sequence);
            (about.lost, about.count) = (lost, count);
            sink.take(Arrival { channel: channel.as_bytes(), payload: &payload, about });
        }
        Ok(())
    }
    fn descriptors(&self) -> Vec<Fd> {
        vec![Fd { raw: self.0.news.raw(), alone: true }]
    }
    fn sender(&self, _: &Name) -> Option<u64> {
        Some(self.0.number)
    }
    fn abilities(&self) -> Abilities<'_> {
        Abilities { reports_losses: Some(self), ..Abilities::NONE }
    }
}

impl ReportsLosses for Toy {
    fn losses(&self) -> Vec<(Of, Count)> {
        self.0.gaps.lock().unwrap().iter().map(|(sender, count)| ((*sender, None), count)).collect()
    }
}
