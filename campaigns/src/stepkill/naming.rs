//! Killed while making, replacing, removing and sweeping channels, and while changing who may use them.

use super::ledger::{Ledger, publish_all};
use super::publishing::NAME;
use super::runner::Operation;
use super::tracee::{begin, end};
use crate::child::Failure;
use crate::place;
use saltus_channel::{Attributes, Channel, Domain, Error};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FRAMES: u64 = 2;
const SIZE: u64 = 100;
/// What a sweep takes to be half-built and not just being built is older than this.
pub const OLD: Duration = Duration::from_millis(3100);
/// A process died here while it removed a channel.
const ORPHAN: &str = ".new-0123456789abcdef";

/// What the process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Creates a channel.
    Create,
    /// Creates the first channel of a domain.
    CreateDomain,
    /// Puts a channel in the place of another.
    Replace,
    /// Removes a channel.
    Unlink,
    /// Removes what a dead process has left.
    Sweep,
    /// Takes the permission to read away from others.
    Chmod,
}

pub struct World {
    domain: Domain,
    /// A handle on the channel that was there before.
    old: Option<Channel>,
    ledger: Ledger,
}

fn attributes() -> Attributes {
    Attributes::new().frames(FRAMES).frame_size(SIZE)
}

/// Where leftovers are kept that are too young to be swept.
pub fn limbo(ground: &Path) -> PathBuf {
    ground.with_extension("limbo")
}

/// Where halves of domains are kept that are too young to be swept.
fn beside(ground: &Path) -> PathBuf {
    ground.with_extension("beside")
}

impl Naming {
    fn domain_path(self, ground: &Path) -> PathBuf {
        if self == Naming::CreateDomain { ground.join("new") } else { ground.to_path_buf() }
    }

    /// What is there after a kill and a sweep, but for the channel itself, is too young to be swept, or wrong.
    fn check_leftovers(self, world: &World) -> Result<(), Failure> {
        world.domain.sweep()?;
        let dir = world.domain.path();
        let ground = if self == Naming::CreateDomain { dir.parent().unwrap_or(dir) } else { dir };
        for left in place::names(dir).into_iter().filter(|name| name != NAME) {
            let path = dir.join(&left);
            if !left.starts_with(".new-") || path.join("lease").exists() {
                return Err(format!("{left} is left after a sweep, with {:?}", place::names(&path)).into());
            }
            fs::create_dir_all(limbo(ground))?;
            fs::rename(path, limbo(ground).join(left))?;
        }
        let half_domains = place::names(ground).into_iter().filter(|name| name.starts_with('.'));
        for left in half_domains.filter(|_| self == Naming::CreateDomain) {
            fs::create_dir_all(beside(ground))?;
            fs::rename(ground.join(&left), beside(ground).join(left))?;
        }
        Ok(())
    }

    /// The channel is usable.
    fn use_channel(world: &mut World, fresh: bool) -> Result<(), Failure> {
        let channel = world.domain.open_channel(NAME)?;
        if fresh {
            world.ledger = Ledger::new(FRAMES, 1);
        }
        world.ledger.verify(&channel)?;
        world.ledger.go_on(&channel, 0, &[SIZE as usize, 0, 64])
    }
}

impl Operation for Naming {
    type World = World;

    fn name(&self) -> String {
        match self {
            Naming::Create => "create a channel",
            Naming::CreateDomain => "create the first channel of a domain",
            Naming::Replace => "replace a channel",
            Naming::Unlink => "remove a channel",
            Naming::Sweep => "sweep",
            Naming::Chmod => "change a mode",
        }
        .into()
    }
    fn case(&self) -> String {
        "one case".into()
    }

    fn build(&self, ground: &Path) -> Result<World, Failure> {
        fs::create_dir_all(ground)?;
        let domain = Domain::open(&format!("shm://{}", self.domain_path(ground).display()))?;
        let mut world = World { domain, old: None, ledger: Ledger::new(FRAMES, 1) };
        if matches!(self, Naming::Create | Naming::CreateDomain) {
            return Ok(world);
        }
        if *self == Naming::Sweep {
            world.domain.create(NAME, &attributes())?;
            fs::rename(ground.join(NAME), ground.join(ORPHAN))?;
        }
        let old = world.domain.create(NAME, &attributes())?;
        publish_all(&mut old.publisher()?, 0, &[100, 7])?;
        world.ledger.lanes[0] = vec![100, 7];
        world.old = Some(old);
        Ok(world)
    }

