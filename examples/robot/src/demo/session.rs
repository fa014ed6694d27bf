//! A demo from start to end.

use std::io::{BufRead, BufReader, PipeReader};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use saltus_channel::{Channel, Domain, Subscriber, SubscriberOptions, clock, rt};

use super::audit::audit;
use super::chaos::{Chaos, Deed};
use super::crew::Crew;
use super::ledger::Ledger;
use super::lidar::{Scans, newest};
use super::report::{Ending, Hop, Percentiles, Report};
use super::screen::{Row, Screen, View};
use super::{DemoOptions, draws, length};
use crate::channels::{CHANNELS, HEALTH};
use crate::error::{Error, Result};
use crate::life::REFLEX;
use crate::sys;
use crate::wire::messages::{Obstacle, Truth};
use crate::wire::{Message, Torn};

/// How often the supervisor looks after its processes.
const LOOK: Duration = Duration::from_millis(2);
/// How often it draws.
const FRAME: Duration = Duration::from_millis(50);
/// How often the table is made anew, and a line is written where nothing is drawn.
const SECOND: Duration = Duration::from_secs(1);
/// How long those who were hurt last have to recover before the end, and everybody has to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// The supervisor's own real-time priority: below the reflex, above the rest.
const PRIORITY: i32 = REFLEX - 10;
/// Lines that are kept of what the programs say.
const SAID: usize = 20;

struct Session<'a> {
    options: &'a DemoOptions,
    domain: &'a Domain,
    crew: Crew,
    ledger: Ledger,
    chaos: Option<Chaos>,
    began: Instant,
    looked: Duration,
    truths: Subscriber,
    channels: Vec<Channel>,
    published: Vec<u64>,
    screen: Option<Screen>,
    drawn: Duration,
    tabled: Duration,
    view: View,
    scheduling: String,
}

/// Runs a demo in a domain that has all channels.
pub fn run(options: &DemoOptions, domain: &Domain) -> Result<Report> {
    let seed = options.seed.unwrap_or_else(saltus_os::process::random);
    let (reader, writer) = std::io::pipe().map_err(Error::system("make a pipe"))?;
    let said = listen(reader);
    let screen = if draws(options) { Screen::drawing() } else { Screen::writing(options.json) };
    // Threads from before stay as they are; processes from now on begin with this, and so begin at once.
    let scheduling = match rt::set_fifo(PRIORITY) {
        Ok(()) => format!("SCHED_FIFO {REFLEX} for the reflex, {PRIORITY} for the supervisor"),
        Err(e) => format!("like any other program ({e})"),
    };
    let channels = CHANNELS.iter().map(|p| domain.open_channel(p.name)).collect::<Result<Vec<_>, _>>()?;
    let watching = SubscriberOptions::new().quiet(FRAME);
    let mut session = Session {
        options,
        domain,
        ledger: Ledger::open(&domain.open_channel(HEALTH)?)?,
        crew: Crew::start(&roles(options), domain.url(), writer)?,
        chaos: options.chaos.then(|| Chaos::new(seed)),
        began: Instant::now(),
        looked: Duration::ZERO,
        truths: domain.open_channel("truth")?.subscriber_with(watching)?,
        published: vec![0; channels.len()],
        channels,
        screen: Some(screen),
        drawn: Duration::ZERO,
        tabled: Duration::ZERO,
        view: View { domain: domain.url(), ..View::default() },
        scheduling,
    };
    session.say(&format!("look around meanwhile: saltus --domain {} stat", domain.url()));
    let ending = session.live()?;
    let mut report = session.end(ending)?;
    let _ = rt::set_other(); // giving priority back is never refused
    report.chaos = options.chaos.then_some(seed);
    report.said = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(report)
}

