//! Bytes that no encoder produces: no panic, and no more memory than a small multiple of the bytes.

use generated::types::*;
use saltus_wire::{DecodeError, EncodeError, Message};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the present and maximum memory of each thread.
struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    let now = NOW.get() + change;
    NOW.set(now);
    MOST.set(MOST.get().max(now));
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most bytes allocated at once while `work` runs.
fn most(work: impl FnOnce()) -> usize {
    let before = NOW.get();
    MOST.set(before);
    work();
    (MOST.get() - before) as usize
}

/// Decodes `value` after every truncation and every flipped bit.
fn attack<T: Message + PartialEq + std::fmt::Debug>(value: &T) {
    let mut bytes = value.encode().unwrap();
    let len = bytes.len();
    for cut in 0..len {
        assert!(T::decode(&bytes[..cut]).is_err(), "{} cut at {cut}", T::NAME);
    }
    let mut reused = T::default();
    for at in 8..len {
        for flip in [0x01, 0x80, 0xff, 0x7f] {
            bytes[at] ^= flip;
            // Structs and vectors take more in memory than on the wire, by a factor fixed by the types.
            let memory = most(|| drop(T::decode(&bytes)));
            assert!(memory <= 64 * (len + 1024), "{}: {memory} bytes for {len}", T::NAME);
            if reused.decode_from(&bytes).is_ok() {
                match reused.encode() {
                    Ok(again) => assert_eq!(T::decode(&again).as_ref().map(|_| ()), Ok(())),
                    Err(EncodeError::Nul) => {}
                    Err(e) => panic!("{}: {e}", T::NAME),
                }
            }
            bytes[at] ^= flip;
        }
    }
    assert_eq!(reused.decode_from(&bytes), Ok(len));
    assert_eq!(&reused, value);
}

#[test]
fn nothing_that_is_cut_or_flipped_does_harm() {
    let mut all = dump::All { arr: vec![1, 2, 3], strs: vec!["ab".into(); 2], ..Default::default() };
    all.md = [vec![1, 2], vec![3, 4]];
    all.bs = vec![true; 2];
    all.set_sizes();
    attack(&all);

    let mut jagged = jagged::Jagged { img: vec![vec![1.0; 2]; 2], numbers: vec![1], ..Default::default() };
    jagged.cube = vec![[vec![1.0; 2], vec![1.0; 2]]; 2];
    jagged.md = [vec![1; 2], vec![1; 2]];
    jagged.flags = vec![[true; 3]; 2];
    jagged.s = vec![["a".into(), "b".into()]; 2];
    jagged.table = vec![vec!["x".into(); 2]; 2];
    jagged.wide = vec![std::array::from_fn(|_| "w".into()); 2];
    jagged.rows = vec![[1.0; 40]; 2];
    jagged.items = vec![jagged::Item { n: 1, words: vec!["one".into()] }; 2];
    jagged.nothing = vec![vec![1.0; 2]; 2];
    jagged.six = vec![vec![vec![]; 2]; 2];
    jagged.set_sizes();
    attack(&jagged);

    let mut voids = jagged::Voids { some: vec![jagged::Void {}; 2], ..Default::default() };
    voids.rows = vec![vec![jagged::Void {}; 2]; 2];
    voids.set_sizes();
    attack(&voids);

    let leaf = || Node::default();
    let branch = |children: Vec<Node>| Node { num_children: children.len() as i32, children };
    attack(&branch(vec![branch(vec![leaf(), leaf()]), leaf(), branch(vec![branch(vec![leaf()])])]));
    attack(&old::Paint {
        n: 2,
        more: vec![old::Color::RED; 2],
        rows: vec![Default::default(); 2],
        ..Default::default()
    });
    attack(&plain::Body::default());
    attack(&Far::default());
}

/// A megabyte with large size fields in every struct of a long chain.
#[test]
fn promises_in_promises_get_no_memory() {
    let len = 1 << 20;
    let mut bytes = vec![0; len];
    bytes[..8].copy_from_slice(&Node::FINGERPRINT.to_be_bytes());
    for level in 0..120 {
        let left = (len - 8 - 4 * (level + 1)) / 4;
        bytes[8 + 4 * level..][..4].copy_from_slice(&(left as i32).to_be_bytes());
    }
    let memory = most(|| assert!(Node::decode(&bytes).is_err()));
    assert!(memory <= 32 * len, "{memory} bytes for {len}");
}

/// A thousand bytes, each of which is a struct with 10,000 empty rows.
#[test]
fn rows_of_nothing_get_no_memory() {
    let mut bytes = sizes::Jags::FINGERPRINT.to_be_bytes().to_vec();
    bytes.extend(1000i32.to_be_bytes());
    bytes.extend([0; 1000]);
    let memory = most(|| assert!(matches!(sizes::Jags::decode(&bytes), Err(DecodeError::TooMany { .. }))));
    assert!(memory <= 64 * bytes.len(), "{memory} bytes for {}", bytes.len());
}

#[test]
fn chains_have_an_end() {
    let mut bytes = Node::FINGERPRINT.to_be_bytes().to_vec();
    for _ in 0..100_000 {
        bytes.extend(1i32.to_be_bytes());
    }
    assert!(matches!(Node::decode(&bytes), Err(DecodeError::TooDeep { .. })));
}

#[test]
fn elements_of_no_size_are_counted() {
    let mut bytes = jagged::Voids::FINGERPRINT.to_be_bytes().to_vec();
    bytes.extend(i16::MAX.to_be_bytes());
    assert!(matches!(jagged::Voids::decode(&bytes), Err(DecodeError::TooMany { .. })));
    bytes[8..].copy_from_slice(&(-1i16).to_be_bytes());
    assert!(matches!(jagged::Voids::decode(&bytes), Err(DecodeError::NegativeSize { size: -1, .. })));
}
