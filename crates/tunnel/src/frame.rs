//! The content of a sealed datagram: a symbol of a block, a report, or a path probe.
//!
//! ```text
//!   symbol   kind 1 | block 4 | index 2 | sources 2 | parities 2 | life 2 | its bytes …
//!   report   kind 1 | sent 4 | highest 8 | received 8 | echo 4 | held 4
//!   probe    kind 1 | number 4 | zeroes …
//!   seen     kind 1 | number 4 | length 2        that probe came, in a datagram of so many bytes
//!   record   number 8 | made 4 | deadline 4 | name 1 + … | length 4 | payload …
//! ```
//!
//! All numbers are little-endian. Times are in µs of the sender's clock, except `life`, which is in ms. A
//! **record** is a message and its header. A long one is cut into the symbols of a block. Short ones are whole in
//! one symbol, and several such symbols form a block.

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A piece of one record.
    Piece = 1,
    /// Whole records.
    Whole = 2,
    /// Parity of pieces.
    PieceParity = 3,
    /// Parity of symbols with whole records.
    WholeParity = 4,
}

impl Kind {
    pub fn is_parity(self) -> bool {
        matches!(self, Kind::PieceParity | Kind::WholeParity)
    }
    pub fn is_piece(self) -> bool {
        matches!(self, Kind::Piece | Kind::PieceParity)
    }
}

/// The header of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub kind: Kind,
    /// Its block. Blocks are numbered.
    pub block: u32,
    /// Its number among the block's symbols, or among its parity symbols.
    pub index: u16,
    /// The block's numbers of symbols and of parity symbols; 0 while unknown.
    pub sources: u16,
    pub parities: u16,
    /// Remaining time of the block, in ms.
    pub life: u16,
}

/// Bytes of the header of a symbol.
pub(crate) const SYMBOL: usize = 13;
const REPORT: u8 = 9;
const PROBE: u8 = 10;
const SEEN: u8 = 11;
/// Bytes of a probe without padding.
const BARE: usize = 1 + 4;

/// A report to the other end about its received datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// When it was sent.
    pub sent: u32,
    /// How many datagrams the other end has sent in this session, as far as known here; and how many of them
    /// arrived.
    pub highest: u64,
    pub received: u64,
    /// `sent` of the other end's last report, and its age on arrival of this one.
    pub echo: u32,
    pub held: u32,
}

/// The content of a datagram.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    Symbol(Symbol, &'a [u8]),
    Report(Report),
    Probe(u32),
    Seen(u32, u16),
}

/// A message and its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// Its number among all messages of its sender.
    pub number: u64,
    /// When it was passed to the tunnel.
    pub made: u32,
    /// Time until its deadline, after that.
    pub deadline: u32,
    pub channel: &'a [u8],
    pub payload: &'a [u8],
}

/// Bytes of a record without its channel name and its payload.
const RECORD: usize = 8 + 4 + 4 + 1 + 4;

/// Reads consecutive numbers until the bytes end.
struct Read<'a>(&'a [u8]);

impl<'a> Read<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }
    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }
    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }
    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

impl Symbol {
    pub fn write(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(SYMBOL + bytes.len());
        out.push(self.kind as u8);
        out.extend_from_slice(&self.block.to_le_bytes());
        for number in [self.index, self.sources, self.parities, self.life] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(bytes);
        out
    }
}

impl Report {
    pub fn write(&self) -> Vec<u8> {
        let mut out = vec![REPORT];
        out.extend_from_slice(&self.sent.to_le_bytes());
        out.extend_from_slice(&self.highest.to_le_bytes());
        out.extend_from_slice(&self.received.to_le_bytes());
        out.extend_from_slice(&self.echo.to_le_bytes());
        out.extend_from_slice(&self.held.to_le_bytes());
        out
    }
}

/// A probe of that many bytes.
pub(crate) fn probe(number: u32, len: usize) -> Vec<u8> {
    let mut out = vec![PROBE];
    out.extend_from_slice(&number.to_le_bytes());
    out.resize(len.max(BARE), 0);
    out
}

