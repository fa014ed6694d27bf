//! Separate domains and directories for cases, which are removed afterwards.

use crate::case::Provider;
use saltus_conformance_types::tools::Result;
use saltus_netns::Space;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory for files, one for channels in shared memory, and for multicast a network.
pub struct Place {
    /// For logs, and the drivers' error output.
    pub dir: PathBuf,
    provider: Provider,
    channels: PathBuf,
    /// The network, if one is needed.
    pub space: Option<Space>,
    /// Counts domains and directories.
    domains: AtomicU64,
}

impl Place {
    /// A new place.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn new(provider: Provider) -> Result<Place> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let name =
            format!("saltus-conformance-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let space = match provider {
            Provider::Shm => None,
            Provider::Udpm => Some(Space::new().map_err(|e| format!("no separate network: {e}"))?),
        };
        let channels = PathBuf::from("/dev/shm").join(name);
        std::fs::create_dir_all(&channels).map_err(|e| format!("{}: {e}", channels.display()))?;
        Ok(Place { dir, provider, channels, space, domains: AtomicU64::new(0) })
    }

    /// A directory that no other case uses; not created yet.
    pub fn directory(&self) -> PathBuf {
        self.dir.join(format!("case-{}", self.domains.fetch_add(1, Ordering::Relaxed)))
    }

    /// The URL of a new domain.
    pub fn url(&self, options: &str) -> String {
        let number = self.domains.fetch_add(1, Ordering::Relaxed);
        let and = |sign: &str| if options.is_empty() { String::new() } else { format!("{sign}{options}") };
        match self.provider {
            Provider::Shm => format!("shm://{}/{number}{}", self.channels.display(), and("?")),
            Provider::Udpm => {
                // The network belongs to this place; another port keeps late datagrams away from the next case.
                let port = 7667 + number % 20_000;
                format!("udpm://239.255.76.67:{port}?ttl=0{}", and("&"))
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for dir in [&self.dir, &self.channels] {
            let _ = std::fs::remove_dir_all(dir); // missing, if nothing was stored there
        }
    }
}
