//! Writing logs.

use crate::border::natives;
use crate::fail::{Fail, Result};
use crate::log;
use crate::table::{Entry, Table};
use jni_sys::{jbyteArray, jint, jlong};
use saltus_log::{Error, Event, Writer, WriterOptions};
use std::fs::File;
use std::sync::{Arc, MutexGuard};

/// A writer, until it is finished, and memory for copies of arrays.
type Writing = (Option<Writer<File>>, Vec<u8>);

static WRITERS: Table<Writing> = Table::new("log's writer");

fn writer<'a>(writing: &'a mut MutexGuard<'_, Writing>) -> Result<(&'a mut Writer<File>, &'a mut Vec<u8>)> {
    let (writer, copy) = &mut **writing;
    let writer =
        writer.as_mut().ok_or_else(|| Fail::invalid("the log is finished: nothing more can be written"))?;
    Ok((writer, copy))
}

fn find(handle: jlong) -> Result<Arc<Entry<Writing>>> {
    WRITERS.find(handle)
}

natives! {
    /// Creates a log. An existing file is not changed.
    fn Java_org_saltus_Native_writerCreate(env, path: jbyteArray, format: jint) -> jlong {
        let path = log::path(env.bytes(path)?);
        let format = log::format(format, &path)?;
        let file = File::create_new(&path);
        let file = file.map_err(|e| Error::Io(format!("create the log {}", path.display()), e))?;
        Ok(WRITERS.give((Some(Writer::new(file, format, WriterOptions::new())?), Vec::new()), None))
    }
    /// Registers a type with the log.
    fn Java_org_saltus_Native_writerDescribe(env, handle: jlong, name: jbyteArray, schema: jbyteArray) -> jint {
        let (entry, name, schema) = (find(handle)?, env.text(name)?, env.text(schema)?);
        if !writer(&mut entry.lock()?)?.0.types().learn(&name, &schema) {
            return Err(Fail::invalid(format!("the schema is not understood, or does not have `{name}`")));
        }
        Ok(0)
    }
    /// Appends an event. Times are ns since 1970, with the least number for none; -1 is no sequence number.
    fn Java_org_saltus_Native_writerWrite(
        env, handle: jlong, channel: jbyteArray, message: jbyteArray, log_time: jlong, publish_time: jlong, sequence: jlong,
    ) -> jint {
        let (entry, channel) = (find(handle)?, env.bytes(channel)?);
        let mut writing = entry.lock()?;
        let (writer, copy) = writer(&mut writing)?;
        env.read_all(message, copy)?;
        let publish_time = (publish_time != jlong::MIN).then_some(publish_time);
        let sequence = u64::try_from(sequence).ok();
        writer.write(&Event { channel: &channel, data: copy, log_time, publish_time, sequence, about: None })?;
        Ok(0)
    }
    /// Writes all events to the file now.
    fn Java_org_saltus_Native_writerFlush(_env, handle: jlong) -> jint {
        writer(&mut find(handle)?.lock()?)?.0.flush()?;
        Ok(0)
    }
    /// The number of events written so far.
    fn Java_org_saltus_Native_writerEvents(_env, handle: jlong) -> jlong {
        Ok(writer(&mut find(handle)?.lock()?)?.0.events() as jlong)
    }
    /// Ends the log and closes the file. If another thread writes at that moment, this fails (in use) and the log stays open.
    fn Java_org_saltus_Native_writerClose(_env, handle: jlong) -> jint {
        let entry = find(handle)?;
        let writer = entry.lock()?.0.take();
        WRITERS.close(handle);
        if let Some(writer) = writer {
            writer.finish()?;
        }
        Ok(0)
    }
}
