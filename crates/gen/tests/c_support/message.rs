//! Random messages of any type, and hostile ones, independent of the code under test. Valid ones are made from the
//! schema alone, and the codec of the schema decides about damaged ones.

use saltus_types::{DecodeCause, Extent, Primitive, Schema, StructId, Type, wire};
use std::path::Path;
use std::sync::Arc;

/// Random messages of each type, and damaged ones of each.
const MESSAGES: u64 = 6;
const DAMAGED: u64 = 40;

/// Small random numbers (xorshift), the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }
}

/// The expected result of a decoder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    Right = 0,
    Wrong = 1,
    /// Anything but a crash.
    Anything = 2,
    /// It is decoded, but may be encoded to other bytes.
    Taken = 3,
}

/// Messages for the test programs: index of the type, expected result, bytes.
#[derive(Default)]
pub struct Messages(Vec<u8>);

impl Messages {
    pub fn add(&mut self, ty: StructId, expect: Expect, bytes: &[u8]) {
        for word in [ty.0 as u32, expect as u32, bytes.len() as u32] {
            self.0.extend(word.to_le_bytes());
        }
        self.0.extend(bytes);
    }
    pub fn write(&self, path: &Path) {
        std::fs::write(path, &self.0).expect("a file");
    }
}

/// A random message of a struct.
pub fn random(schema: &Schema, id: StructId, rng: &mut Random) -> Vec<u8> {
    let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
    body(schema, id, rng, 0, &mut bytes);
    bytes
}

fn body(schema: &Schema, id: StructId, rng: &mut Random, depth: u32, out: &mut Vec<u8>) {
    let s = schema.get(id);
    let sizes = s.size_fields();
    let mut values = vec![0u64; s.fields.len()];
    for (i, field) in s.fields.iter().enumerate() {
        if sizes.contains(&i) {
            // Some with 32 bytes and more of numbers, for the vectorized copies; few where structs may grow.
            let most = if depth > 2 {
                1
            } else if s.name.name == "scan_t" {
                200
            } else {
                4
            };
            values[i] = rng.below(most);
            let Type::Primitive(p) = field.ty else { panic!("a size is a number") };
            out.extend(&values[i].to_be_bytes()[8 - p.wire_size()..]);
            continue;
        }
        let count = field.dims.iter().fold(1, |n, d| match d.extent {
            Extent::Fixed(k) => n * u64::from(k),
            Extent::Variable(j) => n * values[j],
        });
        for _ in 0..count {
            match field.ty {
                Type::Struct(inner) => body(schema, inner, rng, depth + 1, out),
                Type::Primitive(Primitive::String) => string(rng, out),
                Type::Primitive(p) => out.extend(&rng.next().to_be_bytes()[..p.wire_size()]),
                Type::Enum(_) => out.extend(&rng.next().to_be_bytes()[..4]),
            }
        }
    }
}

fn string(rng: &mut Random, out: &mut Vec<u8>) {
    let len = rng.below(9) as u32;
    out.extend((len + 1).to_be_bytes());
    out.extend((0..len).map(|_| 1 + rng.below(255) as u8));
    out.push(0);
}

/// Damages a valid message, and adds the results: the codec of the schema decides which are still accepted. Types
/// are numbered from `first`.
pub fn damaged(
    schema: &Arc<Schema>,
    (id, first): (StructId, usize),
    right: &[u8],
    rng: &mut Random,
    messages: &mut Messages,
) {
    const SIZES: [u32; 8] = [0, 1, 3, 200, 1000, 1 << 16, i32::MAX as u32, u32::MAX];
    for _ in 0..DAMAGED {
        let mut bytes = right.to_vec();
        for _ in 0..1 + rng.below(3) {
            let at = 8 + rng.below(bytes.len() as u64 - 7) as usize;
            match bytes.get_mut(at..) {
                Some([a, b, c, d, ..]) if rng.below(2) == 0 => {
                    [*a, *b, *c, *d] = SIZES[rng.below(8) as usize].to_be_bytes();
                }
                Some([byte, ..]) => *byte = rng.next() as u8,
                _ => {}
            }
        }
        if rng.below(8) == 0 {
            bytes.truncate(rng.below(bytes.len() as u64) as usize);
        }
        let expect = match wire::decode(schema, id, &bytes) {
            Ok(_) => Expect::Taken,
            // A limit of that codec's own values.
            Err(e) if e.cause == DecodeCause::TooMuchMemory => Expect::Anything,
            Err(_) => Expect::Wrong,
        };
        messages.add(StructId(first + id.0), expect, &bytes);
    }
}

/// Messages of all types of a schema: valid ones, damaged ones, and ones at the limits.
pub fn all(schema: Schema, seed: u64) -> Messages {
    let (mut messages, mut rng) = (Messages::default(), Random::new(seed));
    let schema = Arc::new(schema);
    for id in schema.ids() {
        for _ in 0..MESSAGES {
            let bytes = random(&schema, id, &mut rng);
            messages.add(id, Expect::Right, &bytes);
            damaged(&schema, (id, 0), &bytes, &mut rng, &mut messages);
        }
    }
    edges(&schema, &mut messages);
    messages
}

