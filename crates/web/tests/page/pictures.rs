//! The pictures of the documentation: `cargo xtask pictures`.

use crate::chromium::Chromium;
use crate::rig::{Rig, domain, publisher};
use saltus_domain::{Domain, Publisher};
use saltus_log::Log;
use saltus_web::Stop;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Playback speed of the log.
const SPEED: i64 = 20;

/// The types of the log's channels.
const TYPES: [(&str, &str); 3] = [
    ("LASER_FRONT", "carmen.laser_t"),
    ("LASER_FRONT_POSE", "carmen.pose_t"),
    ("ODOMETRY", "carmen.odometry_t"),
];

#[test]
#[ignore = "draws the pictures of the documentation from a log that is not in the repository: cargo xtask pictures"]
fn of_the_documentation() {
    let log = PathBuf::from(std::env::var_os("SALTUS_PICTURES_LOG").expect("a log to draw"));
    let mut browser = Chromium::start(1280, 1000);
    spy(&mut browser, &log);
    browser.size(1280, 900);
    player(&mut browser, &log);
    assert_eq!(browser.complaints, Vec::<String>::new(), "the page's code has no errors");
}

fn both(browser: &mut Chromium, name: &str) {
    for (dark, end) in [(true, "dark"), (false, "light")] {
        browser.scheme(dark);
        // Two frames: the second has the colors.
        browser.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        browser.picture(&format!("{name}-{end}.png"));
    }
}

/// Publishes the log until it is stopped.
fn play(log: &Path, domain: &Domain, stop: &Stop) {
    let mut log = Log::open(log).expect("a log");
    let mut publishers: HashMap<&str, Publisher> = HashMap::new();
    let mut last = None;
    while let Some(event) = log.next().expect("an event")
        && !stop.is_asked()
    {
        let Some((channel, name)) = TYPES.iter().find(|(channel, _)| channel.as_bytes() == event.channel)
        else {
            continue;
        };
        let wait =
            last.replace(event.log_time).map_or(0, |last| (event.log_time - last).clamp(0, 1_000_000_000));
        std::thread::sleep(Duration::from_nanos((wait / SPEED).unsigned_abs()));
        let made = || publisher(domain, channel, name);
        publishers.entry(channel).or_insert_with(made).publish(event.data).expect("published");
    }
}

fn spy(browser: &mut Chromium, log: &Path) {
    let (domain, stop) = (domain(), Stop::new());
    let rig = Rig::new("127.0.0.1:0", &domain, None, &[]);
    std::thread::scope(|scope| {
        let player = scope.spawn(|| play(log, &domain, &stop));
        let shown = "open=LASER_FRONT_POSE,LASER_FRONT&plot=ODOMETRY:x,ODOMETRY:y,ODOMETRY:theta";
        browser.open(&format!("{}#{shown}", rig.url));
        browser.wait("document.querySelectorAll('.legend .entry').length === 3");
        std::thread::sleep(Duration::from_secs(25));
        both(browser, "docs-spy");
        stop.ask();
        player.join().expect("it ends");
    });
    browser.open("about:blank");
}

fn player(browser: &mut Chromium, log: &Path) {
    let rig = Rig::new("127.0.0.1:0", &domain(), None, &[log.to_path_buf()]);
    browser.open(&format!("{}#open=LASER_FRONT_POSE,LASER_FRONT", rig.url));
    browser.wait("!!document.querySelector('#player .play')");
    browser.eval(&format!(
        "(s => {{ s.value = {SPEED}; s.dispatchEvent(new Event('change')) }})(document.querySelector('#player select[title=Speed]'))"
    ));
    browser.eval("document.querySelector('#player .play').click()");
    std::thread::sleep(Duration::from_secs(22));
    both(browser, "docs-player");
    browser.open("about:blank");
}
