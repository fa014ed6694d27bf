//! One message on standard output, in each of the formats that `echo` has.

use saltus_channel::Sample;
use serde::Serialize;

use crate::escape::{escaped, is_text};
use crate::failure::Outcome;
use crate::human;
use crate::out::Out;

/// How messages are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people: all that is known, and the text or a dump.
    Human,
    /// The message and a line end.
    Lines,
    /// The message.
    Raw,
    /// The message in hexadecimal and a line end.
    Hex,
    /// An object with all that is known.
    Json {
        /// The message in hexadecimal even where it is text.
        hex: bool,
    },
}

/// What `echo --json` prints; the fields are a promise.
#[derive(Serialize)]
struct Line<'a> {
    channel: &'a str,
    stamp: Option<u64>,
    lane: u32,
    lease: u64,
    seq: u64,
    missed: u64,
    size: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

/// Prints one message of the channel with this (escaped) name.
pub fn print(out: &mut Out, format: Format, channel: &str, sample: &Sample, message: &[u8]) -> Outcome {
    match format {
        Format::Human => human(out, sample, message),
        Format::Raw => out.bytes(message),
        Format::Lines => {
            out.bytes(message)?;
            out.bytes(b"\n")
        }
        Format::Hex => out.line(digits(message)),
        Format::Json { hex } => {
            let text = if hex { None } else { str::from_utf8(message).ok() };
            out.json(&Line {
                channel,
                stamp: stamp(sample),
                lane: sample.writer.lane,
                lease: sample.writer.lease,
                seq: sample.seq,
                missed: sample.missed,
                size: message.len(),
                text,
                hex: if text.is_none() { Some(digits(message)) } else { None },
            })
        }
    }
}

/// When it was published; none on a channel without stamps.
fn stamp(sample: &Sample) -> Option<u64> {
    Some(sample.stamp).filter(|stamp| *stamp > 0)
}

fn human(out: &mut Out, sample: &Sample, message: &[u8]) -> Outcome {
    let head = format!(
        "[{}] writer {}.{} seq {} missed {}",
        stamp(sample).map_or("-".into(), human::stamp),
        sample.writer.lane,
        sample.writer.lease,
        sample.seq,
        sample.missed
    );
    if is_text(message) {
        return out.line(format_args!("{head}: {}", escaped(message)));
    }
    out.line(format_args!("{head}: {} bytes", message.len()))?;
    dump(message).try_for_each(|line| out.line(line))
}

fn digits(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).map(|d| DIGITS[usize::from(d)] as char).collect()
}

/// Sixteen bytes a line: where, in hexadecimal, and as characters.
fn dump(bytes: &[u8]) -> impl Iterator<Item = String> {
    bytes.chunks(16).enumerate().map(|(row, chunk)| {
        let cells: Vec<String> =
            chunk.chunks(8).map(|half| half.iter().map(|b| format!("{b:02x} ")).collect()).collect();
        let shown: String =
            chunk.iter().map(|b| if (0x20..0x7f).contains(b) { *b as char } else { '.' }).collect();
        format!("  {:08x}  {:<49} |{shown}|", row * 16, cells.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_shows_every_byte() {
        let lines: Vec<String> = dump(b"0123456789abcdef\x00\xff").collect();
        assert_eq!(
            lines,
            [
                "  00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|",
                "  00000010  00 ff                                             |..|",
            ]
        );
    }

    #[test]
    fn digits_are_what_pub_takes() {
        assert_eq!(digits(b"\x00\xfe\x0a"), "00fe0a");
        assert_eq!(crate::units::hex(&digits(b"\x00\xfe\x0a")), Ok(b"\x00\xfe\x0a".to_vec()));
    }
}
