//! The number types on the wire, for macros over all of them.

/// Calls a macro with every number type: the names of the functions for one of them, for many, and for as many as a
/// size field gives; its Rust type and its name in the type language.
macro_rules! numbers {
    ($each:ident) => {
        $each! {
            int8 int8s int8_vec i8, "int8_t";
            int16 int16s int16_vec i16, "int16_t";
            int32 int32s int32_vec i32, "int32_t";
            int64 int64s int64_vec i64, "int64_t";
            byte bytes byte_vec u8, "byte";
            float floats float_vec f32, "float";
            double doubles double_vec f64, "double";
        }
    };
}
pub(crate) use numbers;
