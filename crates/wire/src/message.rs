//! The traits of generated types.

use crate::{DecodeError, EncodeError, Reader, Writer, element_at};

/// The fields of a type, without a fingerprint, as encoded inline in a struct that contains it.
pub trait Body: Default {
    /// Least number of bytes of an encoded value. An array of variable size counts as empty.
    const MIN_SIZE: usize;
    /// How many rows and elements of every value may have zero size: 2000 for `double x[2000][m]`. A decoder allows
    /// the outermost type this many in addition.
    const FREE: usize = 0;
    /// Bytes of this value when encoded. Array sizes are the lengths of the arrays, not the size fields.
    fn body_size(&self) -> usize;
    /// Writes the fields.
    fn write(&self, out: &mut Writer<'_>) -> Result<(), EncodeError>;
    /// Reads the fields into this value, reusing its memory. After an error the fields are valid but arbitrary.
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), DecodeError>;
}

/// A generated type, which can be published.
pub trait Message: Body {
    /// Full name, `package.pose_t`.
    const NAME: &'static str;
    /// The first 8 bytes of every message, big endian.
    const FINGERPRINT: u64;
    /// The type, and all types in it, in the type language.
    const SCHEMA: &'static str;

    /// Bytes of the whole message.
    fn encoded_size(&self) -> usize {
        8 + self.body_size()
    }
    /// Encodes into `buf` and returns the number of bytes written. Does not allocate.
    ///
    /// # Errors
    /// A buffer that is too small ([`encoded_size`](Message::encoded_size) returns the size needed); an array whose
    /// length differs from its size field or does not fit into it; a string with a NUL; structs nested too deep.
    fn encode_to(&self, buf: &mut [u8]) -> Result<usize, EncodeError> {
        encode_body(self, Self::FINGERPRINT, buf)
    }
    /// Encodes into a new vector. Errors as [`encode_to`](Message::encode_to).
    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = vec![0; self.encoded_size()];
        let len = self.encode_to(&mut bytes)?;
        bytes.truncate(len);
        Ok(bytes)
    }
    /// Decodes a message. Bytes after it are ignored, as in LCM.
    ///
    /// # Errors
    /// Bytes of another type, too few bytes, or bytes that no encoder produces.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = start::<Self>(Self::FINGERPRINT, bytes)?;
        let mut message = Self::default();
        message.read(&mut from)?;
        Ok(message)
    }
    /// Decodes into this message, reusing its strings and arrays, and returns the number of bytes read. After an
    /// error the fields are valid but arbitrary. Errors as [`decode`](Message::decode).
    fn decode_from(&mut self, bytes: &[u8]) -> Result<usize, DecodeError> {
        decode_body(self, Self::FINGERPRINT, bytes)
    }
}

/// Structs in messages.
impl Reader<'_> {
    /// Reads a struct inside another one.
    #[inline]
    pub fn body<T: Body>(&mut self, out: &mut T) -> Result<(), DecodeError> {
        self.nested(|from| out.read(from))
    }
    /// Reads structs into all of `out`.
    pub fn bodies<T: Body>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
        out.iter_mut().try_for_each(|one| self.body(one))
    }
    /// Reads `size` structs, reusing those in `out`.
    pub fn body_vec<T: Body>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
        let n = self.size(size, T::MIN_SIZE, T::FREE)?;
        out.truncate(n);
        (0..n).try_for_each(|at| self.body(element_at(out, at)))
    }
}

/// Structs in messages.
impl Writer<'_> {
    /// Writes a struct inside another one.
    #[inline]
    pub fn body<T: Body>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.nested(|out| value.write(out))
    }
    /// Writes structs.
    pub fn bodies<T: Body>(&mut self, values: &[T]) -> Result<(), EncodeError> {
        values.iter().try_for_each(|one| self.body(one))
    }
}

/// Bytes of encoded structs.
pub fn bodies_size<T: Body>(values: &[T]) -> usize {
    values.iter().map(Body::body_size).sum()
}

/// Writes a fingerprint and the fields after it; returns the number of bytes written.
pub fn encode_body<T: Body>(body: &T, fingerprint: u64, buf: &mut [u8]) -> Result<usize, EncodeError> {
    let mut out = Writer::new(buf);
    let written = out.fingerprint(fingerprint).and_then(|()| body.write(&mut out));
    match written {
        Ok(()) => Ok(out.position()),
        // If the buffer is too small, the error has the size of the whole message.
        Err(EncodeError::TooSmall(_)) => Err(EncodeError::TooSmall(8 + body.body_size())),
        Err(other) => Err(other),
    }
}

/// Reads a fingerprint, which must be this one, and the fields after it; returns the number of bytes read.
pub fn decode_body<T: Body>(body: &mut T, fingerprint: u64, bytes: &[u8]) -> Result<usize, DecodeError> {
    let mut from = start::<T>(fingerprint, bytes)?;
    body.read(&mut from)?;
    Ok(from.position())
}

/// Reads a fingerprint, which must be this one. Bytes that cannot be a message are refused before a value is
/// created for them.
fn start<T: Body>(fingerprint: u64, bytes: &[u8]) -> Result<Reader<'_>, DecodeError> {
    let mut from = Reader::new(bytes);
    let found = from.fingerprint()?;
    if found != fingerprint {
        return Err(DecodeError::Fingerprint { expected: fingerprint, found });
    }
    let (at, left) = (from.position(), from.remaining());
    if left < T::MIN_SIZE {
        return Err(DecodeError::Truncated { at, missing: T::MIN_SIZE - left });
    }
    from.allow(T::FREE);
    Ok(from)
}
