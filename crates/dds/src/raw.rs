//! Unchanged payloads: CDR with its header of four bytes, which the library removes and adds.

use rustdds::RepresentationIdentifier as Encoding;
use rustdds::bytes::{BufMut, Bytes, BytesMut};
use rustdds::no_key::{Decode, DefaultDecoder, DeserializerAdapter, SerializerAdapter};
use std::convert::Infallible;

/// Bytes of the header.
pub(super) const HEADER: usize = 4;

/// A payload, with its header.
#[derive(Clone, Debug)]
pub(super) struct Raw(pub Bytes);

/// Passes payloads through unchanged.
pub(super) struct Adapter;

/// The decoder that the library requires.
#[derive(Clone)]
pub(super) struct Decoder;

impl DeserializerAdapter<Raw> for Adapter {
    type Error = Infallible;
    type Decoded = Raw;
    fn supported_encodings() -> &'static [Encoding] {
        &[
            Encoding::CDR_LE,
            Encoding::CDR_BE,
            Encoding::PL_CDR_LE,
            Encoding::PL_CDR_BE,
            Encoding::XCDR2_LE,
            Encoding::XCDR2_BE,
            Encoding::D_CDR2_LE,
            Encoding::D_CDR2_BE,
            Encoding::PL_XCDR2_LE,
            Encoding::PL_XCDR2_BE,
        ]
    }
    fn transform_decoded(raw: Raw) -> Raw {
        raw
    }
}

impl DefaultDecoder<Raw> for Adapter {
    type Decoder = Decoder;
    const DECODER: Decoder = Decoder;
}

impl Decode<'_, Raw> for Decoder {
    type Error = Infallible;
    fn decode_bytes(self, body: &[u8], encoding: Encoding) -> Result<Raw, Infallible> {
        let mut bytes = BytesMut::with_capacity(HEADER + body.len());
        bytes.put_slice(&encoding.to_bytes());
        bytes.put_slice(&[0, 0]);
        bytes.put_slice(body);
        Ok(Raw(bytes.freeze()))
    }
}

impl SerializerAdapter<Raw> for Adapter {
    type Error = Infallible;
    fn output_encoding() -> Encoding {
        Encoding::CDR_LE
    }
    fn to_bytes(raw: &Raw) -> Result<Bytes, Infallible> {
        Ok(raw.0.slice(HEADER.min(raw.0.len())..))
    }
}

/// Wraps bytes without a known type in `struct Bytes { sequence<octet> data; }`; `None` if they are too many.
pub(super) fn wrap(data: &[u8]) -> Option<Raw> {
    let len = u32::try_from(data.len()).ok()?;
    let mut bytes = BytesMut::with_capacity(2 * HEADER + data.len());
    bytes.put_slice(&[0, 1, 0, 0]);
    bytes.put_u32_le(len);
    bytes.put_slice(data);
    Some(Raw(bytes.freeze()))
}

/// The bytes in the wrapper; `None` if it is not one.
pub(super) fn unwrap(payload: &[u8]) -> Option<&[u8]> {
    let (header, rest) = payload.split_first_chunk::<HEADER>()?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let len = match header {
        [0, 1, ..] | [0, 7, ..] => u32::from_le_bytes(*len),
        [0, 0, ..] | [0, 6, ..] => u32::from_be_bytes(*len),
        _ => return None,
    };
    rest.get(..usize::try_from(len).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_bytes_round_trip() {
        for data in [&b""[..], b"x", &[7; 1000]] {
            assert_eq!(unwrap(&wrap(data).unwrap().0), Some(data));
        }
    }

    #[test]
    fn bytes_that_are_not_a_wrapper_are_refused() {
        for bad in [&b""[..], &[0, 1, 0, 0], &[0, 1, 0, 0, 2, 0, 0, 0, 9], &[9, 9, 0, 0, 0, 0, 0, 0]] {
            assert_eq!(unwrap(bad), None, "{bad:?}");
        }
        assert_eq!(unwrap(&[0, 0, 0, 0, 0, 0, 0, 1, 5]), Some(&[5][..]), "the other byte order");
        assert_eq!(unwrap(&[0, 1, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0]), Some(&[5][..]), "with padding");
    }
}
