//! Logs that C writes are read by C and by Rust; what is no log, or is finished, is told.

mod support;

use saltus::*;
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use support::*;

fn read(
    log: SaltusLog,
    how: unsafe extern "C" fn(SaltusLog, *mut *const SaltusEvent) -> SaltusError,
) -> Option<(Vec<u8>, i64)> {
    let mut event = null();
    // SAFETY: an open log, and room for a pointer; the event is copied before the next call.
    unsafe {
        match how(log, &mut event) {
            SALTUS_NOTHING => None,
            code => {
                ok(code);
                let e = &*event;
                assert_eq!((CStr::from_ptr(e.channel).to_bytes(), e.channel_len), (&b"tilt"[..], 4));
                Some((std::slice::from_raw_parts(e.data.cast(), e.len).to_vec(), e.log_time_ns))
            }
        }
    }
}

#[test]
fn a_log_is_written_read_and_moved_about_in() {
    let dir = scratch("logs");
    for (name, format) in
        [("a.mcap", SALTUS_LOG_BY_NAME), ("a.lcmlog", SALTUS_LOG_BY_NAME), ("b", SALTUS_LOG_MCAP)]
    {
        let path = CString::new(dir.join(name).to_str().unwrap()).unwrap();
        let (mut writer, mut log) = (none(), none());
        let (mut events, mut first, mut last_time, mut position) = (0, 0, 0, 0);
        // SAFETY: strings, messages and places that live here.
        unsafe {
            ok(saltus_log_create(path.as_ptr(), format, &mut writer));
            for i in 0..100u8 {
                let message = (&raw const i).cast();
                ok(saltus_log_write(writer, c"tilt".as_ptr(), message, 1, i64::from(i) * 1_000_000));
            }
            assert_eq!(saltus_log_write(writer, c"tilt".as_ptr(), null(), 1, 1), SALTUS_INVALID);
            assert_eq!(saltus_log_write(writer, null(), null(), 0, 1), SALTUS_INVALID);
            ok(saltus_log_flush(writer));
            ok(saltus_log_finish(writer));
            assert_eq!(saltus_log_finish(writer), SALTUS_INVALID);
            assert_eq!(saltus_log_write(writer, c"tilt".as_ptr(), null(), 0, 1), SALTUS_INVALID);
            assert!(last().contains("finished"), "{}", last());
            saltus_log_writer_close(writer);
            assert_eq!(saltus_log_create(path.as_ptr(), format, &mut writer), SALTUS_EXISTS);
            assert!(writer.id == 0 && last().contains(name), "{}", last());
            let not_there = CString::new(dir.join("not-there.mcap").to_str().unwrap()).unwrap();
            assert_eq!(saltus_log_create(not_there.as_ptr(), format, null_mut()), SALTUS_INVALID);
            assert!(!dir.join("not-there.mcap").exists());

            ok(saltus_log_open(path.as_ptr(), &mut log));
            ok(saltus_log_range(log, &mut events, &mut first, &mut last_time));
            assert_eq!((events, first, last_time), (100, 0, 99_000_000));
            ok(saltus_log_range(log, null_mut(), null_mut(), null_mut()));
            assert_eq!(read(log, saltus_log_previous), None);
            assert_eq!(saltus_log_next(log, null_mut()), SALTUS_INVALID, "and it stays where it is");
            assert_eq!(read(log, saltus_log_next), Some((vec![0], 0)));
            assert_eq!(saltus_log_previous(log, null_mut()), SALTUS_INVALID);
            ok(saltus_log_seek_time(log, 41_500_000, &mut position));
            assert_eq!((position, read(log, saltus_log_next)), (42, Some((vec![42], 42_000_000))));
            assert_eq!(read(log, saltus_log_previous), Some((vec![42], 42_000_000)));
            assert_eq!(read(log, saltus_log_previous), Some((vec![41], 41_000_000)));
            ok(saltus_log_seek(log, u64::MAX));
            assert_eq!(read(log, saltus_log_next), None);
            assert_eq!(read(log, saltus_log_previous), Some((vec![99], 99_000_000)));
            saltus_log_close(log);
            assert_eq!(saltus_log_seek(log, 0), SALTUS_INVALID);
        }
    }
}

#[test]
fn a_file_that_is_not_a_log_is_an_error() {
    let dir = scratch("no-logs");
    let path = |name: &str| CString::new(dir.join(name).to_str().unwrap()).unwrap();
    std::fs::write(dir.join("text"), "Hello, robot\n").unwrap();
    let (mut log, mut writer) = (none(), none());
    // SAFETY: strings and places that live here.
    unsafe {
        assert_eq!(saltus_log_open(path("gone").as_ptr(), &mut log), SALTUS_NOT_FOUND);
        assert!(last().contains("no such file") && !last().contains("os error"), "{}", last());
        assert_eq!(saltus_log_open(path("text").as_ptr(), &mut log), SALTUS_NOT_A_LOG);
        assert_eq!(saltus_log_open(path("").as_ptr(), &mut log), SALTUS_NOT_A_LOG);
        assert_eq!(log.id, 0);
        assert_eq!(
            saltus_log_create(path("gone/a.mcap").as_ptr(), SALTUS_LOG_BY_NAME, &mut writer),
            SALTUS_NOT_FOUND
        );
        assert_eq!(
            saltus_log_create(path("a.txt").as_ptr(), SALTUS_LOG_BY_NAME, &mut writer),
            SALTUS_INVALID
        );
        assert_eq!(saltus_log_create(path("a.mcap").as_ptr(), 3, &mut writer), SALTUS_INVALID);
        assert!(writer.id == 0 && !dir.join("a.mcap").exists());
        ok(saltus_log_create(path("a.mcap").as_ptr(), SALTUS_LOG_BY_NAME, &mut writer));
        let what = |schema: &'static CStr| SaltusType {
            name: c"a.b".as_ptr(),
            fingerprint: 1,
            schema: schema.as_ptr(),
        };
        assert_eq!(saltus_log_describe(writer, null()), SALTUS_INVALID);
        assert_eq!(saltus_log_describe(writer, &what(c"struct {")), SALTUS_INVALID);
        ok(saltus_log_describe(writer, &what(c"package a; struct b { int8_t x; }")));
        // Not finished, but whole as far as it was flushed.
        ok(saltus_log_write(writer, c"tilt".as_ptr(), null(), 0, 5));
        ok(saltus_log_flush(writer));
        saltus_log_writer_close(writer);
        ok(saltus_log_open(path("a.mcap").as_ptr(), &mut log));
        assert_eq!(read(log, saltus_log_next), Some((vec![], 5)));
        saltus_log_close(log);
    }
}
