//! The erasure code: Reed–Solomon, from a library, over symbols of any length.
//!
//! A symbol is coded as two bytes of its length, then its bytes, then zeros up to the longest of its block. So a
//! recovered symbol includes its length.

use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};
use std::collections::BTreeMap;

/// Most symbols of a block other than parity.
pub(crate) const SOURCES: usize = 16_384;
/// Most parity symbols of a block.
pub(crate) const PARITIES: usize = 16_384;
/// Bytes of a symbol's length.
pub(crate) const LENGTH: usize = 2;

/// An encoder and decoder, which keeps its tables and memory for reuse.
#[derive(Default)]
pub(crate) struct Coder {
    encoder: Option<ReedSolomonEncoder>,
    decoder: Option<ReedSolomonDecoder>,
    padded: Vec<u8>,
}

/// Bytes of a block's parity symbol: those of its longest symbol, rounded up for the library.
pub(crate) fn width(longest: usize) -> usize {
    (longest + LENGTH).next_multiple_of(2)
}

/// Most bytes that the library allocates to restore a block, at either end.
pub(crate) fn work(sources: usize, parities: usize, width: usize) -> usize {
    (sources + parities).next_power_of_two().saturating_mul(2 * width.next_multiple_of(64))
}

/// Creates the library's tables, 8 MB, which the first parity would create otherwise and so delay a message.
pub(crate) fn prepare() {
    let (mut coder, symbols) = (Coder::default(), [&[0; 2][..]; 2]);
    let parity = coder.encode(symbols.into_iter(), 2).into_iter().flatten();
    let parity = (0..).zip(parity).collect();
    coder.decode(2, 2, &BTreeMap::new(), &parity);
}

impl Coder {
    /// Returns `parities` symbols, each [`width`] of the longest long. `None` if the numbers are invalid.
    pub fn encode<'a>(
        &mut self,
        symbols: impl ExactSizeIterator<Item = &'a [u8]> + Clone,
        parities: usize,
    ) -> Option<Vec<Vec<u8>>> {
        let sources = symbols.len();
        let width = width(symbols.clone().map(<[u8]>::len).max()?);
        let encoder = match &mut self.encoder {
            Some(encoder) => {
                encoder.reset(sources, parities, width).ok()?;
                encoder
            }
            none => none.insert(ReedSolomonEncoder::new(sources, parities, width).ok()?),
        };
        for symbol in symbols {
            pad(symbol, width, &mut self.padded)?;
            encoder.add_original_shard(&self.padded).ok()?;
        }
        Some(encoder.encode().ok()?.recovery_iter().map(<[u8]>::to_vec).collect())
    }

    /// The missing symbols, by number; none if that is not possible. Contradictory input is detected where
    /// possible, and otherwise gives wrong bytes: the code corrects losses, not forgeries.
    pub fn decode(
        &mut self,
        sources: usize,
        parities: usize,
        have: &BTreeMap<u16, Vec<u8>>,
        parity: &BTreeMap<u16, Vec<u8>>,
    ) -> Option<Vec<(u16, Vec<u8>)>> {
        let width = parity.first_key_value()?.1.len();
        let decoder = match &mut self.decoder {
            Some(decoder) => {
                decoder.reset(sources, parities, width).ok()?;
                decoder
            }
            none => none.insert(ReedSolomonDecoder::new(sources, parities, width).ok()?),
        };
        for (index, symbol) in have {
            pad(symbol, width, &mut self.padded)?;
            decoder.add_original_shard(usize::from(*index), &self.padded).ok()?;
        }
        for (index, symbol) in parity {
            decoder.add_recovery_shard(usize::from(*index), symbol).ok()?;
        }
        let decoded = decoder.decode().ok()?;
        let missing = (0..u16::try_from(sources).ok()?).filter(|index| !have.contains_key(index));
        missing
            .map(|index| Some((index, unpad(decoded.restored_original(index.into())?)?.to_vec())))
            .collect()
    }
}

/// Encodes a symbol; `None` if it is too long.
fn pad(symbol: &[u8], width: usize, padded: &mut Vec<u8>) -> Option<()> {
    if symbol.len() > width.checked_sub(LENGTH)? {
        return None;
    }
    padded.clear();
    padded.extend_from_slice(&u16::try_from(symbol.len()).ok()?.to_le_bytes());
    padded.extend_from_slice(symbol);
    padded.resize(width, 0);
    Some(())
}

fn unpad(coded: &[u8]) -> Option<&[u8]> {
    let (len, bytes) = coded.split_first_chunk()?;
    bytes.get(..u16::from_le_bytes(*len).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_sufficient_subset_of_a_block_is_enough(
            symbols in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..50), 1..40),
            parities in 1..40_usize,
            order in any::<u64>(),
        ) {
            let mut coder = Coder::default();
            let sources = symbols.len();
            let parity = coder.encode(symbols.iter().map(Vec::as_slice), parities).unwrap();
            prop_assert_eq!(parity.len(), parities);
            // Any `sources` of all, chosen by a number.
            let mut all: Vec<usize> = (0..sources + parities).collect();
            let mut state = order;
            all.sort_by_cached_key(|_| { state = state.wrapping_mul(6364136223846793005).wrapping_add(1); state >> 33 });
            let (mut have, mut extra) = (BTreeMap::new(), BTreeMap::new());
            for i in &all[..sources] {
                match i.checked_sub(sources) {
                    None => have.insert(*i as u16, symbols[*i].clone()),
                    Some(j) => extra.insert(j as u16, parity[j].clone()),
                };
            }
            if extra.is_empty() { return Ok(()); }
            let restored = coder.decode(sources, parities, &have, &extra).unwrap();
            prop_assert_eq!(restored.len(), sources - have.len());
            for (index, symbol) in restored {
                prop_assert_eq!(&symbol, &symbols[usize::from(index)]);
            }
        }
    }

    #[test]
    fn invalid_parameters_are_refused() {
        let mut coder = Coder::default();
        assert!(coder.encode([&b"ab"[..]].into_iter(), 0).is_none());
        let one = BTreeMap::from([(0, vec![9; 8])]);
        let none = BTreeMap::new();
        assert!(coder.decode(1, 1, &none, &none).is_none(), "nothing");
        assert!(coder.decode(2, 1, &none, &one).is_none(), "too little");
        assert!(coder.decode(2, 1, &one, &BTreeMap::from([(1, vec![0; 4])])).is_none(), "a number too high");
        assert!(
            coder.decode(2, 1, &one, &BTreeMap::from([(0, vec![0; 4])])).is_none(),
            "longer than its block"
        );
        assert!(coder.decode(2, 2, &none, &BTreeMap::from([(0, vec![0; 4]), (1, vec![0; 6])])).is_none());
        assert!(coder.decode(0, 0, &none, &one).is_none());
    }
}
