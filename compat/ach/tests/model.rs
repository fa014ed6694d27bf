//! Random sequences of calls, next to a small model of what Ach documents: one number per handle, and the newest messages.

mod support;

use ach::*;
use proptest::prelude::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use support::*;

const READERS: usize = 3;
/// Nominal size of a message.
const SIZE: usize = 16;

#[derive(Clone, Debug)]
enum Op {
    /// Put by this writer, of this length.
    Put(usize, usize),
    /// Puts that fail.
    PutNothing(usize),
    PutTooLong(usize),
    /// Get by this reader, with these options, into a buffer of this size.
    Get(usize, i32, usize),
    /// Without a buffer, of this size.
    GetNowhere(usize, i32, usize),
    /// Without a place for the length.
    GetWithoutLength(usize),
    Flush(usize),
    Cancel(usize),
    Continue(usize),
    Reopen(usize),
}

fn ops(count: usize, writers: usize) -> impl Strategy<Value = Vec<Op>> {
    let options = || proptest::sample::select(vec![0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 0x100, 0x402]);
    let reader = || 0..READERS;
    let one = prop_oneof![
        8 => (0..writers, 1..=SIZE * 4).prop_map(|(w, len)| Op::Put(w, len)),
        1 => (0..writers).prop_map(Op::PutNothing),
        1 => (0..writers).prop_map(Op::PutTooLong),
        12 => (reader(), options()).prop_map(|(r, o)| Op::Get(r, o, 4 * SIZE)),
        3 => (reader(), options(), 0..4 * SIZE).prop_map(|(r, o, size)| Op::Get(r, o, size)),
        1 => (reader(), options(), 0..4 * SIZE).prop_map(|(r, o, size)| Op::GetNowhere(r, o, size)),
        1 => reader().prop_map(Op::GetWithoutLength),
        1 => reader().prop_map(Op::Flush),
        1 => reader().prop_map(Op::Cancel),
        2 => reader().prop_map(Op::Continue),
        1 => reader().prop_map(Op::Reopen),
    ];
    proptest::collection::vec(one, count)
}

/// What Ach documents.
struct Model {
    /// All messages ever put.
    all: Vec<Vec<u8>>,
    /// How many of the newest are kept.
    kept: usize,
    /// Of each reader, the number of the last message, and whether it is canceled.
    readers: [(usize, bool); READERS],
}

impl Model {
    /// Status, length and bytes of a get.
    fn get(&mut self, r: usize, options: i32, size: Option<usize>) -> (AchStatus, Option<usize>, Vec<u8>) {
        let (seen, canceled) = self.readers[r];
        let last = self.all.len();
        if canceled {
            return (ACH_CANCELED, None, vec![]);
        }
        if seen == last && options & ACH_O_WAIT != 0 {
            return (ACH_TIMEOUT, None, vec![]);
        }
        if last == 0 || seen == last && options & ACH_O_COPY == 0 {
            return (ACH_STALE_FRAMES, None, vec![]);
        }
        let oldest = last.saturating_sub(self.kept) + 1;
        let picked = match options & ACH_O_LAST != 0 || seen == last {
            true => last,
            false => oldest.max(seen + 1),
        };
        let bytes = &self.all[picked - 1];
        if size.is_none_or(|size| size < bytes.len()) {
            return (ACH_OVERFLOW, Some(bytes.len()), vec![]);
        }
        self.readers[r].0 = picked;
        let status = if picked > seen + 1 { ACH_MISSED_FRAME } else { ACH_OK };
        (status, Some(bytes.len()), bytes.clone())
    }
}

/// What the library does.
fn real_get(
    chan: &mut Channel,
    options: i32,
    size: usize,
    nowhere: bool,
) -> (AchStatus, Option<usize>, Vec<u8>) {
    let (mut buf, mut len) = (vec![0xEE; size], usize::MAX);
    // A point in time that has passed, in either way.
    let past = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let to = if nowhere { null_mut() } else { buf.as_mut_ptr().cast() };
    // SAFETY: an open handle, a buffer of this size or NULL, and places that live across the call.
    let status = unsafe { ach_get(chan.at(), to, size, &mut len, &past, options) };
    let got = [ACH_OK, ACH_MISSED_FRAME].contains(&status);
    if !got {
        assert!(buf.iter().all(|b| *b == 0xEE), "a get that fails leaves the buffer");
    }
    buf.truncate(if got { len } else { 0 });
    (status, (len != usize::MAX).then_some(len), buf)
}

