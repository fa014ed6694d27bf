//! The driver for Rust: README.md describes the commands.

mod types {
    #![allow(missing_docs)]
    include!(concat!(env!("OUT_DIR"), "/types/mod.rs"));
}

use saltus_conformance_types::canonical::{hex, unhex};
use saltus_domain::{Domain, Message, Options, Pattern, Publisher, Start, Subscriber, TypedPublisher, Until};
use saltus_domain::{TypedSubscriber, wait_any};
use saltus_log::{Event, Format, Log, Writer, WriterOptions};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, Write as _};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::Duration;
use types::conformance::{Other, Reading};

/// A number and a sentence.
struct Failed(i32, String);

macro_rules! failed_from {
    ($($error:ty),+) => {
        $(impl From<$error> for Failed {
            fn from(e: $error) -> Failed {
                Failed(e.code(), e.to_string())
            }
        })+
    };
}
failed_from!(saltus_domain::Error, saltus_log::Error);

/// The answer to a command: empty, or a text.
type Said = Result<String, Failed>;

/// Everything that has a name.
enum Thing {
    Domain(Domain),
    Publisher(Publisher),
    Readings(TypedPublisher<Reading>),
    Others(TypedPublisher<Other>),
    Subscriber(Subscriber),
    Typed(TypedSubscriber<Reading>),
    Writer(Box<Writer<File>>),
    Log(Box<Log>),
}

/// A line of words.
struct Line<'a>(Vec<&'a str>);

impl Line<'_> {
    fn bytes(&self, i: usize) -> Option<Vec<u8>> {
        let word = self.0[i];
        if let Some(digits) = word.strip_prefix('x') {
            return Some(unhex(digits).expect("digits"));
        }
        let (length, seed) = word.get(1..).unwrap_or_default().split_once(':').unwrap_or((&word[1..], "0"));
        let pattern =
            |i: usize, seed: usize| (i.wrapping_mul(31).wrapping_add(i >> 9).wrapping_add(seed)) as u8;
        match &word[..1] {
            "p" => {
                let seed = seed.parse().expect("a seed");
                Some((0..length.parse().expect("a length")).map(|i| pattern(i, seed)).collect())
            }
            "z" => Some(vec![0; length.parse().expect("a length")]),
            _ => None,
        }
    }
    fn text(&self, i: usize) -> String {
        String::from_utf8(self.bytes(i).unwrap_or_default()).expect("UTF-8")
    }
    fn number<T: std::str::FromStr<Err = std::num::ParseIntError>>(&self, i: usize) -> T {
        self.0[i].parse().expect("a number")
    }
    fn until(&self, i: usize) -> Until {
        match self.0[i] {
            "-" => Until::Forever,
            "0" => Until::Poll,
            _ => Until::For(Duration::from_millis(self.number(i))),
        }
    }
    fn value(&self, i: usize) -> f64 {
        f64::from_bits(u64::from_str_radix(self.0[i], 16).expect("digits"))
    }
    /// The message with its fields from word `at` on.
    fn reading(&self, at: usize) -> Reading {
        let samples = self.0[at + 4].split(',').filter(|s| *s != "-").map(|s| s.parse().expect("a sample"));
        Reading {
            utime: self.number(at),
            value: self.value(at + 1),
            place: self.text(at + 2),
            count: self.number(at + 3),
            samples: samples.collect(),
        }
    }
}

#[derive(Default)]
struct Things(HashMap<String, Thing>);

macro_rules! gets {
    ($($name:ident $kind:ident $of:ty),+ $(,)?) => {
        $(fn $name(&mut self, name: &str) -> &mut $of {
            match self.0.get_mut(name) {
                Some(Thing::$kind(found)) => found,
                _ => panic!("no {} is called `{name}`", stringify!($name)),
            }
        })+
    };
}

impl Things {
    gets!(domain Domain Domain, publisher Publisher Publisher, subscriber Subscriber Subscriber,
          writer Writer Writer<File>, log Log Log);

    fn keep(&mut self, name: &str, thing: Thing) -> Said {
        self.0.insert(name.into(), thing);
        done()
    }

    fn open_publisher(&mut self, l: &Line<'_>) -> Said {
        let (domain, channel) = (self.domain(l.0[2]), l.bytes(3).unwrap_or_default());
        let made = match l.0[4] {
            "reading" => Thing::Readings(domain.publisher_of(channel)?),
            "other" => Thing::Others(domain.publisher_of(channel)?),
            _ => Thing::Publisher(domain.publisher(channel)?),
        };
        self.keep(l.0[1], made)
    }

