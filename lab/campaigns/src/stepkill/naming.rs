//! Killed while creating, replacing, removing and cleaning up channels, and while changing their permissions.

use super::ledger::{Ledger, publish_all};
use super::publishing::NAME;
use super::runner::Operation;
use super::tracee::{begin, end};
use crate::place;
use crate::report::Failure;
use saltus_channel::{Attributes, Channel, Directory, Error};
use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FRAMES: u64 = 2;
const SIZE: u64 = 100;
/// A sweep treats an unfinished channel older than this as abandoned.
pub const OLD: Duration = Duration::from_millis(3100);
/// A process died here while it removed a channel.
const ORPHAN: &str = ".new-0123456789abcdef";

/// Handles kept on channels whose removing process died, to check at the end that they learn of it.
const FOLLOWED: usize = 50;
/// Domains created in advance with an old leftover to sweep.
const STOCK: usize = 250;

/// The action of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Creates a channel.
    Create,
    /// Creates the first channel of a domain.
    CreateDomain,
    /// Replaces a channel.
    Replace,
    /// Replaces a channel by one to which its readers follow, as a domain does when messages get longer.
    Succeed,
    /// Opens a domain and a channel whose owner must be this user, and checks the channel again.
    OpenOwned,
    /// Removes a channel.
    Unlink,
    /// Removes leftovers of a dead process.
    Sweep,
    /// Removes the read permission of others.
    Chmod,
}

/// The action, and the state kept from kill to kill.
pub struct Naming {
    what: What,
    /// Handles that must learn of their end once the leftovers are old enough to be swept.
    untold: RefCell<Vec<Channel>>,
    /// Domains with a leftover that is old enough.
    stock: RefCell<Vec<PathBuf>>,
}

pub struct World {
    domain: Directory,
    /// A handle on the earlier channel.
    old: Option<Channel>,
    ledger: Ledger,
}

fn attributes() -> Attributes {
    Attributes::new().depth(FRAMES).max_message_size(SIZE)
}

/// Directory for leftovers that are too young to be swept.
pub fn limbo(ground: &Path) -> PathBuf {
    ground.with_extension("limbo")
}

/// Directory for unfinished domains that are too young to be swept.
fn beside(ground: &Path) -> PathBuf {
    ground.with_extension("beside")
}

impl Naming {
    /// Everything left after a kill and a sweep, except the channel itself, is too young to be swept. It is moved
    /// away, to be swept at the end.
    fn put_aside(&self, world: &World, ground: &Path) -> Result<(), Failure> {
        world.domain.sweep()?;
        let dir = world.domain.path();
        for left in place::names(dir).into_iter().filter(|name| name != NAME) {
            if !left.starts_with(".new-") {
                return Err(format!("{left} is left after a sweep").into());
            }
            fs::create_dir_all(limbo(ground))?;
            let nth = place::names(&limbo(ground)).len();
            fs::rename(dir.join(&left), limbo(ground).join(format!("{left}-{nth}")))?;
        }
        for left in place::names(ground).into_iter().filter(|name| name.starts_with(".saltus-new-")) {
            fs::create_dir_all(beside(ground))?;
            fs::rename(ground.join(&left), beside(ground).join(left))?;
        }
        Ok(())
    }

    /// Users of the earlier channel learn that it was replaced, now or after a later sweep.
    fn check_replacement_is_reported(&self, old: &Channel, replaced: bool) -> Result<(), Failure> {
        let reported = old.is_retired();
        if reported && !replaced {
            return Err("its users see it as removed, but it exists".into());
        }
        let mut untold = self.untold.borrow_mut();
        if replaced && !reported && untold.len() < FOLLOWED {
            untold.push(old.clone());
        }
        Ok(())
    }

