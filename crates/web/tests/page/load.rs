//! A measurement: frame times of the page with 500 channels and 10,000 messages per second.

use crate::chromium::Chromium;
use crate::rig::{Rig, message, publisher};
use saltus_domain::{Domain, Publisher};
use saltus_web::Stop;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// Runs for 30 s, and returns the times between animation frames, in ms.
const FRAMES: &str = "new Promise(done => { const all = []; let last = performance.now(); const end = last + 30000; \
    const step = now => { all.push(now - last); last = now; if (now < end) requestAnimationFrame(step); else done(all) }; \
    requestAnimationFrame(step) })";

#[test]
#[ignore = "a measurement of 40 s, to be read and not to be passed: cargo test --release -p saltus-web --test page -- --ignored --nocapture"]
fn how_long_frames_take_with_500_channels_and_10000_messages_a_second() {
    let folder = format!("/dev/shm/saltus-web-{}", std::process::id());
    std::fs::create_dir(&folder).unwrap();
    let domain = Domain::open(&format!("shm://{folder}")).unwrap();
    let rig = Rig::new("127.0.0.1:0", &domain, None, &[]);
    let stop = Stop::new();
    let asked = stop.clone();
    let load =
        std::thread::Builder::new().name("load".into()).spawn(move || publish(&domain, &asked)).unwrap();
    let mut browser = Chromium::start(1920, 1080);
    browser.open(&format!(
        "{}#open=CHANNEL_0,CHANNEL_1@fields,CHANNEL_2@latency&plot=CHANNEL_1:x,CHANNEL_1:y",
        rig.url
    ));
    browser.wait("document.querySelector('#totals').textContent.startsWith('500 channels')");
    browser.wait("!!document.querySelector('.plotted .uplot')");
    let before = (page(&mut browser), threads());
    let frames = browser.eval(FRAMES);
    let after = (page(&mut browser), threads());
    let mut frames: Vec<f64> = frames.as_array().unwrap().iter().filter_map(Json::as_f64).collect();
    frames.sort_by(f64::total_cmp);
    let at = |part: f64| frames[((frames.len() - 1) as f64 * part) as usize];
    browser.picture("load.png");
    browser.open("about:blank");
    stop.ask();
    let rate = load.join().unwrap();
    drop(rig);
    std::fs::remove_dir_all(&folder).unwrap();
    let used = |name: &str| {
        let of = |all: &[(String, f64)]| all.iter().filter(|one| one.0 == name).map(|one| one.1).sum::<f64>();
        (of(&after.1) + of(&after.0) - of(&before.1) - of(&before.0)) / 30.0 * 100.0
    };
    println!(
        "frames in 30 s: {}; p50 {:.1}, p95 {:.1}, p99 {:.1}, max {:.1} ms; {rate:.0} messages/s; processor time: \
         page {:.0} %, its compositor {:.0} %, browser {:.0} %, server {:.0} %, spy {:.0} %, publishers {:.0} % of one processor; \
         load average {}",
        frames.len(),
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0),
        used("renderer"),
        used("GPU"),
        used("browser"),
        used("server"),
        used("saltus-spy"),
        used("load"),
        std::fs::read_to_string("/proc/loadavg").unwrap().trim_end(),
    );
}

/// Publishes on 500 channels, 10 messages per millisecond, and catches up when it wakes late. Returns the rate per second.
fn publish(domain: &Domain, stop: &Stop) -> f64 {
    let mut all: Vec<Publisher> =
        (0..500).map(|i| publisher(domain, &format!("CHANNEL_{i}"), "carmen.pose_t")).collect();
    let json = |i: u64| format!(r#"{{"x":{i},"y":{}}}"#, (i as f64 * 0.03).sin());
    let lap: Vec<_> = (0..200).map(|i| message("carmen.pose_t", &json(i))).collect();
    let start = Instant::now();
    let mut sent = 0u64;
    while !stop.is_asked() {
        while sent < start.elapsed().as_micros() as u64 / 100 {
            all[(sent % 500) as usize].publish(&lap[(sent / 500 % 200) as usize]).unwrap();
            sent += 1;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    sent as f64 / start.elapsed().as_secs_f64()
}

/// CPU seconds of the browser's processes, by kind.
fn page(browser: &mut Chromium) -> Vec<(String, f64)> {
    let all = browser.processes();
    all.as_array()
        .unwrap()
        .iter()
        .map(|one| (one["type"].as_str().unwrap().into(), one["cpuTime"].as_f64().unwrap()))
        .collect()
}

/// CPU seconds of this process's threads, by name.
fn threads() -> Vec<(String, f64)> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).ok());
    let one = |stat: String| {
        let (head, rest) = stat.rsplit_once(") ")?;
        let ticks = rest.split(' ').skip(11).take(2).map(|n| n.parse::<f64>().unwrap());
        Some((head.split_once('(')?.1.to_string(), ticks.sum::<f64>() / 100.0))
    };
    stats.filter_map(one).collect()
}
