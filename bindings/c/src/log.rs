//! Logs: read and written.

use crate::border::{Fail, Result, call, name, put, slice, string, write_unless_null};
use crate::code::{SALTUS_NOTHING, SALTUS_OK, SaltusError};
use crate::domain_message::{SALTUS_NO_TIME, SALTUS_UNKNOWN};
use crate::handle::{Locked, close, kind, locked, open};
use crate::types::{SaltusType, demanded};
use saltus_log::{Event, Format, Log, Writer, WriterOptions};
use std::cell::UnsafeCell;
use std::ffi::{OsStr, c_char, c_void};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// An event of a log: a message, its channel, and when it was logged. Saltus owns it; later versions may add fields at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusEvent {
    /// The message as it was published; never NULL.
    pub data: *const c_void,
    /// Bytes of the message.
    pub len: usize,
    /// The name of its channel, followed by a zero byte. The name may contain any bytes.
    pub channel: *const c_char,
    /// Bytes of the name.
    pub channel_len: usize,
    /// When it was logged according to the file, in ns since 1970.
    pub log_time_ns: i64,
    /// When it was published, in ns since 1970, or SALTUS_NO_TIME.
    pub publish_time_ns: i64,
    /// The sequence number that its publisher gave it, or SALTUS_UNKNOWN.
    pub sequence: u64,
}

/// A log that is read, with its events in order of time. One call at a time may use it: a second call at the same time is refused.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusLog {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
kind!(SaltusLog, 8, "the log", UnsafeCell<Reading>);

/// A log, and its event read last.
pub(crate) struct Reading {
    log: Log,
    event: SaltusEvent,
    name: Vec<u8>,
}

// SAFETY: the pointers in `event` point into the fields next to it, and move between threads with them.
unsafe impl Send for Reading {}

/// saltus_log_open opens an LCM or MCAP log, damaged or not. It reads the file once to build an index; for a large file it saves the index
/// as PATH.saltus-index, if permissions allow. You close `*log` with saltus_log_close(); its id is 0 if the call fails.
///
/// Blocks: while it reads the file. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_NOT_A_LOG, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_open(path: *const c_char, log: *mut SaltusLog) -> SaltusError {
    let make = || {
        // SAFETY: the header demands a string.
        let log = Log::open(unsafe { self::path(path)? })?;
        let event = SaltusEvent {
            data: c"".as_ptr().cast(),
            len: 0,
            channel: c"".as_ptr(),
            channel_len: 0,
            log_time_ns: 0,
            publish_time_ns: SALTUS_NO_TIME,
            sequence: SALTUS_UNKNOWN,
        };
        Ok(Some(UnsafeCell::new(Reading { log, event, name: Vec::new() })))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(log, make) }
}

/// saltus_log_close closes a log, and invalidates the event read last.
///
/// Blocks: never. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_close(log: SaltusLog) -> SaltusError {
    close(log)
}

/// saltus_log_range returns how many events the log has, and the times of the first and the last, in ns since 1970; SALTUS_NO_TIME if it
/// has none. Any of the three pointers may be NULL.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_range(
    log: SaltusLog,
    events: *mut u64,
    first: *mut i64,
    last: *mut i64,
) -> SaltusError {
    call(|| {
        let mut own = locked(log)?;
        let times = own.log.times()?.unwrap_or((SALTUS_NO_TIME, SALTUS_NO_TIME));
        // SAFETY: the header demands room for the numbers, or NULL.
        unsafe {
            write_unless_null(events, own.log.len());
            write_unless_null(first, times.0);
            write_unless_null(last, times.1);
        }
        Ok(SALTUS_OK)
    })
}

/// saltus_log_next reads the next event and moves one event forward. `*event` points to it, in memory of the log, until the next call with
/// the log. It is NULL without an event and on failure.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the end.
/// Fails: SALTUS_DECODE_FAILED (call again for the next), SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_next(log: SaltusLog, event: *mut *const SaltusEvent) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { read(log, event, Log::next) }
}

/// saltus_log_previous reads the previous event and moves one event backward; otherwise it is as saltus_log_next().
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the beginning.
/// Fails: as saltus_log_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_previous(log: SaltusLog, event: *mut *const SaltusEvent) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { read(log, event, Log::previous) }
}

/// Reads an event in one way or another.
unsafe fn read(
    log: SaltusLog,
    event: *mut *const SaltusEvent,
    how: fn(&mut Log) -> saltus_log::Result<Option<Event<'_>>>,
) -> SaltusError {
    call(|| {
        const NO_EVENT: &str = "the place for the event is NULL";
        // SAFETY: the header demands room for a pointer.
        unsafe { put(event, std::ptr::null(), NO_EVENT)? };
        let mut own = locked(log)?;
        let Reading { log, event: reported, name } = &mut *own;
        let Some(e) = how(log)? else { return Ok(SALTUS_NOTHING) };
        name.clear();
        name.extend_from_slice(e.channel);
        name.push(0);
        *reported = SaltusEvent {
            // An empty message has no address either.
            data: if e.data.is_empty() { c"".as_ptr().cast() } else { e.data.as_ptr().cast() },
            len: e.data.len(),
            channel: name.as_ptr().cast(),
            channel_len: e.channel.len(),
            log_time_ns: e.log_time,
            publish_time_ns: e.publish_time.unwrap_or(SALTUS_NO_TIME),
            sequence: e.sequence.unwrap_or(SALTUS_UNKNOWN),
        };
        // SAFETY: not NULL, as was just seen.
        unsafe { put(event, &raw const *reported, NO_EVENT)? };
        Ok(SALTUS_OK)
    })
}

