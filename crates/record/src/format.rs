//! The file formats of recordings.

use crate::batch::{Batch, Channel, Head};
use saltus_log::{Error, Event, Types, Writer, WriterOptions};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};

/// Writes files of one format. Files are readable however the process ends.
pub trait Format: Send {
    /// Starts at the end of `file`, which must be empty unless the format supports appending.
    fn begin(&mut self, file: File) -> io::Result<()>;
    /// Adds a channel before its first message, in each file.
    fn channel(&mut self, number: u32, channel: &Channel) -> io::Result<()>;
    /// Writes messages, and reports those that are in the file. Those not reported, also after an error, are not in it.
    fn write(&mut self, batch: &Batch, written: &mut dyn FnMut(&Head)) -> io::Result<()>;
    /// Flushes the file to the disk.
    fn sync(&mut self) -> io::Result<()>;
    /// Size of the file in bytes.
    fn size(&self) -> u64;
    /// Finishes the file, with the recorder's account in JSON.
    fn finish(&mut self, account: &str) -> io::Result<()>;
}

/// The channel with the recorder's account in an LCM log. In MCAP, it is metadata with the name `saltus.record`.
pub const ACCOUNT: &str = "SALTUS_ACCOUNT";
/// The name of the account's metadata in MCAP.
const METADATA: &str = "saltus.record";

/// Writes LCM's event log or MCAP.
pub struct Log {
    format: saltus_log::Format,
    options: WriterOptions,
    types: Types,
    names: Vec<saltus_domain::Name>,
    open: Option<Open>,
    /// Size of the finished file in bytes.
    size: u64,
}

struct Open {
    writer: Writer<File>,
    /// The same file, for truncating remains of a failed write.
    file: File,
    /// Its size at the start, in bytes.
    before: u64,
}

impl Open {
    /// Size of the intact part, in bytes.
    fn whole(&self) -> u64 {
        self.before + self.writer.flushed()
    }
}

fn io_error(error: Error) -> io::Error {
    match error {
        Error::Io(_, error) => error,
        error => io::Error::other(error),
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no file is open")
}

impl Log {
    /// A writer of `format`, without a file. MCAP files store the types of messages: those of `types`, and those that publishers describe.
    pub fn new(format: saltus_log::Format, options: WriterOptions, types: Types) -> Log {
        Log { format, options, types, names: Vec::new(), open: None, size: 0 }
    }
}

impl Format for Log {
    fn begin(&mut self, mut file: File) -> io::Result<()> {
        let before = file.seek(SeekFrom::End(0))?;
        let same = file.try_clone()?;
        let mut writer = Writer::new(file, self.format, self.options).map_err(io_error)?;
        *writer.types() = self.types.clone();
        self.open = Some(Open { writer, file: same, before });
        Ok(())
    }

    fn channel(&mut self, number: u32, channel: &Channel) -> io::Result<()> {
        self.names.truncate(number as usize);
        self.names.push(channel.name.clone());
        for types in [Some(&mut self.types), self.open.as_mut().map(|open| open.writer.types())] {
            let Some(types) = types else { continue };
            // An invalid or too long description is ignored: the messages are written as bytes.
            for reported in &channel.types {
                let _ = types.learn(&reported.name, &reported.schema);
            }
        }
        Ok(())
    }

    fn write(&mut self, batch: &Batch, written: &mut dyn FnMut(&Head)) -> io::Result<()> {
        let open = self.open.as_mut().ok_or_else(closed)?;
        let (mut waiting, mut result) = (Vec::with_capacity(batch.len()), Ok(()));
        for (head, data) in batch.messages() {
            let time = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
            let event = Event {
                channel: self.names[head.channel as usize].as_bytes(),
                data,
                log_time: time(head.logged),
                publish_time: Some(time(head.published)),
                sequence: (head.sequence != 0).then_some(head.sequence),
                about: None,
            };
            let flushed = open.writer.flushed();
            match open.writer.write(&event) {
                // A message that does not fit into a log is lost; others are not.
                Err(Error::Unwritable(_)) => continue,
                Err(error) => {
                    result = Err(io_error(error));
                    break;
                }
                Ok(()) => {}
            }
            // Waiting messages were written before this one was added.
            if open.writer.flushed() != flushed {
                waiting.drain(..).for_each(&mut *written);
            }
            if open.writer.is_out() {
                written(head);
            } else {
                waiting.push(head);
            }
        }
        let result = result.and_then(|()| open.writer.flush().map_err(io_error));
        match result {
            Ok(()) => waiting.drain(..).for_each(written),
            Err(_) => open.file.set_len(open.whole())?,
        }
        result
    }

    fn sync(&mut self) -> io::Result<()> {
        self.open.as_ref().map_or(Ok(()), |open| open.file.sync_data())
    }
    fn size(&self) -> u64 {
        self.open.as_ref().map_or(self.size, Open::whole)
    }

    fn finish(&mut self, account: &str) -> io::Result<()> {
        let Open { mut writer, file, before } = self.open.take().ok_or_else(closed)?;
        let whole = before + writer.flushed();
        let metadata = BTreeMap::from([("account".to_string(), account.to_string())]);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let (channel, data) = (ACCOUNT.as_bytes(), account.as_bytes());
        let log_time = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let written = match writer.metadata(METADATA, &metadata) {
            Ok(false) => writer.write(&Event { channel, data, log_time, ..Event::default() }),
            result => result.map(drop),
        };
        let finished = written.and_then(|()| writer.finish()).map_err(io_error);
        if finished.is_err() {
            file.set_len(whole)?;
        }
        finished?;
        file.sync_data()?;
        self.size = file.metadata()?.len();
        Ok(())
    }
}
