//! Known types, and conversion of their messages between LCM's encoding and CDR.

use super::names::Names;
use super::raw::Raw;
use saltus_channel::Description;
use saltus_transport::{Error, Result};
use saltus_types::{Loader, Schema, StructId, cdr, wire};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Most types remembered. Descriptions may come from other processes.
const MOST: usize = 4096;
/// The longest description accepted, in bytes.
const LONGEST: usize = 128 << 10;
/// How deep directories are searched.
const DEEPEST: usize = 16;

/// A type.
#[derive(Debug)]
pub(super) struct Kind {
    schema: Arc<Schema>,
    id: StructId,
    names: Names,
    /// Its name in DDS.
    pub name: String,
}

impl Kind {
    pub fn fingerprint(&self) -> u64 {
        self.schema.get(self.id).fingerprint
    }
    /// The description of the type for other programs.
    pub fn description(&self) -> Description {
        let (name, schema) = (self.schema.get(self.id).name.to_string(), self.schema.to_lcm(self.id));
        Description { name, fingerprint: self.fingerprint(), schema }
    }
    /// Whether a message in LCM's encoding is of this type.
    pub fn fits(&self, message: &[u8]) -> bool {
        message.first_chunk().is_some_and(|bytes| u64::from_be_bytes(*bytes) == self.fingerprint())
    }
    /// Converts a message from LCM's encoding to CDR.
    pub fn to_cdr(&self, message: &[u8]) -> std::result::Result<Raw, String> {
        let record = wire::decode(&self.schema, self.id, message).map_err(|e| e.to_string())?;
        let bytes = cdr::encode(&record, self.names.dialect(), cdr::Endian::Little);
        bytes.map(|bytes| Raw(bytes.into())).map_err(|e| e.to_string())
    }
    /// Converts a message from CDR to LCM's encoding.
    pub fn to_lcm(&self, payload: &[u8]) -> std::result::Result<Vec<u8>, String> {
        let record = cdr::decode(&self.schema, self.id, self.names.dialect(), payload);
        wire::encode(&record.map_err(|e| e.to_string())?).map_err(|e| e.to_string())
    }
}

/// All known types.
#[derive(Debug)]
pub(super) struct Kinds {
    names: Names,
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_fingerprint: HashMap<u64, Arc<Kind>>,
    by_name: HashMap<String, Arc<Kind>>,
}

impl Kinds {
    pub fn new(names: Names) -> Kinds {
        Kinds { names, known: RwLock::default() }
    }

    /// Adds all types of the .lcm files in `dir` and below it.
    pub fn learn_directory(&self, dir: &Path) -> Result<()> {
        let mut files = Vec::new();
        walk(dir, DEEPEST, &mut files)?;
        if files.is_empty() {
            return Err(Error::invalid(format!("there is no .lcm file in `{}`", dir.display())));
        }
        let loader = files.into_iter().fold(Loader::new().include(dir), Loader::file);
        let schema = loader.load().map_err(|wrong| Error::invalid(wrong.render(false)))?.schema;
        let schema = Arc::new(schema);
        schema.ids().for_each(|id| drop(self.add(&schema, id)));
        Ok(())
    }

    /// Adds a described type, if the description matches its fingerprint.
    pub fn learn(&self, what: &Description) -> Option<Arc<Kind>> {
        if let Some(kind) = self.of_fingerprint(what.fingerprint) {
            return Some(kind);
        }
        if what.schema.len() > LONGEST {
            return None;
        }
        let schema = Arc::new(saltus_types::parse("description", &what.schema).ok()?);
        let id = schema.find(&what.name)?;
        (schema.get(id).fingerprint == what.fingerprint).then(|| self.add(&schema, id)).flatten()
    }

    /// `None` for a type that CDR cannot represent, or whose name belongs to another type.
    fn add(&self, schema: &Arc<Schema>, id: StructId) -> Option<Arc<Kind>> {
        let name = self.names.of_type(schema, id).ok()?;
        let kind = Arc::new(Kind { schema: schema.clone(), id, names: self.names, name: name.clone() });
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let other = known.by_name.get(&name).is_some_and(|other| other.fingerprint() != kind.fingerprint());
        if other || known.by_name.len() >= MOST {
            return None;
        }
        known.by_fingerprint.insert(kind.fingerprint(), kind.clone());
        known.by_name.insert(name, kind.clone());
        Some(kind)
    }

    fn of_fingerprint(&self, fingerprint: u64) -> Option<Arc<Kind>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.by_fingerprint.get(&fingerprint).cloned()
    }
    /// The type of a message in LCM's encoding.
    pub fn of_message(&self, message: &[u8]) -> Option<Arc<Kind>> {
        self.of_fingerprint(u64::from_be_bytes(*message.first_chunk()?))
    }
    /// The type with this name in DDS.
    pub fn named(&self, name: &str) -> Option<Arc<Kind>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).by_name.get(name).cloned()
    }
    pub fn is_empty(&self) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).by_name.is_empty()
    }
}

/// The .lcm files in a directory and below it.
fn walk(dir: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |e| Error::system(format!("look for types in `{}`", dir.display()), e);
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() && !path.is_symlink() && depth > 0 {
            walk(&path, depth - 1, files)?;
        } else if path.extension().is_some_and(|e| e == "lcm") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSE: &str = "package exlcm; struct pose_t { int32_t n; double x[n]; string name; }";

    fn description(text: &str) -> Description {
        let schema = saltus_types::parse("t", text).unwrap();
        let fingerprint = schema.get(schema.find("exlcm.pose_t").unwrap()).fingerprint;
        Description { name: "exlcm.pose_t".into(), fingerprint, schema: text.into() }
    }

    #[test]
    fn a_message_goes_to_cdr_and_back() {
        for (names, name) in [(Names::Plain, "exlcm::pose_t"), (Names::Ros2, "exlcm::msg::dds_::Pose_")] {
            let kinds = Kinds::new(names);
            let kind = kinds.learn(&description(POSE)).unwrap();
            assert_eq!(kind.name, name);
            let mut message = kind.fingerprint().to_be_bytes().to_vec();
            message.extend([0, 0, 0, 1, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, b'a', 0]);
            let payload = kinds.of_message(&message).unwrap().to_cdr(&message).unwrap().0;
            assert_eq!(&payload[..8], [0, 1, 0, 0, 1, 0, 0, 0], "little endian, n = 1");
            assert_eq!(kinds.named(name).unwrap().to_lcm(&payload).unwrap(), message);
            assert!(kind.to_lcm(&payload[..9]).is_err() && kind.to_cdr(b"short").is_err());
        }
    }

    #[test]
    fn a_description_that_contradicts_its_fingerprint_is_rejected() {
        let kinds = Kinds::new(Names::Plain);
        let wrong = Description { fingerprint: 1, ..description(POSE) };
        assert!(kinds.learn(&wrong).is_none() && kinds.is_empty());
    }

    #[test]
    fn of_two_types_of_one_name_the_first_has_it() {
        let kinds = Kinds::new(Names::Plain);
        assert!(kinds.learn(&description(POSE)).is_some());
        assert!(kinds.learn(&description(&POSE.replace("double", "float"))).is_none());
    }
}