/// saltus_log_seek moves to the event at `position`, before which there are as many events. A position behind the last event is the end.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_seek(log: SaltusLog, position: u64) -> SaltusError {
    call(|| {
        locked(log)?.log.seek(position);
        Ok(SALTUS_OK)
    })
}

/// saltus_log_seek_time moves to the first event at or after `time_ns`, in ns since 1970, or to the end. `*position`, unless it is NULL,
/// gets the position.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_seek_time(
    log: SaltusLog,
    time_ns: i64,
    position: *mut u64,
) -> SaltusError {
    call(|| {
        let at = locked(log)?.log.seek_time(time_ns)?;
        // SAFETY: the header demands room for the number, or NULL.
        unsafe { write_unless_null(position, at) };
        Ok(SALTUS_OK)
    })
}

/// The end of the file name selects the format of a new log: ".mcap" is MCAP; ".lcmlog", ".lcm", ".log" or none is LCM.
pub const SALTUS_LOG_BY_NAME: u32 = 0;
/// LCM's event log format.
pub const SALTUS_LOG_LCM: u32 = 1;
/// MCAP format.
pub const SALTUS_LOG_MCAP: u32 = 2;

/// A log that is written. One call at a time may use it: a second call at the same time is refused.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusLogWriter {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
kind!(SaltusLogWriter, 9, "the log's writer", UnsafeCell<Option<Writer<File>>>);

/// saltus_log_create creates a log. `format` is SALTUS_LOG_BY_NAME, SALTUS_LOG_LCM or SALTUS_LOG_MCAP. It never overwrites a file. You
/// close `*writer` with saltus_log_writer_close(); its id is 0 if the call fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_NOT_FOUND (of a directory), SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_create(
    path: *const c_char,
    format: u32,
    writer: *mut SaltusLogWriter,
) -> SaltusError {
    let create = || {
        // SAFETY: the header demands a string.
        let path = unsafe { self::path(path)? };
        let format = match format {
            SALTUS_LOG_LCM => Format::Lcm,
            SALTUS_LOG_MCAP => Format::Mcap,
            SALTUS_LOG_BY_NAME => Format::of_name(path).ok_or(Fail::Misuse(
                "the file's name does not tell the format of a log: end it with .mcap or .lcmlog",
            ))?,
            _ => return Err(Fail::Misuse("format: expected a SALTUS_LOG_* value")),
        };
        let file = File::create_new(path);
        let file =
            file.map_err(|e| saltus_log::Error::Io(format!("create the log {}", path.display()), e))?;
        let writer = Writer::new(file, format, WriterOptions::new())?;
        Ok(Some(UnsafeCell::new(Some(writer))))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(writer, create) }
}

/// saltus_log_describe gives the log the type of messages with this fingerprint, so that an MCAP log includes it. Call it before writing
/// them.
///
/// Blocks: never. Allocates: yes. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, not UTF-8, an invalid schema; or the log is closed or finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_describe(
    writer: SaltusLogWriter,
    r#type: *const SaltusType,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands a structure of strings.
        let of = unsafe { demanded(r#type)? };
        if !writing(&mut locked(writer)?)?.types().learn(&of.name, &of.schema) {
            return Err(Fail::Misuse("the schema is not understood, or does not have the type"));
        }
        Ok(SALTUS_OK)
    })
}

/// saltus_log_write appends a message of `channel` with the time `log_time_ns`, in ns since 1970, such as saltus_now_ns(SALTUS_REALTIME).
/// `message` may be NULL if `len` is 0. A write flushes messages written more than a second earlier; saltus_log_flush() flushes all.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_UNWRITABLE (the log is unchanged), SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is closed or finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_write(
    writer: SaltusLogWriter,
    channel: *const c_char,
    message: *const c_void,
    len: usize,
    log_time_ns: i64,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands a string, and `len` bytes.
        let (channel, data) = unsafe { (name(channel)?, slice(message, len)?) };
        let event = Event { channel, data, log_time: log_time_ns, ..Event::default() };
        writing(&mut locked(writer)?)?.write(&event)?;
        Ok(SALTUS_OK)
    })
}

/// saltus_log_flush writes all buffered messages to the file.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (the log is closed or finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_flush(writer: SaltusLogWriter) -> SaltusError {
    call(|| {
        writing(&mut locked(writer)?)?.flush()?;
        Ok(SALTUS_OK)
    })
}

/// saltus_log_finish completes the log. Nothing more can be written, whatever this returns; you still close the handle.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (the log is closed or finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_finish(writer: SaltusLogWriter) -> SaltusError {
    call(|| {
        locked(writer)?.take().ok_or(Fail::Misuse(FINISHED))?.finish()?;
        Ok(SALTUS_OK)
    })
}

/// saltus_log_writer_close closes a writer. A log that is not finished stays as it was last flushed: readable, but slower to open if it
/// is MCAP.
///
/// Blocks: in the file system. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_writer_close(writer: SaltusLogWriter) -> SaltusError {
    close(writer)
}

const FINISHED: &str = "the log is finished: nothing more can be written";

fn writing(own: &mut Locked<SaltusLogWriter>) -> Result<&mut Writer<File>> {
    own.as_mut().ok_or(Fail::Misuse(FINISHED))
}

/// A path is any bytes.
unsafe fn path<'a>(path: *const c_char) -> Result<&'a Path> {
    // SAFETY: the header demands a string.
    Ok(Path::new(OsStr::from_bytes(unsafe { string(path, "the path is NULL")? }.to_bytes())))
}