    fn open_subscriber(&mut self, l: &Line<'_>) -> Said {
        let pattern = match l.0[3] {
            "all" => Pattern::all(),
            "pattern" => Pattern::regex(&l.text(4))?,
            _ => Pattern::name(l.bytes(4).unwrap_or_default())?,
        };
        let options = if l.0[5] == "0" { Options::newest() } else { Options::next(l.number(5)) };
        let options = options.start(match l.0[6] {
            "now" => Start::Now,
            "oldest" => Start::Oldest,
            _ => Start::Newest,
        });
        let domain = self.domain(l.0[2]);
        let made = match l.0[7] {
            "reading" => Thing::Typed(domain.subscriber_of(pattern, options)?),
            _ => Thing::Subscriber(domain.subscriber_with(pattern, options)?),
        };
        self.keep(l.0[1], made)
    }

    fn publish_typed(&mut self, l: &Line<'_>) -> Said {
        match self.0.get_mut(l.0[1]) {
            Some(Thing::Readings(publisher)) => publisher.publish(&l.reading(2))?,
            Some(Thing::Others(publisher)) => {
                publisher.publish(&Other { utime: l.number(2), value: l.value(3) })?;
            }
            _ => panic!("no typed publisher is called `{}`", l.0[1]),
        }
        done()
    }

    fn receive(&mut self, l: &Line<'_>) -> Said {
        if let Some(Thing::Typed(subscriber)) = self.0.get_mut(l.0[1]) {
            let Some(got) = subscriber.receive(l.until(2))? else { return nothing() };
            let r = got.message;
            let samples: Vec<String> = r.samples.iter().map(i16::to_string).collect();
            let samples = if samples.is_empty() { "-".into() } else { samples.join(",") };
            return Ok(format!(
                "{} {} {:016x} x{} {} {samples}",
                about(&got.about),
                r.utime,
                r.value.to_bits(),
                hex(r.place.as_bytes()),
                r.count
            ));
        }
        let got = self.subscriber(l.0[1]).receive(l.until(2))?;
        got.map_or_else(nothing, |m| Ok(format!("{} {}", about(&m), shown(m.data))))
    }

    fn current(&mut self, l: &Line<'_>) -> Said {
        let got = self.subscriber(l.0[1]).current(l.until(2))?;
        got.map_or_else(nothing, |m| Ok(format!("{} {}", about(&m), shown(m.data))))
    }

    fn wait(&mut self, l: &Line<'_>) -> Said {
        let wanted = |name: &String| l.0[2..].iter().position(|one| one == name);
        let all = self.0.iter_mut().filter_map(|(name, thing)| Some((wanted(name)?, thing)));
        let mut all: Vec<(usize, &mut Subscriber)> = all
            .map(|(i, thing)| match thing {
                Thing::Subscriber(subscriber) => (i, subscriber),
                _ => panic!("it is no subscriber"),
            })
            .collect();
        all.sort_by_key(|(i, _)| *i);
        let mut all: Vec<&mut Subscriber> = all.into_iter().map(|(_, subscriber)| subscriber).collect();
        wait_any(&mut all, l.until(1))?.map_or_else(nothing, |index| Ok(format!("ok {index}")))
    }

    fn readable(&mut self, l: &Line<'_>) -> Said {
        let fd = self.subscriber(l.0[1]).fd()?.as_raw_fd();
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one structure that stays alive across the call.
        if unsafe { libc::poll(&mut poll, 1, l.number(2)) } == 1 { done() } else { nothing() }
    }

    fn stream(&mut self, l: &Line<'_>) -> Said {
        let (first, many, gap): (u64, u64, u64) = (l.number(3), l.number(2), l.number(4));
        let publisher = self.publisher(l.0[1]);
        for n in first..first + many {
            publisher.publish(&n.to_be_bytes())?;
            if gap > 0 {
                std::thread::sleep(Duration::from_micros(gap));
            }
        }
        done()
    }

    /// Receives until a message with that number, or until no more arrive.
    fn count(&mut self, l: &Line<'_>) -> Said {
        let until: u64 = l.number(2);
        let (mut last, mut received, mut missed, mut dropped) = (0, 0, Some(0), 0);
        while last < until {
            let Some(m) = self.subscriber(l.0[1]).receive(l.until(3))? else { break };
            last = m.data.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
            received += 1;
            missed = missed.zip(m.missed.count()).map(|(a, b)| a + b);
            dropped += m.dropped;
        }
        Ok(format!("ok {received} {} {dropped} {last}", known(missed)))
    }

    fn log_create(&mut self, l: &Line<'_>) -> Said {
        let path = PathBuf::from(l.text(2));
        let format = match l.0[3] {
            "mcap" => Format::Mcap,
            "lcm" => Format::Lcm,
            _ => Format::of_name(&path).expect("a name that implies the format"),
        };
        // The program's own file: its format is up to it.
        let file = File::create_new(&path).map_err(|e| saltus_log::Error::Io("create the log".into(), e))?;
        self.keep(l.0[1], Thing::Writer(Box::new(Writer::new(file, format, WriterOptions::new())?)))
    }

