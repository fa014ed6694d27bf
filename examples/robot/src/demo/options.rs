//! What the demo is asked to do.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// What `saltus demo` was asked to do.
#[derive(Clone, Debug)]
pub struct DemoOptions {
    /// How long. `None`: 20 seconds; with a log of scans, as long as that lasts.
    pub seconds: Option<f64>,
    /// Kill and freeze processes at random.
    pub chaos: bool,
    /// Which random; `None`: another one each time. The report tells it.
    pub seed: Option<u64>,
    /// Do not start the balance controller.
    pub no_control: bool,
    /// A CARMEN log of scans, plain or gzip, instead of the simulated room.
    pub lidar: Option<PathBuf>,
    /// How much faster than recorded the log is played.
    pub speed: f64,
    /// Print the report as JSON on standard output, and progress on standard error.
    pub json: bool,
    /// Print every reader and every process that was hurt, not only what fits a screen.
    pub full: bool,
    /// Arguments with which this executable serves the domain to a browser, and prints the URL of the page first.
    pub page: Option<Vec<String>>,
    /// The domain to use. `None`: one of its own, `/dev/shm/saltus-demo-<pid>`.
    pub domain: Option<String>,
}

impl Default for DemoOptions {
    fn default() -> DemoOptions {
        DemoOptions {
            seconds: None,
            chaos: false,
            seed: None,
            no_control: false,
            lidar: None,
            speed: 1.0,
            json: false,
            full: false,
            page: None,
            domain: None,
        }
    }
}

impl DemoOptions {
    /// How long to run: for a time, or until the log of scans is over.
    pub(crate) fn length(&self) -> Option<Duration> {
        match (self.seconds, &self.lidar) {
            (Some(s), _) => Some(Duration::from_secs_f64(s)),
            (None, Some(_)) => None,
            (None, None) => Some(Duration::from_secs(20)),
        }
    }

    /// Whether to draw: only for somebody who looks.
    pub(crate) fn draws(&self) -> bool {
        !self.json && std::io::stdout().is_terminal()
    }
}
