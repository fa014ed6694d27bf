//! Any bytes as an MCAP file, in one piece and in many: everything read from it can be written and read again.

use saltus_log::{Format, Reader, Writer, WriterOptions};

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, u64) {
    let options = WriterOptions::new().compression(saltus_log::Compression::None);
    let mut writer = Writer::new(Vec::new(), Format::Mcap, options).expect("memory takes it");
    let mut reader = Reader::new(Format::Mcap);
    let mut drain = |reader: &mut Reader| {
        while let Some(event) = reader.event() {
            writer.write(&event).expect("what was read can be written");
        }
    };
    for piece in pieces {
        reader.feed(piece);
        drain(&mut reader);
    }
    reader.end();
    drain(&mut reader);
    let _ = (reader.damage().to_string(), reader.metadata().len());
    let events = writer.events();
    (writer.finish().expect("memory takes it"), events)
}

/// See the module.
pub fn attack(data: &[u8]) {
    let _ = Format::of_bytes(data);
    read(data.chunks(5));
    let (again, events) = read(std::iter::once(data));
    assert_eq!(read(std::iter::once(&again[..])).1, events);
}
