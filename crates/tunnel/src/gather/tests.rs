use super::*;
use crate::frame::Kind;
use proptest::prelude::*;

fn record(number: u64, len: usize) -> Vec<u8> {
    let payload = vec![number as u8; len];
    let mut bytes = Vec::new();
    Record { number, made: 0, deadline: 0, channel: b"c", payload: &payload }.write(&mut bytes);
    bytes
}

fn piece(block: u32, index: u16, sources: u16, parities: u16) -> Symbol {
    Symbol { kind: Kind::Piece, block, index, sources, parities, life: 100 }
}

/// Adds a symbol, and returns the records that it completed.
fn take(gather: &mut Gather, symbol: Symbol, bytes: &[u8], now: u64) -> Result<Vec<(u64, bool)>, Malformed> {
    let mut all = Vec::new();
    gather.take(symbol, bytes, now, &mut Coder::default(), |r, restored| all.push((r.number, restored)))?;
    Ok(all)
}

#[test]
fn a_message_is_delivered_when_enough_parts_have_arrived() {
    let bytes = record(7, 1000);
    let pieces: Vec<&[u8]> = bytes.chunks(300).collect();
    let parity = Coder::default().encode(pieces.iter().copied(), 2).unwrap();
    let mut gather = Gather::new(1 << 20);
    let parity_of = |index| Symbol { kind: Kind::PieceParity, ..piece(1, index, 4, 2) };
    assert_eq!(take(&mut gather, parity_of(1), &parity[1], 0), Ok(vec![]));
    assert_eq!(take(&mut gather, piece(1, 2, 4, 2), pieces[2], 0), Ok(vec![]));
    assert_eq!(take(&mut gather, piece(1, 2, 4, 2), pieces[2], 0), Ok(vec![]), "twice the same");
    assert_eq!(take(&mut gather, piece(1, 0, 4, 2), pieces[0], 0), Ok(vec![]));
    assert_eq!(take(&mut gather, parity_of(0), &parity[0], 0), Ok(vec![(7, true)]));
    assert_eq!(gather.bytes, 0);
    assert_eq!(take(&mut gather, piece(1, 1, 4, 2), pieces[1], 0), Ok(vec![]), "once is enough");
    assert_eq!(gather.incomplete(), 0);
}

#[test]
fn short_messages_come_at_once_and_the_lost_ones_with_the_parity() {
    let symbols: Vec<Vec<u8>> =
        (0..3).map(|i| [record(i, 10 + i as usize), record(i + 10, 3)].concat()).collect();
    let parity = Coder::default().encode(symbols.iter().map(Vec::as_slice), 1).unwrap();
    let mut gather = Gather::new(1 << 20);
    let whole = |index| Symbol { kind: Kind::Whole, block: 0, index, sources: 0, parities: 0, life: 100 };
    assert_eq!(take(&mut gather, whole(0), &symbols[0], 0), Ok(vec![(0, false), (10, false)]));
    assert_eq!(take(&mut gather, whole(2), &symbols[2], 0), Ok(vec![(2, false), (12, false)]));
    let header = Symbol { kind: Kind::WholeParity, sources: 3, parities: 1, ..whole(0) };
    assert_eq!(take(&mut gather, header, &parity[0], 0), Ok(vec![(1, true), (11, true)]));
    assert_eq!(take(&mut gather, whole(1), &symbols[1], 0), Ok(vec![]), "not again");
}

#[test]
fn incomplete_messages_are_discarded_and_counted() {
    let mut gather = Gather::new(10_000);
    take(&mut gather, piece(0, 0, 2, 0), &[0; 100], 0).unwrap();
    gather.expire(100_000_000);
    assert_eq!(gather.incomplete(), 0);
    gather.expire(100_000_001);
    assert_eq!((gather.incomplete(), gather.bytes), (1, 0));
    // Later symbols of it are not kept.
    assert_eq!(take(&mut gather, piece(0, 1, 2, 0), &[0; 100], 100_000_002), Ok(vec![]));
    assert_eq!(gather.bytes, 0);
    // Memory: the oldest are dropped first.
    for block in 1..100 {
        take(&mut gather, piece(block, 0, 2, 0), &[0; 1000], 0).unwrap();
        assert!(gather.bytes <= 10_000);
    }
    assert_eq!(gather.incomplete(), 90);
    let kept: Vec<u64> = gather.blocks.iter().filter(|(_, b)| !b.done).map(|(n, _)| *n).collect();
    assert_eq!(kept, (91..100).collect::<Vec<_>>());
}

