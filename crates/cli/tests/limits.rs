//! Limits of the system: a command that reaches one names it, and does not crash.

mod support;

use std::os::unix::process::CommandExt;

use support::files::Files;
use support::{Place, Running};

/// A user that has no other processes: the limit of its threads counts them too.
const ALONE: u32 = 60_017;

#[test]
fn a_command_that_may_start_no_thread_names_the_limit() {
    if saltus_os::process::user() != 0 {
        return eprintln!("skipped: only root can act as a user without processes");
    }
    let (place, files) = (Place::new(), Files::new());
    place.run(["pub", "imu", "x", "-q"]).with(0);
    let path = files.at("run.mcap");
    std::os::unix::fs::chown(files.path(), Some(ALONE), None).expect("root may");
    let shell = ["-c", "ulimit -u 1 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_saltus")];
    for arguments in [
        &["record", "imu", "--duration", "200ms", "-o", &path][..],
        &["spy", "--once"],
        &["spy", "--web", "--listen", "127.0.0.1:0"],
        &["serve", "--foxglove", "--listen", "127.0.0.1:0"],
        &["echo", "imu", "-n1", "--domain", "udpm://?self_test=no"],
    ] {
        let mut command = place.command_of("/bin/bash".as_ref(), shell.iter().chain(arguments));
        let ended = Running::start(command.uid(ALONE).gid(ALONE)).ended().saying(1, "`ulimit -u`");
        assert!(!ended.err.contains("panicked"), "{arguments:?}: {}", ended.err);
    }
}
