//! Publishing.

use crate::border::natives;
use crate::table::Table;
use jni_sys::{jbyteArray, jint, jlong, jlongArray, jobject};
use saltus_domain::Publisher;

/// Publishers, each with memory for copies of arrays.
pub(crate) static PUBLISHERS: Table<(Publisher, Vec<u8>)> = Table::new("publisher");

natives! {
    /// Publishes bytes of an array.
    fn Java_org_saltus_Native_publishArray(
        env, publisher: jlong, message: jbyteArray, at: jint, len: jint,
    ) -> jint {
        let entry = PUBLISHERS.find(publisher)?;
        let (publisher, copy) = &mut *entry.lock()?;
        env.read(message, at, len, copy)?;
        publisher.publish(copy)?;
        Ok(0)
    }
    /// Publishes bytes of a direct buffer.
    fn Java_org_saltus_Native_publishDirect(
        env, publisher: jlong, message: jobject, at: jint, len: jint,
    ) -> jint {
        let entry = PUBLISHERS.find(publisher)?;
        let (publisher, _) = &mut *entry.lock()?;
        env.lend(message, at, len, |message| publisher.publish(message))??;
        Ok(0)
    }
    /// Publishes bytes of an array with a given timestamp; returns the timestamp that the message got.
    fn Java_org_saltus_Native_publishWithTimestamp(
        env, publisher: jlong, message: jbyteArray, timestamp: jlong,
    ) -> jlong {
        let entry = PUBLISHERS.find(publisher)?;
        let (publisher, _) = &mut *entry.lock()?;
        Ok(publisher.publish_with_timestamp(&env.bytes(message)?, timestamp)?)
    }
    /// Returns the sender number of its messages; -1 if there is none.
    fn Java_org_saltus_Native_publisherSender(env, publisher: jlong, out: jlongArray) -> jint {
        let entry = PUBLISHERS.find(publisher)?;
        let sender = entry.lock()?.0.sender();
        env.tell(out, &[sender.map_or(-1, |sender| sender as jlong)])?;
        Ok(0)
    }
    fn Java_org_saltus_Native_publisherClose(_env, publisher: jlong) -> jint {
        PUBLISHERS.close(publisher);
        Ok(0)
    }
}
