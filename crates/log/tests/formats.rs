//! Written logs are read back, whole or damaged.

mod support;

use proptest::prelude::*;
use saltus_log::{Compression, Event, Format, Reader, Writer, WriterOptions};
use std::collections::BTreeMap;
use std::time::Duration;
use support::{Owned, events, log, mcap, read};

const ALL: [Compression; 3] = [Compression::None, Compression::Lz4, Compression::Zstd];

#[test]
fn mcap_gives_back_every_event_in_any_compression_and_pieces_of_any_size() {
    let events = events(300);
    for compression in ALL {
        let bytes = mcap(compression, 1000, &events);
        assert_eq!(Format::of_bytes(&bytes), Some(Format::Mcap));
        for piece in [1, 7, 4096, bytes.len()] {
            let (read, damage) = read(Format::Mcap, &bytes, piece);
            assert!(read == events, "{compression:?} in pieces of {piece}");
            assert!(damage.is_none() && !damage.unfinished, "{damage}");
        }
    }
}

#[test]
fn an_lcm_log_gives_back_channels_messages_and_microseconds() {
    let events = events(100);
    let bytes = log(Format::Lcm, WriterOptions::new(), &events);
    assert_eq!(Format::of_bytes(&bytes), Some(Format::Lcm));
    let (read, damage) = read(Format::Lcm, &bytes, 100);
    assert!(damage.is_none());
    let expected: Vec<Owned> =
        events.into_iter().map(|e| Owned { publish_time: None, sequence: None, ..e }).collect();
    assert!(read == expected);
}

#[test]
fn names_of_any_bytes_and_empty_messages_round_trip() {
    let mut all = events(3);
    all[0].channel = b"\xff\x00 \xed\xa1".to_vec();
    all[1].channel = Vec::new();
    all[2].data = Vec::new();
    assert_eq!(read(Format::Mcap, &mcap(Compression::Zstd, 100, &all), 50).0, all);
}

#[test]
fn events_that_a_format_cannot_hold_are_refused_and_writing_continues() {
    let mut writer = Writer::new(Vec::new(), Format::Lcm, WriterOptions::new()).unwrap();
    assert!(writer.write(&Event::default()).unwrap_err().to_string().contains("channel's name"));
    assert!(!writer.metadata("accounting", &BTreeMap::new()).unwrap());
    writer.write(&events(1)[0].event()).unwrap();
    assert_eq!(read(Format::Lcm, &writer.finish().unwrap(), 10).0.len(), 1);
}

#[test]
fn a_file_cut_anywhere_gives_the_events_of_its_whole_chunks_and_no_others() {
    let events = events(40);
    for compression in ALL {
        let bytes = mcap(compression, 400, &events);
        let mut before = 0;
        for cut in 0..bytes.len() {
            let (read, _) = read(Format::Mcap, &bytes[..cut], 1 << 16);
            assert!(read == events[..read.len()], "{compression:?} cut at {cut}");
            assert!(read.len() >= before, "{compression:?} cut at {cut} has less than before");
            before = read.len();
        }
        assert_eq!(before, events.len());
    }
}

#[test]
fn a_writer_that_is_killed_leaves_all_that_was_flushed() {
    for format in [Format::Lcm, Format::Mcap] {
        let options = WriterOptions::new().chunk(2000).interval(Duration::from_millis(20));
        let all = events(200);
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, format, options).unwrap();
        let mut safe = 0;
        for (i, event) in all.iter().enumerate() {
            let before = writer.flushed();
            writer.write(&event.event()).unwrap();
            if writer.flushed() > before {
                safe = i; // all before this one
            }
        }
        let flushed = writer.flushed() as usize;
        drop(writer); // killed: what it writes from here on is cut off below
        let (read, damage) = read(format, &out[..flushed], 333);
        assert_eq!(read.len(), safe, "{format}");
        assert!(damage.is_none(), "{damage}");
        assert!(safe >= all.len() - 21, "an event waits 20 ms at most, and they are 1 ms apart");
    }
}

#[test]
fn a_time_update_flushes_waiting_events() {
    let mut writer = Writer::new(Vec::new(), Format::Mcap, WriterOptions::new()).unwrap();
    let event = &events(1)[0];
    writer.write(&event.event()).unwrap();
    writer.tick(event.log_time + 999_999_999).unwrap();
    let before = writer.flushed();
    writer.tick(event.log_time + 1_000_000_000).unwrap();
    assert!(writer.flushed() > before);
}

#[test]
fn metadata_of_the_file_round_trips() {
    let mut writer = Writer::new(Vec::new(), Format::Mcap, WriterOptions::new()).unwrap();
    writer.write(&events(1)[0].event()).unwrap();
    let counts = BTreeMap::from([("POSE.received".to_owned(), "12".to_owned())]);
    assert!(writer.metadata("saltus.accounting", &counts).unwrap());
    let bytes = writer.finish().unwrap();
    let mut reader = Reader::new(Format::Mcap);
    reader.feed(&bytes);
    while reader.event().is_some() {}
    assert_eq!(reader.metadata(), [("saltus.accounting".to_owned(), counts)]);
}

