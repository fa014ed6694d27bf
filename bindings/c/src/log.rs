//! Logs: read, moved about in, and written.

use crate::border::{Fail, Result, call, hand_out, put, slice, string, take_back};
use crate::code::{SALTUS_NOTHING, SALTUS_OK};
use crate::domain::{SaltusType, description, name};
use crate::domain_message::{SALTUS_NO_TIME, SALTUS_UNKNOWN};
use crate::handle::{Guarded, Kind, Locked, locked};
use saltus_log::{Event, Format, Log, Writer, WriterOptions};
use std::cell::UnsafeCell;
use std::ffi::{OsStr, c_char, c_int, c_void};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// An event of a log: a message, its channel, and when it was logged. Saltus keeps it, and may give it more fields at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SaltusEvent {
    /// The message as it was published; never NULL.
    pub data: *const c_void,
    /// Bytes of the message.
    pub len: usize,
    /// The name of its channel, with a zero byte behind it. The name itself may be any bytes.
    pub channel: *const c_char,
    /// Bytes of the name.
    pub channel_len: usize,
    /// When it was logged, ns since 1970, as far as the file is to be trusted.
    pub log_time: i64,
    /// When it was published, ns since 1970, or SALTUS_NO_TIME.
    pub publish_time: i64,
    /// The number that its publisher gave it, or SALTUS_UNKNOWN.
    pub sequence: u64,
}

/// A log, whose events are there in the order of time. One call at a time may use it: a second one is refused.
pub struct SaltusLog(UnsafeCell<Reading>);

/// What calls share one after the other.
pub(crate) struct Reading {
    log: Log,
    event: SaltusEvent,
    name: Vec<u8>,
}

// SAFETY: the pointers in `event` lead into what lies beside it, and go from thread to thread with it.
unsafe impl Send for Reading {}

impl Kind for SaltusLog {
    const KIND: usize = 8;
}
impl Guarded for SaltusLog {
    type Own = Reading;
    fn own(&self) -> &UnsafeCell<Reading> {
        &self.0
    }
}

/// Opens a log: LCM's or MCAP, damaged or not. It is read once, and an index made; beside a large one it is kept, as
/// PATH.saltus-index, if that is allowed. `*log` is to be closed with saltus_log_close(); it is NULL if this fails.
///
/// Blocks: while the file is read. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND, SALTUS_NO_LOG, SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_open(path: *const c_char, log: *mut *mut SaltusLog) -> c_int {
    let open = || {
        // SAFETY: the header demands a string.
        let log = Log::open(unsafe { self::path(path)? })?;
        let event = SaltusEvent {
            data: c"".as_ptr().cast(),
            len: 0,
            channel: c"".as_ptr(),
            channel_len: 0,
            log_time: 0,
            publish_time: SALTUS_NO_TIME,
            sequence: SALTUS_UNKNOWN,
        };
        Ok(Some(SaltusLog(UnsafeCell::new(Reading { log, event, name: Vec::new() }))))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(log, open) })
}

/// Closes a log; the event read last goes with it. NULL does nothing.
///
/// Blocks: never. Allocates: no. Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_close(log: *mut SaltusLog) {
    take_back(log)
}

/// How many events the log has, and the times of the first and the last, ns since 1970; SALTUS_NO_TIME if there is none. Any of
/// the three places may be NULL.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_range(
    log: *mut SaltusLog,
    events: *mut u64,
    first: *mut i64,
    last: *mut i64,
) -> c_int {
    call(|| {
        let mut own = own(log)?;
        let times = own.log.times()?.unwrap_or((SALTUS_NO_TIME, SALTUS_NO_TIME));
        // SAFETY: the header demands room for the numbers, or NULL.
        unsafe {
            tell(events, own.log.len());
            tell(first, times.0);
            tell(last, times.1);
        }
        Ok(SALTUS_OK)
    })
}

/// Reads the next event and goes a step forward. `*event` points to it; it lies in the log's own memory until the next call with the
/// log. NULL if there is none, or this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the end.
/// Fails: SALTUS_UNDECODABLE (call again for the next), SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_next(log: *mut SaltusLog, event: *mut *const SaltusEvent) -> c_int {
    // SAFETY: as the header demands.
    unsafe { read(log, event, Log::next) }
}

