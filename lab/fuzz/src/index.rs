//! Any bytes as the index of a log: it is accepted or built again, and every event is one of the log's.

use saltus_log::{Error, Event, Format, Keep, Log, Writer, WriterOptions};
use std::path::PathBuf;
use std::sync::OnceLock;

const EVENTS: i64 = 20;

static LOG: OnceLock<(PathBuf, Vec<u8>)> = OnceLock::new();

unsafe extern "C" {
    fn atexit(done: extern "C" fn()) -> i32;
}

/// libFuzzer ends by `exit`, which drops nothing.
extern "C" fn remove() {
    for path in LOG.get().iter().flat_map(|(path, _)| [path.clone(), side(path)]) {
        let _ = std::fs::remove_file(path);
    }
}

/// A log, and its correct index.
fn log() -> &'static (PathBuf, Vec<u8>) {
    LOG.get_or_init(|| {
        // SAFETY: the function has no arguments and may run at any exit.
        unsafe { atexit(remove) };
        let path = std::env::temp_dir().join(format!("saltus-fuzz-index-{}.mcap", std::process::id()));
        let options = WriterOptions::new().chunk(100);
        let mut writer = Writer::new(Vec::new(), Format::Mcap, options).expect("memory takes it");
        for i in 0..EVENTS {
            let data = [i as u8; 8];
            let event = Event { channel: b"C", data: &data, log_time: i, ..Event::default() };
            writer.write(&event).expect("memory takes it");
        }
        std::fs::write(&path, writer.finish().expect("memory takes it")).expect("a temporary file");
        Log::open_with(&path, Keep::Always, &mut |_, _| true).expect("a log");
        let index = std::fs::read(side(&path)).expect("its index");
        (path, index)
    })
}

fn side(path: &std::path::Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".saltus-index");
    name.into()
}

/// See the module.
pub fn attack(data: &[u8]) {
    let (path, index) = log();
    // A first byte of 0 replaces the whole index by the rest of the input. Otherwise each 3 bytes change one byte of
    // the correct index: two are the position, one is the new value.
    let mut bytes = index.clone();
    match data.split_first() {
        Some((0, all)) => bytes = all.into(),
        Some((_, changes)) => {
            for change in changes.chunks_exact(3) {
                let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
                bytes[at] = change[2];
            }
        }
        None => {}
    }
    std::fs::write(side(path), &bytes).expect("a temporary file");
    let mut log = Log::open_with(path, Keep::Never, &mut |_, _| true).expect("the log itself is sound");
    for _ in 0..2 * EVENTS {
        match log.next() {
            Ok(Some(event)) => assert_eq!(event.data, [event.log_time as u8; 8]),
            Ok(None) | Err(Error::Changed) => break,
            Err(error) => panic!("{error}"),
        }
    }
    let _ = (log.seek_time(7), log.previous().map(|event| event.is_some()));
}
