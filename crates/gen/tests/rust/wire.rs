//! The encoding of the types of `constructs.lcm`.

use generated::types::*;
use saltus_wire::{Body, EncodeError, Message};

/// Encodes, compares the length, decodes, and returns the bytes.
fn round_trip<T: Message + PartialEq + std::fmt::Debug>(value: &T) -> Vec<u8> {
    let bytes = value.encode().unwrap();
    assert_eq!(bytes.len(), value.encoded_size());
    assert_eq!(&bytes[..8], T::FINGERPRINT.to_be_bytes());
    assert_eq!(&T::decode(&bytes).unwrap(), value);
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn color(n: i32) -> old::Color {
    old::Color(n)
}

#[test]
fn fingerprints_are_those_of_lcm() {
    let known = [
        (Empty::FINGERPRINT, 0x000000002468acf0u64),
        (One::FINGERPRINT, 0x0cd325b9ca9eede0),
        (Varb::FINGERPRINT, 0x515c535b72372c35),
        (Fixed::FINGERPRINT, 0xb33b93e0584eeef3),
        (Fixedhex::FINGERPRINT, 0x6c1fa7ad1289c9e8),
        (Constdim::FINGERPRINT, 0x7e44b1caaab3f5f0),
        (TwoD::FINGERPRINT, 0x1ba6cf727717f286),
        (Strs::FINGERPRINT, 0xc5971b9e5e63a0d2),
        (Inner::FINGERPRINT, 0x19cab4208540cbc0),
        (Outer::FINGERPRINT, 0x33b9d0edfa848780),
        (List::FINGERPRINT, 0x27576da074bdc439),
        (Twice::FINGERPRINT, 0xe03c99a92a7ec450),
        (Simple::FINGERPRINT, 0xa07fa3d64cbea6ea),
        (Scan::FINGERPRINT, 0x1582d12d14ac5230),
        (Node::FINGERPRINT, 0x31fe946c75d6e4e7),
        (Tree::FINGERPRINT, 0xfb304ca10d7a9bf0),
        (dump::All::FINGERPRINT, 0xa674f90e5b68fdfa),
    ];
    for (i, (ours, lcms)) in known.into_iter().enumerate() {
        assert_eq!(ours, lcms, "number {i}");
    }
    assert_eq!((dump::All::NAME, One::NAME), ("dump.all_t", "one_t"));
    assert!(dump::All::SCHEMA.contains("package dump;") && dump::All::SCHEMA.contains("inner_t inn[2];"));
}

#[test]
fn the_bytes_are_those_of_lcm() {
    let inner = |s, name: &str| dump::Inner { s, name: name.into() };
    let mut all = dump::All {
        a: -2,
        b: -300,
        c: -70000,
        d: 0x0102030405060708,
        e: 254,
        f: 1.5,
        g: -2.25,
        h: "hé".into(),
        i: true,
        n: 0,
        arr: vec![1, 2, 3],
        inn: [inner(7, "x"), inner(8, "")],
        m: 0,
        md: [vec![10, 11], vec![20, 21]],
        blob: [1, 2, 255],
        strs: vec!["a".into(), "bc".into()],
        bs: vec![true, false],
    };
    all.set_sizes();
    assert_eq!((all.n, all.m), (3, 2));
    let dump = "a674f90e5b68fdfa fe fed4 fffeee90 0102030405060708 fe 3fc00000 c002000000000000 00000004 68c3a900 01 \
                00000003 0001 0002 0003  0007 00000002 7800  0008 00000001 00  02 \
                0000000a 0000000b 00000014 00000015  0102ff  00000002 6100  00000003 626300  01 00";
    let bytes = round_trip(&all);
    assert_eq!(bytes.len(), 105);
    assert_eq!(hex(&bytes), dump.replace(' ', ""));
    assert_eq!(round_trip(&Empty {}).len(), 8);
}

#[test]
fn arrays_of_arrays_round_trip() {
    let word = |w: &str| jagged::Item { n: 1, words: vec![w.into()] };
    let mut value = jagged::Jagged {
        img: vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]],
        cube: vec![[vec![1.0, 2.0], vec![3.0, 4.0]]; 3],
        md: [vec![1, 2], vec![3, 4]],
        flags: vec![[true, false, true]; 3],
        deep: vec![vec![vec![1, 2, 3]; 2]],
        s: vec![["a".into(), "b".into()], Default::default(), Default::default()],
        table: vec![vec!["x".into(), "y".into()]; 3],
        wide: vec![std::array::from_fn(|i| i.to_string()); 3],
        rows: vec![[1.5; 40]; 3],
        items: vec![word("one"), word("two")],
        grid: [vec![word("three")], vec![word("four")]],
        pairs: vec![[word("five"), word("six")]],
        numbers: vec![i64::MIN, -1, i64::MAX],
        six: vec![vec![vec![[vec![vec![1, 2, 3]; 2]]; 1]; 2]; 3],
        nothing: vec![vec![0.5; 2]; 3],
        fixed: [[[1.0, 2.0, 3.0, 4.0]; 3]; 2],
        bits: [[true, false], [false, true]],
        ..Default::default()
    };
    value.set_sizes();
    assert_eq!((value.n, value.m, value.k, value.big), (3, 2, 1, 3));
    let bytes = round_trip(&value);
    // Into a message with other sizes.
    let mut used = jagged::Jagged { table: vec![vec!["old".into(); 9]; 1], ..Default::default() };
    used.wide = vec![std::array::from_fn(|_| "old".into()); 7];
    assert_eq!(used.decode_from(&bytes), Ok(bytes.len()));
    assert_eq!(used, value);
    round_trip(&jagged::Jagged::default());
    assert_eq!(jagged::Jagged::FOUR, 4);
}

