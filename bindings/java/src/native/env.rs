//! Checked versions of the few JNI functions that this crate needs. The crate has no other unsafe code except the border itself.

use crate::fail::{Fail, Result};
use jni_sys::{JNIEnv, jarray, jbyteArray, jint, jlong, jlongArray, jobject, jsize};
use std::{ptr, slice};

/// JNI, for the time of a call.
#[derive(Clone, Copy)]
pub(crate) struct Env(*mut JNIEnv);

/// Calls a function of JNI's table.
macro_rules! jni {
    ($env:expr, $version:ident, $function:ident $(, $argument:expr)*) => {
        ((**$env.0).$version.$function)($env.0 $(, $argument)*)
    };
}

/// A range of `all` elements, if it is one.
fn within(at: jint, len: jint, all: usize) -> Result<(usize, usize)> {
    match (usize::try_from(at), usize::try_from(len)) {
        (Ok(from), Ok(n)) if from <= all && n <= all - from => Ok((from, n)),
        _ => Err(Fail::invalid(format!("{len} bytes from byte {at} on: there are {all}"))),
    }
}

impl Env {
    /// # Safety
    /// The virtual machine passed the pointer to a native method whose call has not ended. The caller passes only arguments of that
    /// call to its functions, of the right types.
    pub unsafe fn new(env: *mut JNIEnv) -> Env {
        Env(env)
    }

    fn len(self, array: jarray) -> Result<usize> {
        if array.is_null() {
            return Err(Fail::invalid("an array is null"));
        }
        // SAFETY: an array, as `new` demands, and not null.
        let len = unsafe { jni!(self, v1_1, GetArrayLength, array) };
        Ok(usize::try_from(len).unwrap_or(0))
    }

    /// Copies `len` bytes from `at` on into a buffer that is reused.
    pub fn read(self, array: jbyteArray, at: jint, len: jint, into: &mut Vec<u8>) -> Result<()> {
        let (_, n) = within(at, len, self.len(array)?)?;
        into.clear();
        into.resize(n, 0);
        // SAFETY: an array of bytes that has these, as was just seen, and room for as many.
        unsafe { jni!(self, v1_1, GetByteArrayRegion, array, at, len, into.as_mut_ptr().cast()) };
        Ok(())
    }

    /// The same with all bytes of an array.
    pub fn read_all(self, array: jbyteArray, into: &mut Vec<u8>) -> Result<()> {
        let len = self.len(array)?;
        self.read(array, 0, jint::try_from(len).unwrap_or(jint::MAX), into)
    }

