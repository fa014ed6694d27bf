//! A demo from start to end.

use std::io::{BufRead, BufReader, PipeReader};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use saltus_channel::{Domain, Subscriber, SubscriberOptions, clock, rt};

use super::audit::audit;
use super::chaos::{Chaos, Deed};
use super::crew::Crew;
use super::ledger::Ledger;
use super::lidar::Scans;
use super::report::{Ending, Hop, Percentiles, Report};
use super::screen::{Glance, Screen, Second};
use super::{DemoOptions, draws, length};
use crate::channels::{CHANNELS, HEALTH};
use crate::error::{Error, Result};
use crate::life::REFLEX;
use crate::sys;
use crate::wire::messages::Truth;
use crate::wire::{Message, Torn};

/// How often the supervisor looks after its processes.
const LOOK: Duration = Duration::from_millis(2);
/// How often it tells the screen how it goes.
const FRAME: Duration = Duration::from_millis(50);
/// How often the table is made anew, or a line is written where nothing is drawn.
const SECOND: Duration = Duration::from_secs(1);
/// How long those who were hurt last have to recover before the end, and everybody has to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// The supervisor's own priority: above the reflex, for who watches over others must not wait for them. It needs
/// less than a hundredth of a processor.
const PRIORITY: i32 = REFLEX + 10;
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
    truth: Truth,
    /// Processes killed and frozen.
    deeds: (usize, usize),
    screen: Option<Screen>,
    shown: Duration,
    /// When the table is to be made anew.
    table_due: Duration,
    scheduling: String,
}

/// Runs a demo in a domain that has all channels.
pub fn run(options: &DemoOptions, domain: &Domain) -> Result<Report> {
    let seed = options.seed.unwrap_or_else(saltus_os::process::random);
    let (reader, writer) = std::io::pipe().map_err(Error::system("make a pipe"))?;
    let said = listen(reader);
    let screen = Screen::open(domain, draws(options), options.json)?;
    // Threads from before stay as they are; processes from now on begin with this, and so begin at once.
    let scheduling = match rt::set_fifo(PRIORITY) {
        Ok(()) => format!("SCHED_FIFO {REFLEX} for the reflex, {PRIORITY} for the supervisor"),
        Err(e) => format!("like any other program ({e})"),
    };
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
        truth: Truth::default(),
        deeds: (0, 0),
        screen: Some(screen),
        shown: Duration::ZERO,
        table_due: Duration::from_millis(300), // soon: a table that is empty is no sight
        scheduling,
    };
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
            } else if self.truth.fell > 0 {
                self.linger()?;
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

    /// Leaves time to see it lie there, if anybody looks.
    fn linger(&mut self) -> Result<()> {
        let until = self.began.elapsed() + if draws(self.options) { SECOND } else { Duration::ZERO };
        while self.began.elapsed() < until {
            self.turn(false)?;
        }
        Ok(())
    }

    /// One look at everything. Returns the time since the start.
    fn turn(&mut self, mischief: bool) -> Result<Duration> {
        let now = self.began.elapsed();
        self.ledger.look.add((now - self.looked).saturating_sub(LOOK).as_nanos() as u64);
        while let Some(heard) = self.ledger.next(|pid| self.crew.role_of(pid))? {
            self.crew.heard(&heard, now);
        }
        self.crew.look(now, now - self.looked)?;
        self.looked = now;
        if let Some(chaos) = self.chaos.as_mut().filter(|_| mischief) {
            let candidates = self.crew.candidates();
            if let Some((deed, k)) = chaos.due(now, candidates.len()) {
                self.crew.suffer(candidates[k], deed, now);
                match deed {
                    Deed::Kill => self.deeds.0 += 1,
                    Deed::Freeze => self.deeds.1 += 1,
                }
            }
        }
        self.see()?;
        self.show(now);
        saltus_os::process::sleep_until(clock::monotonic() + LOOK.as_nanos() as u64);
        Ok(now)
    }

    /// Looks at the world.
    fn see(&mut self) -> Result<()> {
        let mut buf = [0; Truth::LEN];
        match self.truths.newest(&mut buf) {
            Ok(Some(sample)) => match Truth::parse(&buf[..sample.len]) {
                Ok(truth) => self.truth = truth,
                Err(Torn) => self.ledger.own.torn += 1,
            },
            Ok(None) | Err(saltus_channel::Error::Overrun { .. }) => {}
            Err(e) => return Err(e.into()),
        }
        Ok(())
    }

    /// Tells the screen how it goes, when it is time to.
    fn show(&mut self, now: Duration) {
        let Some(screen) = self.screen.as_ref().filter(|_| now >= self.shown + FRAME) else { return };
        self.shown = now;
        let signs: Vec<String> =
            self.crew.members.iter().map(|m| format!("{} {}", m.sign(), m.role)).collect();
        let second = (now >= self.table_due).then(|| {
            self.table_due = now + SECOND;
            let logger = logger(&self.crew);
            // The logger looks when it likes to: that says nothing of the channel.
            let channels = (0..CHANNELS.len()).map(|k| self.ledger.take_recent(k, logger)).collect();
            Second { reflex: self.ledger.take_recent_reflex(), channels }
        });
        screen.show(Glance {
            elapsed: now,
            truth: self.truth,
            crew: signs.chunks(5).map(|some| some.join("  ")).collect(),
            deeds: self.deeds,
            second,
        });
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
            truth: self.truth,
            chaos: None,
            no_control: self.options.no_control,
            scheduling: self.scheduling.clone(),
            reflex: Percentiles::of(&self.ledger.reflex),
            tick: Percentiles::of(&self.ledger.tick),
            look: Percentiles::of(&self.ledger.look),
            hops,
            health: self.ledger.own,
            scans: scans.transpose()?,
            said: Vec::new(),
            audit: audit(self.domain, &self.ledger, logger(&self.crew))?,
            residue,
            given_up: self.crew.given_up.take(),
            incidents: std::mem::take(&mut self.crew.incidents),
        })
    }

    /// Takes the reports that are left.
    fn hear(&mut self) -> Result<()> {
        while self.ledger.next(|pid| self.crew.role_of(pid))?.is_some() {}
        Ok(())
    }
}

/// The number of the logger in the crew.
fn logger(crew: &Crew) -> usize {
    crew.members.iter().position(|m| m.role == "logger").unwrap_or(usize::MAX)
}
