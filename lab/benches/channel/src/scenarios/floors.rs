//! Lower bounds of the machine: nothing that carries messages can be cheaper.
//!
//! They are measured again in every repetition, because they change: a host that places the two virtual cores on
//! sibling hyperthreads for a while makes a cache line five times as fast.

use crate::case::{Case, Mode, Place, Policy, Scenario};
use crate::clock;
use crate::control::Control;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::futex;
use crate::outcome::{Metric, Outcome, record};
use crate::place::Seat;
use crate::run::{Measured, World, conduct};
use crate::shared::{AllAtomic, Buffer, Shared};
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// One lower bound: its name and its conditions.
pub type Floor = (&'static str, Case);

/// All lower bounds.
pub fn all(sizes: &[usize]) -> Vec<Floor> {
    let case = Case::new(Scenario::Floors);
    let one = Case { place: Place::OneCore, readers: 0, ..case };
    let mut all = vec![
        ("clock", one),
        ("syscall", one),
        ("futex-wake-nobody", one),
        ("cache-line", case),
        ("cache-lines-2", case),
    ];
    for policy in [Policy::Default, Policy::Fifo] {
        for place in [Place::OneCore, Place::TwoCores] {
            all.push(("futex", Case { place, policy, mode: Mode::Sleep, ..case }));
        }
    }
    all.extend(sizes.iter().map(|&size| ("memcpy", Case { size, ..one })));
    all
}

/// Measures one lower bound once.
pub fn run(world: &World, name: &str, case: &Case) -> Fallible<Measured> {
    let seat = Seat::writer(case, &world.cores, 0);
    let lines = Shared::<Lines>::new()?;
    let mut crew = Crew::new()?;
    crew.add(seat, |control| match name {
        "clock" => repeat(control, 256, 1, || {
            black_box(clock::now());
        }),
        // SAFETY: asks the kernel for a number.
        "syscall" => repeat(control, 64, 1, || unsafe {
            black_box(libc::syscall(libc::SYS_getppid));
        }),
        "futex-wake-nobody" => repeat(control, 64, 1, || futex::wake_all(&lines.ping.0)),
        "memcpy" => copies(control, case.size),
        "futex" => repeat(control, 1, 2, || lines.there_and_back()),
        "cache-line" => repeat(control, 64, 2, || lines.bounce(false)),
        "cache-lines-2" => repeat(control, 64, 2, || lines.bounce(true)),
        _ => Err(format!("unknown lower bound {name}").into()),
    })?;
    if case.readers > 0 {
        crew.add(Seat::reader(case, &world.cores, 0), |control| {
            control.start();
            match name {
                "futex" => while lines.answer_asleep(control) {},
                _ => while lines.answer(name == "cache-lines-2", control) {},
            }
            Ok(Outcome::default())
        })?;
    }
    let window = world.window(40);
    let outcome = conduct(crew, window)?;
    Ok(Measured { messages: 0, outcome, window })
}

/// Times `batch` repetitions at a time until the end of the window. Records the time of one repetition, divided by
/// `parts` (2 for a round trip), in picoseconds.
fn repeat(control: &Control, batch: u64, parts: u64, mut operation: impl FnMut()) -> Fallible<Outcome> {
    let window = control.start();
    let mut outcome = Outcome::default();
    loop {
        let before = clock::now();
        (0..batch).for_each(|_| operation());
        let after = clock::now();
        if before >= window.end {
            break;
        }
        if before >= window.begin {
            record(outcome.times(Metric::Cost), (after - before) * 1_000 / (batch * parts));
        }
    }
    control.stop(); // a partner that sleeps looks at it every 20 ms
    Ok(outcome)
}

/// `memcpy` from one buffer to one other, both as near in the cache as possible.
fn copies(control: &Control, size: usize) -> Fallible<Outcome> {
    let (from, mut to) = (Buffer::new(size)?, Buffer::new(size)?);
    let batch = (65_536 / size).max(1) as u64;
    repeat(control, batch, 1, || {
        // SAFETY: two buffers of that size. `black_box` keeps every copy from being dropped.
        unsafe { libc::memcpy(black_box(to.as_mut_ptr()).cast(), black_box(from.as_ptr()).cast(), size) };
    })
}

/// Words in separate cache lines.
#[repr(C)]
#[derive(Default)]
struct Lines {
    ping: Word,
    pong: Word,
    round: Line,
    data: [Line; 2],
    flags: [Line; 2],
}

#[repr(C, align(128))]
#[derive(Default)]
struct Word(AtomicU32);

#[repr(C, align(128))]
#[derive(Default)]
struct Line(AtomicU64);

// SAFETY: nothing but atomics, for which zero is a value.
unsafe impl AllAtomic for Lines {}

impl Lines {
    /// Wakes the other side and blocks until it answers.
    fn there_and_back(&self) {
        let (ping, pong) = (&self.ping.0, &self.pong.0);
        // Release and acquire: pair with those of `answer_asleep`.
        let round = ping.load(Relaxed) + 1;
        ping.store(round, Release);
        futex::wake_all(ping);
        while pong.load(Acquire) != round {
            futex::wait(pong, round - 1, None);
        }
    }

    /// Blocks until woken, and answers. Returns false when it must exit.
    fn answer_asleep(&self, control: &Control) -> bool {
        let round = self.pong.0.load(Relaxed);
        while self.ping.0.load(Acquire) == round {
            futex::wait(&self.ping.0, round, Some(std::time::Duration::from_millis(20)));
            if control.stopped() {
                return false;
            }
        }
        self.pong.0.store(round + 1, Release);
        futex::wake_all(&self.pong.0);
        true
    }

    /// A round trip with one line each way, or with a line of data before the flag.
    fn bounce(&self, data: bool) {
        // Only this side writes `round`.
        let round = self.round.0.load(Relaxed) + 1;
        self.round.0.store(round, Relaxed);
        if data {
            self.data[0].0.store(round, Relaxed);
        }
        // Release and acquire: pair with those of `answer`.
        self.flags[0].0.store(round, Release);
        while self.flags[1].0.load(Acquire) != round {}
        if data {
            black_box(self.data[1].0.load(Relaxed));
        }
    }

    /// The other side of `bounce`. Returns false when it must exit.
    fn answer(&self, data: bool, control: &Control) -> bool {
        let last = self.flags[1].0.load(Relaxed);
        loop {
            let round = self.flags[0].0.load(Acquire);
            if round != last {
                if data {
                    self.data[1].0.store(black_box(self.data[0].0.load(Relaxed)), Relaxed);
                }
                self.flags[1].0.store(round, Release);
                return true;
            }
            if control.stopped() {
                return false;
            }
        }
    }
}
