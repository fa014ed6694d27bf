//! LCM's event log on a C stream, which programs may use themselves: it is a field of the structure that they have.
//!
//! An event, all numbers big endian: sync word, number (8 bytes), time in us (8), length of the channel's name (4) and of the data (4), the
//! name, the data.

use crate::report::report;
use std::ffi::{CStr, c_int};
use std::io;

/// The first word of each event.
const SYNC: u32 = 0xeda1_da01;
/// Bytes of an event before its name.
const HEADER: usize = 28;
/// The limit of the length of a name.
const MOST_NAME: i32 = 1000;
/// Most bytes that are allocated before they have been read: a length in a file may be any number.
const STEP: usize = 1 << 20;

/// LCM's `lcm_eventlog_t`.
#[repr(C)]
#[derive(Debug)]
pub struct EventLog {
    /// The C stream.
    pub f: *mut libc::FILE,
    /// The number of the next event that is written.
    pub eventcount: i64,
}

/// An event.
#[derive(Debug)]
pub struct Owned {
    /// Its number.
    pub number: i64,
    /// Its time, in us since 1970.
    pub timestamp: i64,
    /// The name of its channel.
    pub channel: Vec<u8>,
    /// The data.
    pub data: Vec<u8>,
}

/// Opens a log. `mode`: `r`, `w` or `a`.
///
/// # Errors
/// It cannot be opened, or the mode is another one.
pub fn create(path: &CStr, mode: u8) -> io::Result<*mut EventLog> {
    let mode = match mode {
        b'r' => c"rb",
        b'w' => c"wb",
        b'a' => c"ab",
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "the mode of a log must be r, w or a")),
    };
    // SAFETY: both are strings with an end.
    let f = unsafe { libc::fopen(path.as_ptr(), mode.as_ptr()) };
    if f.is_null() {
        return Err(io::Error::last_os_error());
    }
    Ok(Box::into_raw(Box::new(EventLog { f, eventcount: 0 })))
}

/// Closes a log.
///
/// # Safety
/// It was opened by [`create`], and is not used afterwards.
pub unsafe fn destroy(log: *mut EventLog) {
    // SAFETY: demanded above.
    let log = unsafe { Box::from_raw(log) };
    // SAFETY: the stream is open: only this function closes it.
    if unsafe { libc::fclose(log.f) } != 0 {
        report(format_args!("cannot complete a log: {}", io::Error::last_os_error()));
    }
}

/// A stream of C, open as long as this lives.
#[derive(Clone, Copy)]
struct Stream(*mut libc::FILE);

impl Stream {
    /// Fills `to`. Returns how many bytes there were.
    fn read(self, to: &mut [u8]) -> usize {
        // SAFETY: the stream is open, and there is room for that many bytes.
        unsafe { libc::fread(to.as_mut_ptr().cast(), 1, to.len(), self.0) }
    }
    fn is_read(self, to: &mut [u8]) -> bool {
        self.read(to) == to.len()
    }
    fn u32(self) -> Option<u32> {
        let mut bytes = [0; 4];
        self.is_read(&mut bytes).then(|| u32::from_be_bytes(bytes))
    }
    /// The next `len` bytes.
    fn bytes(self, len: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < len {
            let at = bytes.len();
            bytes.resize(len.min(at + STEP.max(at)), 0);
            if !self.is_read(&mut bytes[at..]) {
                return None;
            }
        }
        Some(bytes)
    }
    fn tell(self) -> i64 {
        // SAFETY: the stream is open.
        unsafe { libc::ftello(self.0) }
    }
    fn seek(self, to: i64, from: c_int) -> bool {
        // SAFETY: the stream is open.
        unsafe { libc::fseeko(self.0, to, from) == 0 }
    }

    /// Reads up to the end of the next sync word.
    fn find_sync(self) -> bool {
        let (mut word, mut one) = (0u32, [0; 1]);
        while word != SYNC {
            if self.read(&mut one) == 0 {
                return false;
            }
            word = word << 8 | u32::from(one[0]);
        }
        true
    }

