//! Our Rust, in this process.

use crate::contender::{Operation, Result, Work};
use crate::messages::Messages;
use crate::messages::types::bench::{Cloud, Image, Joints, Laser, Path};
use saltus_wire::Message;
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

/// Our Rust.
pub struct Native {
    cases: HashMap<&'static str, Box<dyn Work>>,
}

impl Native {
    /// Decodes all messages.
    pub fn new(messages: &Messages) -> Result<Native> {
        let mut cases: HashMap<&'static str, Box<dyn Work>> = HashMap::new();
        for case in &messages.cases {
            let work: Box<dyn Work> = match case.name {
                "scan" => Box::new(Of::<Laser>::new(&case.bytes)?),
                "joints" => Box::new(Of::<Joints>::new(&case.bytes)?),
                "image" => Box::new(Of::<Image>::new(&case.bytes)?),
                "cloud" => Box::new(Of::<Cloud>::new(&case.bytes)?),
                "path" => Box::new(Of::<Path>::new(&case.bytes)?),
                other => return Err(format!("no type for {other}")),
            };
            cases.insert(case.name, work);
        }
        Ok(Native { cases })
    }
    fn of(&mut self, case: &str) -> Result<&mut Box<dyn Work>> {
        self.cases.get_mut(case).ok_or_else(|| format!("no case {case}"))
    }
}

impl Work for Native {
    fn time(&mut self, operation: Operation, case: &str, count: u64) -> Result<Option<u64>> {
        self.of(case)?.time(operation, case, count)
    }
    fn verify(&mut self, case: &str) -> Result<Vec<u8>> {
        self.of(case)?.verify(case)
    }
}

/// The operations on one type.
struct Of<T> {
    bytes: Vec<u8>,
    buffer: Vec<u8>,
    message: T,
    kept: T,
}

impl<T: Message> Of<T> {
    fn new(bytes: &[u8]) -> Result<Of<T>> {
        let message = T::decode(bytes).map_err(|e| e.to_string())?;
        Ok(Of { bytes: bytes.into(), buffer: vec![0; bytes.len()], message, kept: T::default() })
    }
}

fn nanoseconds(count: u64, mut work: impl FnMut()) -> u64 {
    let start = Instant::now();
    (0..count).for_each(|_| work());
    start.elapsed().as_nanos() as u64
}

impl<T: Message> Work for Of<T> {
    fn time(&mut self, operation: Operation, _: &str, count: u64) -> Result<Option<u64>> {
        let Of { bytes, buffer, message, kept } = self;
        Ok(Some(match operation {
            Operation::Encode => nanoseconds(count, || {
                let _ = black_box(black_box(&*message).encode_to(black_box(buffer)));
            }),
            Operation::Decode => nanoseconds(count, || {
                let _ = black_box(T::decode(black_box(bytes)));
            }),
            Operation::Reuse => nanoseconds(count, || {
                let _ = black_box(black_box(&mut *kept).decode_from(black_box(bytes)));
            }),
            Operation::Copy => nanoseconds(count, || {
                black_box(&mut *buffer).copy_from_slice(black_box(bytes));
            }),
        }))
    }
    fn verify(&mut self, _: &str) -> Result<Vec<u8>> {
        self.kept.decode_from(&self.bytes).map_err(|e| e.to_string())?;
        self.kept.encode().map_err(|e| e.to_string())
    }
}
