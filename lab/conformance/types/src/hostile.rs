//! Messages that are damaged, or crafted to do harm.

use crate::random_messages::{self, Strings};
use crate::rng::{Choose, Rng};
use saltus_types::{Schema, StructId};

/// Hostile values of sizes and lengths.
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

/// `count` damaged messages of struct `id`.
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
    // Mostly after the fingerprint: a wrong one is refused immediately.
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

/// Every truncation of a message.
pub fn cut(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len()).map(|end| bytes[..end].to_vec())
}

/// A message of `every.node_t`, nested nodes `depth` deep; depth 0 is a node without children.
pub fn chain(schema: &Schema, depth: usize) -> Option<(StructId, Vec<u8>)> {
    let id = schema.find("every.node_t")?;
    let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
    (0..depth).for_each(|_| bytes.extend(1i32.to_be_bytes()));
    bytes.extend(0i32.to_be_bytes());
    Some((id, bytes))
}

/// A message of `every.empties_t` that claims this many elements of zero size.
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

/// A field of a message, in bytes.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// An `int8_t`, a `byte` or a `boolean`.
    Byte(i8),
    /// An `int32_t`.
    Int(i32),
    /// An `int64_t`.
    Long(i64),
    /// This many bytes, all 0.
    Zeros(usize),
}

use Piece::{Byte, Int, Long, Zeros};

/// Messages at the edges of the rule that bounds sizes (`docs/wire.md`): type, fields, and whether they are accepted.
pub const SIZES: &[(&str, &[Piece], bool)] = &[
    // The minimum contents of the type are free.
    ("sizes.rows_t", &[Int(0)], true),
    ("sizes.rows_t", &[Int(-1)], false),
    ("sizes.rows_t", &[Int(i32::MIN)], false),
    ("sizes.rows_t", &[Int(i32::MAX)], false),
    ("sizes.empties_t", &[], true),
    ("sizes.jag_t", &[Byte(0)], true),
    ("sizes.jag_t", &[Byte(1), Zeros(40)], true),
    ("sizes.jag_t", &[Byte(1), Zeros(39)], false),
    ("sizes.jag_t", &[Byte(-1)], false),
    // Other contents are counted. 27 times 40 rows are 1080: as many as a message of 56 bytes may have.
    ("sizes.jags_t", &[Int(26), Zeros(26)], true),
    ("sizes.jags_t", &[Int(27), Zeros(27)], false),
    ("sizes.jags_t", &[Int(27), Zeros(27), Zeros(16)], false),
    ("sizes.jags_t", &[Int(27), Zeros(27), Zeros(17)], true),
    // Rows that take bytes are not counted, although that is unknown before their struct is read.
    ("sizes.jags_t", &[Int(28), Zeros(27), Byte(1), Zeros(40)], true),
    ("sizes.jags_t", &[Int(i32::MAX), Zeros(1000)], false),
    // Of 20 bytes it is 1044: the rows, and the nested rows.
    ("sizes.cube_t", &[Int(2), Int(521), Int(0)], true),
    ("sizes.cube_t", &[Int(2), Int(522), Int(0)], false),
    ("sizes.cube_t", &[Int(1044), Int(0), Int(0)], true),
    ("sizes.cube_t", &[Int(1045), Int(0), Int(0)], false),
    ("sizes.cube_t", &[Int(65536), Int(65536), Int(0)], false),
    ("sizes.cube_t", &[Int(1), Int(1), Int(1), Zeros(4)], true),
    ("sizes.cube_t", &[Int(65536), Int(65536), Int(1), Zeros(100)], false),
    ("sizes.cube_t", &[Int(0), Int(-1), Int(0)], false),
    ("sizes.cube_t", &[Int(0), Int(0), Int(-1)], false),
    ("sizes.cube_t", &[Int(1), Int(0), Int(-1)], false),
    ("sizes.cube_t", &[Int(-1), Int(0), Int(0)], false),
    ("sizes.cube_t", &[Int(0), Int(i32::MAX), Int(i32::MAX)], true),
    ("sizes.cube_t", &[Int(1), Int(0), Int(i32::MAX)], true),
    // After a size of 0 any size is allowed, except a negative one.
    ("sizes.far_t", &[Long(0), Long(i64::MAX)], true),
    ("sizes.far_t", &[Long(0), Long(1 << 62)], true),
    ("sizes.far_t", &[Long(0), Long(1 << 32)], true),
    ("sizes.far_t", &[Long(0), Long(-1)], false),
    ("sizes.far_t", &[Long(0), Long(i64::MIN)], false),
    ("sizes.far_t", &[Long(i64::MAX), Long(0)], false),
    ("sizes.far_t", &[Long(1 << 32), Long(1 << 32)], false),
    ("sizes.far_t", &[Long(1 << 62), Long(4)], false),
    ("sizes.far_t", &[Long(300), Long(0)], true),
    ("sizes.far_t", &[Long(-1), Long(-1)], false),
    ("sizes.behind_t", &[Byte(0)], true),
    ("sizes.behind_t", &[Byte(-1)], false),
    ("sizes.behind_t", &[Byte(1), Zeros(3), Int(1), Zeros(1), Int(1), Zeros(1)], true),
    ("sizes.wides_t", &[Int(0)], true),
    ("sizes.wides_t", &[Int(100), Zeros(100)], true),
    ("sizes.wides_t", &[Int(101), Zeros(100)], false),
    ("sizes.wides_t", &[Int(200), Zeros(199), Byte(-1)], false),
    // Sizes of 0 by the type.
    ("sizes.nothing_t", &[Int(0), Byte(7)], true),
    ("sizes.nothing_t", &[Int(1000), Byte(7)], true),
    ("sizes.nothing_t", &[Int(-1), Byte(7)], false),
    ("sizes.nothing_t", &[Int(i32::MAX), Byte(7)], false),
];

/// The message of such a line.
pub fn of_pieces(schema: &Schema, name: &str, pieces: &[Piece]) -> Option<(StructId, Vec<u8>)> {
    let id = schema.find(name)?;
    let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
    for piece in pieces {
        match *piece {
            Byte(n) => bytes.extend(n.to_be_bytes()),
            Int(n) => bytes.extend(n.to_be_bytes()),
            Long(n) => bytes.extend(n.to_be_bytes()),
            Zeros(n) => bytes.resize(bytes.len() + n, 0),
        }
    }
    Some((id, bytes))
}
