//! Enumerates the candidate executions of a program: all paths of its threads, and for them all choices of the store that each load reads
//! from and of the order of the stores to each location.
//!
//! All models agree on coherence for each location and on the atomicity of read-modify-writes, so the candidates satisfy both already. The
//! rest of each model's axioms decides about the candidate as a whole.

use crate::program::*;
use crate::relation::{MOST, Relation, Set, members};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A load, or the load of a read-modify-write.
    Read,
    /// A store, or that of a read-modify-write.
    Write,
    /// A fence.
    Fence,
    /// An instruction barrier.
    Isb,
}

/// An event of an execution.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// `None` for a first value.
    pub thread: Option<usize>,
    /// The step in the thread.
    pub step: usize,
    /// What it does.
    pub kind: Kind,
    /// As an index; of no meaning for fences.
    pub location: usize,
    /// The value read or written.
    pub value: i64,
    /// Whether it belongs to a read-modify-write that wrote.
    pub exclusive: bool,
    /// Whether it is the load of a comparison that failed, which is relaxed.
    pub failed: bool,
}

/// A candidate execution.
#[derive(Debug)]
pub struct Execution {
    /// First values, then the events of each thread in its order.
    pub events: Vec<Event>,
    /// In the order of the thread; first values are not in it.
    pub po: Relation,
    /// From a store to its readers.
    pub rf: Relation,
    /// The order of the stores to each location, transitive.
    pub mo: Relation,
    /// From a load to the stores after the one it read.
    pub rb: Relation,
    /// From the load to the store of a read-modify-write.
    pub rmw: Relation,
    /// Address dependencies.
    pub address: Relation,
    /// Dependencies of stored values.
    pub data: Relation,
    /// Dependencies of events that a condition decided about.
    pub control: Relation,
    /// Pairs of events of the same thread.
    pub internal: Relation,
    /// Pairs of events of the same location.
    pub same: Relation,
}

impl Execution {
    /// The events for which `is` holds.
    pub fn set(&self, is: impl Fn(&Event) -> bool) -> Set {
        self.events.iter().enumerate().fold(0, |set, (i, event)| if is(event) { set | 1 << i } else { set })
    }
    /// All loads.
    pub fn reads(&self) -> Set {
        self.set(|event| event.kind == Kind::Read)
    }
    /// All stores.
    pub fn writes(&self) -> Set {
        self.set(|event| event.kind == Kind::Write)
    }
    /// The ordering of the step that an event belongs to. The store of one that acquires does not acquire, and so on.
    pub fn order(&self, orders: &Orders, event: &Event) -> Order {
        match event.thread {
            Some(thread) if !event.failed => orders.0[thread][event.step],
            _ => Order::Relaxed,
        }
    }
}

/// The ways in which a value can come about: the stores that each takes, as bits, none containing another one.
type Ways = Vec<u64>;

/// The values that loads of a location may return, and how they come about. No store takes part in making the value that it depends on: this
/// bounds counters, and leaves out only values from nowhere, which all models forbid.
type Domain = Vec<BTreeMap<i64, Ways>>;

/// More ways than this are replaced by what they have in common.
const MOST_WAYS: usize = 32;

/// Adds a way. Returns whether it was new.
fn add_way(ways: &mut Ways, way: u64) -> bool {
    if ways.iter().any(|known| known & !way == 0) {
        return false;
    }
    ways.retain(|known| way & !known != 0);
    ways.push(way);
    if ways.len() > MOST_WAYS {
        *ways = vec![ways.iter().fold(u64::MAX, |all, way| all & way)];
    }
    true
}

/// One path of a thread.
#[derive(Clone, Debug)]
struct Path {
    events: Vec<Event>,
    rmw: Vec<(usize, usize)>,
    /// By event: the reads of this path that its address, its value, and its being reached depend on.
    address: Vec<Set>,
    data: Vec<Set>,
    control: Vec<Set>,
    registers: HashMap<usize, i64>,
    /// Values read and written, by location.
    needs: BTreeSet<(usize, i64)>,
    supplies: BTreeSet<(usize, i64)>,
    /// By event: how the value came about.
    ways: Vec<Ways>,
}

/// A thread being run.
#[derive(Clone)]
struct Run {
    path: Path,
    sources: HashMap<usize, Set>,
    reached: Set,
}