/// The ranges of the chunks of an undamaged file.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 8;
    let records = std::iter::from_fn(move || {
        let from = at;
        at += 9 + u64::from_le_bytes(*bytes.get(from + 1..)?.first_chunk()?) as usize;
        Some(from..at)
    });
    records.filter(|record| bytes[record.start] == 6)
}

#[test]
fn a_damaged_chunk_costs_its_own_events_and_no_others() {
    let events = events(100);
    for compression in ALL {
        let bytes = mcap(compression, 500, &events);
        let mut damaged = bytes.clone();
        let at = chunks(&bytes).nth(7).unwrap().start + 70; // in its data
        damaged[at] ^= 0x55;
        let (read, damage) = read(Format::Mcap, &damaged, 1000);
        assert!(!damage.is_none(), "{compression:?}");
        assert!(
            read.len() < events.len() && read.len() > events.len() / 2,
            "{compression:?}: {}",
            read.len()
        );
        let mut rest = events.iter();
        assert!(read.iter().all(|event| rest.any(|e| e == event)), "a part of the events, in their order");
    }
}

#[test]
fn rubbish_between_chunks_is_passed_over_and_counted() {
    let events = events(100);
    let bytes = mcap(Compression::Lz4, 500, &events);
    let chunk = chunks(&bytes).nth(7).unwrap().start;
    let rubbish = [b'x'; 1000];
    let damaged = [&bytes[..chunk], &rubbish, &bytes[chunk..]].concat();
    let (read, damage) = read(Format::Mcap, &damaged, 777);
    assert_eq!(read, events);
    assert!((1000..3000).contains(&damage.skipped), "{damage}");
}

#[test]
fn messages_outside_of_chunks_are_read_too() {
    let mut out = std::io::Cursor::new(Vec::new());
    let mut writer = mcap::WriteOptions::new().use_chunks(false).create(&mut out).unwrap();
    let channel = writer.add_channel(0, "POSE", "json", &BTreeMap::new()).unwrap();
    for i in 0..20u32 {
        let (log_time, publish_time) = (u64::from(i), 7);
        let header =
            mcap::records::MessageHeader { channel_id: channel, sequence: i, log_time, publish_time };
        writer.write_to_known_channel(&header, b"{\"x\": 1}").unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    let mut bytes = out.into_inner();
    assert_eq!(read(Format::Mcap, &bytes, 13).0.len(), 20);
    // The length of a message in the middle.
    let at = (bytes.len() / 3..).find(|&at| bytes[at..].starts_with(&[5, 30, 0, 0, 0, 0, 0, 0, 0])).unwrap();
    bytes[at + 2] = 0x77;
    let (read, damage) = read(Format::Mcap, &bytes, 13);
    assert!((18..20).contains(&read.len()), "{}", read.len());
    assert!(!damage.is_none());
}

#[test]
fn files_behind_each_other_are_one() {
    let events = events(50);
    let both = [mcap(Compression::Zstd, 500, &events[..20]), mcap(Compression::None, 500, &events[20..])];
    assert_eq!(read(Format::Mcap, &both.concat(), 999).0, events);
}

/// Above all a bit that turns an index or a channel into a message.
#[test]
fn no_single_flipped_bit_gives_an_event_of_mcap_that_never_was() {
    let events = events(24);
    let right = mcap(Compression::Zstd, 200, &events);
    for bit in 0..right.len() * 8 {
        let mut bytes = right.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let (read, _) = read(Format::Mcap, &bytes, 4096);
        let mut rest = events.iter();
        let ghost = read.iter().find(|&event| !rest.any(|e| e == event));
        assert_eq!(ghost, None, "bit {} of byte {} of {}", bit % 8, bit / 8, right.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// In the headers of chunks too. Three bits could make the file end within a chunk, whose checksum is then not
    /// tested. Outside of chunks there are no checksums: two bits together could turn any record into any other.
    #[test]
    fn flipped_bits_in_chunks_give_no_event_of_mcap_that_never_was(
        flips in proptest::collection::vec((0usize..1 << 20, 0u8..8), 1..=2),
        which in 0usize..3,
        piece in 1usize..5000,
    ) {
        let events = events(80);
        let mut bytes = mcap(ALL[which], 600, &events);
        let places: Vec<usize> = chunks(&bytes).flatten().collect();
        for (at, bit) in flips {
            bytes[places[at % places.len()]] ^= 1 << bit;
        }
        let (read, _) = read(Format::Mcap, &bytes, piece);
        let mut rest = events.iter();
        for event in &read {
            prop_assert!(rest.any(|e| e == event), "{:?} was never written, or not in this order", event);
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm(
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
        opcodes in proptest::collection::vec((0usize..2000, 0u8..16, 0u64..100), 0..20),
        piece in 1usize..500,
    ) {
        let mut bytes = [&b"\x89MCAP0\r\n"[..], &bytes].concat();
        for (at, opcode, len) in opcodes {
            let at = at.min(bytes.len());
            bytes.splice(at..at, [&[opcode][..], &len.to_le_bytes()].concat());
        }
        read(Format::Mcap, &bytes, piece);
    }
}