#[test]
fn elements_of_no_size_round_trip() {
    let mut value = jagged::Voids { some: vec![jagged::Void {}; 5], ..Default::default() };
    value.rows = vec![vec![jagged::Void {}; 5]; 5];
    value.set_sizes();
    assert_eq!(round_trip(&value).len(), 10);
}

#[test]
fn large_arrays_round_trip() {
    let mut value = large::Large { ranges: [0.5; 180], matrix: [[1.0, 2.0]; 40], ..Default::default() };
    value.names[39] = "last".into();
    value.items[1][39].words = vec!["word".into()];
    value.lists = std::array::from_fn(|i| vec![i as i8; 4]);
    value.rows = [vec![1; 4], vec![2; 4], vec![3; 4]];
    value.letters = [b'x'; 33];
    value.set_sizes();
    assert_eq!((value.n, value.items[1][39].n), (4, 1));
    round_trip(&value);
    assert_eq!(large::Tiny::default().x, [0; 33]);
}

#[test]
fn old_enums_are_numbers_known_or_not() {
    let value = old::Paint {
        c: old::Color::RED,
        many: [old::Color::GREEN, old::Color::blue, color(-7)],
        grid: [[color(1), color(2)], [color(3), color(4)]],
        n: 1,
        more: vec![color(i32::MAX)],
        rows: vec![[color(8), color(9)]],
    };
    let bytes = round_trip(&value);
    assert_eq!(hex(&bytes[8..24]), "000000010000000500000006fffffff9");
    assert_eq!((i32::from(old::Color::blue), old::Color::from(5)), (6, old::Color::GREEN));
}

#[test]
fn names_that_rust_does_not_take_are_changed() {
    use fn_::type_::*;
    let value = Match { type_: 1, self_: 1, move_: vec![0.5], x_y_: 2, x_y: 3, ..Default::default() };
    round_trip(&value);
    assert_eq!((Match::loop_, Match::HEX, Match::OCTAL), (3, 0x7f, 8));
    assert_eq!((Match::MOST, Match::LEAST), (i64::MAX, i64::MIN));
    assert_eq!((Match::pi, Match::E, Match::set_sizes_), (3.14159, 2.71828, 1e-30));
    round_trip(&ResultT { v: Vec_ { n: 1, s: vec![StringT { s: "x".into() }] }, ..Default::default() });
    round_trip(&FooPlain { y: FooT { x: Foo { x: 1 } } });
    round_trip(&ImuData { x: 1 });
    round_trip(&Self_ { x: 1 });
    round_trip(&Far::default());
}

#[test]
fn sizes_that_do_not_agree_are_errors() {
    let two = TwoD { n: 3, p: vec![[1.0, 2.0]] };
    let error = EncodeError::Size { field: "two_d_t.p", size_field: "n", says: 3, has: 1 };
    assert_eq!(two.encode(), Err(error));
    // A row of another length, in the middle.
    let value = dump::All { m: 1, md: [vec![1], vec![]], ..Default::default() };
    assert!(matches!(value.encode(), Err(EncodeError::Size { field: "all_t.md", size_field: "m", .. })));
    // More than the size field can hold.
    let mut many = Varb { a: vec![0; 300], ..Default::default() };
    many.set_sizes();
    assert_eq!(many.n, 127);
    let error = EncodeError::TooManyElements { field: "varb_t.a", size_field: "n", ty: "int8_t", has: 300 };
    assert_eq!(many.encode(), Err(error));
}

#[test]
fn least_sizes_are_those_of_the_defaults() {
    fn check<T: Message>() {
        assert_eq!(T::MIN_SIZE, T::default().body_size(), "{}", T::NAME);
    }
    check::<dump::All>();
    check::<old::Paint>();
    check::<large::Large>();
    check::<jagged::Jagged>();
    check::<jagged::Voids>();
    check::<Tree>();
    check::<Far>();
    check::<plain::Body>();
    check::<names::Medium>();
}
