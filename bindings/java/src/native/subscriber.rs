//! Receiving.

use crate::border::natives;
use crate::env::Env;
use crate::fail::{Fail, Result, code};
use crate::table::Table;
use crate::{list, time};
use jni_sys::{jbyteArray, jint, jlong, jlongArray, jobject};
use saltus_domain::{Expected, Message, Missed, Name, Subscriber, Until};

/// A subscriber, and the type of its messages.
pub(crate) struct Receiving {
    pub subscriber: Subscriber,
    pub expected: Option<Expected>,
    /// The last message, if the program's buffer was too small for it. The next call returns it again, or counts it.
    pub kept: Option<Kept>,
}

/// The metadata of the kept message.
pub(crate) struct Kept {
    channel: Name,
    sender: Option<u64>,
    sequence: Option<u64>,
    arrived: u64,
    missed: Missed,
    dropped: u64,
    /// Whether the next call returns it again; else it is counted with the next one.
    again: bool,
}

impl Kept {
    pub fn of(m: &Message<'_>, again: bool) -> Kept {
        Kept {
            channel: m.channel.clone(),
            sender: m.sender,
            sequence: m.sequence,
            arrived: m.arrived,
            missed: m.missed,
            dropped: m.dropped,
            again,
        }
    }

    /// Adds to `m`, which is returned instead of this message, the losses before this message, and this message unless `m` is the same.
    pub fn count(&self, m: &mut Message<'_>) {
        let same = *m.channel == self.channel
            && (m.sender, m.sequence) == (self.sender, self.sequence)
            && (m.sequence.is_some() || m.arrived == self.arrived);
        m.dropped = m.dropped.saturating_add(self.dropped).saturating_add(u64::from(!same));
        m.missed = match (self.missed, m.missed) {
            (Missed::Exact(before), Missed::Exact(now)) => Missed::Exact(before.saturating_add(now)),
            (before, now) => match before.count().zip(now.count()) {
                Some((before, now)) => Missed::OfSender(before.saturating_add(now)),
                None => Missed::Unknown,
            },
        };
    }
}

pub(crate) static SUBSCRIBERS: Table<Receiving> = Table::new("subscriber");

/// The message to receive: a new one, as the options say, or the newest, whether or not it was received before.
const UNSEEN: jint = 0;

impl Receiving {
    fn take(&mut self, which: jint, until: Until) -> Result<bool> {
        let Receiving { subscriber, expected, .. } = self;
        Ok(match (which, expected) {
            (UNSEEN, Some(expected)) => expected.receive(subscriber, until)?.is_some(),
            (UNSEEN, None) => subscriber.receive(until)?.is_some(),
            (_, None) => subscriber.current(until)?.is_some(),
            (_, Some(expected)) => subscriber.current(until)?.is_some() && expected.accepts(subscriber)?,
        })
    }

    /// Waits until there may be a new message, at most until then.
    pub fn wait(&mut self, until: Until) -> Result<bool> {
        Ok(self.gives_current() || self.subscriber.wait(until)?)
    }

    /// Whether the next call returns the kept message again.
    pub fn gives_current(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.again)
    }

    /// Receives a message and passes it to `give`. If `give` does not accept it, the message is kept.
    fn receive<R>(
        &mut self,
        which: jint,
        until: Until,
        give: impl FnOnce(Message<'_>) -> Result<R>,
    ) -> Result<Option<R>> {
        let again = which == UNSEEN && self.gives_current() && self.subscriber.last().is_some();
        if !again {
            if let Some(kept) = &mut self.kept {
                kept.again = false; // whatever this finds
            }
            if !self.take(which, until)? {
                return Ok(None);
            }
        }
        let Some(mut message) = self.subscriber.last() else { return Ok(None) };
        if let Some(kept) = &self.kept {
            if again {
                (message.missed, message.dropped) = (kept.missed, kept.dropped);
            } else {
                kept.count(&mut message);
            }
        }
        let given = give(message);
        self.kept = given.is_err().then(|| Kept::of(&message, which == UNSEEN));
        given.map(Some)
    }
}

