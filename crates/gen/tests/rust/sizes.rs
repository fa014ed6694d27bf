//! The sizes that a decoder accepts: the rule of `docs/wire.md`, to the last element.

use generated::types::{jagged, sizes::*};
use saltus_wire::{Body, DecodeError, FREE_ELEMENTS, Message};

/// A message of these fields.
fn message<T: Message>(body: &[&[u8]]) -> Vec<u8> {
    [&T::FINGERPRINT.to_be_bytes(), body.concat().as_slice()].concat()
}

fn decode<T: Message>(body: &[&[u8]]) -> Result<T, DecodeError> {
    T::decode(&message::<T>(body))
}

fn is_too_many<T: Message>(body: &[&[u8]]) -> bool {
    matches!(decode::<T>(body), Err(DecodeError::TooMany { .. }))
}

#[test]
fn the_minimum_size_of_a_type_is_not_charged() {
    assert_eq!((Jag::FREE, Rows::FREE, Voids::FREE, Jags::FREE), (10_000, 2000, 2000, 0));
    assert_eq!((MoreVoids::FREE, Zeroes::FREE, Zero::FREE), (2, 7, 0));
    assert!(decode::<Rows>(&[&[0; 4]]).is_ok());
    assert!(decode::<Voids>(&[]).is_ok());
    assert!(decode::<Jag>(&[&[0]]).is_ok());
    assert!(decode::<Jag>(&[&[1], &[7; 40_000]]).is_ok());
    assert!(matches!(decode::<Jag>(&[&[1], &[7; 39_999]]), Err(DecodeError::Truncated { .. })));
    assert!(decode::<Zero>(&[]).is_ok());
}

#[test]
fn in_an_array_of_variable_size_it_is_counted() {
    // One message has 10,000 rows of zero size, which are allowed; two have twice as many.
    let behind = vec![0; 10_000 - 8 - 5 - FREE_ELEMENTS];
    assert!(decode::<Jags>(&[&1i32.to_be_bytes(), &[0], &behind]).is_ok());
    assert!(is_too_many::<Jags>(&[&1i32.to_be_bytes(), &[0], &behind[1..]]));
    assert!(is_too_many::<Jags>(&[&2i32.to_be_bytes(), &[0], &[0], &behind]));
    // Rows that take bytes are not counted, although few bytes are left.
    assert!(decode::<Jags>(&[&1i32.to_be_bytes(), &[1], &[7; 40_000]]).is_ok());
}

#[test]
fn every_level_of_an_array_is_counted() {
    // `k` times 2000 for `a`; then `k`, `2k` and `2kk` for `more`; then 2, `2k` and `2k` times 2000 for `few`.
    let count = |k: usize| 2001 * k + k + 2 * k + 2 * k * k + 2 + 2 * k + 2 * k * 2000;
    let len = count(1) - FREE_ELEMENTS - MoreVoids::FREE;
    let bytes = |k: i16, len: usize| [&k.to_be_bytes()[..], &vec![0; len - 10]].concat();
    assert!(decode::<MoreVoids>(&[&bytes(1, len)]).is_ok());
    assert!(is_too_many::<MoreVoids>(&[&bytes(1, len - 1)]));
    assert!(is_too_many::<MoreVoids>(&[&bytes(2, len)]));
    let len = count(3) - FREE_ELEMENTS - MoreVoids::FREE;
    assert!(decode::<MoreVoids>(&[&bytes(3, len)]).is_ok());
    assert!(is_too_many::<MoreVoids>(&[&bytes(3, len - 1)]));
}

#[test]
fn no_size_may_be_negative_and_any_may_be_large_behind_0() {
    let apart = |a: i64, b: i64| decode::<Apart>(&[&a.to_be_bytes(), &b.to_be_bytes()]);
    for (a, b) in [(0, -1), (-1, 0), (5, -1), (0, i64::MIN), (i64::MIN, i64::MAX)] {
        let size = if a < 0 { a } else { b };
        assert_eq!(apart(a, b), Err(DecodeError::NegativeSize { at: 24, size }));
    }
    assert_eq!(apart(0, i64::MAX).map(|x| (x.d.len(), x.s.len(), x.v.len())), Ok((0, 0, 0)));
    // Three arrays of empty rows.
    let most = (24 + FREE_ELEMENTS as i64) / 3;
    assert_eq!(apart(most, 0).map(|x| x.v.len()), Ok(most as usize));
    assert!(matches!(apart(most + 1, 0), Err(DecodeError::TooMany { .. })));
    assert!(matches!(apart(i64::MAX, i64::MAX), Err(DecodeError::Truncated { .. })));
}

#[test]
fn dimensions_of_0_are_counted_down_to_the_first() {
    // `d`, `h` and `i` count `n` each, `f` 4 times; `g` 7.
    let n = |n: i16| decode::<Zeroes>(&[&n.to_be_bytes()]);
    let most = (10 + FREE_ELEMENTS as i16) / 7;
    let value = n(most).unwrap();
    assert_eq!((value.d.len(), value.f.len(), value.h.len()), (most as usize, most as usize, most as usize));
    assert_eq!(Zeroes::decode(&value.encode().unwrap()), Ok(value));
    assert!(matches!(n(most + 1), Err(DecodeError::TooMany { .. })));
    assert!(matches!(n(-1), Err(DecodeError::NegativeSize { size: -1, .. })));
}

/// Rows are counted once: a message at the limit stays there when it is reused.
#[test]
fn elements_that_take_nothing_are_counted_once() {
    let mut value = jagged::Voids { n: 30, ..Default::default() };
    value.some = vec![jagged::Void {}; 30];
    value.rows = vec![vec![jagged::Void {}; 30]; 30];
    let bytes = value.encode().unwrap();
    assert_eq!((bytes.len(), 10 + FREE_ELEMENTS >= 30 + 30 + 900), (10, true));
    let mut used = jagged::Voids::decode(&bytes).unwrap();
    assert_eq!(used.decode_from(&bytes), Ok(10));
    assert_eq!(used, value);
}