    fn act(&self, world: &World) -> Result<(), Failure> {
        let domain = &world.domain;
        begin();
        match self {
            Naming::Create | Naming::CreateDomain => drop(domain.create(NAME, &attributes())?),
            Naming::Replace => drop(domain.replace(NAME, &attributes())?),
            Naming::Unlink => domain.unlink(NAME)?,
            Naming::Sweep => drop(domain.sweep()?),
            Naming::Chmod => domain.chmod(NAME, 0o600)?,
        }
        end();
        Ok(())
    }

    fn files(&self, _: &World) -> Vec<PathBuf> {
        Vec::new() // what others see changes by system calls, but for the end of a channel
    }

    fn check(&self, mut world: World, _: usize) -> Result<(), Failure> {
        let fresh = match world.domain.open_channel(NAME) {
            Err(Error::NotFound { .. })
                if matches!(self, Naming::Create | Naming::CreateDomain | Naming::Unlink) =>
            {
                world.domain.create(NAME, &attributes())?;
                true
            }
            Err(e) => return Err(e.into()),
            Ok(found) => {
                match world.domain.create(NAME, &attributes()) {
                    Err(Error::Exists { .. }) => {}
                    other => return Err(format!("creating it a second time gave {other:?}").into()),
                }
                let same = |old: &Channel| Ok::<_, Error>(old.info()?.id == found.info()?.id);
                !world.old.as_ref().map_or(Ok(false), same)?
            }
        };
        self.check_leftovers(&world)?;
        if let Some(old) = &world.old
            && old.is_retired() != fresh
        {
            return Err(
                format!("another channel is in place: {fresh}, old handles are told: {}", !fresh).into()
            );
        }
        if *self == Naming::Chmod {
            world.domain.chmod(NAME, 0o640)?;
            let mode = |file: &str| {
                fs::metadata(world.domain.path().join(NAME).join(file)).map(|m| m.permissions().mode())
            };
            let modes =
                [mode("data")? & 0o777, mode("bell")? & 0o777, mode("lease")? & 0o777, mode(".")? & 0o777];
            if modes != [0o640, 0o660, 0o600, 0o750] {
                return Err(
                    format!("modes after a second change: {:?}", modes.map(|m| format!("{m:o}"))).into()
                );
            }
        }
        Naming::use_channel(&mut world, fresh)?;
        world.domain.replace(NAME, &attributes())?;
        Naming::use_channel(&mut world, true)?;
        world.domain.unlink(NAME)?;
        let path = world.domain.path();
        if *self == Naming::CreateDomain {
            fs::remove_dir(path)?;
        }
        Ok(())
    }

    fn finish(&self, ground: &Path) -> Result<(), Failure> {
        let kept = [limbo(ground), beside(ground)].map(|dir| place::names(&dir).len());
        if kept == [0, 0] {
            return Ok(());
        }
        std::thread::sleep(OLD);
        Domain::open(&format!("shm://{}", limbo(ground).display()))?.sweep()?;
        // What is left of a domain lies beside others: any of them sweeps it.
        let other = Domain::open(&format!("shm://{}/other", beside(ground).display()))?;
        if kept[1] > 0 {
            other.create(NAME, &attributes())?;
            other.sweep()?;
            fs::remove_dir_all(other.path())?;
        }
        let left = [limbo(ground), beside(ground)].map(|dir| place::names(&dir));
        for dir in [limbo(ground), beside(ground)] {
            let _ = fs::remove_dir_all(dir); // one of them may not be there
        }
        match left.iter().all(Vec::is_empty) {
            true => Ok(()),
            false => Err(format!("of {kept:?} that were too young, these are never swept: {left:?}").into()),
        }
    }
}

pub fn operations() -> Vec<Naming> {
    use Naming::*;
    vec![Create, CreateDomain, Replace, Unlink, Sweep, Chmod]
}
