//! CycloneDDS in another process, and the data that both sides share.

#![allow(dead_code)] // Each test uses a part of it.

use saltus_types::{Loader, Schema, json, wire};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The message of `size` bytes made from `seed`, as the other side makes it too.
pub fn made(size: usize, seed: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 31 + (i >> 9) + seed) as u8).collect()
}

/// A directory with types of ROS 2.
pub fn types() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ros2")
}

/// Those types.
pub fn schema() -> &'static Arc<Schema> {
    static SCHEMA: OnceLock<Arc<Schema>> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let files = ["Imu.lcm", "Header.lcm", "Time.lcm", "Geometry.lcm"].map(|name| types().join(name));
        Arc::new(files.into_iter().fold(Loader::new(), Loader::file).load().unwrap().schema)
    })
}

/// `sensor_msgs/Imu` in LCM's encoding, as the other side makes it too.
pub fn imu(seed: u32) -> Vec<u8> {
    let x = f64::from(seed);
    let row = |from: f64| format!("{:?}", [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i| from + f64::from(i)));
    let vector = |x: f64, y: f64, z: f64| format!(r#"{{"x": {x:?}, "y": {y:?}, "z": {z:?}}}"#);
    let rotation =
        format!(r#"{}, "w": {:?}}}"#, vector(x + 1.0, x + 2.0, x + 3.0).trim_end_matches('}'), x + 4.0);
    let text = format!(
        r#"{{"header": {{"stamp": {{"sec": {seed}, "nanosec": 5}}, "frame_id": "imu_link"}},
            "orientation": {rotation}, "orientation_covariance": {},
            "angular_velocity": {}, "angular_velocity_covariance": {},
            "linear_acceleration": {}, "linear_acceleration_covariance": {}}}"#,
        row(x + 10.0),
        vector(x + 5.0, x + 6.0, x + 7.0),
        row(x + 20.0),
        vector(-x, 0.5, 9.81),
        row(x + 30.0)
    );
    let id = schema().find("sensor_msgs.Imu").unwrap();
    wire::encode(&json::from_str(schema(), id, &text).unwrap()).unwrap()
}

/// Runs a test in its own network. Resources from outside are created before.
pub fn apart(work: impl FnOnce() + Send) {
    saltus_peers::python();
    saltus_netns::isolated(work);
}

/// Only the loopback interface, which carries multicast in a network of a test.
const CONFIGURATION: &str = r#"<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="true"/>
    </Interfaces></General></Domain></CycloneDDS>"#;

/// CycloneDDS in another process, which obeys commands. It ends with this process.
pub struct Peer {
    child: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    /// A peer in domain `id`.
    pub fn start(id: u16) -> Peer {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../domain/tests/dds/peer.py");
        let mut command = saltus_peers::program("python");
        command.arg(script).arg(id.to_string()).env("CYCLONEDDS_URI", CONFIGURATION);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the peer runs");
        let commands = child.stdin.take().expect("piped");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
        let (sender, answers) = channel();
        std::thread::spawn(move || lines.try_for_each(|line| sender.send(line)));
        let mut peer = Peer { child, commands, answers };
        assert_eq!(peer.answer(), "ok");
        peer
    }

    /// Sends it a command, without waiting for the answer.
    pub fn tell(&mut self, command: &str) {
        writeln!(self.commands, "{command}").and_then(|()| self.commands.flush()).expect("the peer listens");
    }
    /// Its next answer, if it arrives in time.
    pub fn answer_within(&mut self, time: Duration) -> Option<String> {
        self.answers.recv_timeout(time).ok()
    }
    fn answer(&mut self) -> String {
        self.answer_within(Duration::from_secs(60)).expect("the peer answers")
    }
    /// Sends it a command and returns its answer, which it must give.
    pub fn answer_to(&mut self, command: &str) -> String {
        self.tell(command);
        let answer = self.answer();
        assert!(answer != "nothing" && answer != "damaged", "{command}: {answer}");
        answer
    }
    /// Sends it a command, which must succeed.
    pub fn ask(&mut self, command: &str) {
        assert_eq!(self.answer_to(command), "ok", "{command}");
    }
    /// Stops it, or lets it continue.
    pub fn stop(&self, stop: bool) {
        let signal = if stop { "-STOP" } else { "-CONT" };
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(status.expect("`kill` runs").success());
    }
    /// Kills it, so that it cannot say goodbye.
    pub fn kill(mut self) {
        self.child.kill().expect("it was alive");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