impl Run {
    fn new() -> Run {
        let path = Path {
            events: vec![],
            rmw: vec![],
            address: vec![],
            data: vec![],
            control: vec![],
            registers: HashMap::new(),
            needs: BTreeSet::new(),
            supplies: BTreeSet::new(),
            ways: vec![],
        };
        Run { path, sources: HashMap::new(), reached: 0 }
    }

    fn sum(&self, sum: &Sum) -> (i64, Set) {
        let mut result = (sum.number, 0);
        for (register, sign) in &sum.registers {
            result.0 += sign * self.path.registers.get(register).copied().unwrap_or(0);
            result.1 |= self.sources.get(register).copied().unwrap_or(0);
        }
        result
    }

    /// The ways of a value that store `bit` makes from the reads in `sources`.
    fn ways_of(&self, bit: u64, sources: Set) -> Ways {
        let mut ways: Ways = vec![bit];
        for source in members(sources) {
            let mut more = Ways::new();
            for a in &ways {
                for b in self.path.ways[source].iter().filter(|b| *b & bit == 0) {
                    add_way(&mut more, a | b);
                }
            }
            ways = more;
        }
        ways
    }

    fn push(&mut self, event: Event, address: Set, data: Set, ways: Ways) -> usize {
        match event.kind {
            Kind::Read => _ = self.path.needs.insert((event.location, event.value)),
            Kind::Write => _ = self.path.supplies.insert((event.location, event.value)),
            Kind::Fence | Kind::Isb => {}
        }
        self.path.events.push(event);
        self.path.address.push(address);
        self.path.data.push(data);
        self.path.control.push(self.reached);
        self.path.ways.push(ways);
        self.path.events.len() - 1
    }
}

/// The registers that a condition depends on.
fn registers_of(condition: &Condition, into: &mut Vec<usize>) {
    match condition {
        Condition::Is(a, _, b) => {
            for operand in [a, b] {
                if let Operand::Sum(sum) = operand {
                    into.extend(sum.registers.iter().map(|(register, _)| *register));
                }
            }
        }
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().for_each(|part| registers_of(part, into));
        }
    }
}

/// Whether a condition holds. `last` returns the last value of a location, or `None` if that is not known yet: the condition then may hold.
fn holds(
    condition: &Condition,
    registers: &HashMap<usize, i64>,
    last: &dyn Fn(usize) -> Option<i64>,
) -> bool {
    match condition {
        Condition::Is(a, compare, b) => {
            // Outer `None`: a register that was never set. Inner: a last value that is not known.
            let value = |operand: &Operand| match operand {
                Operand::Sum(sum) => {
                    let add = |total: i64, (register, sign): &(usize, i64)| {
                        registers.get(register).map(|value| total + sign * value)
                    };
                    sum.registers.iter().try_fold(sum.number, add).map(Some)
                }
                Operand::Last(location) => Some(last(*location)),
            };
            match (value(a), value(b)) {
                (Some(Some(a)), Some(Some(b))) => compare.holds(a, b),
                (None, _) | (_, None) => false,
                _ => true,
            }
        }
        Condition::All(parts) => parts.iter().all(|part| holds(part, registers, last)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, registers, last)),
    }
}

