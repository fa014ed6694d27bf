//! A bounded map, for keys from the network: a sender may invent any number of them.

use std::collections::HashMap;
use std::hash::Hash;

/// Most entries remembered.
pub const MOST: usize = 4096;

/// The most recently used entries. When there are too many, the least recently used half is forgotten.
#[derive(Debug)]
pub struct Recent<K, V> {
    /// Each value with the time of its last use, counted in uses.
    of: HashMap<K, (V, u64)>,
    uses: u64,
    forgot: bool,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Recent<K, V> {
        Recent { of: HashMap::new(), uses: 0, forgot: false }
    }
}

impl<K: Eq + Hash, V> Recent<K, V> {
    /// The value of a key, inserted if missing. `make` receives whether the key may have been forgotten.
    pub fn get_or(&mut self, key: K, make: impl FnOnce(bool) -> V) -> &mut V {
        self.uses += 1;
        if self.of.len() >= MOST && !self.of.contains_key(&key) {
            self.forget_half();
        }
        let forgot = self.forgot;
        let (value, used) = self.of.entry(key).or_insert_with(|| (make(forgot), 0));
        *used = self.uses;
        value
    }
    fn forget_half(&mut self) {
        let mut times: Vec<u64> = self.of.values().map(|(_, used)| *used).collect();
        let (_, &mut middle, _) = times.select_nth_unstable(MOST / 2);
        self.of.retain(|_, (_, used)| *used >= middle);
        self.forgot = true;
    }

    /// The value of a key, if present.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.of.get(key).map(|(value, _)| value)
    }
    /// Whether this key is present.
    pub fn contains_key(&self, key: &K) -> bool {
        self.of.contains_key(key)
    }
    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.of.iter().map(|(key, (value, _))| (key, value))
    }
    /// All entries, with mutable values.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.of.iter_mut().map(|(key, (value, _))| (key, value))
    }
    /// All values, mutable.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.of.values_mut().map(|(value, _)| value)
    }
    /// Drops entries that are no longer needed. They do not count as forgotten.
    pub fn retain(&mut self, mut stays: impl FnMut(&K, &V) -> bool) {
        self.of.retain(|key, (value, _)| stays(key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_used_stay_however_many_come() {
        let mut recent = Recent::default();
        assert_eq!(*recent.get_or(u64::MAX, |forgot| (forgot, 1)), (false, 1));
        for key in 0..10 * MOST as u64 {
            recent.get_or(key, |forgot| (forgot, 2));
            assert_eq!(*recent.get_or(u64::MAX, |_| unreachable!()), (false, 1));
        }
        assert!(recent.iter().count() <= MOST && recent.iter().count() > MOST / 2 - 1);
        assert_eq!(*recent.get_or(0, |forgot| (forgot, 3)), (true, 3), "it was forgotten");
        recent.retain(|key, _| *key == 0);
        assert!(recent.contains_key(&0) && !recent.contains_key(&u64::MAX));
    }
}
