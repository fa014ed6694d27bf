//! Received parts of incomplete blocks. Bounded, whatever the other end sends.

use crate::code::{self, Coder, PARITIES, SOURCES};
use crate::frame::{Record, Symbol};
use crate::group;
use crate::parity::MOST_FOR_ONE;
use std::collections::BTreeMap;

/// Blocks remembered below the newest; older ones are refused.
const BLOCKS: u64 = 4096;
/// Approximate overhead of keeping a symbol, in bytes.
const KEEPING: usize = 64;

/// A symbol that contradicts itself or earlier symbols of its block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

#[derive(Default)]
struct Block {
    /// Pieces of one message, or whole messages.
    pieces: bool,
    /// 0 while unknown.
    sources: u16,
    parities: u16,
    symbols: BTreeMap<u16, Vec<u8>>,
    parity: BTreeMap<u16, Vec<u8>>,
    until: u64,
    /// It was delivered completely or dropped; nothing is kept.
    done: bool,
}

/// Incomplete blocks.
pub(crate) struct Gather {
    blocks: BTreeMap<u64, Block>,
    newest: u64,
    bytes: usize,
    memory: usize,
    /// A lower bound of messages given up: some in a group may be unknown.
    incomplete: u64,
}

impl Block {
    fn bytes(&self) -> usize {
        self.symbols.values().chain(self.parity.values()).map(|s| s.len() + KEEPING).sum()
    }
    /// The number of missing symbols that are known to have been sent.
    fn missing(&self) -> u64 {
        u64::from(self.sources).saturating_sub(self.symbols.len() as u64)
    }
    /// Whether a symbol is consistent with earlier ones.
    fn admits(&self, symbol: &Symbol) -> bool {
        let unknown = self.sources == 0 || symbol.sources == 0;
        self.pieces == symbol.kind.is_piece()
            && (unknown || (self.sources, self.parities) == (symbol.sources, symbol.parities))
            && (self.sources == 0 || symbol.kind.is_parity() || symbol.index < self.sources)
    }
}

/// Whether a symbol is consistent in itself.
fn is_sound(symbol: &Symbol, bytes: &[u8]) -> bool {
    let (sources, parities) = (usize::from(symbol.sources), usize::from(symbol.parities));
    let index = usize::from(symbol.index);
    let most = if symbol.kind.is_piece() { SOURCES } else { group::MOST };
    let known = (1..=most).contains(&sources) && parities <= PARITIES.min(sources * MOST_FOR_ONE);
    let whole = symbol.kind == crate::frame::Kind::Whole;
    !bytes.is_empty()
        && match symbol.kind.is_parity() {
            true => known && index < parities,
            false if whole => (sources, parities) == (0, 0) && index < group::MOST,
            false => known && index < sources,
        }
}

impl Gather {
    pub fn new(memory: usize) -> Gather {
        Gather { blocks: BTreeMap::new(), newest: 0, bytes: 0, memory, incomplete: 0 }
    }

