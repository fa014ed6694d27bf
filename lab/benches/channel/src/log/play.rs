//! Playing at 1 x: how far each publication is from its recorded time, compared with the machine's own sleep.

use super::place::Place;
use super::program::{Program, Programs};
use crate::case::Policy;
use crate::clock;
use crate::error::Fallible;
use crate::place::Seat;
use hdrhistogram::Histogram;
use saltus_domain::{Domain, Options, Pattern, Start, Until};
use saltus_log::lcm::Writer;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// The channel that is replayed.
const CHANNEL: &str = "BENCH";
/// Events of a log; they are 0.2 to 1.8 ms apart.
const EVENTS: usize = 1000;
/// How many turns each player has in a repetition.
pub const TURNS: usize = 5;
/// When the first event was recorded, µs since 1970.
const FIRST: i64 = 1_700_000_000_000_000;

/// A player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The machine's own `clock_nanosleep` until a point in time, without timer slack. A player that does not spin
    /// cannot be more accurate.
    Sleep,
    /// Saltus into shared memory.
    Shm,
    /// The same, spinning for the last 300 µs.
    Precise,
    /// Saltus onto LCM's network.
    Udpm,
    /// `lcm-logplayer`.
    Lcm,
}

/// All players, in the order of their turns.
pub const PLAYERS: [Who; 5] = [Who::Sleep, Who::Shm, Who::Precise, Who::Udpm, Who::Lcm];

impl Who {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Who::Sleep => "clock_nanosleep",
            Who::Shm => "play, shm://",
            Who::Precise => "play --precise, shm://",
            Who::Udpm => "play, udpm://",
            Who::Lcm => "lcm-logplayer, udpm://",
        }
    }
}

/// How late events were, in ns, relative to the earliest event of their turn. The measure is the same for all
/// players.
pub type Errors = Histogram<u64>;

/// The results, in the order of [`PLAYERS`].
pub struct Played {
    /// Of all turns.
    pub errors: Vec<Errors>,
    /// The p99 of each turn.
    pub turns: Vec<Vec<u64>>,
    /// Events that did not arrive.
    pub lost: Vec<u64>,
}

impl Default for Played {
    fn default() -> Played {
        let empty = || Errors::new(3).unwrap_or_else(|_| unreachable!("three digits are allowed"));
        let errors = PLAYERS.iter().map(|_| empty()).collect();
        Played { errors, turns: vec![Vec::new(); PLAYERS.len()], lost: vec![0; PLAYERS.len()] }
    }
}

/// The times of the events, µs after the first; the same in every log.
fn times() -> Vec<u64> {
    let (mut state, mut time) = (0x9E37_79B9_u64, 0);
    let next = |_| {
        // xorshift64: gaps without a pattern that could coincide with a timer.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let at = time;
        time += 200 + state % 1600;
        at
    };
    (0..EVENTS).map(next).collect()
}

fn write_log(path: &Path, times: &[u64]) -> Fallible<()> {
    let (mut writer, mut bytes) = (Writer::new(), Vec::new());
    for &us in times {
        writer.event(&mut bytes, FIRST + us as i64, CHANNEL.as_bytes(), &[7; 64])?;
    }
    Ok(std::fs::write(path, bytes)?)
}

/// One turn of one player, pinned to this core.
pub fn run(programs: &Programs, who: Who, core: usize, played: &mut Played) -> Fallible<()> {
    let (place, times) = (Place::new()?, times());
    let log = place.file("log");
    write_log(&log, &times)?;
    let timestamps = match who {
        Who::Sleep => sleep(&times, core)?,
        Who::Shm | Who::Precise => in_memory(programs, who, core, &place, &log)?,
        Who::Udpm | Who::Lcm => on_network(programs, who, core, &place, &log)?,
    };
    let late: Vec<u64> = timestamps.iter().zip(&times).map(|(at, us)| at.wrapping_sub(us * 1000)).collect();
    let at = PLAYERS.iter().position(|other| *other == who).unwrap_or(0);
    played.lost[at] += (times.len() - timestamps.len().min(times.len())) as u64;
    let Some(earliest) = late.iter().min().filter(|_| timestamps.len() == times.len()) else {
        return Err(format!(
            "{} of {} events arrived: their times are not comparable",
            timestamps.len(),
            times.len()
        )
        .into());
    };
    let mut turn = Errors::new(3)?;
    for late in &late {
        turn.record(late - earliest)?;
    }
    played.turns[at].push(turn.value_at_quantile(0.99));
    Ok(played.errors[at].add(turn)?)
}

