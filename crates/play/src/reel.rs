//! Several logs merged by time.

use crate::timeline::{Spot, Timeline};
use saltus_log::{Event, Log, Result};

/// Logs that are played together, in the order of their events' times.
#[derive(Debug)]
pub struct Reel {
    logs: Vec<Log>,
    /// In each log, the position of the next event.
    positions: Vec<u64>,
}

impl Reel {
    /// Merges logs, from the beginning. Events with the same time are in the order of the logs.
    pub fn new(logs: Vec<Log>) -> Reel {
        let positions = vec![0; logs.len()];
        Reel { logs, positions }
    }
    /// The logs.
    pub fn logs(&self) -> &[Log] {
        &self.logs
    }
    /// The event at a spot, if any.
    ///
    /// # Errors
    /// Its log cannot be read, or the published message cannot be restored.
    pub fn event(&mut self, spot: &Spot) -> Result<Option<Event<'_>>> {
        match self.logs.get_mut(spot.log) {
            Some(log) => log.event(spot.position),
            None => Ok(None),
        }
    }

    fn spot(&mut self, log: usize, position: u64) -> Result<Option<Spot>> {
        let mark = self.logs[log].mark(position)?;
        Ok(mark.map(|mark| Spot { log, position, channel: mark.channel, time: mark.time }))
    }
}

impl Timeline for Reel {
    fn span(&mut self) -> Result<Option<(i64, i64)>> {
        let mut all: Option<(i64, i64)> = None;
        for log in &mut self.logs {
            let Some((first, last)) = log.times()? else { continue };
            all = Some(all.map_or((first, last), |(a, b)| (a.min(first), b.max(last))));
        }
        Ok(all)
    }

    fn seek(&mut self, time: i64) -> Result<()> {
        for (log, position) in self.logs.iter_mut().zip(&mut self.positions) {
            *position = log.seek_time(time)?;
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Spot>> {
        let mut best: Option<Spot> = None;
        for log in 0..self.logs.len() {
            let Some(spot) = self.spot(log, self.positions[log])? else { continue };
            best = best.filter(|best| best.time <= spot.time).or(Some(spot));
        }
        Ok(best)
    }

    fn previous(&mut self) -> Result<Option<Spot>> {
        let mut best: Option<Spot> = None;
        for log in 0..self.logs.len() {
            let Some(position) = self.positions[log].checked_sub(1) else { continue };
            let Some(spot) = self.spot(log, position)? else { continue };
            best = best.filter(|best| best.time > spot.time).or(Some(spot));
        }
        Ok(best)
    }

    fn forward(&mut self) -> Result<()> {
        if let Some(next) = self.next()? {
            self.positions[next.log] = next.position + 1;
        }
        Ok(())
    }

    fn back(&mut self) -> Result<()> {
        if let Some(previous) = self.previous()? {
            self.positions[previous.log] = previous.position;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_log::{Format, Writer, WriterOptions};

    /// A log with events at these times.
    fn log(name: &str, times: &[i64]) -> Log {
        let path = std::env::temp_dir().join(format!("saltus-play-{}-{name}", std::process::id()));
        let mut writer = Writer::new(Vec::new(), Format::Lcm, WriterOptions::new()).unwrap();
        for &time in times {
            let event = Event { channel: b"A", data: b"x", log_time: time * 1000, ..Event::default() };
            writer.write(&event).unwrap();
        }
        std::fs::write(&path, writer.finish().unwrap()).unwrap();
        let log = Log::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        log
    }

    #[test]
    fn going_back_undoes_going_forward_over_several_logs() {
        let logs = vec![log("a", &[1, 3, 3, 9]), log("b", &[2, 3, 3, 8])];
        let mut reel = Reel::new(logs);
        assert_eq!(reel.span().unwrap(), Some((1000, 9000)));
        let mut there = Vec::new();
        while let Some(spot) = reel.next().unwrap() {
            there.push(spot);
            reel.forward().unwrap();
            assert_eq!(reel.previous().unwrap(), Some(spot));
        }
        let order: Vec<(usize, i64)> = there.iter().map(|spot| (spot.log, spot.time / 1000)).collect();
        assert_eq!(order, [(0, 1), (1, 2), (0, 3), (0, 3), (1, 3), (1, 3), (1, 8), (0, 9)]);
        for spot in there.iter().rev() {
            assert_eq!(reel.previous().unwrap(), Some(*spot));
            reel.back().unwrap();
            assert_eq!(reel.next().unwrap(), Some(*spot));
        }
        assert_eq!(reel.previous().unwrap(), None);
        reel.seek(3000).unwrap();
        assert_eq!(reel.next().unwrap(), Some(there[2]));
        reel.seek(10_000).unwrap();
        assert_eq!((reel.next().unwrap(), reel.previous().unwrap()), (None, there.last().copied()));
    }
}
