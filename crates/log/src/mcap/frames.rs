//! Splits bytes into records, skipping damage.

use super::{LONGEST, MAGIC, op};
use std::ops::Range;

/// Opcode and length.
const HEAD: usize = 9;
/// Bytes of a chunk's fields, without the name of its compression and its data.
const CHUNK: usize = 8 + 8 + 8 + 4 + 4 + 8;
/// Longest name of a compression.
const NAME: usize = 32;
/// Longest record of kinds that are always short.
const SMALL: u64 = 16 << 20;
/// Most bytes after a record's fields: the format allows additional bytes there.
const PADDING: u64 = 4096;
/// A message's fields before its data.
const MESSAGE: usize = 22;

/// Splits an MCAP file into its records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    at: usize,
    /// Offset of the first of `bytes` in the file.
    base: u64,
    /// The number of valid bytes still to skip.
    pass: u64,
    state: State,
    /// The last record.
    last: u8,
    /// Messages were seen outside of chunks. Only then are they searched for after damage: messages in a damaged
    /// chunk would look the same, and could not be verified.
    messages_outside_chunks: bool,
    /// No more bytes will be fed.
    ended: bool,
    pub skipped: u64,
}

/// The element that the next byte may begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The magic; nothing was read yet.
    #[default]
    BeforeMagic,
    /// A record.
    Record(Section),
    /// Anything: bytes were skipped, or the length of the previous record may be wrong. Only a certain start of a
    /// record ends this state.
    Resync(Section),
}

/// A part of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    /// Up to the end of the data.
    #[default]
    Data,
    /// After the data: no messages follow, up to the next file.
    Summary,
}

impl State {
    fn section(self) -> Section {
        match self {
            State::BeforeMagic => Section::Data,
            State::Record(section) | State::Resync(section) => section,
        }
    }
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Its offset in the file.
    pub place: u64,
    pub opcode: u8,
    /// The range of its body in [`Frames::bytes`].
    pub body: Range<usize>,
    /// Whether the file ends within it.
    pub cut: bool,
}

/// The result of parsing at an offset.
enum Found {
    Record(u8, usize),
    /// An attachment, and its length with its header: it may be of any size.
    Pass(u64),
    Magic,
    /// More bytes are needed to decide.
    Part,
    Nothing,
}

impl Frames {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.base += self.at as u64;
        self.bytes.drain(..self.at);
        self.at = 0;
        let pass = self.pass.min(bytes.len() as u64) as usize;
        if self.bytes.is_empty() {
            self.pass -= pass as u64;
            self.base += pass as u64;
            self.bytes.extend_from_slice(&bytes[pass..]);
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }
    pub fn end(&mut self) {
        self.ended = true;
    }
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// The next record; its bytes are valid until more is fed.
    pub fn next(&mut self) -> Option<Frame> {
        loop {
            let pass = self.pass.min((self.bytes.len() - self.at) as u64);
            self.at += pass as usize;
            self.pass -= pass;
            if self.at == self.bytes.len() {
                return None;
            }
            if matches!(self.state, State::Resync(_)) && !self.is_certain(&self.bytes[self.at..]) {
                self.resume();
                continue;
            }
            match self.scan(self.at) {
                Found::Magic => {
                    self.state = State::Record(Section::Data);
                    self.at += MAGIC.len();
                }
                Found::Record(op::MESSAGE, len) if self.was_no_message() => {
                    self.skipped += (HEAD + len) as u64;
                    self.at += HEAD + len;
                }
                Found::Record(opcode, len) => {
                    self.messages_outside_chunks |= opcode == op::MESSAGE;
                    let data = chunk_size(&self.bytes[self.at..])
                        .filter(|&data| opcode == op::CHUNK && data < len as u64);
                    if let Some(data) = data {
                        // There are bytes after its data, or its length is wrong. The following bytes decide.
                        match self.begins(self.at + HEAD + len) {
                            Some(true) => return Some(self.take(opcode, len, false)),
                            None if !self.ended => return None,
                            _ => {}
                        }
                        let frame = self.take(opcode, data as usize, false);
                        self.state = State::Resync(self.state.section());
                        return Some(frame);
                    }
                    return Some(self.take(opcode, len, false));
                }
                Found::Pass(len) => self.pass = len,
                Found::Part if !self.ended => return None,
                Found::Part => {
                    let rest = self.bytes.len() - self.at;
                    if self.bytes[self.at] == op::CHUNK && chunk_is_exact(&self.bytes[self.at..]) {
                        return Some(self.take(op::CHUNK, rest - HEAD, true));
                    }
                    self.resume();
                }
                Found::Nothing => self.resume(),
            }
        }
    }

