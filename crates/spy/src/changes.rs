//! The time of the last change of each value of a message.

use saltus_types::value::Items;
use saltus_types::{Record, Value};
use std::collections::HashMap;

/// Most values of one channel whose changes are remembered. Further ones are forgotten.
const MOST: usize = 4096;
/// Most elements of one array that are compared. The rest of a longer array is not.
const ELEMENTS: usize = 1024;

/// Paths of values, and when they changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    at: HashMap<String, u64>,
}

impl Changes {
    /// The time of the last change of the value at `path`; `None` if it did not change recently.
    pub fn of(&self, path: &str) -> Option<u64> {
        self.at.get(path).copied()
    }
    /// Forgets changes before that time.
    pub fn forget_before(&mut self, time: u64) {
        self.at.retain(|_, at| *at >= time);
    }
    /// Records the differences between two records.
    pub fn note(&mut self, older: &Record, newer: &Record, now: u64) {
        self.records(older, newer, &mut String::new(), now);
    }

    fn records(&mut self, older: &Record, newer: &Record, path: &mut String, now: u64) {
        for ((field, new), old) in newer.fields().zip(older.values()) {
            let length = path.len();
            if length > 0 {
                path.push('.');
            }
            path.push_str(&field.name);
            self.values(old, new, path, now);
            path.truncate(length);
        }
    }

    fn values(&mut self, older: &Value, newer: &Value, path: &mut String, now: u64) {
        match (older, newer) {
            (Value::Record(old), Value::Record(new)) => self.records(old, new, path, now),
            (Value::Array(old), Value::Array(new)) => {
                if old == new {
                    return;
                }
                self.changed(path, now);
                if old.shape() != new.shape() || new.shape().len() != 1 {
                    return;
                }
                let (old, new) = (old.items(), new.items());
                for i in 0..new.len().min(ELEMENTS) {
                    let length = path.len();
                    path.push_str(&format!("[{i}]"));
                    match (old, new) {
                        (Items::Record(old), Items::Record(new)) => self.records(&old[i], &new[i], path, now),
                        _ if old.get(i) != new.get(i) => self.changed(path, now),
                        _ => {}
                    }
                    path.truncate(length);
                }
            }
            _ if older != newer => self.changed(path, now),
            _ => {}
        }
    }

    fn changed(&mut self, path: &str, now: u64) {
        if let Some(at) = self.at.get_mut(path) {
            *at = now;
        } else if self.at.len() < MOST {
            self.at.insert(path.into(), now);
        }
    }
}
