//! Messages that were damaged, or made to do harm.

use crate::random_messages::{self, Strings};
use crate::rng::{Choose, Rng};
use saltus_types::{Schema, StructId};

/// Numbers that sizes and lengths might be, if somebody means harm.
const EVIL: [i64; 14] = [
    -1,
    i64::MIN,
    i64::MAX,
    i32::MIN as i64,
    i32::MAX as i64,
    0,
    1,
    127,
    128,
    255,
    65_536,
    0x00ff_ffff,
    0x4000_0000,
    0x1_0000_0000,
];

/// `count` messages of struct `id` that somebody has damaged.
pub fn damaged(rng: &mut Rng, schema: &Schema, id: StructId, count: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|_| {
            let strings = if rng.percent(20) { Strings::Bytes } else { Strings::Utf8 };
            let mut bytes = random_messages::message(rng, schema, id, strings).bytes;
            for _ in 0..rng.between(1, 3) {
                damage(rng, &mut bytes);
            }
            bytes
        })
        .collect()
}

fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let size = bytes.len();
    // Mostly behind the fingerprint: a wrong one is refused at once.
    let at = if size > 8 && rng.percent(97) { rng.between(8, size - 1) } else { rng.below(size.max(1)) };
    match rng.below(7) {
        0 => bytes.truncate(at),
        1 if size > 0 => bytes[at] ^= 1 << rng.below(8),
        2 if size > 0 => bytes[at] = rng.bits() as u8,
        3 => bytes.extend((0..rng.below(40)).map(|_| 0u8)),
        4 => bytes.extend((0..rng.below(40)).map(|_| 0xff)),
        _ => {
            let width = [1, 2, 4, 4, 4, 8][rng.below(6)];
            let number = EVIL[rng.below(EVIL.len())].to_be_bytes();
            for (to, from) in bytes[at.min(size)..].iter_mut().zip(&number[8 - width..]) {
                *to = *from;
            }
        }
    }
}

/// Every way to cut a message short.
pub fn cut(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len()).map(|end| bytes[..end].to_vec())
}

/// A message of `every.node_t`, a list of one node in the other, `depth` deep; depth 0 is a node without children.
pub fn chain(schema: &Schema, depth: usize) -> Option<(StructId, Vec<u8>)> {
    let id = schema.find("every.node_t")?;
    let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
    (0..depth).for_each(|_| bytes.extend(1i32.to_be_bytes()));
    bytes.extend(0i32.to_be_bytes());
    Some((id, bytes))
}

/// A message of `every.empties_t` that claims so many things that take no room.
pub fn empties(schema: &Schema, count: i32) -> Option<(StructId, Vec<u8>)> {
    let id = schema.find("every.empties_t")?;
    let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
    bytes.extend(count.to_be_bytes());
    bytes.push(7);
    Some((id, bytes))
}

/// A message of `every.matrix_t` of many rows without columns.
pub fn rows_without_columns(schema: &Schema, rows: i32) -> Option<(StructId, Vec<u8>)> {
    let id = schema.find("every.matrix_t")?;
    let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
    bytes.extend(rows.to_be_bytes());
    bytes.extend(0i16.to_be_bytes());
    Some((id, bytes))
}
