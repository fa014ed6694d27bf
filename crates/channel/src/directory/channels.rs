//! The channels of a domain: creating, opening, changing and removing them.

use super::Directory;
use crate::create::{self, Plan};
use crate::{Attributes, Channel, DepthWish, Error, Name, Result, Until, Wake, chain, counters, wish};
use saltus_os::{clock, process};

impl Directory {
    /// Creates a channel, in one step: no process sees it half-built. [`Error::Exists`] if the name is in use.
    ///
    /// ```
    /// use saltus_channel::{Attributes, Error};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("imu", &Attributes::new().depth(64).max_message_size(100))?;
    /// assert_eq!(channel.attributes().get_depth(), 64);
    /// assert!(matches!(domain.create("imu", &Attributes::new()), Err(Error::Exists { .. })));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn create(&self, name: impl AsRef<[u8]>, attributes: &Attributes) -> Result<Channel> {
        self.create_named(&Name::new(name)?, attributes, false)
    }

    /// Creates a channel, or replaces an existing one, whose users then get [`Error::Retired`].
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let old = domain.create("imu", &Attributes::new())?;
    /// let new = domain.replace("imu", &Attributes::new().depth(64))?;
    /// assert!(old.is_retired() && !new.is_retired());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn replace(&self, name: impl AsRef<[u8]>, attributes: &Attributes) -> Result<Channel> {
        self.create_named(&Name::new(name)?, attributes, true)
    }

    /// Replaces `old` by a new channel and returns it. Readers of `old` find it by [`Channel::successor`] and lose nothing.
    ///
    /// If the name leads to another channel than `old`, that channel is returned and nothing changes: of several simultaneous calls,
    /// one replaces. Owner, types, mode and group of `old` are kept as they are now; the other attributes are those of `attributes`.
    ///
    /// Waits up to 2 s for another replacement in progress.
    ///
    /// # Errors
    /// Those of [`Directory::replace`]; [`Error::NotFound`] if the channel was removed; [`Error::Denied`] also to a process that cannot
    /// create files for the owner of `old`.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let (domain, old) = doc::channel();
    /// let new = domain.succeed(&old, &old.attributes().clone().depth(64))?;
    /// assert!(old.is_retired() && new.attributes().get_depth() == 64);
    /// // A process that is late gets the existing channel.
    /// assert_eq!(domain.succeed(&old, &old.attributes().clone().depth(99))?.attributes().get_depth(), 64);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn succeed(&self, old: &Channel, attributes: &Attributes) -> Result<Channel> {
        Plan::new(attributes)?.succeed(&self.make_dir()?, &self.url(), old.mapping())?;
        Channel::open(self, old.name())
    }

    /// Requests that channel `name`, for which a subscriber waits, keeps `depth` messages. The request ends when the returned value is
    /// dropped. The creator of the channel decides, and reads the requests with [`Directory::wished_depth`].
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let wish = domain.wish_depth("imu", 1000)?;
    /// assert_eq!(domain.wished_depth("imu", |_| true)?, Some(1000));
    /// drop(wish);
    /// assert_eq!(domain.wished_depth("imu", |_| true)?, None);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn wish_depth(&self, name: impl AsRef<[u8]>, depth: u64) -> Result<DepthWish> {
        let name = Name::new(name)?;
        let what =
            || format!("leave word in {} that channel `{name}` is to keep {depth} messages", self.url());
        DepthWish::make(self.make_dir()?, &name, depth).map_err(|e| Error::system(what(), e))
    }
    /// The greatest depth that subscribers requested for channel `name`, among the numbers for which `is_possible` returns true. Every
    /// user may request any number.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let wishes = [domain.wish_depth("imu", 50)?, domain.wish_depth("imu", 1000)?];
    /// assert_eq!(domain.wished_depth("imu", |_| true)?, Some(1000));
    /// assert_eq!(domain.wished_depth("imu", |depth| depth < 100)?, Some(50));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn wished_depth(
        &self,
        name: impl AsRef<[u8]>,
        is_possible: impl Fn(u64) -> bool,
    ) -> Result<Option<u64>> {
        let name = Name::new(name)?;
        Ok(self.dir()?.and_then(|dir| wish::read(&dir, &name, is_possible)))
    }

    fn create_named(&self, name: &Name, attributes: &Attributes, replace: bool) -> Result<Channel> {
        let plan = Plan::new(attributes)?;
        self.owners()
            .check(process::user(), || format!("channel `{name}` in {} would belong to", self.url()))?;
        plan.create(&self.make_dir()?, &self.url(), name, replace)?;
        Channel::open(self, name)
    }

    /// Opens a channel. [`Error::NotFound`] if it does not exist.
    ///
    /// ```
    /// use saltus_channel::{Attributes, Error};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// assert!(matches!(domain.open_channel("imu"), Err(Error::NotFound { .. })));
    /// domain.create("imu", &Attributes::new())?;
    /// assert_eq!(domain.open_channel("imu")?.name().as_bytes(), b"imu");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn open_channel(&self, name: impl AsRef<[u8]>) -> Result<Channel> {
        Channel::open(self, &Name::new(name)?)
    }

    /// Opens a channel, or creates it if it does not exist. An existing one keeps its attributes and ignores `attributes`.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let made = domain.open_or_create("imu", &Attributes::new().depth(4))?;
    /// let opened = domain.open_or_create("imu", &Attributes::new().depth(64))?;
    /// assert_eq!((made.attributes().get_depth(), opened.attributes().get_depth()), (4, 4));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn open_or_create(&self, name: impl AsRef<[u8]>, attributes: &Attributes) -> Result<Channel> {
        /// The most tries: other processes may create and remove the channel all the time.
        const ROUNDS: u32 = 1000;
        let name = Name::new(name)?;
        for round in 0..ROUNDS {
            match Channel::open(self, &name) {
                Err(Error::NotFound { .. }) => {}
                other => return other,
            }
            // It may exist and be marked as replaced. No other process removes it then.
            if round > 0 {
                create::remove_retired(self, &self.make_dir()?, &name)?;
            }
            match self.create_named(&name, attributes, false) {
                // Another process created it first: open it. Or another process removed ours immediately: try again.
                Err(Error::Exists { .. } | Error::NotFound { .. }) => continue,
                other => return other,
            }
        }
        Err(Error::Exists { channel: name })
    }

    /// Opens a channel as soon as it exists; `None` if the time expires first. Checks every 10 ms.
    ///
    /// ```
    /// use saltus_channel::{Attributes, Until};
    /// use std::time::Duration;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// assert!(domain.wait_for("imu", Until::Poll)?.is_none());
    /// domain.create("imu", &Attributes::new())?;
    /// assert!(domain.wait_for("imu", Duration::from_secs(1))?.is_some());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn wait_for(&self, name: impl AsRef<[u8]>, until: impl Into<Until>) -> Result<Option<Channel>> {
        let (name, deadline) = (Name::new(name)?, until.into().deadline());
        loop {
            match Channel::open(self, &name) {
                Err(Error::NotFound { .. }) => {}
                other => return other.map(Some),
            }
            let now = clock::monotonic();
            match deadline {
                Some(deadline) if now < deadline => {
                    process::sleep_until(deadline.min(now + 10_000_000));
                }
                _ => return Ok(None),
            }
        }
    }

    /// Removes a channel. Processes that have it open get [`Error::Retired`].
    ///
    /// ```
    /// use saltus_channel::{Attributes, Retired};
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("imu", &Attributes::new())?;
    /// domain.unlink("imu")?;
    /// assert!(domain.list()?.is_empty());
    /// assert_eq!(channel.info()?.retired, Some(Retired::Removed));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn unlink(&self, name: impl AsRef<[u8]>) -> Result<()> {
        self.remove(&Name::new(name)?, true)
    }

    /// Removes a channel's name and files, as `unlink(2)` does: its publishers and subscribers continue with each other, and its memory is
    /// free when the last of them is gone. No publisher can be opened in it any more. A waiting subscriber gets
    /// [`Retired::Vanished`](crate::Retired::Vanished) every 100 ms, and may wait again.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// let channel = domain.create("imu", &Attributes::new())?;
    /// let (mut publisher, mut subscriber) = (channel.publisher()?, channel.subscriber()?);
    /// domain.detach("imu")?;
    /// assert!(domain.list()?.is_empty());
    /// publisher.publish(b"tilt 0.02")?;
    /// assert!(subscriber.newest(&mut [0; 512])?.is_some());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn detach(&self, name: impl AsRef<[u8]>) -> Result<()> {
        self.remove(&Name::new(name)?, false)
    }

    fn remove(&self, name: &Name, notifies: bool) -> Result<()> {
        self.channel_dir(name)?;
        let dir = self.dir()?.ok_or_else(|| Error::NotFound { channel: name.clone(), domain: self.url() })?;
        create::unlink(&dir, self.path(), &self.url(), name, notifies)
    }

    /// Changes the permissions to publish (write) and to subscribe (read). Open handles are not affected.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// domain.create("imu", &Attributes::new())?; // 0644: others subscribe
    /// domain.chmod("imu", 0o600)?;
    /// assert_eq!(domain.open_channel("imu")?.attributes().get_mode(), 0o600);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn chmod(&self, name: impl AsRef<[u8]>, mode: u32) -> Result<()> {
        let name = Name::new(name)?;
        Attributes::new().mode(mode).layout()?;
        let always = Channel::open(self, &name)?.attributes().get_wake() == Wake::Always;
        let dir = self.channel_dir(&name)?;
        let what = || format!("change the mode of channel `{name}`");
        create::set_modes(&dir, mode, None, always).map_err(|e| Error::system(what(), e))
    }

    /// Removes leftovers of dead processes: half-built channels, and counters of dead subscribers. Returns how many.
    ///
    /// Safe at any time; files of living processes are not touched. Creating a channel also removes half-built ones, and opening a
    /// subscriber removes counters.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// domain.create("imu", &Attributes::new())?;
    /// domain.sweep()?;
    /// assert_eq!(domain.list()?.len(), 1); // nothing that lives is touched
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn sweep(&self) -> Result<usize> {
        let mut swept = self.sweep_next_to_it();
        let Some(dir) = self.dir()? else { return Ok(swept) };
        swept += create::sweep(&dir) + wish::sweep(&dir);
        for name in self.list()? {
            if let Ok(dir) = self.channel_dir(&name) {
                swept += counters::sweep(&dir);
                let empty = Channel::open(self, &name).is_ok_and(|channel| channel.is_empty());
                swept += chain::trim(&dir, empty);
            }
        }
        Ok(swept)
    }

    /// Leftovers of dead processes of other users, which [`Directory::sweep`] could not remove: the number of directories, and the user
    /// who can remove the first. Root can remove all. `None` if there are none.
    ///
    /// ```
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// assert_eq!(domain.leftovers_of_others()?, None);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn leftovers_of_others(&self) -> Result<Option<(usize, u32)>> {
        Ok(self.dir()?.and_then(|dir| create::leftovers(&dir)))
    }
}
