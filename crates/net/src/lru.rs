//! A least-recently-used map.

use std::collections::HashMap;
use std::hash::Hash;

const NONE: u32 = u32::MAX;

struct Node<K, V> {
    key: K,
    /// `None` while the slot is free.
    value: Option<V>,
    newer: u32,
    older: u32,
}

/// Entries in the order of their last use. Every operation takes constant time; slots are reused.
pub(crate) struct Lru<K, V> {
    places: HashMap<K, u32>,
    nodes: Vec<Node<K, V>>,
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
}

impl<K: Copy + Eq + Hash, V> Lru<K, V> {
    pub fn new() -> Self {
        Lru { places: HashMap::new(), nodes: Vec::new(), free: Vec::new(), newest: NONE, oldest: NONE }
    }
    pub fn len(&self) -> usize {
        self.places.len()
    }
    /// The entry, without marking it as used.
    pub fn peek(&self, key: &K) -> Option<&V> {
        self.nodes[*self.places.get(key)? as usize].value.as_ref()
    }
    /// The entry, which becomes the newest.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = *self.places.get(key)?;
        if at != self.newest {
            self.unlink(at);
            self.link(at);
        }
        self.nodes[at as usize].value.as_mut()
    }
    /// Inserts an entry as the newest. The key must be new.
    pub fn insert(&mut self, key: K, value: V) {
        debug_assert!(!self.places.contains_key(&key));
        let node = Node { key, value: Some(value), newer: NONE, older: NONE };
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        self.places.insert(key, at);
        self.link(at);
    }
    /// Removes an entry.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.places.remove(key)?;
        self.unlink(at);
        self.free.push(at);
        self.nodes[at as usize].value.take()
    }
    /// The least recently used entry.
    pub fn oldest(&self) -> Option<(&K, &V)> {
        let node = self.nodes.get(self.oldest as usize)?;
        Some((&node.key, node.value.as_ref()?))
    }
    /// All entries, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.nodes.iter().filter_map(|n| Some((&n.key, n.value.as_ref()?)))
    }

    fn unlink(&mut self, at: u32) {
        let Node { newer, older, .. } = self.nodes[at as usize];
        match self.nodes.get_mut(newer as usize) {
            Some(n) => n.older = older,
            None => self.newest = older,
        }
        match self.nodes.get_mut(older as usize) {
            Some(n) => n.newer = newer,
            None => self.oldest = newer,
        }
    }
    fn link(&mut self, at: u32) {
        let before = std::mem::replace(&mut self.newest, at);
        let node = &mut self.nodes[at as usize];
        (node.newer, node.older) = (NONE, before);
        match self.nodes.get_mut(before as usize) {
            Some(n) => n.newer = at,
            None => self.oldest = at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_the_one_not_used() {
        let mut lru = Lru::new();
        for i in 0..4 {
            lru.insert(i, i * 10);
        }
        *lru.get_mut(&0).unwrap() += 1;
        lru.get_mut(&3).unwrap();
        assert_eq!(lru.oldest(), Some((&1, &10)));
        assert_eq!(lru.remove(&2), Some(20));
        assert_eq!(lru.remove(&1), Some(10));
        assert_eq!(lru.oldest(), Some((&0, &1)));
        lru.insert(7, 70);
        assert_eq!((lru.remove(&0), lru.remove(&3)), (Some(1), Some(30)));
        assert_eq!((lru.oldest(), lru.len()), (Some((&7, &70)), 1));
        assert_eq!(lru.remove(&7), Some(70));
        assert_eq!((lru.oldest(), lru.peek(&7), lru.iter().count()), (None, None, 0));
        assert_eq!(lru.nodes.len(), 4, "slots are reused");
    }
}