fn check(ops: Vec<Op>, kept: usize, writers: usize) {
    TestDomain::of_this_process();
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("model-{}", NEXT.fetch_add(1, Ordering::Relaxed)); // Relaxed: only each number once
    assert_eq!(create(&name, kept, SIZE), ACH_OK);
    let mut model = Model { all: vec![], kept, readers: [(0, false); READERS] };
    let mut writers: Vec<Channel> = (0..writers).map(|_| Channel::open(&name)).collect();
    let mut readers: Vec<Channel> = (0..READERS).map(|_| Channel::open(&name)).collect();
    for (step, op) in ops.into_iter().enumerate() {
        let is = |what: &str| format!("step {step}, {op:?}: {what}");
        match op {
            Op::Put(w, len) => {
                let len = len.min(kept * SIZE);
                let bytes = vec![model.all.len() as u8; len];
                assert_eq!(writers[w].put(&bytes), ACH_OK, "{}", is("put"));
                model.all.push(bytes);
            }
            // SAFETY: an open handle; NULL and no bytes are refused.
            Op::PutNothing(w) => unsafe {
                assert_eq!(ach_put(writers[w].at(), null(), 1), ACH_EINVAL);
                assert_eq!(ach_put(writers[w].at(), [0u8; 1].as_ptr().cast(), 0), ACH_EINVAL);
            },
            Op::PutTooLong(w) => assert_eq!(writers[w].put(&vec![0; kept * SIZE + 1]), ACH_OVERFLOW),
            Op::Get(r, options, size) => {
                let expected = model.get(r, options, Some(size));
                assert_eq!(real_get(&mut readers[r], options, size, false), expected, "{}", is("get"));
            }
            Op::GetNowhere(r, options, size) => {
                let (mut status, len, bytes) = model.get(r, options, None);
                if status == ACH_OVERFLOW && len.is_some_and(|len| size >= len) {
                    status = ACH_EINVAL;
                }
                assert_eq!(
                    real_get(&mut readers[r], options, size, true),
                    (status, len, bytes),
                    "{}",
                    is("get")
                );
            }
            Op::GetWithoutLength(r) => {
                let (status, ..) = model.get(r, 0, None);
                let status = if status == ACH_OVERFLOW { ACH_EINVAL } else { status };
                let mut buf = [0u8; 4 * SIZE];
                // SAFETY: an open handle, a buffer, and NULLs.
                let found = unsafe {
                    ach_get(readers[r].at(), buf.as_mut_ptr().cast(), buf.len(), null_mut(), null(), 0)
                };
                assert_eq!(found, status, "{}", is("get"));
            }
            Op::Flush(r) => {
                let canceled = model.readers[r].1;
                assert_eq!(readers[r].flush(), if canceled { ACH_CANCELED } else { ACH_OK });
                if !canceled {
                    model.readers[r].0 = model.all.len();
                }
            }
            Op::Cancel(r) => {
                // SAFETY: an open handle, and no attributes.
                assert_eq!(unsafe { ach_cancel(readers[r].at(), null()) }, ACH_OK);
                model.readers[r].1 = true;
            }
            Op::Continue(r) => {
                // SAFETY: programs write the field like this.
                unsafe { (*readers[r].at()).fields.cancel = 0 };
                model.readers[r].1 = false;
            }
            Op::Reopen(r) => {
                readers[r] = Channel::open(&name);
                model.readers[r] = (0, false);
            }
        }
        for (reader, (seen, _)) in readers.iter().zip(model.readers) {
            assert_eq!(reader.seq_num(), seen as u64, "step {step}: position");
        }
    }
    drop((readers, writers));
    assert_eq!(unlink(&name), ACH_OK);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// One writer, lapping its readers.
    #[test]
    fn any_sequence_of_calls_does_what_ach_documents(ops in ops(120, 1), kept in 1usize..6) {
        check(ops, kept, 1);
    }

    /// Several writers, in one order, as long as nobody is lapped: Ach keeps the newest messages of all together, this library those of each.
    #[test]
    fn any_sequence_of_several_writers_keeps_one_order(ops in ops(60, 4)) {
        check(ops, 64, 4);
    }
}
