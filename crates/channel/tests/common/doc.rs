// Shared by the examples in the documentation: a temporary domain, which is removed after use.

use saltus_channel::{Attributes, Channel, Directory, Publisher, Subscriber};

/// A domain that is removed with all its channels.
pub struct Temporary(Directory);

impl std::ops::Deref for Temporary {
    type Target = Directory;
    fn deref(&self) -> &Directory {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.path());
    }
}

/// An empty domain.
pub fn domain() -> Temporary {
    let (process, thread) = (std::process::id(), std::thread::current().id());
    Temporary(Directory::open(&format!("shm:///dev/shm/saltus-doc-{process}-{thread:?}")).unwrap())
}

/// A domain with one channel, `imu`.
#[allow(dead_code)]
pub fn channel() -> (Temporary, Channel) {
    let domain = domain();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    (domain, channel)
}

/// The channel with a publisher and a subscriber.
#[allow(dead_code)]
pub fn pair() -> (Temporary, Publisher, Subscriber) {
    let (domain, channel) = channel();
    (domain, channel.publisher().unwrap(), channel.subscriber().unwrap())
}
