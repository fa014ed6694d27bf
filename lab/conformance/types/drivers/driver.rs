//! Driver for generated Rust: reads `TYPE HEX`, and prints `JSON HEX` or `error`.
//!
//! Integers are printed in decimal, floats as the digits of their bits, strings as the digits of their bytes. The
//! suite generates `rows.rs`: it implements `Dump` for every type, and lists them.

mod rows;
mod types;

use saltus_wire::Message;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, Write as _};

/// A value that can be printed.
pub trait Dump {
    /// Appends it.
    fn dump(&self, out: &mut String);
}

macro_rules! dump_as {
    ($format:literal, $of:expr, $($ty:ty),+) => {
        $(impl Dump for $ty {
            fn dump(&self, out: &mut String) {
                let of: fn(&$ty) -> _ = $of;
                let _ = write!(out, $format, of(self));
            }
        })+
    };
}
dump_as!("{}", |x| *x, i8, i16, i32, i64, u8, bool);
dump_as!("\"{:08x}\"", |x| x.to_bits(), f32);
dump_as!("\"{:016x}\"", |x| x.to_bits(), f64);
dump_as!("\"{}\"", |x| hex(x.as_bytes()), String);

impl<T: Dump> Dump for [T] {
    fn dump(&self, out: &mut String) {
        out.push('[');
        for (i, item) in self.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            item.dump(out);
        }
        out.push(']');
    }
}
impl<T: Dump> Dump for Vec<T> {
    fn dump(&self, out: &mut String) {
        self.as_slice().dump(out);
    }
}
impl<T: Dump, const N: usize> Dump for [T; N] {
    fn dump(&self, out: &mut String) {
        self.as_slice().dump(out);
    }
}
/// Large arrays are boxed.
impl<T: Dump + ?Sized> Dump for Box<T> {
    fn dump(&self, out: &mut String) {
        (**self).dump(out);
    }
}

/// Appends a struct.
pub fn object(out: &mut String, fields: &[(&str, &dyn Dump)]) {
    out.push('{');
    for (i, (name, value)) in fields.iter().enumerate() {
        let _ = write!(out, "{}\"{name}\":", if i > 0 { "," } else { "" });
        value.dump(out);
    }
    out.push('}');
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

/// The answer to the bytes of a message.
pub type Answer = Box<dyn FnMut(&[u8]) -> String>;

/// Answers for messages of one type. Each is decoded into a new value, and into one that has held all messages
/// before: both results must be the same.
pub fn row<T: Message + Dump + 'static>() -> Answer {
    let mut kept = T::default();
    Box::new(move |bytes| {
        let (fresh, again) = (T::decode(bytes), kept.decode_from(bytes));
        let (Ok(fresh), Ok(used)) = (&fresh, &again) else {
            return if fresh.err() == again.err() { "error".into() } else { "another error in used storage".into() };
        };
        let (mut text, mut text_again) = (String::new(), String::new());
        fresh.dump(&mut text);
        kept.dump(&mut text_again);
        if text != text_again {
            return format!("{text} another-in-used-storage");
        }
        match fresh.encode() {
            Ok(bytes) if bytes.len() == *used && bytes.len() == fresh.encoded_size() => {
                format!("{text} {}", hex(&bytes))
            }
            Ok(bytes) => format!("{text} {}-bytes-of-{used}", bytes.len()),
            Err(_) => format!("{text} -"),
        }
    })
}

fn main() {
    let mut rows: HashMap<&str, Answer> = rows::rows().into_iter().collect();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("lines of text");
        let (name, digits) = line.split_once(' ').expect("a type and a message");
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
        let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
        let answer = rows.get_mut(name).expect("a type that there is");
        // By line, so that the line of a crash is known.
        writeln!(out, "{}", answer(&bytes)).and_then(|()| out.flush()).expect("somebody who reads");
    }
}
