//! The command `ach`, and what the tools of Saltus show of its channels.

mod support;

use std::process::{Command, Stdio};
use support::*;

/// Runs `ach`; returns its exit code, what it printed, and its errors.
fn ach(domain: &TestDomain, line: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ach"));
    let output = output(command.args(line.split_whitespace()).env("SALTUS_DOMAIN", domain.url()));
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_makes_changes_and_removes_channels() {
    let domain = TestDomain::new();
    let quiet = (0, String::new(), String::new());
    assert_eq!(ach(&domain, "-1 -C hubo-ref -m 10 -n 3000 -o 660"), quiet);
    let channel = domain.open().open_channel("hubo-ref").unwrap();
    let attributes = channel.attributes();
    assert_eq!(
        (attributes.get_depth(), attributes.get_max_message_size(), attributes.get_mode()),
        (10, 30_000, 0o660)
    );
    assert_eq!(ach(&domain, "-1 -C hubo-ref -m 20"), quiet, "it stays as it is");
    assert!(!channel.is_retired());
    let (code, _, err) = ach(&domain, "mk hubo-ref");
    assert_eq!(
        (code, &*err),
        (1, "ach: cannot create channel `hubo-ref`: it exists; use -1 to keep it, or -t to replace it\n")
    );
    assert_eq!(ach(&domain, "chmod 600 hubo-ref"), quiet);
    let info = domain.open().open_channel("hubo-ref").unwrap().info().unwrap();
    assert_eq!(info.attributes.get_mode(), 0o600);
    let (code, _, err) = ach(&domain, "dump hubo-ref");
    assert!(code == 0 && err.contains("frames:     10\n") && err.contains("mode:       600\n"), "{err}");
    let (code, out, _) = ach(&domain, "file hubo-ref");
    assert_eq!((code, out.trim()), (0, &*format!("{}/hubo-ref", domain.open().path().display())));
    assert_eq!(ach(&domain, "mk -t hubo-ref -m 5 -v").2, "ach: created `hubo-ref`\n");
    assert!(channel.is_retired());
    assert_eq!(ach(&domain, "-U hubo-ref"), quiet);
    let (code, _, err) = ach(&domain, "rm hubo-ref");
    assert!(code == 1 && err.starts_with("ach: cannot remove channel `hubo-ref`: no channel"), "{err}");
    assert_eq!(ach(&domain, "rm a/b").0, 1);
    assert_eq!(ach(&domain, "").2, "ach: expected a command: see ach -h\n");
    assert_eq!(ach(&domain, "mk").2, "ach: expected the name of one channel, found 0: see ach -h\n");
    assert!(ach(&domain, "-h").1.starts_with("Usage: ach COMMAND"));
    assert_eq!(domain.entries(), [""; 0]);
}

#[test]
fn a_full_disk_or_a_closed_pipe_is_an_error_and_no_panic() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let ach = |word: &str, out: Stdio, err: Stdio| {
        let output = output(Command::new(env!("CARGO_BIN_EXE_ach")).arg(word).stdout(out).stderr(err));
        (output.status.code().unwrap(), text(&output.stderr))
    };
    assert_eq!(ach("-h", full().into(), Stdio::piped()), (1, "ach: cannot print: no storage space\n".into()));
    assert_eq!(ach("frob", Stdio::null(), full().into()).0, 1);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(ach("-h", writer.into(), Stdio::piped()), (0, String::new()));
}

#[test]
fn the_tools_of_saltus_show_channels_of_ach() {
    let domain = TestDomain::of_this_process();
    assert_eq!(ach(domain, "mk imu -m 4 -n 64").0, 0);
    let mut chan = Channel::open("imu");
    let saltus = |words: &[&str]| {
        run(Command::new(saltus_peers::saltus()).args(words).env("SALTUS_DOMAIN", domain.url()))
    };
    assert_eq!(chan.put(b"tilt 0.02"), ach::ACH_OK);
    let listed = saltus(&["ls"]);
    assert!(listed.contains("imu"), "{listed}");
    let echoed = saltus(&["echo", "imu", "--newest", "-n", "1"]);
    assert!(echoed.contains("tilt 0.02"), "{echoed}");
    let info = saltus(&["info", "imu"]);
    assert!(info.contains("imu") && info.contains("256"), "{info}");
    // And the other way round.
    saltus(&["pub", "imu", "from the shell"]);
    assert_eq!(chan.get(ach::ACH_O_LAST), (ach::ACH_MISSED_FRAME, b"from the shell".to_vec()));
    drop(chan);
    saltus(&["rm", "imu"]);
    assert_eq!(domain.entries(), [""; 0]);
}