/// All paths of a thread, if loads may return the values of `domain`.
fn paths(program: &Program, thread: usize, domain: &Domain) -> Vec<Path> {
    let first_bit: usize = program.threads[..thread].iter().map(Vec::len).sum();
    let mut done = Vec::new();
    let mut open = vec![(0, Run::new())];
    while let Some((at, mut run)) = open.pop() {
        let Some(line) = program.threads[thread].get(at) else {
            done.push(run.path);
            continue;
        };
        let event = |kind, location, value, exclusive| Event {
            thread: Some(thread),
            step: at,
            kind,
            location,
            value,
            exclusive,
            failed: false,
        };
        match &line.step {
            Step::Jump(to) => open.push((*to, run)),
            Step::Unless(condition, _) | Step::Assume(condition) => {
                let mut registers = Vec::new();
                registers_of(condition, &mut registers);
                for register in registers {
                    run.reached |= run.sources.get(&register).copied().unwrap_or(0);
                }
                let holds = holds(condition, &run.path.registers, &|_| None);
                match &line.step {
                    _ if holds => open.push((at + 1, run)),
                    Step::Unless(_, to) => open.push((*to, run)),
                    _ => {}
                }
            }
            Step::Fence => {
                run.push(event(Kind::Fence, usize::MAX, 0, false), 0, 0, vec![]);
                open.push((at + 1, run));
            }
            Step::Isb => {
                run.push(event(Kind::Isb, usize::MAX, 0, false), 0, 0, vec![]);
                open.push((at + 1, run));
            }
            Step::Access { action, location, to, address } => {
                let (location, bit) = (*location, 1 << (first_bit + at));
                let address = address.iter().fold(0, |set, r| set | run.sources.get(r).copied().unwrap_or(0));
                if let Action::Store(value) = action {
                    let (value, sources) = run.sum(value);
                    let ways = run.ways_of(bit, sources);
                    if !ways.is_empty() {
                        run.push(event(Kind::Write, location, value, false), address, sources, ways);
                        open.push((at + 1, run));
                    }
                    continue;
                }
                for (&read, ways) in &domain[location] {
                    let mut run = run.clone();
                    let written = match action {
                        Action::Load | Action::Store(_) => None,
                        Action::Add(sum) => Some(run.sum(sum)).map(|(v, s)| (read + v, s)),
                        Action::Max(sum) => Some(run.sum(sum)).map(|(v, s)| (read.max(v), s)),
                        Action::Swap(sum) => Some(run.sum(sum)),
                        Action::Replace(from, sum) => (run.sum(from).0 == read).then(|| run.sum(sum)),
                    };
                    let mut load = event(Kind::Read, location, read, written.is_some());
                    load.failed = matches!(action, Action::Replace(..)) && written.is_none();
                    let r = run.push(load, address, 0, ways.clone());
                    if let Some(to) = to {
                        run.path.registers.insert(*to, read);
                        run.sources.insert(*to, 1 << r);
                    }
                    if let Some((value, sources)) = written {
                        // What is swapped in does not depend on the value read; everything else does.
                        let own = if matches!(action, Action::Swap(_)) { 0 } else { 1 << r };
                        let ways = run.ways_of(bit, sources | own);
                        if ways.is_empty() {
                            continue;
                        }
                        let event = event(Kind::Write, location, value, true);
                        let w = run.push(event, address, sources | own, ways);
                        run.path.rmw.push((r, w));
                    }
                    open.push((at + 1, run));
                }
            }
        }
    }
    done
}

/// The paths of all threads. Loads may return first values, constants that any step stores, and whatever follows from these.
fn all_paths(program: &Program) -> Vec<Vec<Path>> {
    let steps = program.lines().count();
    assert!(steps <= 64, "`{}` has {steps} steps, more than 64", program.name);
    let mut domain: Domain =
        program.locations.iter().map(|(_, first)| BTreeMap::from([(*first, vec![0])])).collect();
    for (bit, (_, _, line)) in program.lines().enumerate() {
        if let Step::Access { action: Action::Store(sum) | Action::Swap(sum), location, .. } = &line.step
            && sum.registers.is_empty()
        {
            add_way(domain[*location].entry(sum.number).or_default(), 1 << bit);
        }
    }
    loop {
        let all: Vec<_> = (0..program.threads.len()).map(|thread| paths(program, thread, &domain)).collect();
        let mut more = false;
        for path in all.iter().flatten() {
            for (event, ways) in path.events.iter().zip(&path.ways) {
                if event.kind == Kind::Write {
                    let known = domain[event.location].entry(event.value).or_default();
                    more = ways.iter().fold(more, |more, way| add_way(known, *way) || more);
                }
            }
        }
        if !more {
            return all;
        }
    }
}

/// Calls `visit` for each candidate execution. `wanted` limits them to those that may satisfy one of the conditions; the second argument
/// of `visit` is a bit for each condition that holds. `visit` returns whether to go on.
pub fn candidates(
    program: &Program,
    conditions: &[&Condition],
    only_wanted: bool,
    visit: &mut dyn FnMut(&Execution, u64) -> bool,
) {
    let all = all_paths(program);
    let firsts: BTreeSet<(usize, i64)> =
        program.locations.iter().enumerate().map(|(location, (_, first))| (location, *first)).collect();
    let could: Vec<BTreeSet<(usize, i64)>> = (0..all.len())
        .map(|i| all[i..].iter().flatten().flat_map(|path| path.supplies.iter().copied()).collect())
        .collect();
    let mut search = Search { program, conditions, only_wanted, all: &all, could, firsts, visit };
    search.combine(&mut Vec::new());
}

