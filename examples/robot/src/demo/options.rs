//! The options of the demo.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// The options of `saltus demo`.
#[derive(Clone, Debug)]
pub struct DemoOptions {
    /// Duration. `None` means 20 seconds, or with a log of scans, its length.
    pub seconds: Option<f64>,
    /// Kill and freeze processes at random.
    pub chaos: bool,
    /// Seed of the random numbers; `None` for a new one each time. The report has it.
    pub seed: Option<u64>,
    /// Do not start the balance controller.
    pub no_control: bool,
    /// A CARMEN log of scans, plain or gzip, instead of the simulated room.
    pub lidar: Option<PathBuf>,
    /// Playback speed of the log; 1.0 is the recorded speed.
    pub speed: f64,
    /// Print the report as JSON on standard output, and progress on standard error.
    pub json: bool,
    /// Print every reader and every incident, not only those that fit on a screen.
    pub full: bool,
    /// Arguments for this executable to serve the domain to browsers; it prints the URL first.
    pub page: Option<Vec<String>>,
    /// The domain to use. `None` means a temporary one, `/dev/shm/saltus-demo-<pid>`.
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
    /// Duration of the run: a time, or until the end of the log of scans.
    pub(crate) fn length(&self) -> Option<Duration> {
        match (self.seconds, &self.lidar) {
            (Some(s), _) => Some(Duration::from_secs_f64(s)),
            (None, Some(_)) => None,
            (None, None) => Some(Duration::from_secs(20)),
        }
    }

    /// Whether to draw: only on a terminal that can move its cursor.
    pub(crate) fn draws(&self) -> bool {
        let moves = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        !self.json && moves && std::io::stdout().is_terminal()
    }
}
