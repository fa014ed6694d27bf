//! What every generated type is.

use crate::{DecodeError, EncodeError, Reader, Writer, element_at};

/// The fields of a type, without a fingerprint: what lies inline in a struct that contains it.
pub trait Body: Default {
    /// Least number of bytes that a value takes. An array of variable size counts as empty.
    const MIN_SIZE: usize;
    /// How many rows and elements every value has that may take no room: 2000 for `double x[2000][m]`. A decoder lets the
    /// outermost type have so many for nothing.
    const FREE: usize = 0;
    /// Bytes that this value takes. Sizes of arrays are those that the arrays have.
    fn body_size(&self) -> usize;
    /// Writes the fields.
    fn write(&self, out: &mut Writer<'_>) -> Result<(), EncodeError>;
    /// Reads the fields into this value, whose room is used again. After an error the fields are valid but arbitrary.
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), DecodeError>;
}

/// A generated type: what may be published.
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
    /// Encodes into `buf` and returns how many bytes that took. Does not allocate.
    ///
    /// # Errors
    /// A buffer that is too small ([`encoded_size`](Message::encoded_size) says what is needed), an array that has
    /// another size than its size field says or can say, a string with a NUL, structs in each other too deep.
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
    /// Decodes a message. Bytes behind it are ignored, as in LCM.
    ///
    /// # Errors
    /// Bytes of another type, too few of them, or such that no encoder makes.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut from = start::<Self>(Self::FINGERPRINT, bytes)?;
        let mut message = Self::default();
        message.read(&mut from)?;
        Ok(message)
    }
    /// Decodes into this message, whose strings and arrays are used again, and returns how many bytes it took. After an
    /// error the fields are valid but arbitrary. Errors as [`decode`](Message::decode).
    fn decode_from(&mut self, bytes: &[u8]) -> Result<usize, DecodeError> {
        decode_body(self, Self::FINGERPRINT, bytes)
    }
}

/// Structs in messages.
impl Reader<'_> {
    /// A struct that lies inside another one.
    #[inline]
    pub fn body<T: Body>(&mut self, out: &mut T) -> Result<(), DecodeError> {
        self.nested(|from| out.read(from))
    }
    /// As many structs as `out` has room for.
    pub fn bodies<T: Body>(&mut self, out: &mut [T]) -> Result<(), DecodeError> {
        out.iter_mut().try_for_each(|one| self.body(one))
    }
    /// `size` structs; those in `out` are used again.
    pub fn body_vec<T: Body>(&mut self, out: &mut Vec<T>, size: i64) -> Result<(), DecodeError> {
        let n = self.size(size, T::MIN_SIZE, T::FREE)?;
        out.truncate(n);
        (0..n).try_for_each(|at| self.body(element_at(out, at)))
    }
}

/// Structs in messages.
impl Writer<'_> {
    /// A struct that lies inside another one.
    #[inline]
    pub fn body<T: Body>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.nested(|out| value.write(out))
    }
    /// Structs.
    pub fn bodies<T: Body>(&mut self, values: &[T]) -> Result<(), EncodeError> {
        values.iter().try_for_each(|one| self.body(one))
    }
}

/// Bytes of structs on the wire.
pub fn bodies_size<T: Body>(values: &[T]) -> usize {
    values.iter().map(Body::body_size).sum()
}

/// Writes a fingerprint and the fields behind it; returns the bytes that took.
pub fn encode_body<T: Body>(body: &T, fingerprint: u64, buf: &mut [u8]) -> Result<usize, EncodeError> {
    let mut out = Writer::new(buf);
    let written = out.fingerprint(fingerprint).and_then(|()| body.write(&mut out));
    match written {
        Ok(()) => Ok(out.position()),
        // A buffer too small is told with what the whole message needs.
        Err(EncodeError::TooSmall(_)) => Err(EncodeError::TooSmall(8 + body.body_size())),
        Err(other) => Err(other),
    }
}

/// Reads a fingerprint, which must be this one, and the fields behind it; returns the bytes that took.
pub fn decode_body<T: Body>(body: &mut T, fingerprint: u64, bytes: &[u8]) -> Result<usize, DecodeError> {
    let mut from = start::<T>(fingerprint, bytes)?;
    body.read(&mut from)?;
    Ok(from.position())
}

/// Reads a fingerprint, which must be this one. What cannot be a message is refused before a value is made for it.
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