    /// A domain with a channel and an old leftover of a dead process.
    fn take_from_stock(&self, ground: &Path) -> Result<PathBuf, Failure> {
        let mut stock = self.stock.borrow_mut();
        if stock.is_empty() {
            for i in 0..STOCK {
                // Each in a separate directory, since a sweep also checks around the domain.
                let path = ground.join(format!("stock-{i}/domain"));
                fs::create_dir_all(path.parent().unwrap_or(ground))?;
                let domain = Directory::open(&format!("shm://{}", path.display()))?;
                domain.create(NAME, &attributes())?;
                fs::rename(path.join(NAME), path.join(ORPHAN))?;
                stock.push(path);
            }
            std::thread::sleep(OLD);
        }
        Ok(stock.pop().ok_or("no stock")?)
    }

    /// The channel is usable.
    fn use_channel(world: &mut World, fresh: bool) -> Result<(), Failure> {
        let channel = world.domain.open_channel(NAME)?;
        if fresh {
            world.ledger = Ledger::new(FRAMES, 1);
        }
        world.ledger.verify(&channel)?;
        world.ledger.resume(&channel, 0, &[SIZE as usize, 0, 64])
    }
}

impl Operation for Naming {
    type World = World;

    fn name(&self) -> String {
        match self.what {
            What::Create => "create a channel",
            What::CreateDomain => "create the first channel of a domain",
            What::Replace => "replace a channel",
            What::Succeed => "let a channel grow",
            What::OpenOwned => "open a channel of a required owner",
            What::Unlink => "remove a channel",
            What::Sweep => "sweep",
            What::Chmod => "change a mode",
        }
        .into()
    }
    fn case(&self) -> String {
        "one case".into()
    }

    fn build(&self, ground: &Path) -> Result<World, Failure> {
        fs::create_dir_all(ground)?;
        let path = match self.what {
            What::CreateDomain => ground.join("new"),
            What::Sweep => self.take_from_stock(ground)?,
            _ => ground.to_path_buf(),
        };
        let domain = Directory::open(&format!("shm://{}", path.display()))?;
        let mut world = World { domain, old: None, ledger: Ledger::new(FRAMES, 1) };
        if matches!(self.what, What::Create | What::CreateDomain) {
            return Ok(world);
        }
        let aside = ground.with_extension("made");
        let made = if self.what == What::Sweep {
            // Created elsewhere, since creating a channel sweeps.
            let elsewhere = Directory::open(&format!("shm://{}", aside.display()))?;
            elsewhere.create(NAME, &attributes())?;
            fs::rename(aside.join(NAME), path.join(NAME))?;
            fs::remove_dir(&aside)?;
            world.domain.open_channel(NAME)?
        } else {
            world.domain.create(NAME, &attributes())?
        };
        publish_all(&mut made.publisher()?, 0, &[100, 7])?;
        world.ledger.lanes[0] = vec![100, 7];
        world.old = Some(made);
        Ok(world)
    }

    fn act(&self, world: &World) -> Result<(), Failure> {
        let domain = &world.domain;
        begin();
        match self.what {
            What::Create | What::CreateDomain => drop(domain.create(NAME, &attributes())?),
            What::Replace => drop(domain.replace(NAME, &attributes())?),
            What::Succeed => {
                drop(domain.succeed(world.old.as_ref().ok_or("no channel")?, &attributes())?);
            }
            What::OpenOwned => {
                let owned = format!("shm://{}?owner=me", domain.path().display());
                Directory::open(&owned)?.open_channel(NAME)?.check()?;
            }
            What::Unlink => domain.unlink(NAME)?,
            What::Sweep => drop(domain.sweep()?),
            What::Chmod => domain.chmod(NAME, 0o600)?,
        }
        end();
        Ok(())
    }

    fn files(&self, _: &World) -> Vec<PathBuf> {
        Vec::new() // visible state changes by system calls, except for the end of a channel
    }

