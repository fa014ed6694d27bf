//! A demo, from start to end.

use std::io::PipeWriter;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use saltus_channel::{Directory, Subscriber, SubscriberOptions, clock, rt};

use super::audit::audit;
use super::chaos::{Chaos, Disturbance};
use super::crew::{Crew, LOGGER, ROLES, What, process};
use super::ledger::Ledger;
use super::lidar::Scans;
use super::options::DemoOptions;
use super::page::Page;
use super::report::{Ending, Hop, Percentiles, Report};
use super::said::Said;
use crate::channels::{CHANNELS, CREW, HEALTH, PUSH, REQUEST, place};
use crate::error::{Error, Result};
use crate::life::{REFLEX, Writer};
use crate::sys;
use crate::wire::types::{self, Request, Truth};
use crate::wire::{self, Torn, fixed};

/// Time between two checks of the processes.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);
/// Time between two status messages.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);
/// Time for which a fallen robot is shown.
const LINGER: Duration = Duration::from_secs(1);
/// The torque of a push, N m, and how long it lasts.
const PUSH_OF: (f64, Duration) = (12.0, Duration::from_millis(150));
/// Time for the screen to end.
const SCREEN: Duration = Duration::from_secs(2);
/// Time for the last victims to recover before the end, and time for all processes to end.
const PATIENCE: Duration = Duration::from_secs(30);
/// The supervisor's priority: above the reflex, so that it does not wait for the processes it watches. It needs less than 1 % of a CPU.
const PRIORITY: i32 = REFLEX + 10;

struct Session<'a> {
    options: &'a DemoOptions,
    domain: &'a Directory,
    crew: Crew,
    ledger: Ledger,
    chaos: Chaos,
    /// Whether chaos is on.
    mischief: bool,
    began: Instant,
    /// Time of the first progress of the simulation: on a busy machine, the processes start late.
    lives: Option<Duration>,
    looked: Duration,
    truths: Subscriber,
    truth: Truth,
    /// Number of kills and freezes.
    deeds: (i64, i64),
    requests: Subscriber,
    pushes: Writer<types::Push>,
    pushed: i64,
    /// Whether a key requested the end.
    asked: bool,
    said: Said,
    screen: Child,
    state: Writer<types::Crew>,
    reported: Duration,
    scheduling: String,
}

/// Runs a demo in a domain that has all channels.
pub fn run(options: &DemoOptions, domain: &Directory, page: Option<&Page>) -> Result<Report> {
    let seed = options.seed.unwrap_or_else(saltus_os::process::random);
    let (said, writer) = Said::pipe()?;
    // Processes inherit this, and so start without delay.
    let scheduling = match rt::set_fifo(PRIORITY) {
        Ok(()) => format!("SCHED_FIFO {REFLEX} for the reflex, {PRIORITY} for the supervisor"),
        Err(e) => format!("like any other program ({e})"),
    };
    let watching = SubscriberOptions::new().poll_every(REPORT_INTERVAL);
    let ledger = Ledger::open(&domain.open_channel(HEALTH)?, false)?;
    let screen = start_screen(options, domain, page, &writer)?;
    let mut session = Session {
        options,
        domain,
        ledger,
        crew: Crew::start(&roles(options), domain.url(), writer)?,
        chaos: Chaos::new(seed),
        mischief: options.chaos,
        began: Instant::now(),
        lives: None,
        looked: Duration::ZERO,
        truths: domain.open_channel("truth")?.subscriber_with(watching)?,
        truth: Truth::default(),
        deeds: (0, 0),
        requests: domain.open_channel(REQUEST)?.subscriber_with(watching)?,
        pushes: Writer::open(place(PUSH)?, domain)?,
        pushed: 0,
        asked: false,
        said,
        screen,
        state: Writer::open(place(CREW)?, domain)?,
        reported: Duration::ZERO,
        scheduling,
    };
    let ending = session.live()?;
    let mut report = session.end(ending)?;
    let _ = rt::set_other(); // lowering the priority is never refused
    let hurt = report.count(&What::Killed) + report.count(&What::Frozen) > 0;
    report.chaos = (options.chaos || hurt).then_some(seed);
    Ok(report)
}

/// The roles to start: the name of each, and its arguments after `demo-process`.
fn roles(options: &DemoOptions) -> Vec<(&'static str, Vec<String>)> {
    let wanted = ROLES.into_iter().filter(|role| !(options.no_control && *role == "balance"));
    let with_args = |role: &'static str| {
        let mut args: Vec<String> = role.split(' ').map(String::from).collect();
        if let Some(file) = options.lidar.as_ref().filter(|_| role == "lidar") {
            args.extend([file.display().to_string(), options.speed.to_string()]);
        }
        (role, args)
    };
    wanted.map(with_args).collect()
}