/// A message's metadata, in the order of Java's class `Info`, and its channel.
pub(crate) fn tell(env: Env, m: &Message<'_>, info: jlongArray, channel: jbyteArray) -> Result<()> {
    let name = m.channel.as_bytes();
    env.write(channel, name)?;
    let or_unknown = |number: Option<u64>| number.map_or(-1, |n| n as jlong);
    env.tell(
        info,
        &[
            m.data.len() as jlong,
            or_unknown(m.published),
            m.arrived as jlong,
            m.logged.unwrap_or(jlong::MIN),
            or_unknown(m.sender),
            or_unknown(m.sequence),
            or_unknown(m.missed.count()),
            m.dropped as jlong,
            matches!(m.missed, Missed::OfSender(_)).into(),
            name.len() as jlong,
        ],
    )
}

natives! {
    /// Receives a message as a new array; null, without a failure, if there is none.
    fn Java_org_saltus_Native_receive(
        env, subscriber: jlong, which: jint, timeout: jlong, info: jlongArray, channel: jbyteArray,
    ) -> jbyteArray {
        let entry = SUBSCRIBERS.find(subscriber)?;
        let mut receiving = entry.lock()?;
        let received = receiving.receive(which, time::until(timeout), |message| {
            tell(env, &message, info, channel)?;
            env.array(message.data)
        });
        Ok(entry.or_closed(received)?.unwrap_or(std::ptr::null_mut()))
    }
    /// Receives a message into a direct buffer and returns its length; -1 if there is none.
    fn Java_org_saltus_Native_receiveInto(
        env, subscriber: jlong, which: jint, timeout: jlong, info: jlongArray, channel: jbyteArray,
        buffer: jobject, at: jint, room: jint,
    ) -> jint {
        let entry = SUBSCRIBERS.find(subscriber)?;
        let mut receiving = entry.lock()?;
        let received = receiving.receive(which, time::until(timeout), |message| {
            tell(env, &message, info, channel)?;
            let len = message.data.len();
            match jint::try_from(len) {
                Ok(fits) if fits <= room => env.fill(buffer, at, message.data).map(|()| fits),
                _ => {
                    let text = format!("the buffer has room for {room} bytes, the message has {len}: receive it again, into a larger one");
                    Err(Fail::Told(code::TOO_SMALL, text))
                }
            }
        });
        Ok(entry.or_closed(received)?.unwrap_or(-1))
    }
    /// Waits until there may be a new message: returns 1, or 0 on timeout.
    fn Java_org_saltus_Native_subscriberWait(_env, subscriber: jlong, timeout: jlong) -> jint {
        let entry = SUBSCRIBERS.find(subscriber)?;
        let mut receiving = entry.lock()?;
        let ready = receiving.wait(time::until(timeout));
        entry.or_closed(ready).map(jint::from)
    }
    /// The names of the channels that it has joined so far.
    fn Java_org_saltus_Native_subscriberChannels(env, subscriber: jlong) -> jbyteArray {
        let entry = SUBSCRIBERS.find(subscriber)?;
        let names = entry.lock()?.subscriber.channels();
        list::array(env, names.iter().map(|name| (name.as_bytes(), 0)))
    }
    /// The number of messages of other types that it skipped.
    fn Java_org_saltus_Native_subscriberMismatched(_env, subscriber: jlong) -> jlong {
        let entry = SUBSCRIBERS.find(subscriber)?;
        let receiving = entry.lock()?;
        Ok(receiving.expected.as_ref().map_or(0, |expected| expected.mismatched() as jlong))
    }
    /// Cancels its waits, from any thread, or lets them wait again.
    fn Java_org_saltus_Native_subscriberCancel(_env, subscriber: jlong, off: jint) -> jint {
        let entry = SUBSCRIBERS.find(subscriber)?;
        if let Some(cancel) = &entry.cancel {
            if off == 0 { cancel.reset() } else { cancel.cancel() }
        }
        Ok(0)
    }
    fn Java_org_saltus_Native_subscriberClose(_env, subscriber: jlong) -> jint {
        SUBSCRIBERS.close(subscriber);
        Ok(0)
    }
}
