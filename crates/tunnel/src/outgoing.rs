//! A long message while it is sent: its pieces, then their parity.

use crate::code::{Coder, PARITIES, SOURCES};
use crate::frame::{Kind, SYMBOL, Symbol};

/// A message that is cut into the symbols of one block.
pub(crate) struct Outgoing {
    block: u32,
    life: u16,
    record: Vec<u8>,
    piece: usize,
    sources: u16,
    parities: u16,
    next: usize,
    /// Computed when the pieces were sent.
    parity: Vec<Vec<u8>>,
    /// Its deadline.
    pub until: u64,
    /// Bytes of the message itself.
    pub payload: u64,
}

impl Outgoing {
    /// `piece`: bytes of the longest symbol. `parities` returns the number of parity symbols for a number of
    /// symbols. A record has at most `SOURCES` pieces.
    pub fn new(
        block: u32,
        record: Vec<u8>,
        piece: usize,
        life: u16,
        parities: impl FnOnce(usize) -> usize,
    ) -> Outgoing {
        // Pieces of equal length, so that the parity is no longer than necessary.
        let piece = record.len().div_ceil(record.len().div_ceil(piece).max(1)).max(1);
        let sources = record.len().div_ceil(piece);
        let parities = parities(sources).min(PARITIES);
        Outgoing {
            block,
            life,
            record,
            piece,
            sources: sources as u16,
            parities: parities as u16,
            next: 0,
            parity: Vec::new(),
            until: 0,
            payload: 0,
        }
    }

    /// The same message as another block of shorter symbols, with the same ratio of parity; `None` if these would
    /// be too many.
    pub fn cut(self, block: u32, piece: usize) -> Option<Outgoing> {
        if self.record.len().div_ceil(piece) > SOURCES {
            return None;
        }
        let part = f64::from(self.parities) / f64::from(self.sources);
        let parities = |sources: usize| (sources as f64 * part).ceil() as usize;
        let Outgoing { until, payload, life, record, .. } = self;
        Some(Outgoing { until, payload, ..Outgoing::new(block, record, piece, life, parities) })
    }

    /// The next symbol; `None` when all were sent.
    pub fn next(&mut self, coder: &mut Coder) -> Option<Vec<u8>> {
        let sources = usize::from(self.sources);
        let (kind, index) = match self.next.checked_sub(sources) {
            None => (Kind::Piece, self.next),
            Some(index) => (Kind::PieceParity, index),
        };
        if index == 0 && kind == Kind::PieceParity && self.parities > 0 {
            self.parity = coder.encode(self.record.chunks(self.piece), self.parities.into())?;
        }
        let bytes = match kind {
            Kind::Piece => self.record.chunks(self.piece).nth(index)?,
            _ => self.parity.get(index)?,
        };
        let (sources, parities) = (self.sources, self.parities);
        let symbol =
            Symbol { kind, block: self.block, index: index as u16, sources, parities, life: self.life };
        self.next += 1;
        Some(symbol.write(bytes))
    }

    /// Bytes of all its symbols, with `more` bytes added to each.
    pub fn bytes(&self, more: usize) -> u64 {
        (usize::from(self.sources) + usize::from(self.parities)) as u64 * (self.piece + SYMBOL + more) as u64
    }
    /// Whether all pieces were sent; parity may follow.
    pub fn sent_once(&self) -> bool {
        self.next >= usize::from(self.sources)
    }
    /// Whether the last symbol was the last piece.
    pub fn just_sent_once(&self) -> bool {
        self.next == usize::from(self.sources)
    }
    /// Whether the last symbol was parity.
    pub fn in_parity(&self) -> bool {
        self.next > usize::from(self.sources)
    }
    /// Whether everything was sent.
    pub fn done(&self) -> bool {
        self.next >= usize::from(self.sources) + usize::from(self.parities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_of_one_length_and_no_more_than_needed() {
        for (len, piece) in [(1_usize, 10), (10, 10), (11, 10), (465_001, 466), (1_000_000, 1150)] {
            let record: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut out = Outgoing::new(7, record.clone(), piece, 5, |_| 0);
            let (mut coder, mut joined, mut count) = (Coder::default(), Vec::new(), 0);
            while let Some(symbol) = out.next(&mut coder) {
                assert!(symbol.len() <= piece + crate::frame::SYMBOL);
                joined.extend_from_slice(&symbol[crate::frame::SYMBOL..]);
                count += 1;
            }
            assert!(joined == record && out.done() && count <= len.div_ceil(piece), "{len} {piece}");
        }
    }
}
