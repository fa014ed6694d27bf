//! Limits of a process: descriptors, and locked memory.

use super::works::still_works;
use crate::place::Place;
use crate::report::Failure;
use crate::user;
use saltus_channel::{Attributes, Channel, Directory, Error, Publisher, Subscriber, rt};
use std::fs::File;
use std::os::fd::AsRawFd;

/// Sets the soft limit of a resource, and the hard one if `hard`.
fn limit(resource: libc::__rlimit_resource_t, value: u64, hard: bool) -> Result<(), Failure> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the record stays alive across both calls; sets a limit of this process.
    let result = unsafe {
        libc::getrlimit(resource, &mut now);
        let max = if hard { value } else { now.rlim_max };
        libc::setrlimit(resource, &libc::rlimit { rlim_cur: value.min(max), rlim_max: max })
    };
    if result < 0 { Err(std::io::Error::last_os_error().into()) } else { Ok(()) }
}

/// Joins a channel, as a process does.
fn join(domain: &Directory) -> Result<(Channel, Publisher, Subscriber), Error> {
    let channel = domain.open_channel("c")?;
    let publisher = channel.publisher()?;
    let mut subscriber = channel.subscriber()?;
    subscriber.event_fd()?;
    Ok((channel, publisher, subscriber))
}

pub fn descriptors(place: &Place) -> Result<(), Failure> {
    let domain = place.domain("descriptors")?;
    let channel = domain.create("c", &Attributes::new())?;
    let mut publisher = channel.publisher()?;
    let free = File::open("/dev/null")?.as_raw_fd() as u64; // the lowest free number
    let mut refused = 0;
    for spare in 0..16 {
        limit(libc::RLIMIT_NOFILE, free + spare, false)?;
        match join(&domain) {
            Ok(_) => {}
            Err(Error::System { what, source })
                if source.raw_os_error() == Some(libc::EMFILE) && !what.is_empty() =>
            {
                refused += 1;
            }
            Err(e) => return Err(format!("with {spare} descriptors: {e:?}").into()),
        }
        // Open handles keep working, without any more descriptors.
        limit(libc::RLIMIT_NOFILE, free, false)?;
        still_works(&channel, &mut publisher)?;
        let created = domain.create(format!("new{spare}"), &Attributes::new());
        if created.is_ok() {
            return Err("a channel was created without a descriptor".into());
        }
    }
    limit(libc::RLIMIT_NOFILE, 1 << 20, false)?;
    if refused == 0 {
        return Err("it was never refused".into());
    }
    let (_, second, _) = join(&domain)?;
    let lane = second.id().lane;
    domain.sweep()?;
    let left = crate::place::names(domain.path());
    match lane == 1 && left == ["c"] {
        true => Ok(()),
        false => Err(format!("afterwards the next publisher got lane {lane}, and there is {left:?}").into()),
    }
}

pub fn locked_memory(place: &Place) -> Result<(), Failure> {
    let domain = place.domain("locked")?;
    let attributes = Attributes::new().depth(16).max_message_size(65536).lock_memory(true).mode(0o666);
    domain.create("c", &attributes)?; // creates the domain, which is open to all users
    domain.unlink("c")?;
    user::drop_root()?;
    limit(libc::RLIMIT_MEMLOCK, 65536, true)?;
    let channel = match domain.create("c", &attributes) {
        Ok(channel) => channel,
        Err(e) => return Err(format!("creating it locks nothing, but: {e}").into()),
    };
    match channel.publisher() {
        Err(e) if e.to_string().contains("lock") && e.to_string().contains("ulimit -l") => {}
        other => return Err(format!("not refused for lack of memory to lock, but: {other:?}").into()),
    }
    match rt::lock_memory() {
        Err(e) if e.to_string().contains("ulimit -l") => {}
        other => return Err(format!("locking all memory: {other:?}").into()),
    }
    channel.subscriber()?.newest(&mut [0; 8])?;
    // Without locking, the same user's publishers work.
    let unlocked = domain.create("unlocked", &attributes.lock_memory(false))?;
    let mut publisher = unlocked.publisher()?;
    still_works(&unlocked, &mut publisher)?;
    domain.unlink("c")?;
    domain.unlink("unlocked")?;
    Ok(())
}
