//! Writing logs.

use crate::operation::Operation;
use crate::outcome::Outcome;
use crate::stepper::{counted, rounds};
use saltus_log::{Compression, Event, Format, Writer, WriterOptions};
use std::fs::File;
use std::hint::black_box;
use std::path::Path;

pub const ALL: &[Operation] = &[
    Operation { name: "write 64 B to an LCM log", run: |at| write(at, Format::Lcm, false) },
    Operation { name: "write 64 B to an MCAP log", run: |at| write(at, Format::Mcap, false) },
    Operation { name: "write 64 B to an LCM log and flush", run: |at| write(at, Format::Lcm, true) },
    Operation { name: "write 64 B to an MCAP log and flush", run: |at| write(at, Format::Mcap, true) },
];

/// Without compression: which code of a library compresses, depends on the processor.
fn write(at: &Path, format: Format, flush: bool) -> Outcome {
    let file = File::create(at.join("log"))?;
    let mut writer = Writer::new(file, format, WriterOptions::new().compression(Compression::None))?;
    let mut time = 1_000_000_000;
    rounds(|| {
        time += 1000;
        let event = Event { channel: b"POSE", data: &[7; 64], log_time: time, ..Event::default() };
        counted(|| {
            writer.write(black_box(&event))?;
            if flush { writer.flush() } else { Ok(()) }
        })?;
        Ok(())
    })
}