    fn check(&self, mut world: World, ground: &Path, _: usize) -> Result<(), Failure> {
        let may_be_new = matches!(self.what, What::Replace | What::Succeed);
        let may_be_gone = matches!(self.what, What::Create | What::CreateDomain | What::Unlink);
        let fresh = match world.domain.open_channel(NAME) {
            Err(Error::NotFound { .. }) if may_be_gone => {
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
        if fresh && !may_be_new && !may_be_gone {
            return Err("another channel has its name".into());
        }
        if fresh && self.what == What::Succeed {
            check_followed(&world)?;
        }
        self.put_aside(&world, ground)?;
        if let Some(old) = &world.old {
            self.check_replacement_is_reported(old, fresh)?;
        }
        if self.what == What::Chmod {
            check_chmod(&world.domain)?;
        }
        Naming::use_channel(&mut world, fresh)?;
        world.domain.replace(NAME, &attributes())?;
        Naming::use_channel(&mut world, true)?;
        world.domain.unlink(NAME)?;
        // A domain other than the ground itself is removed, with its own directory.
        let mut path = world.domain.path();
        while let Some(parent) = path.parent().filter(|_| path != ground) {
            fs::remove_dir(path)?;
            path = parent;
        }
        Ok(())
    }

    fn finish(&self, ground: &Path) -> Result<(), Failure> {
        for unused in self.stock.borrow_mut().drain(..) {
            fs::remove_dir_all(unused.parent().unwrap_or(&unused))?;
        }
        let kept = [limbo(ground), beside(ground)].map(|dir| place::names(&dir).len());
        if kept == [0, 0] {
            return Ok(());
        }
        std::thread::sleep(OLD);
        Directory::open(&format!("shm://{}", limbo(ground).display()))?.sweep()?;
        // Leftovers of a domain are next to others: any of them sweeps it.
        let other = Directory::open(&format!("shm://{}/other", beside(ground).display()))?;
        if kept[1] > 0 {
            other.create(NAME, &attributes())?;
            other.sweep()?;
            fs::remove_dir_all(other.path())?;
        }
        let untold = self.untold.borrow().iter().filter(|old| !old.is_retired()).count();
        if untold > 0 {
            return Err(format!("{untold} handles on removed channels never learn of it").into());
        }
        let left = [limbo(ground), beside(ground)].map(|dir| place::names(&dir));
        for dir in [limbo(ground), beside(ground)] {
            let _ = fs::remove_dir_all(dir); // one of them may not exist
        }
        match left.iter().all(Vec::is_empty) {
            true => Ok(()),
            false => Err(format!("of {kept:?} that were too young, these are never swept: {left:?}").into()),
        }
    }
}

/// Readers of a channel that grew learn of it, now that somebody has opened its successor, and find that.
fn check_followed(world: &World) -> Result<(), Failure> {
    let old = world.old.as_ref().ok_or("no channel")?;
    let id = |channel: &Channel| Ok::<_, Failure>(channel.info()?.id);
    if !old.is_retired() || id(&old.successor()?)? != id(&world.domain.open_channel(NAME)?)? {
        return Err("readers of the channel that grew do not find its successor".into());
    }
    Ok(())
}

/// A mode that was changed half-way can be changed again.
fn check_chmod(domain: &Directory) -> Result<(), Failure> {
    domain.chmod(NAME, 0o640)?;
    let dir = domain.path().join(NAME);
    let mode = |file: &str| fs::metadata(dir.join(file)).map(|m| m.permissions().mode() & 0o777);
    let modes = [mode("data")?, mode("bell")?, mode("lease")?, mode(".")?];
    match modes {
        [0o640, 0o660, 0o600, 0o750] => Ok(()),
        _ => Err(format!("modes after a second change: {:?}", modes.map(|m| format!("{m:o}"))).into()),
    }
}

pub fn operations() -> Vec<Naming> {
    let naming = |what| Naming { what, untold: RefCell::default(), stock: RefCell::default() };
    [
        What::Create,
        What::CreateDomain,
        What::Replace,
        What::Succeed,
        What::OpenOwned,
        What::Unlink,
        What::Sweep,
        What::Chmod,
    ]
    .map(naming)
    .into()
}