    /// The rest of an event's header, after its sync word: number, time, and the lengths of the name and of the data.
    fn header(self) -> Option<(i64, i64, i32, i32)> {
        let mut bytes = [0; HEADER - 4];
        if !self.is_read(&mut bytes) {
            return None;
        }
        let long = |at: usize| i64::from_be_bytes(std::array::from_fn(|i| bytes[at + i]));
        let int = |at: usize| i32::from_be_bytes(std::array::from_fn(|i| bytes[at + i]));
        Some((long(0), long(8), int(16), int(20)))
    }
}

/// Reads the next event. `None`: the log has ended, or is damaged here; a further call looks for the next sync word.
///
/// # Safety
/// The log is open.
pub unsafe fn read(log: *mut EventLog) -> Option<Owned> {
    // SAFETY: demanded above.
    let stream = Stream(unsafe { (*log).f });
    if !stream.find_sync() {
        return None;
    }
    let (number, timestamp, name, data) = stream.header()?;
    if !(1..MOST_NAME).contains(&name) {
        report(format_args!("an event of a log is skipped: its channel's name has {name} bytes"));
        return None;
    }
    if data < 0 {
        report(format_args!("an event of a log is skipped: it has {data} bytes"));
        return None;
    }
    let (channel, data) = (stream.bytes(name as usize)?, stream.bytes(data as usize)?);
    // As in LCM, an event that is not followed by another one or by the end is not trusted.
    if let Some(word) = stream.u32() {
        if word != SYNC {
            report("an event of a log is skipped: no event follows its end");
            return None;
        }
        stream.seek(-4, libc::SEEK_CUR);
    }
    Some(Owned { number, timestamp, channel, data })
}

/// Appends an event. Returns its number.
///
/// # Errors
/// The stream cannot be written, or is only read; or the name or the data has 2 GiB or more, whose length does not fit. Nothing is written
/// then.
///
/// # Safety
/// The log is open.
pub unsafe fn write(log: *mut EventLog, timestamp: i64, channel: &[u8], data: &[u8]) -> io::Result<i64> {
    // SAFETY: demanded above.
    let log = unsafe { &mut *log };
    let len = |part: &[u8]| {
        let why = "the name and the data of an event have at most 2^31 - 1 bytes";
        i32::try_from(part.len()).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, why))
    };
    let (name_len, data_len) = (len(channel)?, len(data)?);
    let number = log.eventcount;
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&SYNC.to_be_bytes());
    header[4..12].copy_from_slice(&number.to_be_bytes());
    header[12..20].copy_from_slice(&timestamp.to_be_bytes());
    header[20..24].copy_from_slice(&name_len.to_be_bytes());
    header[24..].copy_from_slice(&data_len.to_be_bytes());
    for part in [&header[..], channel, data] {
        // SAFETY: the stream is open, and there are that many bytes.
        if unsafe { libc::fwrite(part.as_ptr().cast(), 1, part.len(), log.f) } != part.len() {
            return Err(io::Error::last_os_error());
        }
    }
    log.eventcount += 1;
    Ok(number)
}

/// Goes to the first event at or after `timestamp`, in a log whose times do not go back. `false`: there is none.
///
/// # Safety
/// The log is open.
pub unsafe fn seek(log: *mut EventLog, timestamp: i64) -> bool {
    // SAFETY: demanded above.
    let stream = Stream(unsafe { (*log).f });
    if !stream.seek(0, libc::SEEK_END) {
        return false;
    }
    let end = stream.tell();
    let (mut low, mut high, mut found) = (0, end, None);
    while low < high {
        let middle = low + (high - low) / 2;
        match event_from(stream, middle, end) {
            Some((at, _, time)) if time < timestamp => low = at + 1,
            Some((at, number, _)) => {
                found = Some((at, number));
                high = middle;
            }
            None => high = middle,
        }
    }
    let Some((at, number)) = found else { return false };
    // SAFETY: demanded above.
    unsafe { (*log).eventcount = number };
    stream.seek(at, libc::SEEK_SET)
}

