//! Domains: channels reached by one URL.

use crate::description::of_type;
use crate::provider::Provider;
use crate::{
    Options, Pattern, Publisher, Result, Scheme, Subscriber, Timestamps, Traits, TypedPublisher,
    TypedSubscriber,
};
use saltus_channel::{Description, Name};
use saltus_wire::Message;
use std::fmt;
use std::sync::Arc;

/// Channels reached by one URL. Cheap to clone; all clones are one domain.
///
/// Opening joins no group and sends nothing; the first publisher or subscriber that needs a connection makes it.
/// Dropping the last handle (domain, publisher or subscriber) closes the domain. It then waits for the domain's
/// thread, and until queued messages are sent where the transport queues them.
#[derive(Clone)]
pub struct Domain {
    url: String,
    scheme: &'static Scheme,
    provider: Arc<dyn Provider>,
}

impl Domain {
    /// Opens the domain that `url` names; the empty URL names the domain of [`Domain::from_env`].
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let robot = Domain::open("shm://")?;
    /// let alone = Domain::open("mem://")?;
    /// assert!(Domain::open("carrier-pigeon://").is_err());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    ///
    /// # Errors
    /// An invalid URL, an option that the provider does not have, a provider that is not built in, and errors of
    /// the system.
    pub fn open(url: &str) -> Result<Domain> {
        if url.is_empty() {
            return Domain::from_env();
        }
        Domain::open_with(Scheme::of(url)?, url)
    }

    /// Opens the domain that `url` names with a scheme that need not be in the table [`SCHEMES`](crate::SCHEMES),
    /// such as one from another crate; see [`Scheme::network`].
    ///
    /// # Errors
    /// Those of [`Domain::open`].
    pub fn open_with(scheme: &'static Scheme, url: &str) -> Result<Domain> {
        Ok(Domain { url: url.into(), scheme, provider: scheme.open(url)? })
    }

