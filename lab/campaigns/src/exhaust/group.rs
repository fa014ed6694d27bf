//! A control group with a memory limit. The out-of-memory killer enforces it for shared memory, so Saltus must
//! refuse before.

use super::works::{PATIENCE, still_works};
use crate::child::spawn;
use crate::context::Context;
use crate::place::Place;
use crate::report::{Failure, Skip};
use saltus_channel::{Attributes, Directory, Error};
use std::fs;
use std::path::{Path, PathBuf};

const LIMIT: u64 = 24 << 20;

/// The directories of control groups version 1 and version 2, and the names of their limits.
const ROOTS: [(&str, &str); 3] = [
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
    ("/sys/fs/cgroup", "memory.max"),
    ("/sys/fs/cgroup/unified", "memory.max"),
];

/// The name of a group of this run, whose guardian is process `guardian`.
fn name(guardian: u32) -> String {
    format!("saltus-campaigns-{guardian}")
}

/// Removes the groups of this run.
pub fn remove_all(guardian: u32) {
    for (root, _) in ROOTS {
        let _ = fs::remove_dir(Path::new(root).join(name(guardian))); // most of them never existed
    }
}

/// Creates a group with the limit.
fn make(guardian: u32) -> Result<PathBuf, Failure> {
    let mut why = String::from("no memory control group is mounted");
    for (root, limit) in ROOTS {
        let group = Path::new(root).join(name(guardian));
        let made = fs::create_dir(&group).and_then(|()| fs::write(group.join(limit), LIMIT.to_string()));
        match made {
            Ok(()) => return Ok(group),
            Err(e) => {
                let _ = fs::remove_dir(&group);
                why = format!("{}: {e}", group.join(limit).display());
            }
        }
    }
    Err(Skip::because(format!("no control group with a memory limit can be made: {why}")))
}

pub fn limited(context: &Context, place: &Place) -> Result<String, Failure> {
    let guardian = context.guardian;
    let group = make(guardian)?;
    let domain = place.domain("limited")?;
    let mut child = spawn(|| {
        fs::write(group.join("cgroup.procs"), "0")?;
        within(&domain)
    })?;
    let ended = child.wait_for(PATIENCE);
    child.kill();
    remove_all(guardian);
    match ended {
        Some(end) => end.good()?,
        None => return Err("the check hangs".into()),
    }
    Ok(format!(
        "with {} MiB, channels and lanes beyond them are refused in words, and no process is killed",
        LIMIT >> 20
    ))
}

fn within(domain: &Directory) -> Result<(), Failure> {
    let refused = |result: Result<String, Error>| match result {
        Err(e @ Error::NoSpace { .. }) if e.to_string().contains("control group") => Ok(()),
        other => Err(format!("not refused for the group's limit, but: {other:?}")),
    };
    let small = domain.create("small", &Attributes::new())?;
    let mut publisher = small.publisher()?;
    refused(
        domain
            .create("huge", &Attributes::new().depth(64).max_message_size(1 << 20))
            .map(|c| c.name().to_string()),
    )?;
    refused(
        domain
            .create("lanes", &Attributes::new().depth(16).max_message_size(1 << 18).reserve_publishers(16))
            .map(|c| c.name().to_string()),
    )?;
    // Lanes of about 4 MB each, one after the other.
    let channel = domain.create("growing", &Attributes::new().depth(14).max_message_size(1 << 18))?;
    let mut publishers = vec![channel.publisher()?];
    let last = loop {
        match channel.publisher() {
            Ok(publisher) if publishers.len() < 16 => publishers.push(publisher),
            Ok(publisher) => break Ok(format!("publisher {:?}", publisher.id())),
            Err(e) => break Err(e),
        }
    };
    refused(last)?;
    for publisher in &mut publishers {
        still_works(&channel, publisher)?;
    }
    still_works(&small, &mut publisher)
}
