//! x86-TSO: Owens, Sarkar and Sewell, "A Better x86 Memory Model: x86-TSO" (TPHOLs 2009), in the axiomatic form of Alglave, Maranget and
//! Tautschnig, "Herding Cats" (TOPLAS 2014), of the program that LLVM compiles: SeqCst stores to XCHG, SeqCst fences to MFENCE, other fences to
//! nothing, read-modify-writes to locked instructions. Streaming stores are not modeled.

use crate::execution::{Execution, Kind};
use crate::program::{Order, Orders};

pub fn allows(x: &Execution, orders: &Orders) -> bool {
    let order = |e: &_| x.order(orders, e);
    let (reads, writes) = (x.reads(), x.writes());
    // What drains the store buffer: MFENCE, and everything locked.
    let drains = x.set(|e| match e.kind {
        Kind::Fence => order(e) == Order::SeqCst,
        Kind::Write => e.exclusive || order(e) == Order::SeqCst,
        Kind::Read => e.exclusive,
        Kind::Isb => false,
    });
    let delayed = x.po.between(writes, reads);
    let kept = x.po.between(reads | writes, reads | writes).without(&delayed);
    let drained = x.po.between(u64::MAX, drains).or(&x.po.between(drains, u64::MAX));
    let rfe = x.rf.without(&x.internal);
    kept.or(&drained).or(&rfe).or(&x.mo).or(&x.rb).is_acyclic()
}
