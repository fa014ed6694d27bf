//! Channels of one process, which have no name. They are channels in shared memory whose name is removed at once, so that a process that is
//! killed leaves nothing. Like Ach's, they live as long as the process.

use crate::border::Result;
use crate::errors::status;
use crate::slot::Slot;
use saltus_channel::{Attributes, Channel, Directory, Publisher};
use saltus_os::process;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// How many threads can put on a channel at the same time. No publisher can be opened once the name is gone, so they are opened before.
const WRITERS: usize = 4;

/// A channel without a name.
pub(crate) struct Anonymous {
    next: *const Anonymous,
    pub directory: Directory,
    pub name: String,
    pub channel: Channel,
    /// The publishers, which all handles share.
    pub writers: [Slot<Publisher>; WRITERS],
}

// SAFETY: `next` is constant, the rest may be shared.
unsafe impl Sync for Anonymous {}

/// The newest one. None is ever freed.
static TABLE: AtomicPtr<Anonymous> = AtomicPtr::new(null_mut());

/// Creates one.
pub(crate) fn create(directory: Directory, attributes: &Attributes) -> Result<*mut Anonymous> {
    let name = format!("anonymous-{}-{:016x}", process::id(), process::random());
    let attributes = attributes.clone().reserve_publishers(WRITERS as u32).mode(0o600);
    let channel = directory.create(&name, &attributes).map_err(|e| status(&e))?;
    let writers = [const { Slot::new() }; WRITERS];
    let opened = writers.iter().try_for_each(|slot| {
        if let Some(mut slot) = slot.enter() {
            *slot = Some(channel.publisher()?);
        }
        Ok(())
    });
    directory.detach(&name).and(opened).map_err(|e| status(&e))?;
    let made = Box::into_raw(Box::new(Anonymous { next: null(), directory, name, channel, writers }));
    let mut first = TABLE.load(Relaxed); // Relaxed: the exchange below checks it
    loop {
        // SAFETY: no other thread has it yet.
        unsafe { (*made).next = first };
        // Release: pairs with the acquire in `find`.
        match TABLE.compare_exchange_weak(first, made, Release, Relaxed) {
            Ok(_) => return Ok(made),
            Err(now) => first = now,
        }
    }
}

/// The channel at `pointer`, if there is one.
pub(crate) fn find(pointer: *const Anonymous) -> Option<&'static Anonymous> {
    // Acquire: pairs with the release in `create`.
    let mut at = TABLE.load(Acquire).cast_const();
    // SAFETY: none is ever freed.
    while let Some(each) = unsafe { at.as_ref() } {
        if std::ptr::eq(each, pointer) {
            return Some(each);
        }
        at = each.next;
    }
    None
}
