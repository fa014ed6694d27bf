//! The generated Rust decoders: any bytes give a message or an error, the same as the decoder without generated
//! code, and messages are encoded again.

use crate::types::*;
use crate::{SCHEMA, Verdict, agree, bounded, choose};
use saltus_types::StructId;
use saltus_wire::{DecodeError, Message};

fn decode_as<T: Message>(id: StructId, body: &[u8]) {
    agree(id, body, |bytes| {
        let mut used = match bounded(bytes.len(), || T::decode(bytes)) {
            Ok(value) => value,
            // Its strings are Rust's, which must be UTF-8.
            Err(DecodeError::NotUtf8 { .. }) => return Verdict::Excused,
            Err(_) => return Verdict::Refused,
        };
        let (size, encoded) = (used.encoded_size(), used.encode().ok());
        assert!(encoded.as_ref().is_none_or(|e| e.len() == size));
        // A reused message gives the same result.
        assert_eq!(used.decode_from(bytes), Ok(size));
        assert_eq!(used.encode().ok(), encoded);
        Verdict::Taken(size, encoded)
    });
}

macro_rules! by_name {
    ($id:expr, $body:expr, $($ty:ty),*) => {
        match SCHEMA.get($id).name.to_string().as_str() {
            $(<$ty as Message>::NAME => decode_as::<$ty>($id, $body),)*
            _ => {}
        }
    };
}

/// See the module.
pub fn attack(data: &[u8]) {
    let Some((id, body)) = choose(data) else { return };
    by_name! {
        id, body, Empty, Varb, Constdim, TwoD, Strs, Outer, List, Scan, Tree, Far, dump::All, a::Bottom, old::Paint,
        jagged::Jagged, jagged::Voids, large::Large, large::Images, large::Texts, plain::Body, plain::Large,
        fn_::type_::Match, fn_::type_::ResultT, names::Medium, sizes::Jag, sizes::Jags, sizes::Rows, sizes::Voids,
        sizes::MoreVoids, sizes::Wide, sizes::Wides, sizes::Apart, sizes::Zeroes, sizes::Zero
    };
}