/// Reads the event before and goes a step backwards; otherwise as saltus_log_next().
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Returns SALTUS_NOTHING at the beginning.
/// Fails: as saltus_log_next().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_previous(log: *mut SaltusLog, event: *mut *const SaltusEvent) -> c_int {
    // SAFETY: as the header demands.
    unsafe { read(log, event, Log::previous) }
}

/// Reads an event in one way or another.
unsafe fn read(
    log: *mut SaltusLog,
    event: *mut *const SaltusEvent,
    how: fn(&mut Log) -> saltus_log::Result<Option<Event<'_>>>,
) -> c_int {
    call(|| {
        const NO_EVENT: &str = "the place for the event is NULL";
        // SAFETY: the header demands room for a pointer.
        unsafe { put(event, std::ptr::null(), NO_EVENT)? };
        let mut own = own(log)?;
        let Reading { log, event: told, name } = &mut *own;
        let Some(e) = how(log)? else { return Ok(SALTUS_NOTHING) };
        name.clear();
        name.extend_from_slice(e.channel);
        name.push(0);
        *told = SaltusEvent {
            // What has no bytes has no place either.
            data: if e.data.is_empty() { c"".as_ptr().cast() } else { e.data.as_ptr().cast() },
            len: e.data.len(),
            channel: name.as_ptr().cast(),
            channel_len: e.channel.len(),
            log_time: e.log_time,
            publish_time: e.publish_time.unwrap_or(SALTUS_NO_TIME),
            sequence: e.sequence.unwrap_or(SALTUS_UNKNOWN),
        };
        // SAFETY: not NULL, as was just seen.
        unsafe { put(event, &raw const *told, NO_EVENT)? };
        Ok(SALTUS_OK)
    })
}

/// Goes to the event at `position`: as many events come before it. Behind the last is as good as the end.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_seek(log: *mut SaltusLog, position: u64) -> c_int {
    call(|| {
        own(log)?.log.seek(position);
        Ok(SALTUS_OK)
    })
}

/// Goes to the first event at or after `time`, ns since 1970, or to the end. `*position`, unless that is NULL, gets where that is.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_CHANGED, SALTUS_SYSTEM, SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_seek_time(log: *mut SaltusLog, time: i64, position: *mut u64) -> c_int {
    call(|| {
        let at = own(log)?.log.seek_time(time)?;
        // SAFETY: the header demands room for the number, or NULL.
        unsafe { tell(position, at) };
        Ok(SALTUS_OK)
    })
}

/// The format of a log to be written is told by the end of its name: ".mcap" is MCAP; ".lcmlog", ".lcm", ".log" or none is LCM's.
pub const SALTUS_LOG_BY_NAME: u32 = 0;
/// LCM's event log.
pub const SALTUS_LOG_LCM: u32 = 1;
/// MCAP.
pub const SALTUS_LOG_MCAP: u32 = 2;

/// Writes a log. One call at a time may use it: a second one is refused.
pub struct SaltusLogWriter(UnsafeCell<Option<Writer<File>>>);

impl Kind for SaltusLogWriter {
    const KIND: usize = 9;
}
impl Guarded for SaltusLogWriter {
    type Own = Option<Writer<File>>;
    fn own(&self) -> &UnsafeCell<Option<Writer<File>>> {
        &self.0
    }
}

/// Begins a log. `format` is SALTUS_LOG_BY_NAME, SALTUS_LOG_LCM or SALTUS_LOG_MCAP. A file that is there is left alone. `*writer` is to
/// be closed with saltus_log_writer_close(); it is NULL if this fails.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_EXISTS, SALTUS_NOT_FOUND (of a directory), SALTUS_DENIED, SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_create(
    path: *const c_char,
    format: u32,
    writer: *mut *mut SaltusLogWriter,
) -> c_int {
    let create = || {
        // SAFETY: the header demands a string.
        let path = unsafe { self::path(path)? };
        let format = match format {
            SALTUS_LOG_LCM => Format::Lcm,
            SALTUS_LOG_MCAP => Format::Mcap,
            SALTUS_LOG_BY_NAME => Format::of_name(path).ok_or(Fail::Misuse(
                "the file's name does not tell the format of a log: end it with .mcap or .lcmlog",
            ))?,
            _ => return Err(Fail::Misuse("the format is none of SALTUS_LOG_*")),
        };
        let file = File::create_new(path);
        let file =
            file.map_err(|e| saltus_log::Error::Io(format!("create the log {}", path.display()), e))?;
        let writer = Writer::new(file, format, WriterOptions::new())?;
        Ok(Some(SaltusLogWriter(UnsafeCell::new(Some(writer)))))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(writer, create) })
}

