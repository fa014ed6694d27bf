//! Whole messages: round trips, hostile bytes, budgets, depth.

mod common;

use common::{All, Empty};
use proptest::prelude::*;
use saltus_wire::{Body, DecodeError, EncodeError, FREE_ELEMENTS, MAX_DEPTH, Message, Reader, Size, Writer};

/// Any value whose arrays have the lengths in their size fields.
fn all(depth: u32) -> BoxedStrategy<All> {
    let sizes = (0usize..5, 0usize..if depth == 0 { 1 } else { 3 });
    let value = sizes.prop_flat_map(move |(n, m)| {
        let scalars =
            (any::<(i8, i16, i32, i64, u8)>(), -1e9f32..1e9, -1e9f64..1e9, any::<bool>(), "[a-z é€]{0,9}");
        let floats = proptest::collection::vec(-1e9f32..1e9, n);
        let rows = proptest::collection::vec(any::<[i32; 2]>().prop_map(|r| r.map(f64::from)), n);
        let table = proptest::collection::vec(proptest::collection::vec(any::<i64>(), m), n);
        let tags = proptest::collection::vec("[a-z é€]{0,5}", m);
        let flags = proptest::collection::vec(any::<bool>(), n);
        let children = if m == 0 { Just(Vec::new()).boxed() } else { children(depth, m) };
        (scalars, floats, rows, table, tags, flags, children).prop_map(
            move |((ints, f, g, h, name), ranges, rows, table, tags, flags, children)| {
                let (a, b, c, d, e) = ints;
                let (nothing, n, m) = (vec![Empty {}; n], n as i32, m as i16);
                All {
                    a,
                    b,
                    c,
                    d,
                    e,
                    f,
                    g,
                    h,
                    name,
                    n,
                    m,
                    ranges,
                    rows,
                    table,
                    tags,
                    flags,
                    children,
                    nothing,
                }
            },
        )
    });
    value.boxed()
}

fn children(depth: u32, m: usize) -> BoxedStrategy<Vec<All>> {
    proptest::collection::vec(all(depth - 1), m).boxed()
}

/// A chain of nested structs.
fn chain(depth: u32) -> All {
    (0..depth).fold(All::default(), |inner, _| All {
        m: 1,
        tags: vec![String::new()],
        children: vec![inner],
        ..All::default()
    })
}

proptest! {
    #[test]
    fn encoded_messages_decode_to_the_same(value in all(2), used in all(2)) {
        let bytes = value.encode().unwrap();
        prop_assert_eq!(bytes.len(), value.encoded_size());
        prop_assert_eq!(&All::decode(&bytes).unwrap(), &value);
        // Into a message that had other content, with trailing bytes.
        let mut used = used;
        let more = [&bytes[..], b"more"].concat();
        prop_assert_eq!(used.decode_from(&more).unwrap(), bytes.len());
        prop_assert_eq!(&used, &value);
        // The error for a buffer that is too small has the size needed.
        let mut small = vec![0; bytes.len() - 1];
        prop_assert_eq!(value.encode_to(&mut small), Err(EncodeError::TooSmall(bytes.len())));
    }

    #[test]
    fn a_truncated_message_is_an_error(value in all(1)) {
        let bytes = value.encode().unwrap();
        for cut in 0..bytes.len() {
            prop_assert!(All::decode(&bytes[..cut]).is_err(), "cut at {}", cut);
        }
    }

    #[test]
    fn a_changed_byte_harms_nothing(value in all(1), change in 1u8..) {
        let mut bytes = value.encode().unwrap();
        let mut used = All::default();
        for at in 0..bytes.len() {
            bytes[at] ^= change;
            // Whatever was decoded can be encoded again, if its strings can.
            if used.decode_from(&bytes).is_ok() {
                match used.encode() {
                    Ok(again) => prop_assert_eq!(again.len(), used.encoded_size()),
                    Err(e) => prop_assert_eq!(e, EncodeError::Nul),
                }
            }
            bytes[at] ^= change;
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm(mut bytes in proptest::collection::vec(any::<u8>(), 8..300)) {
        bytes[..8].copy_from_slice(&All::FINGERPRINT.to_be_bytes());
        let _ = All::decode(&bytes);
    }
}

#[test]
fn another_type_is_reported() {
    let error = All::decode(&[0xff; 20]).unwrap_err();
    assert_eq!(error, DecodeError::Fingerprint { expected: All::FINGERPRINT, found: u64::MAX });
    assert_eq!(error.to_string(), "another type: fingerprint ffffffffffffffff, expected 0123456789abcdef");
    assert_eq!(All::decode(&[1, 2]), Err(DecodeError::Truncated { at: 0, missing: 6 }));
}

#[test]
fn a_size_that_lies_is_refused_by_the_encoder() {
    let value = All { n: 2, ranges: vec![1.0], ..All::default() };
    let error = value.encode().unwrap_err();
    let expected = EncodeError::Size { field: "all_t.ranges", size_field: "n", says: 2, has: 1 };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), "`all_t.ranges` has 1 elements, but `n` is 2; `set_sizes()` sets it");
    let negative = All { n: -1, ..All::default() };
    assert!(matches!(negative.encode(), Err(EncodeError::Size { says: -1, has: 0, .. })));
}

