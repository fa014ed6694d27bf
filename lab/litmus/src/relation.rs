//! Sets of events and relations between them, as bits.

/// The most events of an execution.
pub const MOST: usize = 64;

/// A set of events.
pub type Set = u64;

/// The members of a set, in ascending order.
pub fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(next)
    })
}

/// A relation between events: row `a` holds all `b` with `(a, b)` in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    rows: [Set; MOST],
    n: usize,
}

impl Relation {
    /// No pair, of `n` events.
    pub fn empty(n: usize) -> Relation {
        Relation { rows: [0; MOST], n }
    }
    /// Each event of `set` with itself, of `n` events: `[set]` in the axioms.
    pub fn identity(n: usize, set: Set) -> Relation {
        let mut relation = Relation::empty(n);
        members(set).for_each(|a| relation.add(a, a));
        relation
    }

    /// Adds a pair.
    pub fn add(&mut self, a: usize, b: usize) {
        self.rows[a] |= 1 << b;
    }
    /// Adds `a` before each event of `set`.
    pub fn add_all(&mut self, a: usize, set: Set) {
        self.rows[a] |= set;
    }
    /// The events after `a`.
    pub fn after(&self, a: usize) -> Set {
        self.rows[a]
    }

    /// All pairs of both.
    pub fn or(mut self, other: &Relation) -> Relation {
        for (row, more) in self.rows[..self.n].iter_mut().zip(&other.rows) {
            *row |= more;
        }
        self
    }
    /// The pairs that are in both.
    pub fn and(mut self, other: &Relation) -> Relation {
        for (row, same) in self.rows[..self.n].iter_mut().zip(&other.rows) {
            *row &= same;
        }
        self
    }
    /// The pairs that `other` lacks.
    pub fn without(mut self, other: &Relation) -> Relation {
        for (row, less) in self.rows[..self.n].iter_mut().zip(&other.rows) {
            *row &= !less;
        }
        self
    }
    /// The pairs from a member of `from` to a member of `to`: `[from]; r; [to]`.
    pub fn between(mut self, from: Set, to: Set) -> Relation {
        for (a, row) in self.rows[..self.n].iter_mut().enumerate() {
            *row = if from >> a & 1 == 1 { *row & to } else { 0 };
        }
        self
    }
    /// The composition `self; other`.
    pub fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::empty(self.n);
        for a in 0..self.n {
            result.rows[a] = members(self.rows[a]).fold(0, |row, b| row | other.rows[b]);
        }
        result
    }
    /// With each event before itself too: `r?`.
    pub fn maybe(mut self) -> Relation {
        for (a, row) in self.rows[..self.n].iter_mut().enumerate() {
            *row |= 1 << a;
        }
        self
    }
    /// The transitive closure: `r+`.
    pub fn closure(mut self) -> Relation {
        for k in 0..self.n {
            let through = self.rows[k];
            for row in &mut self.rows[..self.n] {
                if *row >> k & 1 == 1 {
                    *row |= through;
                }
            }
        }
        self
    }
    /// Whether no event is before itself.
    pub fn is_irreflexive(&self) -> bool {
        self.rows[..self.n].iter().enumerate().all(|(a, row)| row >> a & 1 == 0)
    }
    /// Whether there is no cycle.
    pub fn is_acyclic(&self) -> bool {
        self.closure().is_irreflexive()
    }
    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.rows[..self.n].iter().all(|row| *row == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: usize, pairs: &[(usize, usize)]) -> Relation {
        let mut relation = Relation::empty(n);
        pairs.iter().for_each(|(a, b)| relation.add(*a, *b));
        relation
    }

    #[test]
    fn compositions_and_closures_are_those_of_the_pairs() {
        let chain = of(4, &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(chain.then(&chain), of(4, &[(0, 2), (1, 3)]));
        assert_eq!(chain.closure(), of(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]));
        assert!(chain.is_acyclic() && !chain.or(&of(4, &[(3, 0)])).is_acyclic());
        assert_eq!(chain.between(0b0011, 0b0110), of(4, &[(0, 1), (1, 2)]));
        assert_eq!(chain.and(&chain.closure()).without(&of(4, &[(0, 1)])), of(4, &[(1, 2), (2, 3)]));
        assert!(Relation::identity(4, 0b1000).then(&chain).is_empty());
        assert_eq!(chain.maybe().then(&Relation::identity(4, 0b0010)), of(4, &[(0, 1), (1, 1)]));
        assert_eq!(members(0b1010).collect::<Vec<_>>(), [1, 3]);
    }
}
