//! A server with a domain in this process, and robots that publish there.
#![allow(dead_code, reason = "each test uses some of it")]

use saltus_domain::{Description, Domain, Publisher};
use saltus_spy::{Source, Watch};
use saltus_types::{Record, Schema, wire};
use saltus_web::{Deck, Options, Server, Stop};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Timeout for any step, on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

pub const TYPES: &str = include_str!("../../../carmen/types/carmen.lcm");
const MORE: &str = "
package demo;
struct photo_t { int64_t utime; string format; int32_t size; byte data[size]; }
struct image_t { int64_t utime; int32_t width; int32_t height; int32_t row_stride; int32_t pixelformat; int32_t size; byte data[size]; }
struct state_t {
    // When it was measured, microseconds.
    int64_t utime;
    // Of the motors, degrees Celsius. [°C]
    float temperature[4];
    // Of the battery. [V]
    double voltage;
    // What it does now.
    string mode;
    boolean ready;
    int32_t n;
    double long_one[n];
}
";

pub fn schemas() -> Vec<Arc<Schema>> {
    [("carmen.lcm", TYPES), ("demo.lcm", MORE)]
        .map(|(file, text)| Arc::new(saltus_types::parse(file, text).unwrap()))
        .into()
}

/// A separate domain in this process.
pub fn domain() -> Domain {
    Domain::open("mem://").unwrap()
}

