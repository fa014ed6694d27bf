//! The peer: iceoryx2, the native Rust crate, publish-subscribe of byte slices, read in order.
//!
//! Polled, it is publish-subscribe only. To block, an event service is added, as its documentation describes: the
//! publisher notifies after each send, the reader waits on its listener. It overwrites the oldest, keeps as many
//! messages as the other contenders, and gets aligned payloads and memory of the right size from the start.

use crate::case::Mode;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::Fallible;
use crate::futex;
use crate::message::HEAD;
use crate::shared::{AllAtomic, Shared};
use iceoryx2::config::Config;
use iceoryx2::port::{listener::Listener, notifier::Notifier, publisher::Publisher, subscriber::Subscriber};
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory;
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Release};
use std::time::Duration;

/// See the module.
pub struct Iceoryx2 {
    /// Build and look in place instead of copying in and out.
    pub in_place: bool,
}

/// Its files carry the name of the connection, so that leftovers can be removed.
struct IceLink {
    ask: Ask,
    in_place: bool,
    created: Shared<Created>,
}

/// Whether the services exist. The first writer creates them and the others wait, because concurrent creation
/// sometimes fails on a busy machine (a half-created service is an error).
#[derive(Default)]
struct Created(AtomicU32);

// SAFETY: an atomic, for which zero is a value.
unsafe impl AllAtomic for Created {}

type Topic = port_factory::publish_subscribe::PortFactory<ipc::Service, [u8], ()>;
type Event = port_factory::event::PortFactory<ipc::Service>;

impl Contender for Iceoryx2 {
    fn name(&self) -> &'static str {
        if self.in_place { "iceoryx2-loan" } else { "iceoryx2" }
    }

    fn version(&self) -> Option<String> {
        super::version::locked("iceoryx2")
    }

    fn supports(&self, _ask: &Ask) -> Result<(), &'static str> {
        Ok(())
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        std::fs::create_dir_all(root(&ask.name))?;
        Ok(Box::new(IceLink { ask: ask.clone(), in_place: self.in_place, created: Shared::new()? }))
    }
}

fn root(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("{name}-iceoryx2"))
}

impl IceLink {
    /// A process's own node, and the two services.
    fn services(&self, first: bool) -> Fallible<(Node<ipc::Service>, Topic, Option<Event>)> {
        // Acquire and release: the services exist when the word says so.
        while !first && self.created.0.load(Acquire) == 0 {
            futex::wait(&self.created.0, 0, None);
        }
        let mut config = Config::default();
        let root = root(&self.ask.name);
        config.global.set_root_path(&Path::new(root.as_os_str().as_encoded_bytes())?);
        config.global.creation_timeout = Duration::from_secs(30);
        config.global.prefix = FileName::new(format!("{}_", self.ask.name).as_bytes())?;
        let node = NodeBuilder::new()
            .config(&config)
            .signal_handling_mode(SignalHandlingMode::Disabled)
            .create::<ipc::Service>()?;
        let name: ServiceName = "bench".try_into()?;
        let processes = self.ask.readers + self.ask.writers;
        let topic = node
            .service_builder(&name)
            .publish_subscribe::<[u8]>()
            .payload_alignment(Alignment::new(64).ok_or("alignment")?)
            .enable_safe_overflow(true)
            .history_size(0)
            .subscriber_max_buffer_size(self.ask.depth)
            .subscriber_max_borrowed_samples(1)
            .max_publishers(self.ask.writers)
            .max_subscribers(self.ask.readers.max(1))
            .max_nodes(processes)
            .open_or_create()?;
        let event = (self.ask.mode == Mode::Sleep).then(|| {
            node.service_builder(&name)
                .event()
                .max_notifiers(self.ask.writers)
                .max_listeners(self.ask.readers.max(1))
                .max_nodes(processes)
                .open_or_create()
        });
        let event = event.transpose()?;
        self.created.0.store(1, Release);
        futex::wake_all(&self.created.0);
        Ok((node, topic, event))
    }
}

impl Link for IceLink {
    fn sender(&self, index: usize) -> Fallible<Box<dyn Sender>> {
        let (node, topic, event) = self.services(index == 0)?;
        let publisher =
            topic.publisher_builder().initial_max_slice_len(self.ask.size).max_loaned_samples(1).create()?;
        let notifier = event.map(|event| event.notifier_builder().create()).transpose()?;
        Ok(Box::new(In { publisher, notifier, in_place: self.in_place, _node: node }))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let (node, topic, event) = self.services(false)?;
        let subscriber = topic.subscriber_builder().buffer_size(self.ask.depth).create()?;
        let listener = event.map(|event| event.listener_builder().create()).transpose()?;
        Ok(Box::new(Out { subscriber, listener, in_place: self.in_place, _node: node }))
    }
}

impl Drop for IceLink {
    fn drop(&mut self) {
        // Killed processes leave files behind. Nothing in them is needed. A file that cannot be removed is skipped.
        let _ = std::fs::remove_dir_all(root(&self.ask.name));
        for entry in std::fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(format!("{}_", self.ask.name).as_bytes()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

struct In {
    publisher: Publisher<ipc::Service, [u8], ()>,
    notifier: Option<Notifier<ipc::Service>>,
    in_place: bool,
    _node: Node<ipc::Service>,
}

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        let mut sample = self.publisher.loan_slice_uninit(message.len())?;
        if self.in_place {
            for (to, from) in sample.payload_mut()[..HEAD].iter_mut().zip(message) {
                *to = MaybeUninit::new(*from);
            }
            // SAFETY: bytes have no invalid values, and the memory is shared memory that the kernel zeroed.
            unsafe { sample.assume_init() }.send()?;
        } else {
            sample.write_from_slice(message).send()?;
        }
        if let Some(notifier) = &self.notifier {
            notifier.notify()?;
        }
        Ok(())
    }
}

struct Out {
    subscriber: Subscriber<ipc::Service, [u8], ()>,
    listener: Option<Listener<ipc::Service>>,
    in_place: bool,
    _node: Node<ipc::Service>,
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        let Some(sample) = self.subscriber.receive()? else { return Ok(false) };
        let bytes = sample.payload();
        let wanted = if self.in_place { HEAD } else { buffer.len().min(bytes.len()) };
        buffer[..wanted].copy_from_slice(&bytes[..wanted]);
        Ok(true)
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        if self.poll(buffer)? {
            return Ok(true);
        }
        if let Some(listener) = &self.listener {
            listener.blocking_wait(|_| {})?;
        }
        self.poll(buffer)
    }
}