    fn take(&mut self, opcode: u8, len: usize, cut: bool) -> Frame {
        let body = self.at + HEAD..self.at + HEAD + len;
        let place = self.base + self.at as u64;
        self.at = body.end;
        let section = if opcode == op::DATA_END { Section::Summary } else { self.state.section() };
        (self.last, self.state) = (opcode, State::Record(section));
        Frame { place, opcode, body, cut }
    }

    /// Whether an apparent message is another record with a flipped bit in its opcode: one bit turns a message
    /// index or a channel into a message, and only chunks have a checksum. An index follows a chunk or another
    /// index, and its length is where a message has its sequence number. Channels are repeated after the data.
    fn was_no_message(&self) -> bool {
        match self.state {
            State::Record(Section::Summary) | State::Resync(Section::Summary) => true,
            State::Record(Section::Data) => {
                let indexed = matches!(self.last, op::CHUNK | op::MESSAGE_INDEX);
                let len = head(&self.bytes[self.at..]).map(|(_, len)| len);
                indexed && len.is_some() && message_index(&self.bytes[self.at..]) == len
            }
            State::Resync(Section::Data) | State::BeforeMagic => false,
        }
    }

    fn scan(&self, at: usize) -> Found {
        let bytes = &self.bytes[at..];
        if bytes.starts_with(&MAGIC) {
            return Found::Magic;
        }
        if MAGIC.starts_with(bytes) {
            return Found::Part;
        }
        if self.state == State::BeforeMagic {
            return Found::Nothing;
        }
        let Some((opcode, len)) = head(bytes) else { return Found::Part };
        match right(bytes) {
            None => return Found::Part,
            Some(false) => return Found::Nothing,
            Some(true) if opcode == op::ATTACHMENT => return Found::Pass(HEAD as u64 + len),
            Some(true) => {}
        }
        let end = HEAD + len as usize;
        if bytes.len() < end {
            return Found::Part;
        }
        // A chunk has its own checksum; for others, the following bytes show whether the length is right.
        match follows(&bytes[end..], self.ended) {
            _ if opcode == op::CHUNK => Found::Record(opcode, len as usize),
            None => Found::Part,
            Some(true) => Found::Record(opcode, len as usize),
            Some(false) => Found::Nothing,
        }
    }

    /// Whether a consistent record begins there, or the file ends; `None`: more bytes are needed to decide.
    fn begins(&self, at: usize) -> Option<bool> {
        let bytes = self.bytes.get(at..)?;
        if bytes.starts_with(&MAGIC) || (self.ended && bytes.is_empty()) {
            return Some(true);
        }
        right(bytes)
    }

    fn is_certain(&self, bytes: &[u8]) -> bool {
        certain(bytes, self.ended, self.messages_outside_chunks)
    }

    /// Skips bytes up to a certain start of a record.
    fn resume(&mut self) {
        let from = self.at + 1;
        let rest = &self.bytes[from.min(self.bytes.len())..];
        let found = (0..rest.len()).find(|&at| self.is_certain(&rest[at..]));
        let to = found.map_or(self.bytes.len(), |at| from + at);
        self.skipped += (to - self.at) as u64;
        self.at = to;
        self.state = State::Resync(self.state.section());
    }
}