/// The first whole event that begins at or after `from`: where, its number and its time.
fn event_from(stream: Stream, from: i64, end: i64) -> Option<(i64, i64, i64)> {
    if !stream.seek(from, libc::SEEK_SET) {
        return None;
    }
    while stream.find_sync() {
        let at = stream.tell() - 4;
        let (number, time, name, data) = stream.header()?;
        let next = at + HEADER as i64 + i64::from(name) + i64::from(data);
        if (1..MOST_NAME).contains(&name) && data >= 0 && next <= end {
            // A sync word may be part of a message: another one, or the end, follows an event.
            let is_followed =
                end - next < 4 || stream.seek(next, libc::SEEK_SET) && stream.u32() == Some(SYNC);
            if is_followed {
                return Some((at, number, time));
            }
        }
        if !stream.seek(at + 1, libc::SEEK_SET) {
            return None;
        }
    }
    None
}

/// An open log, which is closed in the end.
#[derive(Debug)]
pub struct Log(*mut EventLog);

// SAFETY: a C stream may be used by one thread after another.
unsafe impl Send for Log {}

impl Drop for Log {
    fn drop(&mut self) {
        // SAFETY: it was opened by `create`, and this is its only owner.
        unsafe { destroy(self.0) };
    }
}

impl Log {
    /// Opens a log, as [`create`].
    ///
    /// # Errors
    /// As [`create`].
    pub fn open(path: &CStr, mode: u8) -> io::Result<Log> {
        create(path, mode).map(Log)
    }
    fn stream(&self) -> Stream {
        // SAFETY: the log is open.
        Stream(unsafe { (*self.0).f })
    }
    /// Reads the next event, as [`read`].
    pub fn read(&mut self) -> Option<Owned> {
        // SAFETY: the log is open.
        unsafe { read(self.0) }
    }
    /// Appends an event, as [`write()`].
    ///
    /// # Errors
    /// As [`write()`].
    pub fn write(&mut self, timestamp: i64, channel: &[u8], data: &[u8]) -> io::Result<i64> {
        // SAFETY: the log is open.
        unsafe { write(self.0, timestamp, channel, data) }
    }
    /// Goes to the first event at or after a time, as [`seek`].
    pub fn seek_to_timestamp(&mut self, timestamp: i64) -> bool {
        // SAFETY: the log is open.
        unsafe { seek(self.0, timestamp) }
    }
    /// Goes to an offset in bytes. `false`: there is none.
    pub fn seek(&mut self, to: i64) -> bool {
        self.stream().seek(to, libc::SEEK_SET)
    }
    /// Where the next event is read or written, in bytes.
    pub fn tell(&self) -> i64 {
        self.stream().tell()
    }
    /// Bytes of the file, without those that are not written yet.
    ///
    /// # Errors
    /// The system does not know.
    pub fn size(&self) -> io::Result<i64> {
        // SAFETY: a structure of numbers, for which zeros are valid.
        let mut about: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the stream is open, and there is room for the answer.
        match unsafe { libc::fstat(libc::fileno(self.stream().0), &mut about) } {
            0 => Ok(about.st_size),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_before_anything_is_written() {
        let path = std::env::temp_dir().join(format!("saltus-lcm-long-{}", std::process::id()));
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        let mut log = Log::open(&name, b'w').unwrap();
        let long = vec![0; 1 << 31]; // never touched, so no memory
        for (channel, data) in [(&b"A"[..], &long[..]), (&long, b"x")] {
            let refused = log.write(1, channel, data).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!((log.tell(), log.write(1, b"A", b"x").unwrap()), (0, 0));
        drop(log);
        std::fs::remove_file(path).unwrap();
    }
}
