//! The functions over event logs that C calls.

use crate::border::{call, string};
use saltus_lcm_core::eventlog::{self, EventLog};
use std::ffi::{c_char, c_int, c_void};

/// LCM's `lcm_eventlog_event_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Event {
    /// Its number.
    pub eventnum: i64,
    /// Its time, in us since 1970.
    pub timestamp: i64,
    /// Bytes of the name.
    pub channellen: i32,
    /// Bytes of the data.
    pub datalen: i32,
    /// The name of the channel.
    pub channel: *mut c_char,
    /// The data.
    pub data: *mut c_void,
}

/// Opens a log. `mode`: `r`, `w` or `a`. NULL: it cannot be opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_eventlog_create(path: *const c_char, mode: *const c_char) -> *mut EventLog {
    call(std::ptr::null_mut(), || {
        // SAFETY: the header demands strings.
        let (path, mode) = unsafe {
            (string(path, "the path of a log is NULL")?, string(mode, "the mode of a log is NULL")?)
        };
        match mode.to_bytes() {
            [one @ (b'r' | b'w' | b'a')] => {
                eventlog::create(path, *one).map_err(|e| format!("cannot open the log {path:?}: {e}"))
            }
            _ => Err(format!("the mode of a log is {mode:?}; it must be r, w or a")),
        }
    })
}

/// Reads the next event, for `lcm_eventlog_free_event`. NULL: the end, or the log is damaged here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_eventlog_read_next_event(log: *mut EventLog) -> *mut Event {
    call(std::ptr::null_mut(), || {
        if log.is_null() {
            return Err("the log to read is NULL");
        }
        // SAFETY: not NULL, so it is open, as the header demands.
        let Some(event) = (unsafe { eventlog::read(log) }) else { return Ok(std::ptr::null_mut()) };
        let (channel, data) = (copy(&event.channel), copy(&event.data));
        // SAFETY: the memory of one event, of the C library, so that programs may free it as they do LCM's.
        let made = unsafe { libc::malloc(size_of::<Event>()) }.cast::<Event>();
        if channel.is_null() || data.is_null() || made.is_null() {
            // SAFETY: each is NULL or was allocated just now.
            unsafe {
                libc::free(channel);
                libc::free(data);
                libc::free(made.cast());
            }
            return Err("out of memory: cannot return an event of a log");
        }
        let filled = Event {
            eventnum: event.number,
            timestamp: event.timestamp,
            channellen: event.channel.len() as i32,
            datalen: event.data.len() as i32,
            channel: channel.cast(),
            data,
        };
        // SAFETY: not NULL, so it is room for an event.
        unsafe { made.write(filled) };
        Ok(made)
    })
}

/// Copies the bytes, with a zero byte after them, into memory from `malloc`. NULL: out of memory.
fn copy(bytes: &[u8]) -> *mut c_void {
    // SAFETY: room for the bytes and one more, which are then written.
    unsafe {
        let to = libc::malloc(bytes.len() + 1).cast::<u8>();
        if !to.is_null() {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
            *to.add(bytes.len()) = 0;
        }
        to.cast()
    }
}

/// Frees an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_eventlog_free_event(event: *mut Event) {
    if !event.is_null() {
        // SAFETY: not NULL, so it is from `lcm_eventlog_read_next_event`, and so is the memory in it.
        unsafe {
            libc::free((*event).channel.cast());
            libc::free((*event).data);
            libc::free(event.cast());
        }
    }
}

/// Goes to the first event at or after `timestamp`, in us since 1970. 0, or -1: there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_eventlog_seek_to_timestamp(log: *mut EventLog, timestamp: i64) -> c_int {
    call(-1, || {
        if log.is_null() {
            return Err("the log to seek in is NULL");
        }
        // SAFETY: not NULL, so it is open, as the header demands.
        Ok(if unsafe { eventlog::seek(log, timestamp) } { 0 } else { -1 })
    })
}

/// Appends an event, and sets its number. 0, or -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_eventlog_write_event(log: *mut EventLog, event: *mut Event) -> c_int {
    call(-1, || {
        if log.is_null() || event.is_null() {
            return Err("the log to write, or the event, is NULL".to_string());
        }
        // SAFETY: not NULL, so it is an event, as the header demands.
        let event = unsafe { &mut *event };
        let (name, len) = (event.channellen, event.datalen);
        if name < 0 || len < 0 || event.channel.is_null() || event.data.is_null() && len > 0 {
            return Err(format!("an event has a name of {name} bytes and {len} bytes, or is NULL in part"));
        }
        // SAFETY: the header demands that many bytes; none of no address.
        let (channel, data) =
            unsafe { (bytes(event.channel.cast(), name as usize), bytes(event.data, len as usize)) };
        // SAFETY: not NULL, so the log is open, as the header demands.
        let number = unsafe { eventlog::write(log, event.timestamp, channel, data) };
        event.eventnum = number.map_err(|e| format!("cannot write to a log: {e}"))?;
        Ok(0)
    })
}

/// `len` bytes at `at`.
///
/// # Safety
/// They are there, unless `len` is 0.
unsafe fn bytes<'a>(at: *const c_void, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: demanded above.
        _ => unsafe { std::slice::from_raw_parts(at.cast(), len) },
    }
}

/// Closes a log.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lcm_eventlog_destroy(log: *mut EventLog) {
    call((), || -> Result<(), &str> {
        if !log.is_null() {
            // SAFETY: not NULL, so it is open and not used afterwards, as the header demands.
            unsafe { eventlog::destroy(log) };
        }
        Ok(())
    });
}
