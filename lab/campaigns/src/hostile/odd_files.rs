//! Other objects in place of a channel's files: nothing, directories, pipes, links, devices, sockets.

use super::hunt::Prey;
use super::victim;
use crate::place;
use crate::report::Failure;
use crate::rng::Rng;
use saltus_channel::{Attributes, Directory};
use std::ffi::CString;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

const NAME: &str = "c";
/// The object that is replaced: the channel itself, or one of its files.
const VICTIMS: [&str; 6] = ["", "data", "bell", "lease", "types", "subs"];
const THINGS: usize = 11;

/// The number of combinations.
pub const CASES: u64 = (VICTIMS.len() * THINGS) as u64;

/// Creates object number `i` at `path`. `false`: the system does not allow it.
fn put(path: &Path, i: usize, rng: &mut Rng) -> Result<bool, Failure> {
    let c_path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is a C string.
    let node = |kind, device| unsafe { libc::mknod(c_path.as_ptr(), kind | 0o666, device) } == 0;
    let file = |len: usize, rng: &mut Rng| -> Result<bool, Failure> {
        let bytes: Vec<u8> = (0..len).map(|_| rng.next() as u8).collect();
        File::create(path)?.write_all(&bytes)?;
        Ok(true)
    };
    Ok(match i {
        0 => true, // nothing at all
        1 => file(0, rng)?,
        2 => file(100, rng)?,
        3 => file(8192, rng)?,
        4 => fs::create_dir(path).is_ok(),
        5 => fs::create_dir(path).is_ok() && fs::create_dir(path.join("inner")).is_ok(),
        6 => node(libc::S_IFIFO, 0),
        7 => node(libc::S_IFCHR, libc::makedev(1, 5)), // like /dev/zero
        8 => symlink("/dev/zero", path).is_ok(),
        9 => symlink(path.file_name().unwrap_or_default(), path).is_ok(), // to itself
        _ => UnixListener::bind(path).is_ok(),
    })
}

fn remove(path: &Path) -> std::io::Result<()> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Case `i`: everything is tried on such a channel, which is then replaced by a good one. That must leave nothing
/// behind.
pub fn case(domain: &Directory, i: u64, rng: &mut Rng, prey: &Prey) -> Result<(), Failure> {
    let (victim, thing) = (VICTIMS[i as usize / THINGS], i as usize % THINGS);
    let wrong = |what: String| format!("thing {thing} in the place of `{victim}`: {what}");
    let dir = domain.path();
    if dir.exists() {
        fs::set_permissions(dir, Permissions::from_mode(0o777))?;
        remove(dir)?;
    }
    let channel = domain.create(NAME, &Attributes::new().max_message_size(64))?;
    channel.publisher()?.publish(b"good")?;
    let path = if victim.is_empty() { dir.join(NAME) } else { dir.join(NAME).join(victim) };
    remove(&path)?;
    if !put(&path, thing, rng)? {
        return Ok(());
    }
    // Earlier handles: mapped files keep working, opening others returns an error.
    victim::exercise(&channel, rng, prey)?;
    victim::use_channel(domain, NAME, rng, prey)?;
    let _ = domain.list().map_err(|e| wrong(format!("list: {e}")))?;
    prey.called();
    let _ = (domain.create(NAME, &Attributes::new()), domain.chmod(NAME, 0o600), domain.chmod(NAME, 0o644));
    if path.is_dir() {
        // The mode of a file creates a directory that even its owner cannot list or remove.
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
    }
    domain.sweep().map_err(|e| wrong(format!("sweep: {e}")))?;
    prey.called();
    if rng.below(2) == 0 {
        let _ = domain.unlink(NAME);
    }
    let good = domain
        .replace(NAME, &Attributes::new().max_message_size(64))
        .map_err(|e| wrong(format!("it cannot be replaced: {e}")))?;
    good.publisher()?.publish(b"good")?;
    let sample = good.subscriber()?.newest(&mut [0; 64])?;
    if sample.is_none_or(|s| s.len != 4) {
        return Err(wrong(format!("the new channel delivered {sample:?}")).into());
    }
    domain.sweep()?;
    let left = place::names(dir);
    if left != [NAME] {
        return Err(wrong(format!("replaced, but it is still there: {left:?}")).into());
    }
    Ok(())
}

/// Counter files with arbitrary contents.
pub fn counters(domain: &Directory, rng: &mut Rng, prey: &Prey) -> Result<(), Failure> {
    let channel = domain.replace(NAME, &Attributes::new().max_message_size(64))?;
    let _mine = channel.subscriber()?;
    let subs = domain.path().join(NAME).join("subs");
    for n in 0..4 {
        let path = subs.join(format!("{}-{n}", rng.below(100_000)));
        let thing = rng.below(THINGS as u64) as usize;
        put(&path, thing, rng)?;
        if thing == 3 && rng.below(2) == 0 {
            // With a valid header, followed by garbage.
            use std::os::unix::fs::FileExt;
            File::options().write(true).open(&path)?.write_all_at(b"SALTUSsb", 0)?;
        }
    }
    prey.called();
    for subscriber in channel.info()?.subscribers {
        let _ = (subscriber.latency.percentile(0.99), subscriber.latency.max(), subscriber.latency.count());
    }
    domain.sweep()?;
    victim::exercise(&channel, rng, prey)
}
