//! A program in any language may be killed at any instant, and programs in all languages continue and count
//! correctly.

use crate::case::Provider;
use crate::driver::Driver;
use crate::languages::Language;
use crate::place::Place;
use crate::ports::{self, Ports};
use saltus_conformance_types::tools::Result;
use std::time::Duration;

/// More than is ever published here.
const ENDLESS: u64 = 1_000_000_000;
/// The first number of the publisher after the killed one.
const SECOND: u64 = 2_000_000_000;
/// Silence in ms after which no more messages are expected. In shared memory all are there immediately; from a
/// network, a thread receives them.
const QUIET: [u32; 2] = [300, 2000];
/// Longest wait for an expected message in ms.
const PATIENCE: u32 = 20_000;

/// The counts.
#[derive(Debug)]
struct Counted {
    received: u64,
    missed: u64,
    dropped: u64,
    last: u64,
}

impl Counted {
    fn read(answer: &str) -> Result<Counted> {
        let numbers: Option<Vec<u64>> = answer
            .strip_prefix("ok ")
            .map(|rest| rest.split(' ').map_while(|word| word.parse().ok()).collect());
        match numbers.as_deref() {
            Some(&[received, missed, dropped, last]) => Ok(Counted { received, missed, dropped, last }),
            _ => Err(format!("it counted `{answer}`")),
        }
    }
    fn all(&self) -> u64 {
        self.received + self.missed + self.dropped
    }
}

/// Which program is killed, and which continues.
#[derive(Clone, Debug)]
pub struct Kill<'a> {
    /// What carries the messages.
    pub provider: Provider,
    /// The one that is killed.
    pub killed: &'a Language,
    /// The one that continues.
    pub other: &'a Language,
}

impl Kill<'_> {
    /// Runs all of them; returns their number, and the failures.
    pub fn play(&self) -> (usize, Vec<String>) {
        type Act<'a> = fn(&Kill<'a>, &Place) -> Result<()>;
        let acts: [(&str, Act<'_>); 3] = [
            ("a publisher is killed between two messages, or in one", |kill, place| kill.publisher(place)),
            ("a subscriber is killed while it waits", |kill, place| kill.subscriber(place, false)),
            ("a subscriber is killed while it receives", |kill, place| kill.subscriber(place, true)),
        ];
        let mut failures = Vec::new();
        for (name, act) in &acts {
            if let Err(why) = Place::new(self.provider).and_then(|place| act(self, &place)) {
                let (killed, other) = (&self.killed.name, &self.other.name);
                let who = format!("{}, {killed} killed, {other} continues", self.provider.name());
                failures.push(format!("kills: {name} ({who}): {why}"));
            }
        }
        (acts.len(), failures)
    }

    fn start(&self, language: &Language, place: &Place, url: &str) -> Result<Driver> {
        let mut driver = Driver::start(language, &place.dir, place.space.as_ref())?;
        let digits = saltus_conformance_types::canonical::hex(url.as_bytes());
        driver.must(&format!("domain d x{digits}"))?;
        Ok(driver)
    }

    /// Three publishers are killed in their loops; a fourth is not.
    fn publisher(&self, place: &Place) -> Result<()> {
        let url = place.url(if self.provider == Provider::Shm { "depth=64" } else { "" });
        let quiet = QUIET[usize::from(self.provider == Provider::Udpm)];
        let mut ports = Ports::default();
        let mut subscriber = self.start(self.other, place, &url)?;
        subscriber.must("subscriber s d name x78 1000 newest -")?;
        for round in 0..3 {
            let mut publisher = self.start(self.killed, place, &url)?;
            publisher.must("publisher p d x78 -")?;
            let first = round * SECOND + 1;
            publisher.say(&format!("stream p {ENDLESS} {first} 50"))?;
            let some = Counted::read(&subscriber.ask(&format!("count s {} {PATIENCE}", first + 100))?)?;
            // Anywhere in its loop.
            std::thread::sleep(Duration::from_micros(round * 700));
            let dead = place.space.as_ref().map(|_| ports::of(publisher.process())).transpose()?;
            publisher.kill()?;
            if let (Some(dead), Some(space)) = (dead, &place.space) {
                ports.keep(&dead, space)?;
            }
            let rest = Counted::read(&subscriber.ask(&format!("count s {} {quiet}", first + ENDLESS))?)?;
            let last = rest.last.max(some.last);
            if some.all() + rest.all() != last + 1 - first {
                return Err(format!("{last} was published, from {first} on; counted {some:?} and {rest:?}"));
            }
        }
        let mut last = self.start(self.other, place, &url)?;
        last.must("publisher p d x78 -")?;
        last.must(&format!("stream p 10 {} 0", 4 * SECOND + 1))?;
        let end = Counted::read(&subscriber.ask(&format!("count s {} {PATIENCE}", 4 * SECOND + 10))?)?;
        if end.all() != 10 || end.last != 4 * SECOND + 10 {
            return Err(format!("10 were published after the kills; counted {end:?}"));
        }
        last.end()?;
        subscriber.end()
    }

    /// A subscriber is killed; the publisher and another subscriber are not affected.
    fn subscriber(&self, place: &Place, while_receiving: bool) -> Result<()> {
        const MANY: u64 = 2000;
        let url = place.url(if self.provider == Provider::Shm { "depth=64" } else { "" });
        let mut publisher = self.start(self.other, place, &url)?;
        let mut subscriber = self.start(self.other, place, &url)?;
        let mut killed = self.start(self.killed, place, &url)?;
        publisher.must("publisher p d x78 -")?;
        for driver in [&mut subscriber, &mut killed] {
            driver.must("subscriber s d name x78 1000 newest -")?;
        }
        // Whichever program waits here, a message on another channel does not end the wait.
        killed.say(if while_receiving { "count s 1000000000 20000" } else { "receive s -" })?;
        if while_receiving {
            publisher.say(&format!("stream p {MANY} 1 20"))?;
            subscriber.say(&format!("count s {MANY} {PATIENCE}"))?;
            std::thread::sleep(Duration::from_millis(5)); // somewhere among them
            killed.kill()?;
        } else {
            std::thread::sleep(Duration::from_millis(5)); // it is waiting by now, or soon: both must do no harm
            killed.kill()?;
            publisher.say(&format!("stream p {MANY} 1 20"))?;
            subscriber.say(&format!("count s {MANY} {PATIENCE}"))?;
        }
        match publisher.answer()?.as_str() {
            "ok" => {}
            other => return Err(format!("the publisher: {other}")),
        }
        let all = Counted::read(&subscriber.answer()?)?;
        if all.all() != MANY || all.last != MANY {
            return Err(format!("{MANY} were published; counted {all:?}"));
        }
        publisher.end()?;
        subscriber.end()
    }
}
