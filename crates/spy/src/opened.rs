//! The newest message of an opened channel.

use crate::changes::Changes;
use crate::mismatch;
use crate::tree::{Expand, Tree, nodes};
use saltus_log::{Kind, Types};
use saltus_text::dump::dump;
use saltus_types::Record;
use std::sync::Arc;

/// Time for which a change is shown, in ns.
const SHOWN: u64 = 5_000_000_000;
/// Longest message that is decoded.
pub(crate) const LONGEST: usize = 64 << 20;
/// Most bytes that are shown as hexadecimal digits.
const HEX: usize = 256;

/// The state of the newest message.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    /// Number of users that have it open.
    pub users: u32,
    /// Number of its plots.
    pub plots: u32,
    bytes: Vec<u8>,
    time: u64,
    /// Whether `bytes` wait to be decoded.
    pending: bool,
    /// Time of the last decoded message.
    last: Option<u64>,
    record: Option<(Arc<Kind>, Record)>,
    /// Number of decoded messages.
    pub decoded: u64,
    error: Option<String>,
    changes: Changes,
}

/// The state of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    /// It waits to be decoded.
    Later,
    /// It was decoded at this time.
    Now(u64),
    /// It has the key of a type, but is not a valid message of it.
    Broken,
    /// Its type is not known.
    Unknown,
}

impl Opened {
    /// Stores a message, and decodes it unless another was decoded within `apart` ns.
    pub fn take(&mut self, now: u64, time: u64, data: &[u8], types: &Types, apart: u64) -> Decoded {
        self.bytes.clear();
        self.bytes.extend_from_slice(&data[..data.len().min(LONGEST)]);
        (self.time, self.pending) = (time, true);
        self.turn(now, types, apart)
    }

    /// Decodes the newest message if it is due.
    pub fn turn(&mut self, now: u64, types: &Types, apart: u64) -> Decoded {
        if !self.pending || self.last.is_some_and(|last| now < last.saturating_add(apart)) {
            return Decoded::Later;
        }
        (self.pending, self.last) = (false, Some(now));
        self.changes.forget_before(now.saturating_sub(SHOWN));
        let Some(kind) = types.of(&self.bytes).cloned() else {
            self.record = None;
            self.error = Some(unknown(&self.bytes));
            return Decoded::Unknown;
        };
        match kind.decode(&self.bytes) {
            Ok(record) => {
                if let Some((before, older)) = &self.record
                    && Arc::ptr_eq(before, &kind)
                {
                    self.changes.note(older, &record, now);
                }
                (self.record, self.error) = (Some((kind, record)), None);
                self.decoded += 1;
                Decoded::Now(self.time)
            }
            Err(why) => {
                self.error = Some(format!("not a valid message of {}: {why}", kind.name()));
                Decoded::Broken
            }
        }
    }

    /// Tries the newest message again: its type may be known now.
    pub fn again(&mut self) {
        self.pending |= self.record.is_none() && !self.bytes.is_empty();
        self.last = None;
    }
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    pub fn record(&self) -> Option<&Record> {
        self.record.as_ref().map(|(_, record)| record)
    }

    /// Its fields, or the reason why there are none.
    pub fn tree(&self, expand: &Expand) -> Tree {
        let key = self.bytes.first_chunk::<8>();
        let mut tree = Tree {
            fingerprint: key.map(|key| mismatch::digits(*key)),
            size: self.bytes.len() as u64,
            time: self.time,
            error: self.error.clone(),
            hex: dump(&self.bytes[..self.bytes.len().min(HEX)]).collect(),
            ..Tree::default()
        };
        if let Some((kind, record)) = &self.record {
            tree.type_name = Some(crate::text::harmless(&kind.name()));
            tree.encoding = Some(kind.encoding().into());
            tree.comment = crate::text::harmless_lines(&record.definition().doc);
            tree.nodes = nodes(record, &self.changes, expand);
        } else if tree.error.is_none() {
            tree.error = Some("no message since the channel was opened".into());
        }
        tree
    }
}

fn unknown(bytes: &[u8]) -> String {
    match bytes.first_chunk::<8>() {
        Some(key) => format!(
            "unknown type (fingerprint {}): publishers of typed messages store it with the channel over shm://; \
             otherwise name the directory of its .lcm files with -I",
            mismatch::digits(*key)
        ),
        None => format!("not a typed message: {} bytes are fewer than a fingerprint has", bytes.len()),
    }
}