/// A running server.
pub struct Rig {
    pub address: SocketAddr,
    pub url: String,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Rig {
    pub fn new(listen: &str, domain: &Domain, views: Option<PathBuf>, logs: &[PathBuf]) -> Rig {
        Rig::patient(listen, domain, views, logs, LONG)
    }
    /// A server that disconnects pages that take no turn for this time.
    pub fn patient(
        listen: &str,
        domain: &Domain,
        views: Option<PathBuf>,
        logs: &[PathBuf],
        patience: Duration,
    ) -> Rig {
        let stop = Stop::new();
        let deck = (!logs.is_empty()).then(|| Deck::start(logs, domain, &schemas(), &stop).unwrap());
        let model = saltus_spy::Options { types: schemas(), ..Default::default() };
        let watch = Watch::start(vec![Source::all(domain.clone())], model).unwrap();
        let domains = vec![domain.url().to_string()];
        // `token` after the address.
        let (listen, token) = listen.split_once(' ').map_or((listen, false), |(listen, _)| (listen, true));
        let options = Options { listen: listen.parse().unwrap(), token, watch, domains, deck, views };
        let server = Server::bind(options, &stop).unwrap();
        let server = server.patience(patience);
        let (address, url) = (server.address(), server.url());
        let thread =
            std::thread::Builder::new().name("server".into()).spawn(move || server.run().unwrap()).unwrap();
        Rig { address, url, stop, thread: Some(thread) }
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.address.port())).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_write_timeout(Some(LONG)).unwrap();
        stream
    }

    /// The response to a request with these header lines.
    pub fn get(&self, path: &str, lines: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\n{lines}connection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.stop.ask();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Waits until a condition is true.
pub fn until(what: &str, mut is: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < LONG, "not within {LONG:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A message of a type of [`schemas`], from JSON.
pub fn message(name: &str, json: &str) -> Vec<u8> {
    wire::encode(&record(name, json)).unwrap()
}

fn record(name: &str, json: &str) -> Record {
    let schemas = schemas();
    let (schema, id) = schemas.iter().find_map(|schema| Some((schema, schema.find(name)?))).unwrap();
    saltus_types::json::from_str(schema, id, json).unwrap()
}

/// A publisher of messages of that type.
pub fn publisher(domain: &Domain, channel: &str, name: &str) -> Publisher {
    let schemas = schemas();
    let (schema, id) = schemas.iter().find_map(|schema| Some((schema, schema.find(name)?))).unwrap();
    let fingerprint = schema.get(id).fingerprint;
    let what = Description { name: name.into(), fingerprint, schema: schema.to_lcm(id) };
    domain.publisher_described(channel, &what).unwrap()
}

/// Messages of a robot that drives in a round room, at its `tick`th fiftieth of a second: channel, type, bytes.
pub fn robot(tick: u64) -> Vec<(String, &'static str, Vec<u8>)> {
    let t = tick as f64 / 50.0;
    let (x, y, theta) = (3.0 * (t * 0.4).cos(), 2.0 * (t * 0.8).sin(), t * 0.4 + 1.5);
    let utime = tick * 20_000;
    let ranges: Vec<String> = (0..361)
        .map(|i| {
            let angle = (f64::from(i) - 180.0).to_radians() * 0.5 + theta;
            let wall =
                7.0 / (angle.cos().abs().max(angle.sin().abs())) - 0.6 * (x * angle.cos() + y * angle.sin());
            let pillar = (angle * 3.0).sin() > 0.93;
            format!(
                "{:.3}",
                if pillar { wall * 0.45 } else { wall } + 0.02 * (f64::from(i) * 12.9898 + t).sin()
            )
        })
        .collect();
    let scan = format!(
        r#"{{"utime":{utime},"ranges":[{}],"rad0":-1.5707964,"radstep":0.008726646}}"#,
        ranges.join(",")
    );
    let pose = format!(r#"{{"utime":{utime},"x":{x},"y":{y},"theta":{theta}}}"#);
    let long: Vec<String> = (0..250).map(|i| format!("{}", (f64::from(i) * 0.1 + t).sin())).collect();
    let state = format!(
        r#"{{"utime":{utime},"temperature":[41.5,42.25,{:.2},39],"voltage":{:.3},"mode":"drive","ready":true,"long_one":[{}]}}"#,
        44.0 + (t * 0.7).sin() * 3.0,
        24.6 + 0.4 * (t * 1.9).sin() + 0.1 * (t * 11.0).cos(),
        long.join(",")
    );
    let mut all = vec![
        ("POSE".to_string(), "carmen.pose_t", message("carmen.pose_t", &pose)),
        ("STATE".to_string(), "demo.state_t", message("demo.state_t", &state)),
    ];
    if tick.is_multiple_of(3) {
        all.push(("LASER_FRONT".to_string(), "carmen.laser_t", message("carmen.laser_t", &scan)));
    }
    if tick.is_multiple_of(5) {
        let (width, height) = (96usize, 64usize);
        let shade =
            |i: usize| (((i % width) * 2) as f64 + 60.0 * (i as f64 / 900.0 + t * 3.0).sin() + 60.0) as u8;
        let pixels: Vec<String> = (0..width * height).map(|i| shade(i).to_string()).collect();
        let json = format!(
            r#"{{"utime":{utime},"width":{width},"height":{height},"row_stride":{width},"pixelformat":1497715271,"data":[{}]}}"#,
            pixels.join(",")
        );
        all.push(("CAMERA".to_string(), "demo.image_t", message("demo.image_t", &json)));
    }
    if tick.is_multiple_of(10) {
        let jpeg = photo(t).iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        let json = format!(r#"{{"utime":{utime},"format":"jpeg","data":[{jpeg}]}}"#);
        all.push(("PHOTO".to_string(), "demo.photo_t", message("demo.photo_t", &json)));
    }
    all
}

/// A JPEG of 160 x 120 pixels: red on the left, blue on the right, and a white bar that goes down.
fn photo(t: f64) -> Vec<u8> {
    let pixel = |i: usize| match (i % 160, (i / 160) as f64) {
        (_, y) if (y - 60.0 - 50.0 * (t * 0.8).sin()).abs() < 3.0 => [255, 255, 255],
        (x, y) => [220 - x as u8, 30 + y as u8 / 2, 60 + x as u8],
    };
    let pixels: Vec<u8> = (0..160 * 120).flat_map(pixel).collect();
    let mut jpeg = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut jpeg, 85);
    encoder.encode(&pixels, 160, 120, jpeg_encoder::ColorType::Rgb).unwrap();
    jpeg
}