struct Search<'a> {
    program: &'a Program,
    conditions: &'a [&'a Condition],
    only_wanted: bool,
    all: &'a [Vec<Path>],
    /// By thread: what it and those after it may supply.
    could: Vec<BTreeSet<(usize, i64)>>,
    firsts: BTreeSet<(usize, i64)>,
    visit: &'a mut dyn FnMut(&Execution, u64) -> bool,
}

impl<'a> Search<'a> {
    /// Chooses a path for each thread. Returns whether to go on.
    fn combine(&mut self, chosen: &mut Vec<&'a Path>) -> bool {
        let next = chosen.len();
        let is_there = |pair: &(usize, i64)| {
            self.firsts.contains(pair) || chosen.iter().any(|path| path.supplies.contains(pair))
        };
        let to_come = |pair: &(usize, i64)| self.could.get(next).is_some_and(|could| could.contains(pair));
        if !chosen.iter().flat_map(|path| &path.needs).all(|pair| is_there(pair) || to_come(pair)) {
            return true;
        }
        if next < self.all.len() {
            let all = self.all;
            for path in &all[next] {
                chosen.push(path);
                let go_on = self.combine(chosen);
                chosen.pop();
                if !go_on {
                    return false;
                }
            }
            return true;
        }
        let mut registers = HashMap::new();
        chosen.iter().for_each(|path| registers.extend(&path.registers));
        let may_hold = |condition: &&Condition| holds(condition, &registers, &|_| None);
        if self.only_wanted && !self.conditions.iter().any(may_hold) {
            return true;
        }
        self.link(chosen, &registers)
    }

    /// Enumerates the links between the events of the chosen paths.
    fn link(&mut self, chosen: &[&Path], registers: &HashMap<usize, i64>) -> bool {
        let mut events: Vec<Event> = Vec::new();
        for (location, (_, value)) in self.program.locations.iter().enumerate() {
            let (value, kind) = (*value, Kind::Write);
            let (thread, step, exclusive, failed) = (None, 0, false, false);
            events.push(Event { thread, step, kind, location, value, exclusive, failed });
        }
        let n = events.len() + chosen.iter().map(|path| path.events.len()).sum::<usize>();
        assert!(n <= MOST, "`{}` has {n} events, more than {MOST}", self.program.name);
        let empty = Relation::empty(n);
        let (mut po, mut rmw, mut internal) = (empty, empty, empty);
        let (mut address, mut data, mut control) = (empty, empty, empty);
        for path in chosen {
            let at = events.len();
            events.extend(&path.events);
            for i in at..events.len() {
                for j in at..events.len() {
                    internal.add(i, j);
                    if i < j {
                        po.add(i, j);
                    }
                }
                let depend = |relation: &mut Relation, sources: Set| {
                    members(sources).for_each(|source| relation.add(at + source, i));
                };
                depend(&mut address, path.address[i - at]);
                depend(&mut data, path.data[i - at]);
                depend(&mut control, path.control[i - at]);
            }
            path.rmw.iter().for_each(|(r, w)| rmw.add(at + r, at + w));
        }
        let mut same = empty;
        for (i, a) in events.iter().enumerate() {
            for (j, b) in events.iter().enumerate() {
                if a.location == b.location && a.location != usize::MAX {
                    same.add(i, j);
                }
            }
        }
        let mut choices = Vec::new();
        for location in 0..self.program.locations.len() {
            let of_location = link_location(&events, location, &rmw);
            if of_location.is_empty() {
                return true;
            }
            choices.push(of_location);
        }
        let (rf, mo, rb) = (empty, empty, empty);
        let mut execution = Execution { events, po, rf, mo, rb, rmw, address, data, control, internal, same };
        self.product(&choices, &mut execution, registers, &mut HashMap::new())
    }

