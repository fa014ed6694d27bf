//! Publishes the time of the log on a channel.

use std::sync::Arc;

use saltus_domain::{Description, Domain, Publisher};
use saltus_play::{Player, Reel};
use saltus_types::{Record, Schema, StructId, wire};

use crate::outlets::Outlets;
use crate::{Error, Result};

/// The published message.
const TYPE: &str = "\
package saltus;
/// The time of a played log.
struct play_clock_t {
    int64_t time; /// ns since 1970
    double speed; /// 0: no limit
    boolean playing;
}
";
/// Time between two messages, in ns.
const PERIOD: u64 = 10_000_000;

/// A publisher of the time of the log.
pub struct Clock {
    publisher: Publisher,
    schema: Arc<Schema>,
    id: StructId,
    due: u64,
    /// The time of the log that was published last.
    last: Option<i64>,
}

impl Clock {
    /// Publishes on this channel of the domain.
    ///
    /// # Errors
    /// The domain cannot create the channel.
    pub fn new(domain: &Domain, channel: &str) -> Result<Clock> {
        let wrong = || Error::Clock("its own type is wrong".into());
        let schema = Arc::new(saltus_types::parse("play_clock_t.lcm", TYPE).map_err(|_| wrong())?);
        let id = schema.find("saltus.play_clock_t").ok_or_else(wrong)?;
        let mut publisher = domain.publisher(channel)?;
        let definition = schema.get(id);
        let (name, fingerprint) = (definition.name.to_string(), definition.fingerprint);
        publisher.describe(&Description { name, fingerprint, schema: schema.to_lcm(id) })?;
        Ok(Clock { publisher, schema, id, due: 0, last: None })
    }

    /// Time of the next message, monotonic ns.
    pub(crate) fn due(&self) -> u64 {
        self.due
    }

    /// Publishes, if it is time to.
    pub(crate) fn tick(&mut self, now: u64, player: &Player<Reel>, outlets: &mut Outlets) -> Result {
        // Without a speed limit, the log determines the time: see `advance`.
        let ticks = now >= self.due && !(player.is_playing() && player.speed() == 0.0);
        let Some(time) = player.time(now).filter(|_| ticks) else { return Ok(()) };
        self.due = now - now % PERIOD + PERIOD;
        self.publish(time, player.speed(), player.is_playing(), outlets)
    }

    /// Without a speed limit, before a message with this time: publishes the time, unless it is close to the last one. So the messages
    /// depend only on the log.
    pub(crate) fn advance(&mut self, time: i64, outlets: &mut Outlets) -> Result {
        if self.last.is_some_and(|last| (last..last.saturating_add(PERIOD as i64)).contains(&time)) {
            return Ok(());
        }
        self.publish(time, 0.0, true, outlets)?;
        outlets.wait_for_readers_of(&self.publisher);
        Ok(())
    }

    fn publish(&mut self, time: i64, speed: f64, playing: bool, outlets: &mut Outlets) -> Result {
        self.last = Some(time);
        let failed = |e: &dyn std::fmt::Display| Error::Clock(e.to_string());
        let mut record = Record::zero(&self.schema, self.id).map_err(|e| failed(&e))?;
        record.set("time", time).map_err(|e| failed(&e))?;
        record.set("speed", speed).map_err(|e| failed(&e))?;
        record.set("playing", playing).map_err(|e| failed(&e))?;
        let bytes = wire::encode(&record).map_err(|e| failed(&e))?;
        Ok(outlets.send(&mut self.publisher, &bytes, time)?)
    }
}
