//! Any bytes as an LCM log: each belongs to an event or counts as skipped, in one piece and in many.

use saltus_log::lcm::{Reader, Writer};

/// The events as a separate log, and the number of bytes skipped.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, u64) {
    let (mut reader, mut writer, mut out) = (Reader::with_longest(1 << 16), Writer::new(), Vec::new());
    let mut drain = |reader: &mut Reader| {
        while let Some(event) = reader.event() {
            writer
                .event(&mut out, event.time, event.channel, event.data)
                .expect("what was read can be written");
        }
    };
    for piece in pieces {
        reader.feed(piece);
        drain(&mut reader);
    }
    reader.end();
    drain(&mut reader);
    (out, reader.skipped())
}

/// See the module.
pub fn attack(data: &[u8]) {
    let (events, skipped) = read(std::iter::once(data));
    assert_eq!(events.len() as u64 + skipped, data.len() as u64);
    assert_eq!(read(data.chunks(3)), (events, skipped));
}
