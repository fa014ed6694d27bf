//! Validation and decoding of names.

use super::Name;
use crate::{Error, Result};

impl Name {
    /// Checks the length; any bytes are valid.
    pub fn new(name: impl AsRef<[u8]>) -> Result<Name> {
        let name = name.as_ref();
        if name.is_empty() || name.len() > Name::MOST {
            let text = String::from_utf8_lossy(name);
            return Err(Error::invalid(format!(
                "channel name `{text}` has {} bytes: it must have from 1 to {}",
                name.len(),
                Name::MOST
            )));
        }
        let mut bytes = [0; Name::MOST + 1];
        bytes[..name.len()].copy_from_slice(name);
        Ok(Name { bytes, len: name.len() as u8 })
    }

    /// The name that a file name encodes; `None` if it is not a channel's file name.
    pub fn from_file_name(file: &[u8]) -> Option<Name> {
        let mut out = Vec::new();
        let mut rest = file;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            if byte == b'%' {
                let hex = std::str::from_utf8(rest.get(..2)?).ok()?;
                out.push(u8::from_str_radix(hex, 16).ok()?);
                rest = &rest[2..];
            } else {
                out.push(byte);
            }
        }
        let name = Name::new(out).ok()?;
        (name.file_name().as_bytes() == file).then_some(name)
    }
}
