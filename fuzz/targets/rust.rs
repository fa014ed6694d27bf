//! The generated decoders: any bytes become a message or an error, the same that the decoder without generated code
//! says, and what was understood is said again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_fuzz::types::*;
use saltus_fuzz::{SCHEMA, choose, is_too_many, message};
use saltus_types::StructId;
use saltus_wire::{DecodeError, Message};

fn attack<T: Message>(id: StructId, body: &[u8]) {
    let bytes = message(id, body);
    let ours = T::decode(&bytes);
    let dynamic = saltus_types::wire::decode(&SCHEMA, id, &bytes);
    match ours {
        Ok(value) => {
            let record = match dynamic {
                Ok(record) => record,
                // The two count elements without room a little differently.
                Err(why) if is_too_many(&why) => return,
                Err(why) => panic!("generated code understood it: {why}"),
            };
            let (ours, dynamic) = (value.encode(), saltus_types::wire::encode(&record));
            assert_eq!(ours.as_ref().ok(), dynamic.as_ref().ok());
            let Ok(encoded) = ours else { return };
            assert_eq!(encoded.len(), value.encoded_size());
            let mut used = value;
            match used.decode_from(&encoded) {
                Ok(len) => assert_eq!((len, used.encode()), (encoded.len(), Ok(encoded))),
                // How many elements without room there may be depends on the length, to which bytes behind count.
                Err(DecodeError::TooMany { .. }) => {}
                Err(why) => panic!("what was encoded is not decoded: {why}"),
            }
        }
        // Its strings are Rust's.
        Err(DecodeError::NotUtf8 { .. } | DecodeError::TooMany { .. }) => {}
        Err(why) => assert!(dynamic.is_err(), "generated code says: {why}"),
    }
}

macro_rules! attack {
    ($id:expr, $body:expr, $($ty:ty),*) => {
        match SCHEMA.get($id).name.to_string().as_str() {
            $(<$ty as Message>::NAME => attack::<$ty>($id, $body),)*
            _ => {}
        }
    };
}

fuzz_target!(|data: &[u8]| {
    let Some((id, body)) = choose(data) else { return };
    attack! {
        id, body, Empty, Varb, Constdim, TwoD, Strs, Outer, List, Scan, Tree, Far, dump::All, a::Bottom, old::Paint,
        jagged::Jagged, jagged::Voids, large::Large, plain::Body, plain::Large, fn_::type_::Match,
        fn_::type_::ResultT, names::Medium
    };
});
