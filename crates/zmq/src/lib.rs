//! `zmq://`: ZeroMQ's publish-subscribe, through the system's libzmq.
//!
//! A message has two parts, the channel and the payload, so that any `SUB` socket can subscribe to a channel by its
//! name. Each publishing process binds a `PUB` socket, in a directory or where the URL says; a subscribing process
//! connects to all of them. A process delivers its own messages to its own subscribers without a socket.
//!
//! A subscriber misses messages published before it has connected. So in a directory, the first publisher of a
//! process waits until all processes with a file there have connected: each subscribes to the name of its file
//! after everything else.
//!
//! A socket's descriptor is raised when something happens, not as long as messages are waiting, and any call on the
//! socket may lower it. So each thread receives until nothing is left, and any other operation on the socket raises
//! a second descriptor.

#![cfg(feature = "library")]

mod directory;
mod library;
mod places;
mod publishing;
mod receiving;
mod settings;
mod socket;

use directory::Directory;
use library as lib;
use places::Places;
use publishing::Publishing;
use receiving::{Ready, Receiving};
use saltus_channel::{Description, Name};
use saltus_transport::{Abilities, Announces, Error, Fd, Pattern, Result, Sink, Transport, Url};
use settings::{LONGEST, Settings};
use socket::{Context, Socket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const OPTIONS: &str = "bind, connect (lists of HOST:PORT or /PATH), hwm (messages), linger (ms)";

/// Publishers that find each other by a directory or by addresses.
///
/// Lock order: `publishing` before `receiving`. The fields are dropped in this order: the context waits until
/// everything is sent.
struct Zmq {
    publishing: Mutex<Option<Publishing>>,
    receiving: Mutex<Option<Receiving>>,
    ready: Ready,
    context: Arc<Context>,
    settings: Settings,
    places: Places,
}

/// Opens `zmq://`.
///
/// # Errors
/// An invalid URL, and errors of libzmq or the system.
pub fn open(mut url: Url) -> Result<Box<dyn Transport>> {
    let places = Places::of(&mut url)?;
    let hwm = url.take("hwm", "a number of messages, from 1")?.unwrap_or(1000);
    let linger = url.take("linger", "a time in ms")?.unwrap_or(1000);
    url.finish(OPTIONS)?;
    if hwm < 1 || linger < 0 {
        return Err(url.invalid("`hwm` must be a number of messages from 1, `linger` a time in ms from 0"));
    }
    Ok(Box::new(Zmq {
        publishing: Mutex::default(),
        receiving: Mutex::default(),
        ready: Ready::new()?,
        context: Context::new().map_err(|e| Error::system("start libzmq", e))?,
        settings: Settings { hwm, linger },
        places,
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner) // sockets, whole between any two lines
}

impl Zmq {
    /// Binds the publishing socket at the URL's addresses.
    fn bind(&self) -> Result<Publishing> {
        let Zmq { places, settings, .. } = self;
        if places.directory.is_none() && places.bind.is_empty() {
            return Err(Error::unsupported(
                "to publish, a zmq:// URL must have an address: add, for example, bind=127.0.0.1:5555",
            ));
        }
        let failed = |e| Error::system("make a socket to publish with", e);
        let socket = Socket::publisher(&self.context).map_err(failed)?;
        let options = [
            (lib::SNDHWM, settings.hwm),
            (lib::LINGER, settings.linger),
            (lib::IPV6, places.has_ipv6().into()),
        ];
        socket.set_all(&options).map_err(failed)?;
        let bind = |at: &str| socket.bind(at).map_err(|e| Error::system(format!("publish at {at}"), e));
        // Before this, the address belonged to another process or to none.
        let mut receiving = lock(&self.receiving);
        let own = || places.connect.iter().filter(|endpoint| places.is_own(endpoint));
        if let Some(receiving) = &mut *receiving {
            own().for_each(|endpoint| receiving.disconnect(endpoint));
            receiving.rouse(&self.ready);
        }
        let mut bound = places.bind.iter().try_for_each(|endpoint| bind(endpoint));
        if let (Some(directory), Ok(())) = (&places.directory, &bound) {
            let hidden = Directory::endpoint(&directory.hidden());
            bound = directory.make().and_then(|()| bind(&hidden)).and_then(|()| directory.show());
            directory.sweep();
        }
        if let (Some(receiving), Err(_)) = (&*receiving, &bound) {
            own().try_for_each(|endpoint| receiving.connect(endpoint))?;
        }
        bound?;
        drop(receiving);
        let publishing = Publishing::new(socket);
        if let Some(directory) = &places.directory {
            publishing.wait_for(directory.subscribers())?;
        }
        Ok(publishing)
    }

    fn want(&self, option: i32, pattern: &Pattern) -> Result<()> {
        let publishing = lock(&self.publishing);
        let mut receiving = lock(&self.receiving);
        let receiving = match &mut *receiving {
            Some(receiving) => receiving,
            none => none.insert(Receiving::open(
                &self.context,
                &self.places,
                &self.settings,
                publishing.is_some(),
                &self.ready,
            )?),
        };
        // Channels that begin with this name arrive too; without subscribers they are skipped.
        receiving.want(option, pattern.exact().map_or(&[], |name| name.as_bytes()), &self.ready)?;
        self.places.directory.as_ref().map_or(Ok(()), |directory| receiving.greet(directory, &self.ready))
    }
}

impl Announces for Zmq {
    fn announce(&self, _: &Name, _: Option<&Description>) -> Result<()> {
        let mut publishing = lock(&self.publishing);
        if publishing.is_none() {
            *publishing = Some(self.bind()?);
        }
        Ok(())
    }
}

impl Transport for Zmq {
    fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        if payload.len() > LONGEST {
            return Err(Error::TooLong { len: payload.len(), most: LONGEST });
        }
        let mut publishing = lock(&self.publishing);
        let publishing = match &mut *publishing {
            Some(publishing) => publishing,
            none => none.insert(self.bind()?),
        };
        publishing.publish(name.as_bytes(), payload).map_err(|e| Error::system("publish", e))
    }

    fn receive(&self, sink: &mut dyn Sink) -> Result<()> {
        let mut receiving = lock(&self.receiving);
        receiving.as_mut().map_or(Ok(()), |receiving| receiving.drain(&self.places, &self.ready, sink))
    }

    fn descriptors(&self) -> Vec<Fd> {
        let receiving = lock(&self.receiving);
        let receiving = receiving.iter().flat_map(Receiving::fds);
        self.ready.fds().into_iter().chain(receiving).map(|raw| Fd { raw, alone: true }).collect()
    }

    fn subscribe(&self, pattern: &Pattern, _: u64) -> Result<()> {
        self.want(lib::SUBSCRIBE, pattern)
    }
    fn unsubscribe(&self, pattern: &Pattern) {
        let _ = self.want(lib::UNSUBSCRIBE, pattern); // it was subscribed to
    }
    fn sender(&self, _: &Name) -> Option<u64> {
        None
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { announces: Some(self), ..Abilities::NONE }
    }
}

impl Drop for Zmq {
    fn drop(&mut self) {
        let used = lock(&self.publishing).is_some() || lock(&self.receiving).is_some();
        if let (Some(directory), true) = (&self.places.directory, used) {
            directory.hide();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_os::clock;
    use saltus_transport::Arrival;
    use saltus_transport::Epoll;
    use std::os::unix::net::UnixListener;
    use std::sync::Barrier;
    use std::time::{Duration, Instant};
    use std::{fs, thread};

    /// Counts the messages of one round.
    struct Count(usize, u8);
    impl Sink for Count {
        fn wants(&mut self, _: &[u8]) -> bool {
            true
        }
        fn take(&mut self, arrival: Arrival<'_>) {
            self.0 += usize::from(arrival.payload == [self.1]);
        }
    }

    /// More is sent only after everything has arrived, while the receiving side connects to another peer: a lost
    /// wake is never repaired. The last burst is more than one drain receives.
    #[test]
    fn no_subscriber_blocks_while_messages_wait() {
        let path = std::env::temp_dir().join(format!("saltus-zmq-wakes-{}", std::process::id()));
        let link =
            || super::open(Url::parse(&format!("zmq://{}?hwm=100000", path.display())).unwrap()).unwrap();
        let (here, there, name) = (&link(), link(), &Name::new("wake").unwrap());
        there.subscribe(&Pattern::all(), 1).unwrap();
        let (epoll, mut count, both, mut others) =
            (Epoll::new().unwrap(), Count(0, 0), &Barrier::new(2), Vec::new());
        there.descriptors().iter().for_each(|fd| epoll.add(fd.raw, fd.alone).unwrap());
        const MEETING: u8 = u8::MAX;
        let mut receive = |round: u8, many: usize, ms: u64| {
            let until = clock::monotonic() + ms * 1_000_000;
            count = Count(0, round);
            while count.0 < many {
                epoll.wait(until);
                if clock::monotonic() >= until {
                    break; // without a wake nothing counts
                }
                there.receive(&mut count).unwrap();
            }
            count.0
        };
        let start = Instant::now();
        while receive(MEETING, 1, 10) == 0 {
            assert!(start.elapsed() < Duration::from_secs(20), "they never met");
            here.publish(name, &[MEETING]).unwrap();
        }
        while receive(MEETING, 1, 200) > 0 {} // the rest
        thread::scope(|s| {
            for n in 0..200_u8 {
                let many = if n < 199 { usize::from(n % 7 + 1) } else { 25_000 };
                s.spawn(move || {
                    both.wait();
                    thread::sleep(Duration::from_micros(u64::from(n % 50)));
                    (0..many).for_each(|_| here.publish(name, &[n]).unwrap());
                });
                both.wait();
                others.push(UnixListener::bind(path.join(format!("other-{n}"))).unwrap());
                thread::sleep(Duration::from_micros(many as u64 / 100 * 2000)); // most of the last burst is waiting
                assert_eq!(receive(n, many, 20_000), many, "in round {n}");
            }
        });
        let _ = fs::remove_dir_all(&path);
    }
}
