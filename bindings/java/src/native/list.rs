//! Lists of names, encoded for Java.

use crate::env::Env;
use crate::fail::Result;
use jni_sys::jbyteArray;

/// Each name behind its length (4 bytes) and a number (8 bytes), big endian.
pub(crate) fn array<'a>(env: Env, names: impl Iterator<Item = (&'a [u8], u64)>) -> Result<jbyteArray> {
    let mut out = Vec::new();
    for (name, number) in names {
        out.extend_from_slice(&u32::try_from(name.len()).unwrap_or(u32::MAX).to_be_bytes());
        out.extend_from_slice(&number.to_be_bytes());
        out.extend_from_slice(name);
    }
    env.array(&out)
}