/// Tells what messages with this fingerprint are, so that MCAP has them with their types. Before they are written.
///
/// Blocks: never. Allocates: yes. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, not UTF-8, a schema that is not understood; or the log is finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_describe(writer: *mut SaltusLogWriter, what: *const SaltusType) -> c_int {
    call(|| {
        // SAFETY: the header demands a structure of strings.
        let what = unsafe { description(what)? }.ok_or(Fail::Misuse("the type is NULL"))?;
        if !writing(&mut writer_of(writer)?)?.types().learn(&what.name, &what.schema) {
            return Err(Fail::Misuse("the schema is not understood, or does not have the type"));
        }
        Ok(SALTUS_OK)
    })
}

/// Appends a message of `channel` that was logged at `log_time`, ns since 1970, such as saltus_now(SALTUS_REALTIME). `message` may be
/// NULL if `len` is 0. What was written goes out at the latest with what is written a second later; saltus_log_flush() does it now.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_UNWRITABLE (the log is as it was), SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_write(
    writer: *mut SaltusLogWriter,
    channel: *const c_char,
    message: *const c_void,
    len: usize,
    log_time: i64,
) -> c_int {
    call(|| {
        // SAFETY: the header demands a string, and `len` bytes.
        let (channel, data) = unsafe { (name(channel)?, slice(message, len)?) };
        let event = Event { channel, data, log_time, ..Event::default() };
        writing(&mut writer_of(writer)?)?.write(&event)?;
        Ok(SALTUS_OK)
    })
}

/// Gives everything that was written to the file.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_flush(writer: *mut SaltusLogWriter) -> c_int {
    call(|| {
        writing(&mut writer_of(writer)?)?.flush()?;
        Ok(SALTUS_OK)
    })
}

/// Ends the log. Nothing more can be written, whatever this returns; the handle is still to be closed.
///
/// Blocks: in the file system. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_NO_SPACE, SALTUS_SYSTEM, SALTUS_INVALID (NULL, or the log is finished).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_finish(writer: *mut SaltusLogWriter) -> c_int {
    call(|| {
        writer_of(writer)?.take().ok_or(Fail::Misuse(FINISHED))?.finish()?;
        Ok(SALTUS_OK)
    })
}

/// Closes a writer; a log that is not finished is left as it was flushed last, which can be read, but of MCAP not quickly. NULL does
/// nothing.
///
/// Blocks: in the file system. Allocates: no. Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_log_writer_close(writer: *mut SaltusLogWriter) {
    take_back(writer)
}

const FINISHED: &str = "the log is finished: nothing more can be written";

fn own(log: *mut SaltusLog) -> Result<Locked<SaltusLog>> {
    locked(log, "the log is NULL")
}

fn writer_of(writer: *mut SaltusLogWriter) -> Result<Locked<SaltusLogWriter>> {
    locked(writer, "the log's writer is NULL")
}

fn writing(own: &mut Locked<SaltusLogWriter>) -> Result<&mut Writer<File>> {
    own.as_mut().ok_or(Fail::Misuse(FINISHED))
}

/// A path is any bytes.
unsafe fn path<'a>(path: *const c_char) -> Result<&'a Path> {
    // SAFETY: the header demands a string.
    Ok(Path::new(OsStr::from_bytes(unsafe { string(path, "the path is NULL")? }.to_bytes())))
}

/// Writes a number down, if it is wanted.
unsafe fn tell<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not NULL, so there is room for it, as the caller has it.
        unsafe { place.write(value) };
    }
}