#[test]
fn a_length_beyond_the_size_field_is_reported() {
    assert_eq!((i8::of(127), i8::of(128), i16::of(usize::MAX), i64::of(7)), (127, 127, i16::MAX, 7));
    let out = Writer::new(&mut []);
    assert_eq!(out.size("a_t.x", "n", i8::of(127), 127), Ok(()));
    assert!(matches!(out.size("a_t.x", "n", 126i8, 127), Err(EncodeError::Size { .. })));
    let error = out.size("a_t.x", "n", i8::of(300), 300).unwrap_err();
    assert_eq!(error.to_string(), "`a_t.x` has 300 elements, but `n` is an int8_t, which cannot hold 300");
}

#[test]
fn a_string_with_a_nul_is_refused_by_the_encoder() {
    let value = All { name: "a\0b".into(), ..All::default() };
    assert_eq!(value.encode(), Err(EncodeError::Nul));
}

#[test]
fn structs_may_lie_in_each_other_so_deep_and_no_deeper() {
    let deepest = chain(MAX_DEPTH);
    let mut bytes = deepest.encode().unwrap();
    assert_eq!(All::decode(&bytes).unwrap(), deepest);

    let deeper = chain(MAX_DEPTH + 1);
    assert_eq!(deeper.encode(), Err(EncodeError::TooDeep));
    // By hand: the innermost struct gets a child. Its `m` is 2 bytes before the end of its fields, all empty.
    let at = bytes.len() - 2;
    bytes[at..].copy_from_slice(&1i16.to_be_bytes());
    bytes.extend([0, 0, 0, 1, 0]);
    bytes.extend(All::default().encode().unwrap().split_off(8));
    assert!(matches!(All::decode(&bytes), Err(DecodeError::TooDeep { .. })));
}

/// 30 bytes must not allocate gigabytes.
#[test]
fn sizes_beyond_the_bytes_are_refused_before_memory_is_asked_for() {
    let mut reader = Reader::new(&[0; 16]);
    let mut floats = Vec::<f32>::new();
    assert_eq!(reader.float_vec(&mut floats, 5), Err(DecodeError::Truncated { at: 0, missing: 4 }));
    assert_eq!(reader.float_vec(&mut floats, -1), Err(DecodeError::NegativeSize { at: 0, size: -1 }));
    assert!(reader.float_vec(&mut floats, i64::MAX).is_err());
    assert_eq!(floats.capacity(), 0);
    let mut strings = Vec::new();
    assert!(reader.string_vec(&mut strings, 4).is_err());
    assert_eq!(strings.capacity(), 0);
    assert!(reader.body_vec(&mut Vec::<All>::new(), 1).is_err());
}

#[test]
fn elements_without_room_are_counted_for_the_whole_message() {
    let mut reader = Reader::new(&[0; 16]);
    let mut empty = Vec::<Empty>::new();
    reader.body_vec(&mut empty, 1000).unwrap();
    let mut rows = Vec::<[f64; 0]>::new();
    reader.double_vec(&mut rows, 40).unwrap();
    assert_eq!((empty.len(), rows.len()), (1000, 40));
    assert_eq!(reader.body_vec(&mut empty, 1), Err(DecodeError::TooMany { at: 0, size: 1 }));
}

#[test]
fn arrays_are_checked_level_by_level() {
    let free = 16 + FREE_ELEMENTS;
    let left = |sizes: [i64; 3], min_size| {
        let mut reader = Reader::new(&[0; 16]);
        reader.array(sizes, min_size, 0)?;
        // The most that may be counted.
        Ok((0..=free).rev().find(|&n| reader.array([n as i64], 0, 0).is_ok()))
    };
    assert_eq!(left([2, 4, 2], 1), Ok(Some(free)));
    assert_eq!(left([2, 4, 3], 1), Err(DecodeError::Truncated { at: 0, missing: 8 }));
    assert_eq!(left([3, 5, 0], 8), Ok(Some(free - 3 - 15)));
    assert_eq!(left([3, 0, 5], 8), Ok(Some(free - 3)));
    assert_eq!(left([0, i64::MAX, i64::MAX], 8), Ok(Some(free)));
    assert_eq!(left([3, 5, 2], 0), Ok(Some(free - 3 - 15 - 30)));
    assert_eq!(left([0, 1, -7], 1), Err(DecodeError::NegativeSize { at: 0, size: -7 }));
    assert!(matches!(left([2, i64::MAX, i64::MAX], 0), Err(DecodeError::TooMany { .. })));
    assert!(matches!(left([2, i64::MAX, i64::MAX], 8), Err(DecodeError::Truncated { .. })));
    // Elements that are never empty are created only if they can be present, as bytes or as counted ones.
    let mut reader = Reader::new(&[0; 16]);
    reader.allow(7);
    assert_eq!(reader.array([16], 1, (free + 7 + 16) / 16), Ok([16]));
    let size = 16 * ((free + 7 + 16) as u64 / 16 + 1);
    assert_eq!(reader.array([16], 1, size as usize / 16), Err(DecodeError::TooMany { at: 0, size }));
}