/// Starts the screen: on standard output, or on standard error if the report is JSON on standard output.
fn start_screen(
    options: &DemoOptions,
    domain: &Directory,
    page: Option<&Page>,
    stderr: &PipeWriter,
) -> Result<Child> {
    let how = if options.draws() { "draw" } else { "write" };
    let mut command = process(&domain.url(), &["screen".to_owned(), how.to_owned()]);
    // Not an argument, which every user of the machine can read: the URL may contain a token.
    command.envs(page.map(|page| (sys::PAGE, page.url())));
    if options.json {
        command.stdout(std::io::stderr());
    }
    if options.draws() {
        sys::remember_terminal();
        command.stdin(Stdio::inherit());
    }
    command.stderr(stderr.try_clone().map_err(Error::system("share the pipe for errors"))?);
    command.spawn().map_err(Error::system("start the screen"))
}

impl Session<'_> {
    /// Runs until it is time to end.
    fn live(&mut self) -> Result<Ending> {
        let length = self.options.length();
        let ending = loop {
            let now = self.turn(true)?;
            if self.asked {
                break Ending::Key;
            } else if sys::stop_asked() {
                let (signal, sender) = sys::sender_of_signal();
                break Ending::Asked(signal, sender);
            } else if self.crew.given_up.is_some() {
                break Ending::GivenUp;
            } else if self.truth.fell > 0 {
                self.linger()?;
                break Ending::Fell;
            } else if length.is_some_and(|length| now >= length + self.lives.unwrap_or(PATIENCE)) {
                break Ending::Time;
            } else if length.is_none() && self.crew.members.iter().any(|m| m.done) {
                break Ending::LogOver;
            }
        };
        // The verdict is made with all processes running, so the last victims are replaced first.
        let until = self.began.elapsed() + PATIENCE;
        while self.crew.given_up.is_none() && !self.crew.is_whole() && self.began.elapsed() < until {
            self.turn(false)?;
        }
        Ok(ending)
    }

    /// Shows the fallen robot for a while, if there is a terminal.
    fn linger(&mut self) -> Result<()> {
        let until = self.began.elapsed() + if self.options.draws() { LINGER } else { Duration::ZERO };
        while self.began.elapsed() < until {
            self.turn(false)?;
        }
        Ok(())
    }

    /// One cycle. Returns the time since the start.
    fn turn(&mut self, mischief: bool) -> Result<Duration> {
        let now = self.began.elapsed();
        self.ledger.look.add((now - self.looked).saturating_sub(CHECK_INTERVAL).as_nanos() as u64);
        while let Some(heard) = self.ledger.next(|pid| self.crew.role_of(pid))? {
            self.crew.heard(&heard, now);
        }
        self.crew.look(now, now - self.looked)?;
        self.looked = now;
        self.heed(now, mischief)?;
        if mischief && self.mischief {
            let candidates = self.crew.candidates();
            if let Some((deed, k)) = self.chaos.due(now, candidates.len()) {
                self.hurt(candidates[k], deed, now);
            }
        }
        self.see()?;
        self.lives = self.lives.or((self.truth.step > 0).then_some(now));
        self.tell(now, false)?;
        saltus_os::process::sleep_until(clock::monotonic() + CHECK_INTERVAL.as_nanos() as u64);
        Ok(now)
    }

    /// Handles keys.
    fn heed(&mut self, now: Duration, mischief: bool) -> Result<()> {
        let mut buf = [0; fixed::<Request>()];
        while let Ok(Some(sample)) = self.requests.next(&mut buf) {
            let Ok(request) = wire::read::<Request>(&buf[..sample.len]) else { continue };
            let deed = match request.what {
                Request::KILL => Disturbance::Kill,
                Request::FREEZE => Disturbance::Freeze,
                other => {
                    match other {
                        Request::PUSH => self.push()?,
                        Request::CHAOS => self.mischief = !self.mischief,
                        Request::END => self.asked = true,
                        _ => {}
                    }
                    continue;
                }
            };
            let candidates = self.crew.candidates();
            if mischief && !candidates.is_empty() {
                let k = candidates[self.chaos.choose(candidates.len())];
                self.hurt(k, deed, now);
            }
        }
        Ok(())
    }

    /// Kills or freezes a process.
    fn hurt(&mut self, k: usize, deed: Disturbance, now: Duration) {
        self.crew.suffer(k, deed, now);
        match deed {
            Disturbance::Kill => self.deeds.0 += 1,
            Disturbance::Freeze => self.deeds.1 += 1,
        }
    }

    /// Pushes the robot, forward and backward in turn.
    fn push(&mut self) -> Result<()> {
        let (strength, lasts) = PUSH_OF;
        self.pushed += 1;
        let until = (clock::boottime() + lasts.as_nanos() as u64) as i64;
        let torque = if self.pushed % 2 == 1 { strength } else { -strength };
        self.pushes.publish(&types::Push { count: self.pushed, until, torque, check: 0 })
    }

    /// Reads the simulation's state.
    fn see(&mut self) -> Result<()> {
        let mut buf = [0; fixed::<Truth>()];
        match self.truths.newest(&mut buf) {
            Ok(Some(sample)) => match wire::read(&buf[..sample.len]) {
                Ok(truth) => self.truth = truth,
                Err(Torn) => self.ledger.own.torn += 1,
            },
            Ok(None) | Err(saltus_channel::Error::Overrun { .. }) => {}
            Err(e) => return Err(e.into()),
        }
        Ok(())
    }

    /// Publishes the status, when it is time to, and reads the programs' standard error.
    fn tell(&mut self, now: Duration, over: bool) -> Result<()> {
        if now < self.reported + REPORT_INTERVAL && !over {
            return Ok(());
        }
        self.reported = now;
        self.said.listen();
        let (kills, freezes) = self.deeds;
        let members = self.crew.state();
        let elapsed = now.as_nanos() as i64;
        let mut crew = types::Crew { elapsed, kills, freezes, over, members, ..types::Crew::default() };
        (crew.pushes, crew.chaos, crew.events) = (self.pushed, self.mischief, self.crew.events());
        crew.set_sizes();
        self.state.publish(&crew)
    }

    /// Waits for the screen to end. Kills it if its output is blocked.
    fn end_screen(&mut self) -> Result<()> {
        self.tell(self.began.elapsed(), true)?;
        let until = Instant::now() + SCREEN;
        while matches!(self.screen.try_wait(), Ok(None)) && Instant::now() < until {
            saltus_os::process::sleep_until(clock::monotonic() + CHECK_INTERVAL.as_nanos() as u64);
        }
        let _ = self.screen.kill(); // it may have exited
        let _ = self.screen.wait();
        sys::cook_terminal();
        Ok(())
    }

    /// Stops all processes, the logger last, and closes the ledger.
    fn end(mut self, ending: Ending) -> Result<Report> {
        let elapsed = self.began.elapsed();
        self.end_screen()?;
        let mut residue = Vec::new();
        for logger in [false, true] {
            let those = |role: &str| (role == "logger") == logger;
            self.crew.ask_to_end(|m| those(m.role));
            let until = Instant::now() + PATIENCE;
            while !self.crew.have_ended(|m| those(m.role), &mut residue)? && Instant::now() < until {
                self.hear()?;
                saltus_os::process::sleep_until(clock::monotonic() + CHECK_INTERVAL.as_nanos() as u64);
            }
        }
        residue.extend(self.crew.end().iter().map(|role| format!("{role} did not end when asked to")));
        self.hear()?;
        self.see()?;
        self.said.listen();
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
            truth: self.truth.clone(),
            chaos: None,
            no_control: self.options.no_control,
            scheduling: self.scheduling.clone(),
            reflex: Percentiles::of(&self.ledger.reflex),
            tick: Percentiles::of(&self.ledger.tick),
            look: Percentiles::of(&self.ledger.look),
            hops,
            health: self.ledger.own.clone(),
            scans: scans.transpose()?,
            said: self.said.lines().to_vec(),
            audit: audit(self.domain, &self.ledger, LOGGER)?,
            residue,
            given_up: self.crew.given_up.take(),
            incidents: std::mem::take(&mut self.crew.incidents),
        })
    }

    /// Reads the remaining reports.
    fn hear(&mut self) -> Result<()> {
        while self.ledger.next(|pid| self.crew.role_of(pid))?.is_some() {}
        Ok(())
    }
}

impl Drop for Session<'_> {
    /// Kills the screen, so that it does not outlive the supervisor.
    fn drop(&mut self) {
        let _ = self.screen.kill();
        let _ = self.screen.wait();
        sys::cook_terminal();
    }
}
