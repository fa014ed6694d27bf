//! The integer types of array sizes.

/// A type of size fields.
pub trait Size: Copy + Into<i64> + Sealed {
    /// Its name in the type language.
    const NAME: &'static str;
    /// The largest size that it can hold.
    const MOST: i64;
    /// A length as this type. A length that does not fit becomes the largest size, which encoding then refuses.
    fn of(length: usize) -> Self;
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

macro_rules! sizes {
    ($($ty:ty, $name:literal;)*) => {$(
        impl Sealed for $ty {}
        impl Size for $ty {
            const NAME: &'static str = $name;
            const MOST: i64 = <$ty>::MAX as i64;
            #[inline]
            fn of(length: usize) -> $ty {
                <$ty>::try_from(length).unwrap_or(<$ty>::MAX)
            }
        }
    )*};
}
sizes!(i8, "int8_t"; i16, "int16_t"; i32, "int32_t"; i64, "int64_t";);
