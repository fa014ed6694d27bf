//! Dead channels.

use saltus_channel::{Directory, Error, Info, Name, Result};

/// A channel that had publishers, all of which are dead, and that has no live subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    /// Its name.
    pub name: Name,
    /// Shared memory that it holds, in bytes.
    pub memory: u64,
    /// The user that created it.
    pub user: u32,
    id: u64,
}

/// The dead channels of a domain. Leaves out channels that never had a publisher, and those that cannot be opened.
pub fn dead(domain: &Directory) -> Result<Vec<Dead>> {
    let names = domain.list()?.into_iter();
    Ok(names.filter_map(|name| inspect(domain, &name).ok().flatten()).collect())
}

/// Number of channels in a domain that this user has no permission to open.
pub fn closed(domain: &Directory) -> usize {
    let names = domain.list().unwrap_or_default().into_iter();
    let refused = |name: &Name| matches!(domain.open_channel(name.as_bytes()), Err(Error::Denied { .. }));
    names.filter(refused).count()
}

/// Removes a dead channel. Returns `false`, and keeps it, if it is another channel now or no longer dead. A process that opens it between
/// the check and the removal gets the error that it was removed.
///
/// # Errors
/// The channel cannot be opened or removed.
pub fn remove(domain: &Directory, dead: &Dead) -> Result<bool> {
    match inspect(domain, &dead.name) {
        Ok(Some(now)) if now.id == dead.id => domain.unlink(dead.name.as_bytes()).map(|()| true),
        Ok(_) | Err(Error::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn inspect(domain: &Directory, name: &Name) -> Result<Option<Dead>> {
    let info = domain.open_channel(name.as_bytes())?.info()?;
    Ok(is_dead(&info).then(|| Dead {
        name: name.clone(),
        memory: info.memory,
        user: info.creator.1,
        id: info.id,
    }))
}

fn is_dead(info: &Info) -> bool {
    !info.lanes.is_empty()
        && info.lanes.iter().all(|lane| !lane.alive)
        && info.subscribers.iter().all(|subscriber| !subscriber.alive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_channel::Attributes;

    /// A separate domain for this test.
    struct Place(Directory);

    impl Place {
        fn new(name: &str) -> Place {
            let url = format!("shm:///dev/shm/saltus-test-{}-doctor-{name}", std::process::id());
            Place(Directory::open(&url).unwrap())
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(self.0.path());
        }
    }

    #[test]
    fn a_channel_is_dead_if_it_had_publishers_and_has_no_users() {
        let Place(domain) = &Place::new("dead");
        for name in ["fresh", "left", "written", "read"] {
            domain.create(name, &Attributes::new()).unwrap();
        }
        let publisher = |name| domain.open_channel(name).unwrap().publisher().unwrap();
        for name in ["left", "read"] {
            publisher(name).publish(b"x").unwrap();
        }
        let writer = publisher("written");
        let reader = domain.open_channel("read").unwrap().subscriber().unwrap();
        let names = || dead(domain).unwrap().iter().map(|d| d.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(), ["left"]);
        let left = dead(domain).unwrap().remove(0);
        // It is alive again, so it stays.
        let again = publisher("left");
        assert!(!remove(domain, &left).unwrap());
        drop(again);
        assert!(remove(domain, &left).unwrap());
        assert!(!remove(domain, &left).unwrap(), "it is gone");
        drop((writer, reader));
        assert_eq!(names(), ["read", "written"]);
        // Another channel with that name is not the checked one.
        let written = dead(domain).unwrap().remove(1);
        domain.replace("written", &Attributes::new()).unwrap();
        publisher("written").publish(b"x").unwrap();
        assert!(!remove(domain, &written).unwrap());
        assert_eq!(domain.list().unwrap().len(), 3);
    }
}
