//! Zenoh's own crate, used directly: two peers on the loopback that discover each other, as those of `zenoh://` do,
//! with default publishers and subscribers.

use super::meeting::{Meeting, is_message};
use super::member::Common;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::contenders::version;
use crate::error::Fallible;
use std::rc::Rc;
use zenoh::handlers::FifoChannelHandler;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::sample::Sample;
use zenoh::{Config, Session, Wait};

const CONFIG: &str = "{mode: 'peer', listen: {endpoints: ['tcp/127.0.0.1:0']}, \
                      scouting: {multicast: {interface: '127.0.0.1'}}}";

/// See the module.
pub struct Zenoh;

impl Contender for Zenoh {
    fn name(&self) -> &'static str {
        "zenoh"
    }

    fn version(&self) -> Option<String> {
        version::locked("zenoh")
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        if ask.stock { Err("has no receive buffer") } else { Ok(()) }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        Ok(Box::new(Key::new(ask, &Common::default())?))
    }

    fn pair(&self, there: &Ask, back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        let shared = Common::default();
        Ok([Box::new(Key::new(there, &shared)?), Box::new(Key::new(back, &shared)?)])
    }
}

struct Key {
    key: String,
    session: Common<Session>,
    meeting: Meeting,
}

impl Key {
    fn new(ask: &Ask, session: &Common<Session>) -> Fallible<Key> {
        Ok(Key { key: ask.name.clone(), session: session.clone(), meeting: Meeting::new(ask)? })
    }

    fn session(&self) -> Fallible<Rc<Session>> {
        let open = || zenoh::open(Config::from_json5(CONFIG)?).wait();
        self.session.get(|| open().map_err(plain))
    }
}

impl Link for Key {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let session = self.session()?;
        let publisher = session.declare_publisher(self.key.clone()).wait().map_err(plain)?;
        let mut sender = In { publisher, _session: session };
        self.meeting.call(&mut sender)?;
        Ok(Box::new(sender))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let session = self.session()?;
        let subscriber = session.declare_subscriber(self.key.clone()).wait().map_err(plain)?;
        let out = Out { subscriber, _session: session };
        self.meeting.listen(|buffer| out.poll_length(buffer))?;
        Ok(Box::new(out))
    }
}

struct In {
    publisher: Publisher<'static>,
    _session: Rc<Session>,
}

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        self.publisher.put(message).wait().map_err(plain)
    }
}

struct Out {
    subscriber: Subscriber<FifoChannelHandler<Sample>>,
    _session: Rc<Session>,
}

impl Out {
    fn poll_length(&self, buffer: &mut [u8]) -> Fallible<Option<usize>> {
        Ok(self.subscriber.try_recv().map_err(plain)?.map(|sample| copy(&sample, buffer)))
    }
}

/// Converts an error of Zenoh to ours.
fn plain(error: zenoh::Error) -> Box<dyn std::error::Error> {
    error
}

/// Copies as much as fits; returns the length of the whole message.
#[inline]
fn copy(sample: &Sample, buffer: &mut [u8]) -> usize {
    let bytes = sample.payload().to_bytes();
    let len = bytes.len().min(buffer.len());
    buffer[..len].copy_from_slice(&bytes[..len]);
    bytes.len()
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.poll_length(buffer)?.is_some_and(is_message))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(is_message(copy(&self.subscriber.recv().map_err(plain)?, buffer)))
    }
}
