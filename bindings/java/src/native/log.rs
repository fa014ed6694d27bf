//! Reading logs.

use crate::border::natives;
use crate::fail::Result;
use crate::list;
use crate::table::Table;
use jni_sys::{jbyteArray, jint, jlong, jlongArray};
use saltus_log::{Format, Log};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

struct Reading {
    log: Log,
    /// The channel of the last event.
    channel: Vec<u8>,
}

static LOGS: Table<Reading> = Table::new("log");

pub(crate) fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

natives! {
    fn Java_org_saltus_Native_logOpen(env, path: jbyteArray) -> jlong {
        let log = Log::open(&self::path(env.bytes(path)?))?;
        Ok(LOGS.give(Reading { log, channel: Vec::new() }, None))
    }
    /// The next event (0), the one before (1), or the one at a position (2); null, without a failure, if there is none. `info` gets
    /// the three times and numbers of class `Event`, and whether the channel differs from the previous event's.
    fn Java_org_saltus_Native_logRead(
        env, log: jlong, how: jint, position: jlong, info: jlongArray,
    ) -> jbyteArray {
        let entry = LOGS.find(log)?;
        let Reading { log, channel } = &mut *entry.lock()?;
        let event = match how {
            0 => log.next()?,
            1 => log.previous()?,
            _ => log.event(u64::try_from(position).unwrap_or(u64::MAX))?,
        };
        let Some(event) = event else { return Ok(std::ptr::null_mut()) };
        let data = env.array(event.data)?;
        let another = event.channel != &channel[..];
        if another {
            channel.clear();
            channel.extend_from_slice(event.channel);
        }
        let sequence = event.sequence.map_or(-1, |sequence| sequence as jlong);
        let published = event.publish_time.unwrap_or(jlong::MIN);
        env.tell(info, &[event.log_time, published, sequence, another.into()])?;
        Ok(data)
    }
    /// The channel of the event that was read last.
    fn Java_org_saltus_Native_logChannel(env, log: jlong) -> jbyteArray {
        let entry = LOGS.find(log)?;
        env.array(&entry.lock()?.channel)
    }
    fn Java_org_saltus_Native_logSeek(_env, log: jlong, position: jlong) -> jint {
        let entry = LOGS.find(log)?;
        entry.lock()?.log.seek(u64::try_from(position).unwrap_or(0));
        Ok(0)
    }
    fn Java_org_saltus_Native_logSeekTime(_env, log: jlong, time: jlong) -> jlong {
        let entry = LOGS.find(log)?;
        let position = entry.lock()?.log.seek_time(time)?;
        Ok(position as jlong)
    }
    /// The number of events, the position, the times of the first and the last event, and whether it is MCAP.
    fn Java_org_saltus_Native_logAbout(env, log: jlong, out: jlongArray) -> jint {
        let entry = LOGS.find(log)?;
        let log = &mut entry.lock()?.log;
        let (first, last) = log.times()?.unwrap_or((jlong::MIN, jlong::MIN));
        let mcap = log.format() == Format::Mcap;
        env.tell(out, &[log.len() as jlong, log.position() as jlong, first, last, mcap.into()])?;
        Ok(0)
    }
    fn Java_org_saltus_Native_logDamage(env, log: jlong) -> jbyteArray {
        let entry = LOGS.find(log)?;
        let damage = entry.lock()?.log.damage().to_string();
        env.array(damage.as_bytes())
    }
    /// The number of messages of each channel.
    fn Java_org_saltus_Native_logChannels(env, log: jlong) -> jbyteArray {
        let entry = LOGS.find(log)?;
        let reading = entry.lock()?;
        // A channel that the file stores in two ways is listed twice.
        let mut sums: BTreeMap<&[u8], u64> = BTreeMap::new();
        for channel in &reading.log.summary().channels {
            *sums.entry(&channel.name).or_default() += channel.messages;
        }
        list::array(env, sums.into_iter())
    }
    fn Java_org_saltus_Native_logClose(_env, log: jlong) -> jint {
        LOGS.close(log);
        Ok(0)
    }
}

/// A format by its number; 0: the file's extension selects it.
pub(crate) fn format(number: jint, path: &std::path::Path) -> Result<Format> {
    match number {
        1 => Ok(Format::Lcm),
        2 => Ok(Format::Mcap),
        _ => Format::of_name(path).ok_or_else(|| {
            let text = format!(
                "{}: its name tells no format: end it with .mcap or .lcmlog, or say which",
                path.display()
            );
            crate::fail::Fail::invalid(text)
        }),
    }
}
