//! RC11: the memory model of C11 and Rust as repaired by Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing Sequential Consistency in
//! C/C++11" (PLDI 2017), section 3. The release sequence is C++20's, which is shorter: it contains read-modify-writes, but not later plain
//! stores of the same thread.

use crate::execution::{Event, Execution, Kind};
use crate::program::{Order, Orders};
use crate::relation::Relation;

pub fn allows(x: &Execution, orders: &Orders) -> bool {
    let n = x.events.len();
    let firsts = x.set(|e| e.thread.is_none());
    let of = |is: &dyn Fn(&Event, Order) -> bool| x.set(|e| is(e, x.order(orders, e)));
    let fences = of(&|e, order| e.kind == Kind::Fence && order != Order::None);
    let (reads, writes) = (x.reads(), x.writes());

    // sb: first values are before everything.
    let mut sb = x.po;
    for first in crate::relation::members(firsts) {
        sb.add_all(first, !firsts & all(n));
    }
    // NO-THIN-AIR: acyclic(sb ∪ rf)
    if !sb.or(&x.rf).is_acyclic() {
        return false;
    }
    // rs = [W]; (rf; rmw)*
    let rs = x.rf.then(&x.rmw).closure().or(&Relation::identity(n, all(n))).between(writes, writes);
    // sw = [E⊒rel]; ([F]; sb)?; rs; rf; (sb; [F])?; [E⊒acq]
    let releases = of(&|e, order| order.releases() && e.kind != Kind::Read);
    let acquires = of(&|e, order| order.acquires() && e.kind != Kind::Write);
    let from_fence = sb.between(fences, all(n)).or(&Relation::identity(n, writes));
    let to_fence = sb.between(all(n), fences).or(&Relation::identity(n, reads));
    let sw = from_fence.then(&rs).then(&x.rf).then(&to_fence).between(releases, acquires);
    let hb = sb.or(&sw).closure();
    // COHERENCE: irreflexive(hb; eco?)
    let eco = x.rf.or(&x.mo).or(&x.rb).closure();
    if !hb.is_irreflexive() || !hb.then(&eco).is_irreflexive() {
        return false;
    }
    // SC: acyclic(psc). ATOMICITY holds for all candidates.
    let sc = of(&|_, order| order == Order::SeqCst);
    if sc == 0 {
        return true;
    }
    let sb_other = sb.without(&x.same);
    let scb = sb.or(&sb_other.then(&hb).then(&sb_other)).or(&hb.and(&x.same)).or(&x.mo).or(&x.rb);
    let sc_events = Relation::identity(n, sc & !fences);
    let sc_fences = Relation::identity(n, sc & fences);
    let maybe_hb = hb.maybe();
    let before = sc_events.or(&sc_fences).or(&sc_fences.then(&maybe_hb));
    let after = sc_events.or(&sc_fences).or(&maybe_hb.then(&sc_fences));
    let base = before.then(&scb).then(&after);
    let of_fences = hb.or(&hb.then(&eco).then(&hb)).between(sc & fences, sc & fences);
    base.or(&of_fences).is_acyclic()
}

fn all(n: usize) -> u64 {
    if n == 64 { u64::MAX } else { (1 << n) - 1 }
}