/// Nested structs with the largest possible size fields: memory is allocated only for present elements.
#[test]
fn promises_in_promises_get_no_memory() {
    #[derive(Default)]
    struct Node {
        children: Vec<Node>,
    }
    impl Body for Node {
        const MIN_SIZE: usize = 4;
        fn body_size(&self) -> usize {
            4
        }
        fn write(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
            out.int32(self.children.len() as i32)
        }
        fn read(&mut self, from: &mut Reader<'_>) -> Result<(), DecodeError> {
            let n = from.int32()?;
            from.body_vec(&mut self.children, n.into())
        }
    }
    fn room(node: &Node) -> usize {
        node.children.capacity() * size_of::<Node>() + node.children.iter().map(room).sum::<usize>()
    }
    let len = 1 << 20;
    let mut bytes = vec![0; len];
    for level in 0..100 {
        let left = (len - 4 * (level + 1)) / 4;
        bytes[4 * level..][..4].copy_from_slice(&(left as i32).to_be_bytes());
    }
    let mut node = Node::default();
    assert!(node.read(&mut Reader::new(&bytes)).is_err());
    assert!(room(&node) <= 16 * len, "{} bytes for {len}", room(&node));
}

#[test]
fn strings_are_checked() {
    let read = |bytes: &[u8]| {
        let mut text = String::from("old");
        Reader::new(bytes).string(&mut text).map(|()| text)
    };
    assert_eq!(read(&[0, 0, 0, 3, b'h', b'i', 0]), Ok("hi".into()));
    assert_eq!(read(&[0, 0, 0, 1, 0]), Ok(String::new()));
    assert_eq!(read(&[0, 0, 0, 4, b'h', 0, b'i', 0]), Ok("h\0i".into()));
    assert_eq!(read(&[0, 0, 0, 0]), Err(DecodeError::StringLength { at: 0, length: 0 }));
    assert_eq!(read(&[255, 255, 255, 255]), Err(DecodeError::StringLength { at: 0, length: -1 }));
    assert_eq!(read(&[0, 0, 0, 2, b'h', b'i']), Err(DecodeError::StringEnd { at: 5 }));
    assert_eq!(read(&[0, 0, 0, 9, b'h', 0]), Err(DecodeError::Truncated { at: 4, missing: 7 }));
    assert_eq!(read(&[0, 0, 0, 2, 0xff, 0]), Err(DecodeError::NotUtf8 { at: 4 }));
}

/// Decoding into an existing message allocates nothing if the new one is not larger.
#[test]
fn a_used_message_keeps_its_room() {
    let mut value = All { n: 3, m: 2, ranges: vec![1.0; 3], rows: vec![[2.0; 2]; 3], ..All::default() };
    value.table = vec![vec![1, 2]; 3];
    value.tags = vec!["a long enough text".into(); 2];
    value.flags = vec![true; 3];
    value.children = vec![All::default(); 2];
    value.nothing = vec![Empty {}; 3];
    let bytes = value.encode().unwrap();
    let mut used = All::decode(&bytes).unwrap();
    let places = |all: &All| {
        (
            all.ranges.as_ptr(),
            all.rows.as_ptr(),
            all.table[2].as_ptr(),
            all.tags[1].as_ptr(),
            all.children.as_ptr(),
        )
    };
    let before = places(&used);
    used.decode_from(&bytes).unwrap();
    assert_eq!(places(&used), before);
    assert_eq!(used, value);
}

#[test]
fn nans_keep_their_bits() {
    let value =
        All { f: f32::from_bits(0x7fa0_1234), g: f64::from_bits(0xfff4_0000_0000_1234), ..All::default() };
    let back = All::decode(&value.encode().unwrap()).unwrap();
    assert_eq!((back.f.to_bits(), back.g.to_bits()), (0x7fa0_1234, 0xfff4_0000_0000_1234));
}