/// Whether a possible record is consistent; `None`: there are too few bytes to decide.
fn right(bytes: &[u8]) -> Option<bool> {
    let (opcode, len) = head(bytes)?;
    match opcode {
        op::CHUNK => chunk(bytes),
        op::MESSAGE_INDEX => message_index(bytes).map(|size| padded(len, size)),
        op::ATTACHMENT => attachment(bytes).map(|size| padded(len, size)),
        op::FOOTER => Some(padded(len, 20)),
        op::DATA_END => Some(padded(len, 4)),
        op::MESSAGE => Some((MESSAGE as u64..=LONGEST as u64).contains(&len)),
        0 => Some(false),
        1..=0x0F | 0x80.. => Some(len <= SMALL),
        _ => Some(false),
    }
}

/// Whether a record of this length can have fields of that size.
fn padded(len: u64, size: u64) -> bool {
    size <= len && len - size <= PADDING
}

fn head(bytes: &[u8]) -> Option<(u8, u64)> {
    let len = bytes.get(1..HEAD)?.first_chunk()?;
    Some((bytes[0], u64::from_le_bytes(*len)))
}

/// Whether a record may begin here, or the file may end; `None`: there are too few bytes to decide.
fn follows(bytes: &[u8], ended: bool) -> Option<bool> {
    if bytes.starts_with(&MAGIC) || (ended && bytes.is_empty()) {
        return Some(true);
    }
    match head(bytes) {
        Some((opcode, len)) => Some(match opcode {
            op::ATTACHMENT => true,
            1..=0x0F | 0x80.. => len <= LONGEST as u64,
            _ => false,
        }),
        None if ended => Some(true), // the file ends within it
        None => None,
    }
}

/// The least length of the chunk's record according to its data size; `None`: there are too few bytes.
fn chunk_size(bytes: &[u8]) -> Option<u64> {
    let name = u32::from_le_bytes(*bytes.get(HEAD + 28..)?.first_chunk()?) as usize;
    if name > NAME {
        return Some(u64::MAX);
    }
    let data = u64::from_le_bytes(*bytes.get(HEAD + 32 + name..)?.first_chunk()?);
    Some(data.saturating_add((CHUNK + name) as u64))
}

/// Whether an apparent chunk is consistent.
fn chunk(bytes: &[u8]) -> Option<bool> {
    let (_, len) = head(bytes)?;
    let size = chunk_size(bytes)?;
    Some(len <= LONGEST as u64 && padded(len, size))
}

/// Whether it is exactly consistent.
fn chunk_is_exact(bytes: &[u8]) -> bool {
    head(bytes).is_some_and(|(_, len)| len <= LONGEST as u64 && chunk_size(bytes) == Some(len))
}

/// The size of the fields of an apparent message index.
fn message_index(bytes: &[u8]) -> Option<u64> {
    let entries = u32::from_le_bytes(*bytes.get(HEAD + 2..)?.first_chunk()?);
    Some(u64::from(entries) + 6)
}

/// The size of the fields of an apparent attachment; beyond any length if it is invalid.
fn attachment(bytes: &[u8]) -> Option<u64> {
    let name = u32::from_le_bytes(*bytes.get(HEAD + 16..)?.first_chunk()?) as usize;
    if name > SMALL as usize {
        return Some(u64::MAX);
    }
    let kind = u32::from_le_bytes(*bytes.get(HEAD + 20 + name..)?.first_chunk()?) as usize;
    if kind > SMALL as usize {
        return Some(u64::MAX);
    }
    let data = u64::from_le_bytes(*bytes.get(HEAD + 24 + name + kind..)?.first_chunk()?);
    Some(data.saturating_add((24 + name + kind + 8 + 4) as u64))
}

