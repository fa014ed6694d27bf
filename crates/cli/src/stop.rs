//! Ctrl-C, SIGTERM and SIGHUP: the first asks for a clean end, the second kills.

use crate::exit::{Code, Failure, Outcome};
pub(crate) use saltus_os::stop::*;

/// From now on the first signal to end only asks.
pub(crate) fn on_signals() -> Outcome {
    installed(saltus_os::stop::on_signals())
}

/// The same with these signals alone.
pub(crate) fn on(signals: &[libc::c_int]) -> Outcome {
    installed(saltus_os::stop::on(signals))
}

/// Asks for a clean end when this time is over.
pub(crate) fn after(time: std::time::Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        request();
    });
}

fn installed(listening: std::io::Result<()>) -> Outcome {
    listening.map_err(|e| Failure::new(Code::Failed, format!("cannot listen to signals: {e}")))
}