    /// Adds a symbol, and passes on the records that it makes readable, each with whether it was restored.
    pub fn take(
        &mut self,
        symbol: Symbol,
        bytes: &[u8],
        now: u64,
        coder: &mut Coder,
        mut forward: impl FnMut(Record<'_>, bool),
    ) -> Result<(), Malformed> {
        if !is_sound(&symbol, bytes) {
            return Err(Malformed);
        }
        let Some(number) = self.number(symbol.block) else { return Ok(()) };
        let life = u64::from(symbol.life) * 1_000_000;
        let block = self.blocks.entry(number).or_insert_with(|| Block {
            pieces: symbol.kind.is_piece(),
            until: now.saturating_add(life),
            ..Block::default()
        });
        if block.done {
            return Ok(());
        }
        if block.until < now {
            self.give_up(number);
            return Ok(());
        }
        if !block.admits(&symbol) {
            return Err(Malformed);
        }
        if symbol.sources != 0 {
            (block.sources, block.parities) = (symbol.sources, symbol.parities);
        }
        let kept = if symbol.kind.is_parity() { &mut block.parity } else { &mut block.symbols };
        if kept.contains_key(&symbol.index) {
            return Ok(());
        }
        kept.insert(symbol.index, bytes.to_vec());
        self.bytes += bytes.len() + KEEPING;
        let read = match symbol.kind {
            crate::frame::Kind::Whole => each(bytes, |record| forward(record, false)),
            _ => Ok(()),
        };
        let complete = self.complete(number, coder, forward);
        self.make_room();
        read.and(complete)
    }

    /// The full number of a block, from its lower half; `None` if it is too old.
    fn number(&mut self, low: u32) -> Option<u64> {
        let ahead = low.wrapping_sub(self.newest as u32).cast_signed();
        let number = self.newest.checked_add_signed(ahead.into())?;
        if number + BLOCKS < self.newest {
            return None;
        }
        self.newest = self.newest.max(number);
        while self.blocks.first_key_value().is_some_and(|(first, _)| *first + BLOCKS < self.newest) {
            let Some((number, _)) = self.blocks.first_key_value() else { break };
            let number = *number;
            self.give_up(number);
            self.blocks.remove(&number);
        }
        Some(number)
    }

    /// Delivers everything that can be restored now.
    fn complete(
        &mut self,
        number: u64,
        coder: &mut Coder,
        mut forward: impl FnMut(Record<'_>, bool),
    ) -> Result<(), Malformed> {
        let Some(block) = self.blocks.get_mut(&number) else { return Ok(()) };
        let sources = usize::from(block.sources);
        if sources == 0 || block.symbols.len() + block.parity.len() < sources {
            return Ok(());
        }
        let Block { pieces, parities, symbols, parity, .. } = std::mem::take(block);
        block.done = true;
        self.bytes -= symbols.values().chain(parity.values()).map(|s| s.len() + KEEPING).sum::<usize>();
        let mut restored = Vec::new();
        if symbols.len() < sources {
            // One long parity symbol with many short pieces would need more memory to decode than all that arrived.
            let width = parity.values().map(Vec::len).max().unwrap_or(0);
            if code::work(sources, parities.into(), width) > 2 * self.memory {
                return Err(Malformed);
            }
            restored = coder.decode(sources, parities.into(), &symbols, &parity).ok_or(Malformed)?;
        }
        if !pieces {
            return restored.iter().try_for_each(|(_, symbol)| each(symbol, |record| forward(record, true)));
        }
        let was_restored = !restored.is_empty();
        let mut whole = symbols;
        whole.extend(restored);
        let joined = whole.into_values().collect::<Vec<_>>().concat();
        let (record, rest) = Record::read(&joined).ok_or(Malformed)?;
        if !rest.is_empty() {
            return Err(Malformed);
        }
        forward(record, was_restored);
        Ok(())
    }

    /// Drops a block, and counts its missing messages.
    fn give_up(&mut self, number: u64) {
        let Some(block) = self.blocks.get_mut(&number) else { return };
        if !block.done {
            self.bytes -= block.bytes();
            self.incomplete += if block.pieces { 1 } else { block.missing() };
            *block = Block { done: true, ..Block::default() };
        }
    }

    /// Drops the oldest blocks to stay within the limit.
    fn make_room(&mut self) {
        while self.bytes > self.memory {
            let oldest = self.blocks.iter().find(|(_, block)| !block.done).map(|(number, _)| *number);
            let Some(oldest) = oldest else { return };
            self.give_up(oldest);
        }
    }

    /// Drops blocks past their deadline.
    pub fn expire(&mut self, now: u64) {
        let over = |(number, block): (&u64, &Block)| (!block.done && block.until < now).then_some(*number);
        for number in self.blocks.iter().filter_map(over).collect::<Vec<_>>() {
            self.give_up(number);
        }
    }

    /// Drops all blocks.
    pub fn clear(&mut self) {
        self.expire(u64::MAX);
    }

    /// Messages given up since the last call.
    pub fn incomplete(&mut self) -> u64 {
        std::mem::take(&mut self.incomplete)
    }
}

/// Every record of a symbol.
fn each(mut bytes: &[u8], mut forward: impl FnMut(Record<'_>)) -> Result<(), Malformed> {
    while !bytes.is_empty() {
        let (record, rest) = Record::read(bytes).ok_or(Malformed)?;
        forward(record);
        bytes = rest;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
