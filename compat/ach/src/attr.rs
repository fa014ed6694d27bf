//! Attributes.

use crate::abi::*;
use crate::border::{Result, call, structure};
use crate::errors::refused;
use crate::status::*;
use libc::clockid_t;
use std::ffi::{c_int, c_uint};

/// Bit 0 of [`AttrFields::bits`].
pub(crate) const LOCK_SOURCE: c_uint = 1;
/// Bit 0 of [`CreateAttrFields::bits`].
pub(crate) const TRUNCATE: c_uint = 1;
/// Bit 1 of [`CreateAttrFields::bits`].
pub(crate) const SET_CLOCK: c_uint = 2;

/// Refuses a map that there is not, for instance of attributes that were not initialized.
pub(crate) fn check_map(map: AchMap) -> Result<()> {
    match map {
        ACH_MAP_DEFAULT..=ACH_MAP_KERNEL => Ok(()),
        _ => Err(refused(
            ACH_EINVAL,
            libc::EINVAL,
            format_args!("map {map} does not exist: initialize the attributes"),
        )),
    }
}

fn set(bits: &mut c_uint, bit: c_uint, on: bool) {
    *bits = if on { *bits | bit } else { *bits & !bit };
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_attr_init(attr: *mut AchAttr) {
    if !attr.is_null() {
        // SAFETY: not NULL, so there is room for a structure.
        unsafe { attr.write(AchAttr { words: [0; 8] }) };
    }
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_attr_set_shm(attr: *mut AchAttr, shm: *mut AchHeader) -> AchStatus {
    call(|| {
        // SAFETY: the header demands NULL or a structure; each field is valid for all bytes.
        let fields = unsafe { &mut structure(attr)?.fields };
        (fields.map, fields.shm) = (ACH_MAP_ANON, shm);
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_attr_set_lock_source(attr: *mut AchAttr, lock_source: c_int) -> AchStatus {
    call(|| {
        // SAFETY: as above.
        set(unsafe { &mut structure(attr)?.fields.bits }, LOCK_SOURCE, lock_source != 0);
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_create_attr_init(attr: *mut AchCreateAttr) {
    if !attr.is_null() {
        // SAFETY: not NULL, so there is room for a structure.
        unsafe {
            attr.write(AchCreateAttr { words: [0; 16] });
            (*attr).fields.map = ACH_MAP_USER;
            (*attr).fields.clock = libc::CLOCK_MONOTONIC;
        }
    }
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_create_attr_set_clock(attr: *mut AchCreateAttr, clock: clockid_t) -> AchStatus {
    call(|| {
        // SAFETY: as above.
        let fields = unsafe { &mut structure(attr)?.fields };
        fields.clock = clock;
        set(&mut fields.bits, SET_CLOCK, true);
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_create_attr_set_map(attr: *mut AchCreateAttr, map: AchMap) -> AchStatus {
    call(|| {
        // SAFETY: as above.
        let fields = unsafe { &mut structure(attr)?.fields };
        check_map(map)?;
        fields.map = map;
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_create_attr_set_truncate(
    attr: *mut AchCreateAttr,
    truncate: c_int,
) -> AchStatus {
    call(|| {
        // SAFETY: as above.
        set(unsafe { &mut structure(attr)?.fields.bits }, TRUNCATE, truncate != 0);
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_create_attr_get_shm(
    attr: *mut AchCreateAttr,
    shm: *mut *mut AchHeader,
) -> AchStatus {
    call(|| {
        // SAFETY: as above, for both.
        let (fields, shm) = unsafe { (structure(attr)?.fields, structure(shm)?) };
        if fields.map != ACH_MAP_ANON {
            return Err(ACH_EINVAL);
        }
        *shm = fields.shm;
        Ok(ACH_OK)
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_cancel_attr_init(attr: *mut AchCancelAttr) {
    if !attr.is_null() {
        // SAFETY: not NULL, so there is room for a structure.
        unsafe { attr.write(AchCancelAttr { words: [0; 8] }) };
    }
}
