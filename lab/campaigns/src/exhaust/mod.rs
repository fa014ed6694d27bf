//! **Exhaustion**: a full file system, a memory limit, no more descriptors, no more locked memory. Expected: errors
//! that name the missing resource, and existing handles keep working.

mod group;
mod limits;
mod space;
mod works;

pub use group::remove_all as remove_groups;

use crate::child::spawn;
use crate::context::Context;
use crate::place::Place;
use crate::report::{Failure, Skip};
use works::PATIENCE;

/// The exit code of a process that could not run its check.
const SKIPPED: i32 = 77;

pub fn run(context: &Context) -> Result<(), Failure> {
    let place = Place::new(context.root, "exhaust")?;
    let apart = |name: &str, check: &dyn Fn() -> Result<(), Failure>, found: &str| {
        context.report.check(name, || in_a_process(check).map(|()| found.to_string()));
    };
    apart(
        "a channel that is larger than the file system",
        &|| space::too_large(place.path()),
        "refused in words, nothing left behind",
    );
    apart(
        "channels until the file system is full",
        &|| space::many_channels(place.path()),
        "the last refused in words, all others go on",
    );
    apart(
        "publishers until the file system is full",
        &|| space::many_publishers(place.path()),
        "the last refused in words, all others go on",
    );
    apart(
        "full to the last byte",
        &|| space::full(place.path()),
        "publish, receive, sleep, wake, subscribe, list, remove: all go on; one removed makes room",
    );
    apart("no more inodes", &|| space::no_inodes(place.path()), "refused in words, nothing left behind");
    context.report.check("a memory limit", || group::limited(context, &place));
    apart(
        "no more descriptors",
        &|| limits::descriptors(&place),
        "errors in words at each, and no lane lost",
    );
    apart(
        "no more memory to lock",
        &|| limits::locked_memory(&place),
        "publishers are refused with a reason, the rest continues",
    );
    Ok(())
}

/// Runs a check in a separate process, since it changes the process.
fn in_a_process(check: &dyn Fn() -> Result<(), Failure>) -> Result<(), Failure> {
    let mut child = spawn(|| match check() {
        Err(why) if why.is::<Skip>() => {
            crate::report::say(&format!("       {why}"));
            // SAFETY: exits this process, as `spawn` would.
            unsafe { libc::_exit(SKIPPED) };
        }
        other => other,
    })?;
    match child.wait_for(PATIENCE) {
        Some(crate::child::End::Code(SKIPPED)) => Err(Skip::because("not possible here, see above")),
        Some(end) => Ok(end.good()?),
        None => Err("the check hangs".into()),
    }
}
