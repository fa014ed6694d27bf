//! Times of encoding and decoding, and of `memcpy` of the same bytes: `cargo run --release -p saltus-wire --example
//! speed`. The variants are interleaved, so that the machine's state affects all of them; the medians are shown.

use saltus_wire::{Body, DecodeError, EncodeError, Message, Reader, Writer};
use std::hint::black_box;
use std::time::Instant;

/// A laser scan with a count, ranges, and a pose.
#[derive(Clone, Debug, Default, PartialEq)]
struct Scan {
    utime: i64,
    count: i32,
    ranges: Vec<f32>,
    radstep: f32,
}

impl Body for Scan {
    const MIN_SIZE: usize = 16;
    fn body_size(&self) -> usize {
        16 + 4 * self.ranges.len()
    }
    fn write(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.int64(self.utime)?;
        out.int32(self.count)?;
        out.size("scan_t.ranges", "count", self.count, self.ranges.len())?;
        out.floats(&self.ranges)?;
        out.float(self.radstep)?;
        Ok(())
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.utime = from.int64()?;
        self.count = from.int32()?;
        from.float_vec(&mut self.ranges, self.count.into())?;
        self.radstep = from.float()?;
        Ok(())
    }
}
impl Message for Scan {
    const NAME: &'static str = "scan_t";
    const FINGERPRINT: u64 = 1;
    const SCHEMA: &'static str = "";
}

/// Nanoseconds per call, over many calls.
fn time(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 20_000;
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}

fn main() {
    for count in [180, 10_000] {
        let ranges: Vec<f32> = (0..count).map(|i| i as f32 * 0.1).collect();
        let scan = Scan { utime: 1, count, ranges, radstep: 0.01 };
        let bytes = scan.encode().expect("the sizes agree");
        let (mut to, mut used) = (vec![0; bytes.len()], scan.clone());
        let mut times: [Vec<f64>; 3] = Default::default();
        for _ in 0..101 {
            times[0].push(time(|| black_box(&mut to[..]).copy_from_slice(black_box(&bytes))));
            times[1].push(time(|| _ = black_box(black_box(&scan).encode_to(black_box(&mut to)))));
            times[2].push(time(|| _ = black_box(black_box(&mut used).decode_from(black_box(&bytes)))));
        }
        let [copy, encode, decode] = times.map(|mut t| {
            t.sort_by(f64::total_cmp);
            t[t.len() / 2]
        });
        println!(
            "{count} floats, {} bytes: memcpy {copy:.1} ns, encode {encode:.1} ns ({:.2} times), decode {decode:.1} ns \
             ({:.2} times)",
            bytes.len(),
            encode / copy,
            decode / copy
        );
    }
}
