//! ARMv8: the multicopy-atomic axioms of Pulte, Flur, Deacon, French, Sarkar and Sewell, "Simplifying ARM Concurrency" (POPL 2018),
//! figure 4, of the program that LLVM compiles: relaxed to LDR and STR; acquire loads to LDAPR (the weaker of its two choices, LDAR being
//! the other; a load with an acquire fence behind it, as shared memory is loaded, is stronger as well); release stores to STLR;
//! SeqCst to LDAR and STLR; acquire fences to DMB ISHLD, all others to DMB ISH; read-modify-writes to one instruction, or to a loop of
//! exclusives, with the same letters. The stronger guarantees of single instructions that acquire and release are not used.
//!
//! The compiler must not reorder or remove anything for this to describe the real program: [`super::c11`] covers what it may do.

use crate::execution::{Execution, Kind};
use crate::program::{Order, Orders};
use crate::relation::Relation;

pub fn allows(x: &Execution, orders: &Orders) -> bool {
    let (reads, writes) = (x.reads(), x.writes());
    let order = |e: &_| x.order(orders, e);
    let full = x
        .set(|e| e.kind == Kind::Fence && matches!(order(e), Order::Release | Order::AcqRel | Order::SeqCst));
    let load = x.set(|e| e.kind == Kind::Fence && order(e) == Order::Acquire);
    let isb = x.set(|e| e.kind == Kind::Isb);
    // LDAR; LDAPR; STLR. The load of a read-modify-write has the letter A (LDAXR, LDADDA), never Q.
    let a =
        x.set(|e| e.kind == Kind::Read && (order(e) == Order::SeqCst || e.exclusive && order(e).acquires()));
    let q = x.set(|e| e.kind == Kind::Read && order(e).acquires()) & !a;
    let l = x.set(|e| e.kind == Kind::Write && order(e).releases());
    let all = u64::MAX;

    // obs = rfe | fre | coe
    let obs = x.rf.or(&x.rb).or(&x.mo).without(&x.internal);
    let rfi = x.rf.and(&x.internal);
    let coi = x.mo.and(&x.internal);
    // dob = addr | data | ctrl; [W] | (ctrl | addr; po); [ISB]; po; [R] | addr; po; [W] | (ctrl | data); coi | (addr | data); rfi
    let through_address = x.address.then(&x.po);
    let dob = x
        .address
        .or(&x.data)
        .or(&x.control.between(reads, writes))
        .or(&x.control.or(&through_address).between(reads, isb).then(&x.po).between(all, reads))
        .or(&through_address.between(reads, writes))
        .or(&x.control.or(&x.data).then(&coi))
        .or(&x.address.or(&x.data).then(&rfi));
    // aob = rmw | [range(rmw)]; rfi; [A | Q]
    let stored = x.set(|e| e.kind == Kind::Write && e.exclusive);
    let aob = x.rmw.or(&rfi.between(stored, a | q));
    // bob = po; [dmb.full]; po | [L]; po; [A] | [R]; po; [dmb.ld]; po | [A | Q]; po | po; [L] | po; [L]; coi
    let to_release = x.po.between(all, l);
    let bob = through(&x.po, full)
        .or(&x.po.between(l, a))
        .or(&through(&x.po, load).between(reads, all))
        .or(&x.po.between(a | q, all))
        .or(&to_release)
        .or(&to_release.then(&coi));
    // external: irreflexive((obs | dob | aob | bob)+). Internal visibility and atomicity hold for all candidates.
    obs.or(&dob).or(&aob).or(&bob).is_acyclic()
}

/// `po; [set]; po`
fn through(po: &Relation, set: u64) -> Relation {
    po.between(u64::MAX, set).then(po)
}
