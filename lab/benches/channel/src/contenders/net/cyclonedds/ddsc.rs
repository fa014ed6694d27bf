//! The part of `libddsc` that is used here, as declared in `dds/dds.h` of CycloneDDS 0.10.

use crate::contenders::net::library::Library;
use crate::error::Fallible;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::{ptr, slice};

/// Debian's; its ABI is 0.10's.
const LIBRARY: &str = "libddsc.so.0debian";
pub const MISSING: &str = "no libddsc: Debian's package libddsc0debian has it";

pub const RELIABLE: c_int = 1;
pub const KEEP_ALL: c_int = 1;
pub const FOREVER: i64 = i64::MAX;
/// Samples, views and instances in any state.
pub const ANY_STATE: u32 = 3 | 12 | 112;

/// A handle.
pub type Entity = i32;
/// `dds_create_reader` and `dds_create_writer`.
pub type CreateEnd = unsafe extern "C" fn(Entity, Entity, *const c_void, *const c_void) -> Entity;

#[derive(Clone, Copy)]
pub struct Functions {
    pub create_domain: unsafe extern "C" fn(u32, *const c_char) -> Entity,
    pub create_participant: unsafe extern "C" fn(u32, *const c_void, *const c_void) -> Entity,
    pub create_topic: unsafe extern "C" fn(
        Entity,
        *const Descriptor,
        *const c_char,
        *const c_void,
        *const c_void,
    ) -> Entity,
    pub create_qos: unsafe extern "C" fn() -> *mut c_void,
    pub set_reliability: unsafe extern "C" fn(*mut c_void, c_int, i64),
    pub set_history: unsafe extern "C" fn(*mut c_void, c_int, i32),
    pub delete_qos: unsafe extern "C" fn(*mut c_void),
    pub create_reader: CreateEnd,
    pub create_writer: CreateEnd,
    pub create_readcondition: unsafe extern "C" fn(Entity, u32) -> Entity,
    pub create_waitset: unsafe extern "C" fn(Entity) -> Entity,
    pub waitset_attach: unsafe extern "C" fn(Entity, Entity, isize) -> i32,
    pub waitset_wait: unsafe extern "C" fn(Entity, *mut isize, usize, i64) -> i32,
    pub write: unsafe extern "C" fn(Entity, *const c_void) -> i32,
    pub take: unsafe extern "C" fn(Entity, *mut *mut c_void, *mut Info, usize, u32) -> i32,
    pub free: unsafe extern "C" fn(*mut c_void),
    pub delete: unsafe extern "C" fn(Entity) -> i32,
}

impl Functions {
    pub fn load() -> Fallible<Functions> {
        let library = Library::open(Path::new(LIBRARY)).map_err(|_| MISSING)?;
        // SAFETY: the types are those of the headers of CycloneDDS 0.10.
        unsafe {
            Ok(Functions {
                create_domain: library.function(c"dds_create_domain")?,
                create_participant: library.function(c"dds_create_participant")?,
                create_topic: library.function(c"dds_create_topic")?,
                create_qos: library.function(c"dds_create_qos")?,
                set_reliability: library.function(c"dds_qset_reliability")?,
                set_history: library.function(c"dds_qset_history")?,
                delete_qos: library.function(c"dds_delete_qos")?,
                create_reader: library.function(c"dds_create_reader")?,
                create_writer: library.function(c"dds_create_writer")?,
                create_readcondition: library.function(c"dds_create_readcondition")?,
                create_waitset: library.function(c"dds_create_waitset")?,
                waitset_attach: library.function(c"dds_waitset_attach")?,
                waitset_wait: library.function(c"dds_waitset_wait")?,
                write: library.function(c"dds_write")?,
                take: library.function(c"dds_take")?,
                free: library.function(c"dds_free")?,
                delete: library.function(c"dds_delete")?,
            })
        }
    }
}

/// Whether the library can be loaded.
pub fn is_there() -> bool {
    Library::open(Path::new(LIBRARY)).is_ok()
}

/// The value that a call returned, or an error that names the call.
pub fn done(call: &str, code: i32) -> Fallible<i32> {
    if code >= 0 { Ok(code) } else { Err(format!("{call} returned {code}").into()) }
}

/// `dds_sample_info_t`.
#[repr(C)]
#[derive(Default)]
pub struct Info {
    _states: [c_int; 3],
    pub valid_data: bool,
    _source_timestamp: i64,
    _handles: [u64; 2],
    _generations_and_ranks: [u32; 5],
}

/// A sample: `dds_sequence_t`, which is what `struct { sequence<octet> data; }` is in C.
#[repr(C)]
pub struct Sequence {
    maximum: u32,
    length: u32,
    pub buffer: *mut u8,
    /// Whether the library may free the buffer and replace it with a larger one.
    release: bool,
}

impl Sequence {
    /// An empty sequence; the library allocates its memory.
    pub const EMPTY: Sequence = Sequence { maximum: 0, length: 0, buffer: ptr::null_mut(), release: true };

    /// Borrows our bytes, which the library must not write to. Messages are shorter than 4 GiB, so the length fits.
    pub fn of(bytes: &[u8]) -> Sequence {
        let length = bytes.len() as u32;
        Sequence { maximum: length, length, buffer: bytes.as_ptr().cast_mut(), release: false }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: whoever filled it, `of` or the library, has so many bytes there.
        unsafe { slice::from_raw_parts(self.buffer, self.length as usize) }
    }
}

/// `dds_topic_descriptor_t`.
#[repr(C)]
pub struct Descriptor {
    size: u32,
    align: u32,
    flags: u32,
    key_count: u32,
    name: *const c_char,
    keys: *const c_void,
    op_count: u32,
    ops: *const u32,
    meta: *const c_char,
    information: Meta,
    mapping: Meta,
    representations: u32,
}

/// `struct dds_type_meta_ser`.
#[repr(C)]
struct Meta {
    data: *const u8,
    size: u32,
}

/// As the IDL compiler writes it: `ADR | SEQ | 1BY` at the beginning of the struct, then `RTS`.
static OPS: [u32; 3] = [1 << 24 | 7 << 16 | 1 << 8, 0, 0];
const NO_OPTIMIZE: u32 = 1;
const NAME: &CStr = c"saltus::Bytes";
const META: &CStr = c"";

struct Constant(Descriptor);

// SAFETY: nobody writes to it, nor to what it points to.
unsafe impl Sync for Constant {}

static BYTES: Constant = Constant(Descriptor {
    size: size_of::<Sequence>() as u32,
    align: align_of::<Sequence>() as u32,
    flags: NO_OPTIMIZE,
    key_count: 0,
    name: NAME.as_ptr(),
    keys: ptr::null(),
    op_count: 2,
    ops: OPS.as_ptr(),
    meta: META.as_ptr(),
    information: Meta { data: ptr::null(), size: 0 },
    mapping: Meta { data: ptr::null(), size: 0 },
    representations: 0,
});

/// The type `saltus::Bytes`, whose only member is a `sequence<octet>`.
pub fn bytes() -> *const Descriptor {
    &BYTES.0
}