/// The answer to a probe.
pub(crate) fn seen(number: u32, len: u16) -> Vec<u8> {
    let mut out = vec![SEEN];
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&len.to_le_bytes());
    out
}

impl<'a> Frame<'a> {
    /// Parses these bytes; `None` if they are invalid.
    pub fn read(bytes: &'a [u8]) -> Option<Frame<'a>> {
        let (kind, rest) = bytes.split_first()?;
        let mut read = Read(rest);
        let kind = match *kind {
            1 => Kind::Piece,
            2 => Kind::Whole,
            3 => Kind::PieceParity,
            4 => Kind::WholeParity,
            REPORT => {
                let (sent, highest, received) = (read.u32()?, read.u64()?, read.u64()?);
                let (echo, held) = (read.u32()?, read.u32()?);
                return Some(Frame::Report(Report { sent, highest, received, echo, held }));
            }
            PROBE => return Some(Frame::Probe(read.u32()?)),
            SEEN => return Some(Frame::Seen(read.u32()?, read.u16()?)),
            _ => return None,
        };
        let (block, index, sources) = (read.u32()?, read.u16()?, read.u16()?);
        let (parities, life) = (read.u16()?, read.u16()?);
        Some(Frame::Symbol(Symbol { kind, block, index, sources, parities, life }, read.0))
    }
}

impl<'a> Record<'a> {
    /// Bytes of the encoded record.
    pub fn len(channel: &[u8], payload: usize) -> usize {
        RECORD + channel.len() + payload
    }
    /// Appends it.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&self.made.to_le_bytes());
        out.extend_from_slice(&self.deadline.to_le_bytes());
        out.push(u8::try_from(self.channel.len()).expect("a channel's name has at most 63 bytes"));
        out.extend_from_slice(self.channel);
        out.extend_from_slice(
            &u32::try_from(self.payload.len()).expect("a message fits a block").to_le_bytes(),
        );
        out.extend_from_slice(self.payload);
    }
    /// Parses the first record, and returns it with the remaining bytes.
    pub fn read(bytes: &'a [u8]) -> Option<(Record<'a>, &'a [u8])> {
        let mut read = Read(bytes);
        let (number, made, deadline) = (read.u64()?, read.u32()?, read.u32()?);
        let [len] = read.array()?;
        let channel = read.bytes(len.into()).filter(|name| (1..=63).contains(&name.len()))?;
        let len = usize::try_from(read.u32()?).ok()?;
        let payload = read.bytes(len)?;
        Some((Record { number, made, deadline, channel, payload }, read.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            if let Some(Frame::Symbol(symbol, rest)) = Frame::read(&bytes) {
                prop_assert_eq!(symbol.write(rest), &bytes[..]);
            }
            if let Some((record, rest)) = Record::read(&bytes) {
                let mut again = Vec::new();
                record.write(&mut again);
                again.extend_from_slice(rest);
                prop_assert_eq!(again, bytes);
            }
        }

        #[test]
        fn written_values_read_back_the_same(number in any::<u64>(), made in any::<u32>(), name in 1..=63_usize, len in 0..99_usize) {
            let (channel, payload) = (vec![b'c'; name], vec![7; len]);
            let record = Record { number, made, deadline: !made, channel: &channel, payload: &payload };
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            prop_assert_eq!(bytes.len(), Record::len(&channel, len));
            prop_assert_eq!(Record::read(&bytes), Some((record, &[][..])));
            prop_assert!((0..bytes.len()).all(|len| Record::read(&bytes[..len]).is_none()));
            let report = Report { sent: made, highest: number, received: !number, echo: 3, held: 4 };
            let bytes = report.write();
            prop_assert_eq!(Frame::read(&bytes), Some(Frame::Report(report)));
            let (probe, seen) = (probe(made, len), seen(made, len as u16));
            prop_assert_eq!(Frame::read(&probe), Some(Frame::Probe(made)));
            prop_assert_eq!(Frame::read(&seen), Some(Frame::Seen(made, len as u16)));
        }
    }
}