/// Sleeps as a player does, with timers as exact as the kernel's, and publishes nothing.
fn sleep(times: &[u64], core: usize) -> Fallible<Vec<u64>> {
    let sleeper = || {
        Seat { core: Some(core), policy: Policy::Default }.take().map_err(|e| e.to_string())?;
        let mut woken = Vec::with_capacity(times.len());
        let start = clock::now() + 5_000_000;
        for us in times {
            clock::sleep_until(start + us * 1000);
            woken.push(clock::now());
        }
        Ok::<_, String>(woken)
    };
    // In a separate thread, because core and timer slack are properties of a thread.
    Ok(thread::scope(|threads| threads.spawn(sleeper).join())
        .map_err(|_| "the sleeping thread panicked")??)
}

/// The channel keeps all timestamps, so nobody needs to read it during the turn.
fn in_memory(programs: &Programs, who: Who, core: usize, place: &Place, log: &Path) -> Fallible<Vec<u64>> {
    let url = place.shm(EVENTS + 16, 64);
    let mut command = programs.ours("play");
    command.arg(log).args(["--quiet", "--json", "--domain", &url]);
    if who == Who::Precise {
        command.arg("--precise");
    }
    Program::start_on(&mut command, core)?.end(Duration::from_secs(60))?;
    let options = Options::next(u64::MAX).start(Start::Oldest);
    let mut subscriber = Domain::open(&url)?.subscriber_with(Pattern::name(CHANNEL)?, options)?;
    let mut timestamps = Vec::new();
    while let Some(message) = subscriber.receive(Until::Poll)? {
        timestamps.extend(message.published);
    }
    Ok(timestamps)
}

/// The kernel timestamps packets on arrival, however late this process reads them.
fn on_network(programs: &Programs, who: Who, core: usize, place: &Place, log: &Path) -> Fallible<Vec<u64>> {
    let url = place.udpm();
    let mut subscriber =
        Domain::open(&url)?.subscriber_with(Pattern::name(CHANNEL)?, Options::next(2 * EVENTS as u64))?;
    let (tell, reported) = channel::<()>();
    let reader = thread::spawn(move || {
        let mut timestamps = Vec::new();
        loop {
            let message = subscriber.receive(Until::For(Duration::from_millis(100)));
            match message.map_err(|e| e.to_string())? {
                Some(message) => timestamps.push(message.arrived),
                None if reported.try_recv().is_ok() => return Ok::<_, String>(timestamps),
                None => {}
            }
        }
    });
    let mut command = match who {
        Who::Lcm => programs.lcm("lcm-logplayer"),
        _ => programs.ours("play"),
    };
    match who {
        Who::Lcm => command.args(["--lcm-url", &url]),
        _ => command.args(["--quiet", "--json", "--domain", &url]),
    };
    let ended = Program::start_on(command.arg(log), core)?.end(Duration::from_secs(60));
    let _ = tell.send(()); // it may have failed
    let timestamps = reader.join().map_err(|_| "the reader panicked")??;
    ended.map(|_| timestamps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_all_events_and_no_two_gaps_in_a_row_alike() {
        let times = times();
        let gaps: Vec<u64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert_eq!((times.len(), times[0]), (EVENTS, 0));
        assert!(gaps.iter().all(|gap| (200..1800).contains(gap)));
        assert!(gaps.windows(2).filter(|w| w[0] == w[1]).count() < 10);
    }
}
