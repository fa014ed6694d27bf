//! Short messages coded together: each is sent immediately, and parity over several of them follows within their
//! deadline.

use crate::code::Coder;
use crate::frame::{Kind, Symbol};
use std::collections::BTreeMap;

/// Most symbols coded together.
pub(crate) const MOST: usize = 32;
/// Most parity datagrams waiting to be sent.
const WAITING: usize = 4096;

/// Symbols that were sent and that parity will follow.
struct Open {
    block: u32,
    symbols: Vec<Vec<u8>>,
    /// When the group closes, and how long its parity may take then.
    closes: u64,
    spread: u64,
    life: u16,
}

/// The open group, and the parity of earlier ones.
#[derive(Default)]
pub(crate) struct Groups {
    open: Option<Open>,
    /// Parity by due time.
    parity: BTreeMap<(u64, u32, u16), Vec<u8>>,
}

/// Half of the time until the deadline is used for sending: a quarter to collect others for the group, a quarter to
/// spread the parity. The rest is for the link.
const PART: u64 = 4;
/// Longest quarter, in ns, so that a long deadline does not cause a long delay.
const LONGEST: u64 = 250_000_000;

impl Groups {
    /// The next symbol's header. `new` numbers a block, if one begins.
    pub fn add(
        &mut self,
        symbol: &[u8],
        now: u64,
        until: u64,
        life: u16,
        new: impl FnOnce() -> u32,
    ) -> Symbol {
        let quarter = (until.saturating_sub(now) / PART).min(LONGEST);
        let open = self.open.get_or_insert_with(|| Open {
            block: new(),
            symbols: Vec::new(),
            closes: u64::MAX,
            spread: u64::MAX,
            life: 0,
        });
        open.closes = open.closes.min(now.saturating_add(quarter));
        open.spread = open.spread.min(quarter);
        open.life = open.life.max(life);
        let index = open.symbols.len() as u16;
        open.symbols.push(symbol.to_vec());
        Symbol { kind: Kind::Whole, block: open.block, index, sources: 0, parities: 0, life }
    }

    /// Closes the group if it is full or its time is up. `parities` returns the number of parity symbols for a
    /// number of symbols.
    pub fn close(&mut self, now: u64, coder: &mut Coder, parities: impl FnOnce(usize) -> usize) {
        let Some(open) = self.open.take_if(|open| open.symbols.len() >= MOST || now >= open.closes) else {
            return;
        };
        let count = parities(open.symbols.len());
        let coded = coder.encode(open.symbols.iter().map(Vec::as_slice), count);
        for (index, symbol) in (0_u16..).zip(coded.unwrap_or_default()) {
            let header = Symbol {
                kind: Kind::WholeParity,
                block: open.block,
                index,
                sources: open.symbols.len() as u16,
                parities: count as u16,
                life: open.life,
            };
            let due = now.saturating_add(open.spread / count as u64 * u64::from(index));
            self.parity.insert((due, open.block, index), header.write(&symbol));
        }
        while self.parity.len() > WAITING {
            self.parity.pop_first();
        }
    }

    /// Parity that is due.
    pub fn due(&mut self, now: u64) -> Option<Vec<u8>> {
        let first = self.parity.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    /// When to check again.
    pub fn next(&self) -> u64 {
        let closes = self.open.as_ref().map_or(u64::MAX, |open| open.closes);
        closes.min(self.parity.first_key_value().map_or(u64::MAX, |((due, ..), _)| *due))
    }
}