    /// Opens the domain named by the environment variable `SALTUS_DOMAIN`, by default `shm://`.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let domain = Domain::from_env()?;
    /// println!("{}", domain.url());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn from_env() -> Result<Domain> {
        match saltus_os::process::variable("SALTUS_DOMAIN").map(std::ffi::OsString::into_string) {
            Some(Ok(url)) if !url.is_empty() => Domain::open(&url),
            _ => Domain::open("shm://"),
        }
    }

    /// Whether `other` is the same domain: a clone, or over `shm://` the same directory.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let domain = Domain::open("mem://")?;
    /// assert!(domain.is(&domain.clone()) && !domain.is(&Domain::open("mem://")?));
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn is(&self, other: &Domain) -> bool {
        let directory = self.shared_memory();
        Arc::ptr_eq(&self.provider, &other.provider)
            || directory.is_some() && directory == other.shared_memory()
    }
    /// The URL it was opened with.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// assert_eq!(Domain::open("mem://")?.url(), "mem://");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its kind of domain.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// assert_eq!(Domain::open("mem://")?.scheme().name, "mem");
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn scheme(&self) -> &'static Scheme {
        self.scheme
    }
    /// Properties of all domains of its kind.
    ///
    /// ```
    /// use saltus_domain::{Domain, Losses, Reach};
    /// let domain = Domain::open("mem://")?;
    /// assert_eq!((domain.traits().reach, domain.traits().losses), (Reach::Process, Losses::Exact));
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn traits(&self) -> &'static Traits {
        &self.scheme.traits
    }

    /// Its directory of channels, if they are in shared memory ([`Traits::shared_memory`]), to list, inspect,
    /// create and remove channels.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// assert!(Domain::open("mem://")?.shared_memory().is_none());
    /// let domain = Domain::open("shm://doc?depth=64")?;
    /// assert_eq!(domain.shared_memory().map(|directory| directory.url()), Some("shm://doc".to_string()));
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn shared_memory(&self) -> Option<&saltus_channel::Directory> {
        self.provider.shared_memory()
    }

    /// Which timestamps its messages can be published with.
    ///
    /// ```
    /// use saltus_domain::{Domain, Timestamps};
    /// assert_eq!(Domain::open("mem://")?.timestamps(), Timestamps::Present);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn timestamps(&self) -> Timestamps {
        self.traits().timestamps
    }
    /// Whether losses are reported for the channel that lost the messages. If not,
    /// [`Missed::OfSender`](crate::Missed::OfSender) counts over all channels of a sender.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// assert!(Domain::open("mem://")?.reports_losses_by_channel());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn reports_losses_by_channel(&self) -> bool {
        self.traits().reports_losses_by_channel()
    }

    /// A publisher of bytes in `channel`, a name of 1 to 63 bytes.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let mut publisher = Domain::open("mem://")?.publisher("imu")?;
    /// publisher.publish(b"tilt 0.02")?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn publisher(&self, channel: impl AsRef<[u8]>) -> Result<Publisher> {
        let name = Name::new(channel)?;
        Ok(Publisher::new(self.provider.publisher(name.clone(), None)?, name))
    }

    /// As [`Domain::publisher`] followed by [`Publisher::describe`], with the description known from the start.
    ///
    /// ```
    /// use saltus_domain::{Description, Domain};
    /// let what = Description { name: "imu_t".into(), fingerprint: 1, schema: String::new() };
    /// let publisher = Domain::open("mem://")?.publisher_described("imu", &what)?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn publisher_described(&self, channel: impl AsRef<[u8]>, what: &Description) -> Result<Publisher> {
        let name = Name::new(channel)?;
        Ok(Publisher::new(self.provider.publisher(name.clone(), Some(what))?, name))
    }

    /// A publisher of messages of one type. Over shared memory, the type is stored with the channel, for tools to
    /// read.
    pub fn publisher_of<M: Message>(&self, channel: impl AsRef<[u8]>) -> Result<TypedPublisher<M>> {
        Ok(TypedPublisher::new(self.publisher_described(channel, &of_type::<M>())?))
    }

    /// A subscriber to the newest messages of one channel.
    ///
    /// ```
    /// use saltus_domain::{Domain, Until};
    /// let domain = Domain::open("mem://")?;
    /// let mut subscriber = domain.subscriber("imu")?;
    /// assert!(subscriber.receive(Until::Poll)?.is_none());
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn subscriber(&self, channel: impl AsRef<[u8]>) -> Result<Subscriber> {
        self.subscriber_with(Pattern::name(channel)?, Options::newest())
    }

    /// A subscriber to one or many channels, configured by `options`.
    ///
    /// ```
    /// use saltus_domain::{Domain, Options, Pattern, Until};
    /// let domain = Domain::open("mem://")?;
    /// let mut logger = domain.subscriber_with(Pattern::regex("ARM_.*")?, Options::next(1000))?;
    /// domain.publisher("ARM_LEFT")?.publish(b"up")?;
    /// assert!(logger.receive(Until::Poll)?.is_some_and(|message| message.channel.as_bytes() == b"ARM_LEFT"));
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn subscriber_with(&self, pattern: Pattern, options: Options) -> Result<Subscriber> {
        Ok(Subscriber::new(self.provider.subscriber(pattern, &options)?, options))
    }

    /// As [`Domain::subscriber_with`], for a known message type: some networks deliver only to subscribers that
    /// declare a type. Messages of other types can arrive too: see [`Expected`](crate::Expected).
    ///
    /// ```
    /// use saltus_domain::{Description, Domain, Options, Pattern};
    /// let what = Description { name: "imu_t".into(), fingerprint: 1, schema: String::new() };
    /// let domain = Domain::open("mem://")?;
    /// let subscriber = domain.subscriber_described(Pattern::name("imu")?, Options::newest(), &what)?;
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn subscriber_described(
        &self,
        pattern: Pattern,
        options: Options,
        what: &Description,
    ) -> Result<Subscriber> {
        self.provider.learn(what);
        self.subscriber_with(pattern, options)
    }

    /// A subscriber to messages of one type.
    pub fn subscriber_of<M: Message>(
        &self,
        pattern: Pattern,
        options: Options,
    ) -> Result<TypedSubscriber<M>> {
        Ok(TypedSubscriber::new(self.subscriber_described(pattern, options, &of_type::<M>())?))
    }

    /// Names of existing channels: all of a shared-memory domain; on a network, those that this process subscribes
    /// to and has received messages on.
    ///
    /// ```
    /// # use saltus_domain::Domain;
    /// let domain = Domain::open("mem://")?;
    /// domain.publisher("imu")?.publish(b"tilt 0.02")?;
    /// assert_eq!(domain.channels()?.len(), 1);
    /// # Ok::<(), saltus_domain::Error>(())
    /// ```
    pub fn channels(&self) -> Result<Vec<Name>> {
        self.provider.names()
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Domain").field(&self.url).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_reported_by_channel_except_on_lcms_network() {
        let is = |url| Domain::open(url).unwrap().reports_losses_by_channel();
        assert!(is("mem://") && is("memq://"));
        assert!(!is("udpm://"), "it numbers the messages of a sender, on whatever channel");
        #[cfg(feature = "dds")]
        assert!(is("dds://"), "each channel has a writer of its own");
        #[cfg(feature = "zenoh")]
        assert!(is("zenoh://"));
    }
}
