//! Ctrl-C, SIGTERM and SIGHUP: the first asks for a clean end, the second kills.

use crate::exit::{Code, Failure, Outcome};
pub(crate) use saltus_os::stop::*;

/// From now on, the first of SIGINT, SIGTERM and SIGHUP only requests a stop.
pub(crate) fn on_signals() -> Outcome {
    installed(saltus_os::stop::on_signals())
}

/// The same without SIGHUP.
pub(crate) fn on_signals_without_hangup() -> Outcome {
    installed(saltus_os::stop::on_signals_without_hangup())
}

/// Requests a clean stop after `time`.
pub(crate) fn after(time: std::time::Duration) -> Outcome {
    spawn("saltus-end", move || {
        std::thread::sleep(time);
        request();
    })
}

/// Starts a thread that ends with the program.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Outcome {
    let started = saltus_os::process::spawn(name, run);
    started.map(drop).map_err(|e| Failure::new(Code::Failed, format!("cannot start a thread: {e}")))
}

fn installed(listening: std::io::Result<()>) -> Outcome {
    listening.map_err(|e| Failure::new(Code::Failed, format!("cannot handle signals: {e}")))
}
