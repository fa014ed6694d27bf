//! LCM's tools by their names.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use support::*;

/// An empty directory, removed on drop.
struct Links(PathBuf);

impl Links {
    fn new(name: &str) -> Links {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        Links(directory)
    }

    fn start(&self, place: &Place, program: &str, arguments: &[&str]) -> Running {
        let mut command = place.command_of(&self.0.join(program), arguments);
        Running::start(command.current_dir(&self.0))
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Ended {
        self.start(&Place::new(), program, arguments).ended()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn a_tool_of_lcm_takes_its_options_and_writes_what_it_would() {
    let links = Links::new("aliases");
    let place = Place::new();
    let out = links.0.to_str().unwrap();
    let made = place.run(["aliases", "lcm", "-o", out]).with(0);
    assert_eq!(made.text().lines().count(), 7, "{made:?}");
    place.run(["aliases", "lcm", "-o", out]).with(0); // again
    fs::write(links.0.join("pose_t.lcm"), "package lab; struct pose_t { double x; }").unwrap();
    links.run("lcm-gen", &["-c", "-p", "--c-cpath=src", "--ppath", "py", "pose_t.lcm"]).with(0);
    for file in ["src/lab_pose_t.c", "src/lab_pose_t.h", "py/lab/pose_t.py"] {
        assert!(links.0.join(file).exists(), "{file}");
    }
    links.run("lcm-gen", &["pose_t.lcm"]).saying(2, "name a language");
    links.run("lcm-gen", &["--nonsense"]).with(2);
    assert!(links.run("lcm-logger", &["--help"]).with(0).text().contains("--disk-quota"));
    links.run("lcm-logplayer", &["no-such-log"]).saying(1, "no-such-log");

    place.run(["aliases", "lcm", "-o", out, "--remove"]).with(0);
    assert_eq!(links.names(), ["pose_t.lcm", "py", "src"]);
}

#[test]
fn nothing_is_changed_if_a_file_is_in_the_way() {
    let links = Links::new("in-the-way");
    let place = Place::new();
    let out = links.0.to_str().unwrap();
    symlink("/bin/true", links.0.join("lcm-spy")).unwrap();
    place.run(["aliases", "lcm", "-o", out]).saying(1, "lcm-spy exists and is not a link to");
    assert_eq!(links.names(), ["lcm-spy"]);
    place.run(["aliases", "lcm", "-o", out, "--remove"]).with(0);
    assert_eq!(links.names(), ["lcm-spy"], "it is not ours");
}

#[test]
fn the_logger_records_and_the_player_plays_on_the_network_that_lcms_option_names() {
    let (links, place, other) = (Links::new("logger"), Place::new(), Place::new());
    place.run(["aliases", "lcm", "-o", links.0.to_str().unwrap()]).with(0);
    let beat = place.start(["pub", "POSE", "hello", "-r", "200"]);
    let logger = links.start(&place, "lcm-logger", &["-l", &place.url(), "-c", "PO.*", "-q", "run"]);
    let log = links.0.join("run");
    until("messages in the log", || fs::metadata(&log).is_ok_and(|m| m.len() > 200));
    logger.signal(libc::SIGINT);
    logger.ended().with(0);
    beat.signal(libc::SIGINT);
    beat.ended().with(0);
    let info = place.run(["log", "info", log.to_str().unwrap(), "--json"]).with(0);
    assert!(info.text().contains("\"POSE\""), "{info:?}");
    let sink = links.start(&other, "lcm-sink", &["-l", &other.url()]);
    links.start(&other, "lcm-logplayer", &["-s", "0", "-l", &other.url(), "run"]).ended().with(0);
    sink.signal(libc::SIGINT);
    sink.ended().with(0);
    assert!(other.published("POSE") > 0);
    links.start(&place, "lcm-logger", &["-l", "nonsense://", "next"]).ended().saying(2, "nonsense://");
}