    /// Goes through all combinations of the links of each location.
    fn product(
        &mut self,
        choices: &[Vec<Links>],
        execution: &mut Execution,
        registers: &HashMap<usize, i64>,
        lasts: &mut HashMap<usize, i64>,
    ) -> bool {
        let Some((here, rest)) = choices.split_first() else {
            let last = |location| lasts.get(&location).copied();
            let bits = self.conditions.iter().enumerate().fold(0, |bits, (i, condition)| {
                if holds(condition, registers, &last) { bits | 1 << i } else { bits }
            });
            return (self.only_wanted && bits == 0) || (self.visit)(execution, bits);
        };
        let location = self.program.locations.len() - choices.len();
        for links in here {
            let before = (execution.rf, execution.mo, execution.rb);
            for (position, &w) in links.order.iter().enumerate() {
                let later = links.order[position + 1..].iter().fold(0, |set, w| set | 1 << w);
                execution.mo.add_all(w, later);
                for &(r, from) in &links.from {
                    if from == w {
                        execution.rf.add(w, r);
                        execution.rb.add_all(r, later);
                    }
                }
            }
            let last = *links.order.last().expect("the first value is in it");
            lasts.insert(location, execution.events[last].value);
            let go_on = self.product(rest, execution, registers, lasts);
            (execution.rf, execution.mo, execution.rb) = before;
            if !go_on {
                return false;
            }
        }
        true
    }
}

/// A load, and the store that it reads from.
type Source = (usize, usize);

/// The links of one location.
struct Links {
    /// Its stores, in their order.
    order: Vec<usize>,
    from: Vec<Source>,
}

/// All links of `location` that are coherent and keep read-modify-writes atomic.
fn link_location(events: &[Event], location: usize, rmw: &Relation) -> Vec<Links> {
    let here = |kind: Kind| {
        let of =
            |(i, event): (usize, &Event)| (event.location == location && event.kind == kind).then_some(i);
        events.iter().enumerate().filter_map(of).collect::<Vec<usize>>()
    };
    let (writes, reads) = (here(Kind::Write), here(Kind::Read));
    let mut found = Vec::new();
    let mut order = vec![writes[0]]; // the first value
    extend_order(events, &writes, &mut order, &mut |order| {
        let mut from = Vec::new();
        choose_sources(events, &reads, order, rmw, &mut from, &mut |from| {
            found.push(Links { order: order.to_vec(), from: from.to_vec() });
        });
    });
    found
}

/// Calls `each` with every order of the stores that respects the threads.
fn extend_order(events: &[Event], writes: &[usize], order: &mut Vec<usize>, each: &mut dyn FnMut(&[usize])) {
    if order.len() == writes.len() {
        return each(order);
    }
    for &w in writes {
        let earlier = |&other: &usize| other < w && events[other].thread == events[w].thread;
        let open = |other: &usize| !order.contains(other);
        if open(&w) && !writes.iter().any(|other| earlier(other) && open(other)) {
            order.push(w);
            extend_order(events, writes, order, each);
            order.pop();
        }
    }
}

/// Calls `each` with every choice of the store that each load reads from, given the order of the stores.
fn choose_sources(
    events: &[Event],
    reads: &[usize],
    order: &[usize],
    rmw: &Relation,
    from: &mut Vec<Source>,
    each: &mut dyn FnMut(&[Source]),
) {
    let Some(&r) = reads.get(from.len()) else { return each(from) };
    let mine = |w: usize| events[w].thread == events[r].thread && events[w].thread.is_some();
    let position = |w: usize| order.iter().position(|other| *other == w).expect("all stores are in it");
    // Not before what the thread has written or read already, and before what it writes later.
    let written = order.iter().enumerate().filter(|(_, w)| mine(**w) && **w < r).map(|(p, _)| p);
    let read = from.iter().filter(|(other, _)| events[*other].thread == events[r].thread);
    let least = written.chain(read.map(|(_, w)| position(*w))).max().unwrap_or(0);
    let later = order.iter().enumerate().filter(|(_, w)| mine(**w) && **w > r).map(|(p, _)| p);
    let end = later.min().unwrap_or(order.len());
    for p in least..end {
        let next = order.get(p + 1);
        let atomic = rmw.after(r) == 0 || next.is_some_and(|w| rmw.after(r) == 1 << w);
        if events[order[p]].value == events[r].value && atomic {
            from.push((r, order[p]));
            choose_sources(events, reads, order, rmw, from, each);
            from.pop();
        }
    }
}