#[test]
fn block_numbers_go_round() {
    let mut gather = Gather::new(1 << 20);
    let mut last = 0_u32;
    for step in [0, 1, 1 << 30, 1 << 30, 1 << 30, (1 << 30) - 2, 5] {
        last = last.wrapping_add(step);
        let bytes = record(u64::from(step), 1);
        assert_eq!(take(&mut gather, piece(last, 0, 1, 0), &bytes, 0), Ok(vec![(u64::from(step), false)]));
    }
    assert_eq!(gather.newest, (1 << 32) + 4);
    let old = last.wrapping_sub(BLOCKS as u32 + 1);
    assert_eq!(take(&mut gather, piece(old, 0, 1, 0), &record(1, 1), 0), Ok(vec![]));
    assert!(gather.blocks.len() as u64 <= BLOCKS + 1);
}

#[test]
fn contradictions_are_refused() {
    let mut gather = Gather::new(1 << 20);
    let symbol = |kind, index, sources, parities| Symbol { kind, ..piece(0, index, sources, parities) };
    for bad in [
        symbol(Kind::Piece, 0, 0, 0),
        symbol(Kind::Piece, 2, 2, 0),
        symbol(Kind::Piece, 0, 16_385, 0),
        symbol(Kind::Piece, 0, 1, 16_385),
        symbol(Kind::PieceParity, 0, 1, 0),
        // With far more parity than symbols, decoding would need gigabytes.
        symbol(Kind::PieceParity, 0, 1, 9),
        symbol(Kind::PieceParity, 16_383, 1, 16_384),
        symbol(Kind::PieceParity, 1, 1, 1),
        symbol(Kind::Whole, 32, 0, 0),
        symbol(Kind::Whole, 0, 1, 0),
        symbol(Kind::WholeParity, 0, 33, 1),
        symbol(Kind::WholeParity, 0, 0, 1),
    ] {
        assert_eq!(take(&mut gather, bad, b"x", 0), Err(Malformed), "{bad:?}");
    }
    assert_eq!(take(&mut gather, piece(0, 0, 2, 1), b"", 0), Err(Malformed));
    assert!(gather.blocks.is_empty());
    take(&mut gather, piece(0, 0, 3, 1), b"x", 0).unwrap();
    for bad in [piece(0, 1, 4, 1), piece(0, 1, 3, 2), symbol(Kind::Whole, 0, 0, 0)] {
        assert_eq!(take(&mut gather, bad, b"x", 0), Err(Malformed), "{bad:?}");
    }
    // Decoding this would need much more memory than sending it.
    take(&mut gather, piece(2, 0, 1000, 999), b"x", 0).unwrap();
    let parity = |index| Symbol { kind: Kind::PieceParity, ..piece(2, index, 1000, 999) };
    for index in 0..998 {
        take(&mut gather, parity(index), b"xx", 0).unwrap();
    }
    assert_eq!(take(&mut gather, parity(998), &[0; 2000], 0), Err(Malformed));
    // A whole record, followed by trailing bytes.
    assert_eq!(take(&mut gather, piece(1, 0, 1, 0), &[record(1, 1), vec![0]].concat(), 0), Err(Malformed));
}

fn any_symbol() -> impl Strategy<Value = (Symbol, Vec<u8>)> {
    let kind =
        prop_oneof![Just(Kind::Piece), Just(Kind::Whole), Just(Kind::PieceParity), Just(Kind::WholeParity)];
    let small = 0..6_u16;
    (kind, any::<u8>(), small.clone(), small.clone(), small, any::<u16>(), 0..40_usize).prop_map(
        |(kind, block, index, sources, parities, life, len)| {
            let block = u32::from(block % 4).wrapping_sub(2);
            let bytes = record(1, len);
            (Symbol { kind, block, index, sources, parities, life }, bytes)
        },
    )
}

proptest! {
    #[test]
    fn memory_is_bounded_and_counted_whatever_comes(
        symbols in proptest::collection::vec((any_symbol(), 0..50_000_000_u64), 0..200),
    ) {
        let (mut gather, mut coder, mut now) = (Gather::new(500), Coder::default(), 0);
        for ((symbol, bytes), pause) in symbols {
            now += pause;
            let _ = gather.take(symbol, &bytes, now, &mut coder, |_, _| {});
            prop_assert!(gather.bytes <= 500);
            let kept: usize = gather.blocks.values().map(Block::bytes).sum();
            prop_assert_eq!(kept, gather.bytes);
        }
    }
}