/// Messages with invalid sizes and depths, and valid ones at the limits.
fn edges(schema: &Schema, messages: &mut Messages) {
    let mut add = |name: &str, expect: Expect, body: &[u8]| {
        let id = schema.find(name).expect("a type");
        let mut bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
        bytes.extend(body);
        messages.add(id, expect, &bytes);
    };
    let nested = |depth: usize| {
        let mut bytes = [0u8, 0, 0, 1].repeat(depth);
        bytes.extend([0; 4]);
        bytes
    };
    // The outermost struct is at depth 0, and 128 is the deepest.
    add("list_t", Expect::Right, &nested(128));
    add("list_t", Expect::Wrong, &nested(129));
    add("list_t", Expect::Wrong, &nested(10_000));
    // Each depth requests all that is left: it must not add up.
    add("list_t", Expect::Wrong, &3850u32.to_be_bytes().repeat(4000));
    for size in [-1, i32::MIN, i32::MAX, 1 << 20] {
        let mut body = size.to_be_bytes().to_vec();
        add("list_t", Expect::Wrong, &body);
        body.extend([0; 64]);
        add("node_t", Expect::Wrong, &body);
        add("pong_t", Expect::Wrong, &body);
        let mut image = vec![0; 12];
        image.extend(size.to_be_bytes());
        image.extend([7; 100]);
        add("image_t", Expect::Wrong, &image);
        // A string's length.
        let mut inner = vec![0, 1];
        inner.extend(size.to_be_bytes());
        inner.extend([0; 16]);
        add("inner_t", Expect::Wrong, &inner);
    }
    add("inner_t", Expect::Wrong, &[0, 1, 0, 0, 0, 0]);
    add("inner_t", Expect::Wrong, &[0, 1, 0, 0, 0, 1, 7]);
    add("inner_t", Expect::Right, &[0, 1, 0, 0, 0, 1, 0]);
    // Rows and elements of zero size: as many as the message has bytes, and 1024, in all arrays together.
    let crowds = |each: &[u32]| {
        let words = [each.len() as u32].into_iter().chain(each.iter().copied());
        words.flat_map(u32::to_be_bytes).collect::<Vec<u8>>()
    };
    add("crowds_t", Expect::Right, &crowds(&[16 + 1024]));
    add("crowds_t", Expect::Wrong, &crowds(&[16 + 1024 + 1]));
    add("crowds_t", Expect::Right, &crowds(&[20 + 1024 - 500, 500]));
    add("crowds_t", Expect::Wrong, &crowds(&[20 + 1024 - 500, 501]));
    add("crowds_t", Expect::Wrong, &crowds(&[1000; 10]));
    // Fixed rows count like others, and those that every value of the type has are free.
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<u8>>();
    add("higher_t", Expect::Right, &words(&[0]));
    add("higher_t", Expect::Wrong, &words(&[u32::MAX]));
    add("talls_t", Expect::Right, &words(&[3, 0, 0, 0]));
    add("talls_t", Expect::Wrong, &words(&[4, 0, 0, 0, 0]));
    add("few_t", Expect::Right, &words(&[12 + 1024]));
    add("few_t", Expect::Wrong, &words(&[12 + 1024 + 1]));
    add("fews_t", Expect::Right, &words(&[2, 20 + 1024 - 220, 0]));
    add("fews_t", Expect::Wrong, &words(&[2, 20 + 1024 - 220, 1]));
    let fews = |n: u32| words(&[vec![n], vec![0; n as usize]].concat());
    add("fews_t", Expect::Right, &fews(9));
    add("fews_t", Expect::Wrong, &fews(10));
    // Negative sizes are invalid after an empty row too; large ones are not.
    let table = |a: i64, b: i64| [a.to_be_bytes(), b.to_be_bytes()].concat();
    add("table_t", Expect::Wrong, &table(0, -1));
    add("table_t", Expect::Wrong, &table(-1, 0));
    add("table_t", Expect::Right, &table(0, i64::MAX));
    add("table_t", Expect::Right, &table(300, 0));
    add("table_t", Expect::Wrong, &table(400, 0));
    let zero = |n: i64, m: i16| [&n.to_be_bytes()[..], &m.to_be_bytes(), &[7]].concat();
    for (n, m, expect) in
        [(0, -1, Expect::Wrong), (-1, 0, Expect::Wrong), (0, 5, Expect::Right), (3, 4, Expect::Right)]
    {
        add("zero_t", expect, &zero(n, m));
    }
    let jagged = |a: i8, b: i16, c: i64, d: i32, fill: usize| {
        let mut body = vec![a as u8];
        body.extend(b.to_be_bytes());
        body.extend(c.to_be_bytes());
        body.extend(d.to_be_bytes());
        body.extend(vec![0; fill]);
        body
    };
    let strings = [0, 0, 0, 1, 0].repeat(4);
    let inners = [0, 0, 0, 0, 0, 1, 0].repeat(4);
    let none =
        |fill: &[u8]| jagged(0, 0, 0, 0, 0).into_iter().chain(fill.iter().copied()).collect::<Vec<_>>();
    add("jagged_t", Expect::Right, &none(&[strings.clone(), inners.clone()].concat()));
    for (a, b, c, d) in [
        (-1, 0, 0, 0),
        (0, -1, 0, 0),
        (0, 0, -1, 0),
        (0, 0, 0, -1),
        (127, 32767, 0, 0),
        (127, 32767, i64::MAX, i32::MAX),
        (0, 0, i64::MAX, 0),
        (0, 0, i64::MIN, 0),
        (0, 0, 1 << 32, 0),
        (0, 0, 1 << 40, 0),
        (0, 0, 0, i32::MAX),
        (1, 0, 0, i32::MAX),
        (0, 32767, 0, 0),
    ] {
        add("jagged_t", Expect::Wrong, &jagged(a, b, c, d, 0));
        add("jagged_t", Expect::Wrong, &jagged(a, b, c, d, 300));
    }
    for (a, b, c, d) in [(3, 0, 0, 0), (0, 5, 0, 0), (0, 0, 9, 0), (127, 0, 0, 3), (2, 3, 4, 5)] {
        add("jagged_t", Expect::Anything, &jagged(a, b, c, d, 3000));
    }
}