    fn log_write(&mut self, l: &Line<'_>, data: &[u8], log_time: i64) -> Said {
        let channel = l.bytes(2).unwrap_or_default();
        self.writer(l.0[1]).write(&Event { channel: &channel, data, log_time, ..Event::default() })?;
        done()
    }

    fn log_write_reading(&mut self, l: &Line<'_>) -> Said {
        use saltus_wire::Message as _;
        self.writer(l.0[1]).types().learn(Reading::NAME, Reading::SCHEMA);
        let data = l.reading(4).encode().map_err(saltus_domain::Error::from)?;
        self.log_write(l, &data, l.number(3))
    }

    fn answer(&mut self, l: &Line<'_>) -> Said {
        match l.0[0] {
            "domain" => {
                let domain = match l.bytes(2) {
                    Some(_) => Domain::open(&l.text(2))?,
                    None => Domain::from_env()?,
                };
                self.keep(l.0[1], Thing::Domain(domain))
            }
            "publisher" => self.open_publisher(l),
            "subscriber" => self.open_subscriber(l),
            "publish" => {
                self.publisher(l.0[1]).publish(&l.bytes(2).unwrap_or_default())?;
                done()
            }
            "publish_reading" | "publish_other" => self.publish_typed(l),
            "receive" => self.receive(l),
            "current" => self.current(l),
            "wait" => self.wait(l),
            "readable" => self.readable(l),
            "cancel" => {
                self.subscriber(l.0[1]).cancel_handle().cancel();
                done()
            }
            "cancel_later" => {
                let (cancel, after) = (self.subscriber(l.0[1]).cancel_handle(), l.number(2));
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(after));
                    cancel.cancel();
                });
                done()
            }
            "cancel_reset" => {
                self.subscriber(l.0[1]).cancel_handle().reset();
                done()
            }
            "names" => {
                let names = self.domain(l.0[1]).channels()?;
                Ok(names.iter().fold(String::from("ok"), |all, name| all + " x" + &hex(name.as_bytes())))
            }
            "stream" => self.stream(l),
            "count" => self.count(l),
            "close" => {
                self.0.remove(l.0[2]);
                done()
            }
            "log_create" => self.log_create(l),
            "log_write" => self.log_write(l, &l.bytes(3).unwrap_or_default(), l.number(4)),
            "log_write_reading" => self.log_write_reading(l),
            "log_flush" => {
                self.writer(l.0[1]).flush()?;
                done()
            }
            "log_finish" => match self.0.remove(l.0[1]) {
                Some(Thing::Writer(writer)) => {
                    writer.finish()?;
                    done()
                }
                _ => panic!("no writer is called `{}`", l.0[1]),
            },
            "log_open" => {
                let log = Log::open(l.text(2).as_ref())?;
                self.keep(l.0[1], Thing::Log(Box::new(log)))
            }
            "log_size" => Ok(format!("ok {}", self.log(l.0[1]).len())),
            "log_next" => event(self.log(l.0[1]).next()?),
            "log_previous" => event(self.log(l.0[1]).previous()?),
            "log_seek" => {
                self.log(l.0[1]).seek(l.number(2));
                done()
            }
            "log_seek_time" => Ok(format!("ok {}", self.log(l.0[1]).seek_time(l.number(2))?)),
            other => panic!("unknown verb `{other}`"),
        }
    }
}

fn done() -> Said {
    Ok("ok".into())
}
fn nothing() -> Said {
    Ok("nothing".into())
}

fn known(number: Option<u64>) -> String {
    number.map_or("-".into(), |n| n.to_string())
}

fn about(m: &Message<'_>) -> String {
    let numbers = [known(m.missed.count()), m.dropped.to_string(), known(m.sequence)];
    format!("message x{} {}", hex(m.channel.as_bytes()), numbers.join(" "))
}

/// The bytes, if they are few; otherwise their number and CRC-32.
fn shown(data: &[u8]) -> String {
    if data.len() <= 64 {
        return format!("x{}", hex(data));
    }
    let bit = |crc: u32| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    let byte = |crc: u32, b: &u8| (0..8).fold(crc ^ u32::from(*b), |crc, _| bit(crc));
    format!("c{}:{:08x}", data.len(), !data.iter().fold(!0, byte))
}

fn event(got: Option<Event<'_>>) -> Said {
    got.map_or_else(nothing, |e| Ok(format!("event x{} {} {}", hex(e.channel), e.log_time, shown(e.data))))
}

fn main() {
    let (mut things, mut out) = (Things::default(), std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("lines of text");
        let printed = things.answer(&Line(line.split(' ').collect()));
        let printed = printed
            .unwrap_or_else(|Failed(code, words)| format!("error {code} - x{}", hex(words.as_bytes())));
        writeln!(out, "{printed}").and_then(|()| out.flush()).expect("somebody who reads");
    }
}