/// Whether this is certainly the start of a record, or may be with more bytes.
fn certain(bytes: &[u8], ended: bool, messages_outside_chunks: bool) -> bool {
    let unsure = !ended;
    match bytes[0] {
        op::CHUNK if chunk_size(bytes).is_some() => chunk_is_exact(bytes),
        op::CHUNK => unsure && head(bytes).is_none_or(|(_, len)| len <= LONGEST as u64),
        op::DATA_END => head(bytes).map_or(unsure, |(_, len)| len == 4),
        op::MESSAGE if messages_outside_chunks => match head(bytes) {
            // Messages outside of chunks follow each other.
            Some((_, len)) if (MESSAGE as u64..1 << 20).contains(&len) => {
                let next = &bytes[(HEAD + len as usize).min(bytes.len())..];
                head(next).map_or(unsure, |(opcode, len)| {
                    matches!(opcode, op::SCHEMA..=op::CHUNK | op::DATA_END) && len < LONGEST as u64
                })
            }
            Some(_) => false,
            None => unsure,
        },
        first if first == MAGIC[0] => bytes.starts_with(&MAGIC) || (unsure && MAGIC.starts_with(bytes)),
        _ => false,
    }
}

/// Whether these bytes are of an MCAP file with a damaged beginning.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| match bytes[at] {
        op::CHUNK => chunk_is_exact(&bytes[at..]),
        first => first == MAGIC[0] && bytes[at..].starts_with(&MAGIC),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(out: &mut Vec<u8>, opcode: u8, body: &[u8], padding: usize) {
        out.push(opcode);
        out.extend(((body.len() + padding) as u64).to_le_bytes());
        out.extend(body);
        out.extend(vec![1; padding]);
    }
    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
    }

    /// A file with a record of each kind, each with this many bytes after its fields.
    fn file(padding: usize) -> (Vec<u8>, Vec<u8>) {
        let schema = [&[1, 0][..], &text("T"), &text("x"), &text("int a")].concat();
        let channel = [&[1, 0, 1, 0][..], &text("C"), &text("x"), &0u32.to_le_bytes()].concat();
        let message = [&[1, 0][..], &[0; 20], b"data"].concat();
        let mut inner = Vec::new();
        record(&mut inner, op::SCHEMA, &schema, padding);
        record(&mut inner, op::CHANNEL, &channel, padding);
        record(&mut inner, op::MESSAGE, &message, 0); // all bytes after a message's fields are its data
        let size = (inner.len() as u64).to_le_bytes();
        let chunk = [&[0; 16][..], &size, &[0; 4], &text(""), &size, &inner].concat();
        let index = [&[1, 0][..], &16u32.to_le_bytes(), &[0; 16]].concat();
        let attachment =
            [&[0; 16][..], &text("name"), &text("text/plain"), &5u64.to_le_bytes(), b"bytes", &[0; 4]]
                .concat();
        let metadata = [&text("m")[..], &0u32.to_le_bytes()].concat();
        let records: [(u8, &[u8]); 12] = [
            (1, &[text("p"), text("l")].concat()),
            (op::CHUNK, &chunk),
            (op::MESSAGE_INDEX, &index),
            (op::MESSAGE_INDEX, &index),
            (op::ATTACHMENT, &attachment),
            (op::METADATA, &metadata),
            (op::CHUNK, &chunk),
            (op::DATA_END, &[0; 4]),
            (op::SCHEMA, &schema),
            (op::CHANNEL, &channel),
            (op::STATISTICS, &[0; 46]),
            (op::FOOTER, &[0; 20]),
        ];
        let mut out = MAGIC.to_vec();
        records.iter().for_each(|(opcode, body)| record(&mut out, *opcode, body, padding));
        out.extend(MAGIC);
        let opcodes = records.iter().map(|(opcode, _)| *opcode).filter(|opcode| *opcode != op::ATTACHMENT);
        (out, opcodes.collect())
    }

    #[test]
    fn records_may_have_bytes_behind_their_fields() {
        for padding in [0, 1, 3, 100, 4096] {
            let (bytes, expected) = file(padding);
            for size in [1, 7, 1000, bytes.len()] {
                let (mut frames, mut opcodes) = (Frames::default(), Vec::new());
                for piece in bytes.chunks(size) {
                    frames.feed(piece);
                    while let Some(frame) = frames.next() {
                        opcodes.push(frame.opcode);
                    }
                }
                frames.end();
                opcodes.extend(std::iter::from_fn(|| frames.next()).map(|frame| frame.opcode));
                assert_eq!((opcodes, frames.skipped), (expected.clone(), 0), "{padding} in pieces of {size}");
            }
        }
    }
}