    /// All bytes of an array.
    pub fn bytes(self, array: jbyteArray) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_all(array, &mut bytes)?;
        Ok(bytes)
    }

    /// The same as text.
    pub fn text(self, array: jbyteArray) -> Result<String> {
        String::from_utf8(self.bytes(array)?).map_err(|_| Fail::invalid("a text is not UTF-8"))
    }

    /// A new array with these bytes. If Java has no room, it has thrown an exception.
    pub fn array(self, data: &[u8]) -> Result<jbyteArray> {
        let len = jsize::try_from(data.len());
        let len = len
            .map_err(|_| Fail::invalid(format!("{} bytes are too many for an array of Java", data.len())))?;
        // SAFETY: nothing is demanded.
        let array = unsafe { jni!(self, v1_1, NewByteArray, len) };
        if array.is_null() {
            return Err(Fail::Thrown);
        }
        // SAFETY: it was made with this length.
        unsafe { jni!(self, v1_1, SetByteArrayRegion, array, 0, len, data.as_ptr().cast()) };
        Ok(array)
    }

    /// Writes bytes to the beginning of an array that has room for them.
    pub fn write(self, array: jbyteArray, data: &[u8]) -> Result<()> {
        let len = jint::try_from(data.len()).unwrap_or(jint::MAX);
        within(0, len, self.len(array)?)?;
        // SAFETY: an array of bytes that has room for them, as was just seen.
        unsafe { jni!(self, v1_1, SetByteArrayRegion, array, 0, len, data.as_ptr().cast()) };
        Ok(())
    }

    /// Writes numbers to the beginning of an array that has room for them.
    pub fn tell(self, array: jlongArray, numbers: &[jlong]) -> Result<()> {
        let len = jint::try_from(numbers.len()).unwrap_or(jint::MAX);
        within(0, len, self.len(array)?)?;
        // SAFETY: an array of longs that has room for them, as was just seen.
        unsafe { jni!(self, v1_1, SetLongArrayRegion, array, 0, len, numbers.as_ptr()) };
        Ok(())
    }

    /// All numbers of an array.
    pub fn longs(self, array: jlongArray) -> Result<Vec<jlong>> {
        let mut numbers = vec![0; self.len(array)?];
        let len = jint::try_from(numbers.len()).unwrap_or(jint::MAX);
        // SAFETY: an array of this many longs, and room for as many.
        unsafe { jni!(self, v1_1, GetLongArrayRegion, array, 0, len, numbers.as_mut_ptr()) };
        Ok(numbers)
    }

    /// The address of `len` bytes from `at` on in a direct buffer.
    fn place(self, buffer: jobject, at: jint, len: jint) -> Result<(*mut u8, usize)> {
        const NOT_DIRECT: &str = "the buffer is not direct";
        if buffer.is_null() {
            return Err(Fail::invalid("a buffer is null"));
        }
        // SAFETY: a buffer, as `new` demands, and not null.
        let (all, address) = unsafe {
            (
                jni!(self, v1_4, GetDirectBufferCapacity, buffer),
                jni!(self, v1_4, GetDirectBufferAddress, buffer),
            )
        };
        let all = usize::try_from(all).map_err(|_| Fail::invalid(NOT_DIRECT))?;
        let (from, n) = within(at, len, all)?;
        match ptr::NonNull::new(address.cast::<u8>()) {
            // SAFETY: within the buffer.
            Some(address) => Ok((unsafe { address.add(from) }.as_ptr(), n)),
            None if n == 0 => Ok((ptr::NonNull::dangling().as_ptr(), 0)),
            None => Err(Fail::invalid(NOT_DIRECT)),
        }
    }

    /// Lends `len` bytes from `at` on of a direct buffer. If a Java thread writes there in the meantime, the message has arbitrary
    /// bytes, as in C.
    pub fn lend<R>(self, buffer: jobject, at: jint, len: jint, f: impl FnOnce(&[u8]) -> R) -> Result<R> {
        let (place, n) = self.place(buffer, at, len)?;
        // SAFETY: the buffer has them, and lives as long as the call that it is an argument of.
        Ok(f(unsafe { slice::from_raw_parts(place, n) }))
    }

    /// Makes a direct buffer over the bytes of a view. The caller keeps the view until Java reports that the buffer is unreachable.
    /// Programs only get read-only buffers over it.
    pub fn direct(self, view: &saltus_domain::View) -> Result<jobject> {
        let len = jint::try_from(view.len());
        let len = len
            .map_err(|_| Fail::invalid(format!("{} bytes are too many for a buffer of Java", view.len())))?;
        // SAFETY: nothing is read here; the view's memory has `len` bytes, and stays as long as the view.
        let buffer =
            unsafe { jni!(self, v1_4, NewDirectByteBuffer, view.as_ptr().cast_mut().cast(), len.into()) };
        if buffer.is_null() { Err(Fail::Thrown) } else { Ok(buffer) }
    }

    /// Copies to a direct buffer, from `at` on; there must be room.
    pub fn fill(self, buffer: jobject, at: jint, data: &[u8]) -> Result<()> {
        let len = jint::try_from(data.len()).unwrap_or(jint::MAX);
        let (place, n) = self.place(buffer, at, len)?;
        // SAFETY: the buffer has room for them, and Rust's memory is not a buffer of Java.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), place, n) };
        Ok(())
    }
}
