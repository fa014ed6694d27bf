//! Any bytes, if long enough, are a plain message; it is encoded again in both encodings.

use crate::{SCHEMA, bounded, choose};
use saltus_types::plain::{PlainCodec, plain};
use saltus_types::wire;

/// See the module.
pub fn attack(data: &[u8]) {
    let Some((id, body)) = choose(data) else { return };
    let Some(codec) = PlainCodec::new(&SCHEMA, id) else { return };
    let size = plain(&SCHEMA, id).map(|layout| layout.size);
    let bytes = [&codec.hash().to_ne_bytes(), body].concat();
    let decoded = bounded(bytes.len(), || codec.decode(&bytes));
    assert_eq!(decoded.is_ok(), size.is_some_and(|size| body.len() >= size), "{:?}", decoded.err());
    let Ok(record) = decoded else { return };
    let again = codec.encode(&record).expect("what was decoded can be encoded");
    assert_eq!(Some(again.len() - 8), size);
    assert_eq!(codec.encode(&codec.decode(&again).expect("and decoded")), Ok(again));
    let on_the_wire = wire::encode(&record).expect("numbers are on the wire too");
    let record = wire::decode(&SCHEMA, id, &on_the_wire).expect("and come back");
    assert_eq!(wire::encode(&record), Ok(on_the_wire));
}
