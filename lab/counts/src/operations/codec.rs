//! Generated code: the laser scan of LCM's paper (180 numbers), and 8 waypoints with names.

use crate::operation::Operation;
use crate::outcome::{Outcome, Result};
use crate::stepper::{counted, rounds};
use saltus_wire::Message;
use std::ffi::c_int;
use std::hint::black_box;
use types::bench::{Laser, Path, Waypoint};

/// The code generated from the benchmark's types.
mod types {
    #![allow(missing_docs, unused)]
    include!(concat!(env!("OUT_DIR"), "/types/mod.rs"));
}

pub const ALL: &[Operation] = &[
    Operation { name: "Rust: encode a laser scan", run: |_| encode(&scan()) },
    Operation { name: "Rust: decode a laser scan", run: |_| decode(&scan()) },
    Operation { name: "Rust: decode a laser scan into another", run: |_| decode_into(scan()) },
    Operation { name: "Rust: encode 8 waypoints", run: |_| encode(&path()) },
    Operation { name: "Rust: decode 8 waypoints", run: |_| decode(&path()) },
    Operation { name: "C: encode a laser scan", run: |_| SCAN.encode(&scan().encode()?) },
    Operation { name: "C: decode a laser scan", run: |_| SCAN.decode(&scan().encode()?) },
    Operation { name: "C: encode 8 waypoints", run: |_| PATH.encode(&path().encode()?) },
    Operation { name: "C: decode 8 waypoints", run: |_| PATH.decode(&path().encode()?) },
];

fn scan() -> Laser {
    let ranges = (0..180).map(|i| 1.0 + i as f32 / 256.0).collect();
    let mut scan = Laser { utime: 1, ranges, rad0: -1.57, radstep: 0.0175, ..Laser::default() };
    scan.set_sizes();
    scan
}

fn path() -> Path {
    let waypoint = |i: i32| Waypoint {
        name: format!("waypoint {i}"),
        position: [f64::from(i), 0.5, 0.25],
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    let mut path = Path { utime: 1, points: (0..8).map(waypoint).collect(), ..Path::default() };
    path.set_sizes();
    path
}

fn encode(message: &impl Message) -> Outcome {
    let mut bytes = vec![0; message.encoded_size()];
    rounds(|| {
        counted(|| black_box(message).encode_to(black_box(&mut bytes)))?;
        Ok(())
    })
}

fn decode<M: Message>(message: &M) -> Outcome {
    let bytes = message.encode()?;
    rounds(|| {
        counted(|| M::decode(black_box(&bytes)).map(|message| drop(black_box(message))))?;
        Ok(())
    })
}

fn decode_into<M: Message>(mut message: M) -> Outcome {
    let bytes = message.encode()?;
    rounds(|| {
        counted(|| black_box(&mut message).decode_from(black_box(&bytes)))?;
        Ok(())
    })
}

/// The functions of one type in `codec.c`: each returns the number of bytes, or less than 0.
struct InC {
    keep: unsafe extern "C" fn(*const u8, c_int) -> c_int,
    encode: unsafe extern "C" fn(*mut u8, c_int) -> c_int,
    decode: unsafe extern "C" fn(*const u8, c_int) -> c_int,
}

unsafe extern "C" {
    fn scan_keep(bytes: *const u8, size: c_int) -> c_int;
    fn scan_encode(bytes: *mut u8, size: c_int) -> c_int;
    fn scan_decode(bytes: *const u8, size: c_int) -> c_int;
    fn path_keep(bytes: *const u8, size: c_int) -> c_int;
    fn path_encode(bytes: *mut u8, size: c_int) -> c_int;
    fn path_decode(bytes: *const u8, size: c_int) -> c_int;
}

const SCAN: InC = InC { keep: scan_keep, encode: scan_encode, decode: scan_decode };
const PATH: InC = InC { keep: path_keep, encode: path_encode, decode: path_decode };

impl InC {
    fn encode(&self, bytes: &[u8]) -> Outcome {
        let size = c_int::try_from(bytes.len())?;
        // SAFETY: reads these bytes.
        all_of(unsafe { (self.keep)(bytes.as_ptr(), size) }, size)?;
        let mut encoded = vec![0; bytes.len()];
        // SAFETY: writes to as many bytes.
        rounds(|| all_of(counted(|| unsafe { (self.encode)(encoded.as_mut_ptr(), size) }), size))?;
        if encoded == bytes { Ok(()) } else { Err("C encoded other bytes than Rust".into()) }
    }

    fn decode(&self, bytes: &[u8]) -> Outcome {
        let size = c_int::try_from(bytes.len())?;
        // SAFETY: reads these bytes.
        rounds(|| all_of(counted(|| unsafe { (self.decode)(bytes.as_ptr(), size) }), size))
    }
}

fn all_of(used: c_int, size: c_int) -> Result<()> {
    if used == size { Ok(()) } else { Err(format!("C used {used} of {size} B").into()) }
}