/// Who is to be started: what each is called, and what follows `demo-process`.
fn roles(options: &DemoOptions) -> Vec<(&'static str, Vec<String>)> {
    let mut roles = vec!["logger", "estimator", "balance", "wheel left", "wheel right"];
    // Physics comes last: the robot begins to fall when the world begins.
    roles.extend(["arm shoulder", "arm elbow", "watch", "lidar", "physics"]);
    roles.retain(|role| !(options.no_control && *role == "balance"));
    let with_args = |role: &'static str| {
        let mut args: Vec<String> = role.split(' ').map(String::from).collect();
        if let Some(file) = options.lidar.as_ref().filter(|_| role == "lidar") {
            args.extend([file.display().to_string(), options.speed.to_string()]);
        }
        (role, args)
    };
    roles.into_iter().map(with_args).collect()
}

/// Keeps the last lines of what the programs say on standard error.
fn listen(reader: PipeReader) -> Arc<Mutex<Vec<String>>> {
    let said = Arc::new(Mutex::new(Vec::new()));
    let lines = said.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(reader).lines().map_while(Result::ok) {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            if !lines.contains(&line) {
                lines.push(line);
            }
            if lines.len() > SAID {
                lines.remove(0);
            }
        }
    });
    said
}

impl Session<'_> {
    /// Runs until it is time to end.
    fn live(&mut self) -> Result<Ending> {
        let length = length(self.options);
        let ending = loop {
            let now = self.turn(true)?;
            if sys::stop_asked() {
                break Ending::Asked;
            } else if self.crew.given_up.is_some() {
                break Ending::GivenUp;
            } else if self.view.truth.fell > 0 {
                break Ending::Fell;
            } else if length.is_some_and(|length| now >= length) {
                break Ending::Time;
            } else if length.is_none() && self.crew.members.iter().any(|m| m.done) {
                break Ending::LogOver;
            }
        };
        // The end is judged with everybody well: what was hurt last is replaced first.
        let until = self.began.elapsed() + PATIENCE;
        while self.crew.given_up.is_none() && !self.crew.is_whole() && self.began.elapsed() < until {
            self.turn(false)?;
        }
        Ok(ending)
    }

    /// One look at everything. Returns the time since the start.
    fn turn(&mut self, mischief: bool) -> Result<Duration> {
        let now = self.began.elapsed();
        while let Some(heard) = self.ledger.next(|pid| self.crew.role_of(pid))? {
            self.crew.heard(heard.pid, heard.done, now);
        }
        self.crew.look(now, now - self.looked)?;
        self.looked = now;
        if let Some(chaos) = self.chaos.as_mut().filter(|_| mischief) {
            let candidates = self.crew.candidates();
            if let Some((deed, k)) = chaos.due(now, candidates.len()) {
                self.crew.suffer(candidates[k], deed, now);
                match deed {
                    Deed::Kill => self.view.deeds.0 += 1,
                    Deed::Freeze => self.view.deeds.1 += 1,
                }
            }
        }
        self.see()?;
        self.show(now)?;
        saltus_os::process::sleep_until(clock::monotonic() + LOOK.as_nanos() as u64);
        Ok(now)
    }

    /// Looks at the world.
    fn see(&mut self) -> Result<()> {
        let mut buf = [0; Truth::LEN];
        match self.truths.newest(&mut buf) {
            Ok(Some(sample)) => match Truth::parse(&buf[..sample.len]) {
                Ok(truth) => self.view.truth = truth,
                Err(Torn) => self.ledger.own.torn += 1,
            },
            Ok(None) | Err(saltus_channel::Error::Overrun { .. }) => {}
            Err(e) => return Err(e.into()),
        }
        Ok(())
    }

    /// Draws, or says a line, when it is time to.
    fn show(&mut self, now: Duration) -> Result<()> {
        self.view.elapsed = now.as_secs_f64();
        if now >= self.tabled + SECOND {
            self.count((now - self.tabled).as_secs_f64())?;
            self.tabled = now;
            self.say(&self.view.line());
        }
        if let Some(screen) = self.screen.as_ref().filter(|screen| screen.draws)
            && now >= self.drawn + FRAME
        {
            self.drawn = now;
            let signs: Vec<String> =
                self.crew.members.iter().map(|m| format!("{} {}", m.sign(), m.role)).collect();
            self.view.crew = signs.chunks(5).map(|some| some.join("  ")).collect();
            screen.show(self.view.frame(screen.colour));
        }
        Ok(())
    }

    /// Makes the table of the last second.
    fn count(&mut self, seconds: f64) -> Result<()> {
        let logger = self.logger();
        self.view.reflex = middle_and_longest(self.ledger.take_recent_reflex());
        self.view.obstacle = newest(self.domain, "obstacle", |bytes| Obstacle::parse(bytes).ok())?;
        self.view.rows.clear();
        for (k, channel) in self.channels.iter().enumerate() {
            let lanes = channel.info()?.lanes;
            let published: u64 = lanes.iter().map(|lane| lane.published).sum();
            let rate = (published - self.published[k]) as f64 / seconds;
            self.published[k] = published;
            // The logger looks when it likes to: that says nothing of the channel.
            let latency = middle_and_longest(self.ledger.take_recent(k, logger));
            let accounts = self.ledger.accounts.iter().filter(|((_, of), _)| *of == k);
            let missed = accounts.map(|(_, account)| account.total().missed).sum();
            self.view.rows.push(Row { name: CHANNELS[k].name, rate, latency, missed });
        }
        Ok(())
    }

    /// Says how it goes, where nothing is drawn.
    fn say(&self, line: &str) {
        if let Some(screen) = self.screen.as_ref().filter(|screen| !screen.draws) {
            screen.show(vec![line.to_owned()]);
        }
    }

    /// Stops everybody, the logger last, and closes the books.
    fn end(mut self, ending: Ending) -> Result<Report> {
        let elapsed = self.began.elapsed();
        self.screen = None;
        let mut residue = Vec::new();
        for logger in [false, true] {
            let those = |role: &str| (role == "logger") == logger;
            self.crew.ask_to_end(|m| those(m.role));
            let until = Instant::now() + PATIENCE;
            while !self.crew.have_ended(|m| those(m.role), &mut residue)? && Instant::now() < until {
                self.hear()?;
                saltus_os::process::sleep_until(clock::monotonic() + LOOK.as_nanos() as u64);
            }
        }
        residue.extend(self.crew.end().iter().map(|role| format!("{role} did not end when it was asked to")));
        self.hear()?;
        self.see()?;
        let hops = self.ledger.accounts.iter().map(|((role, channel), account)| {
            Hop::of(CHANNELS[*channel].name, self.crew.members[*role].role, account)
        });
        let mut hops: Vec<Hop> = hops.collect();
        hops.sort_by_key(|hop| CHANNELS.iter().position(|place| place.name == hop.channel));
        let scans = self.options.lidar.as_ref().map(|file| Scans::compare(self.domain, file));
        Ok(Report {
            domain: self.domain.url(),
            elapsed,
            ending,
            truth: self.view.truth,
            chaos: None,
            no_control: self.options.no_control,
            scheduling: self.scheduling.clone(),
            reflex: Percentiles::of(&self.ledger.reflex),
            tick: Percentiles::of(&self.ledger.tick),
            hops,
            health: self.ledger.own,
            scans: scans.transpose()?,
            said: Vec::new(),
            audit: audit(self.domain, &self.ledger, self.logger())?,
            residue,
            given_up: self.crew.given_up.take(),
            incidents: std::mem::take(&mut self.crew.incidents),
        })
    }

    /// The number of the logger in the crew.
    fn logger(&self) -> usize {
        self.crew.members.iter().position(|m| m.role == "logger").unwrap_or(usize::MAX)
    }

    /// Takes the reports that are left.
    fn hear(&mut self) -> Result<()> {
        while self.ledger.next(|pid| self.crew.role_of(pid))?.is_some() {}
        Ok(())
    }
}

fn middle_and_longest(mut times: Vec<u64>) -> Option<(u64, u64)> {
    times.sort_unstable();
    Some((*times.get(times.len() / 2)?, *times.last()?))
}
