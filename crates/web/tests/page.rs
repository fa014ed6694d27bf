//! Tests of the page in Chromium. Screenshots are saved under target/screenshots.

#[path = "rig/chromium.rs"]
mod chromium;
#[path = "page/fit.rs"]
mod fit;
#[path = "page/load.rs"]
mod load;
#[path = "page/pictures.rs"]
mod pictures;
mod rig;

use chromium::{Chromium, DRAWN};
use rig::{Rig, domain, publisher, robot, until};
use saltus_domain::{Domain, Publisher};
use saltus_log::{Event, Format, Writer, WriterOptions};
use saltus_web::Stop;
use std::collections::HashMap;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

/// Publishes the robot's messages, 50 times per second, until it is dropped.
struct Robot(Stop, Option<JoinHandle<()>>);

impl Robot {
    fn start(domain: &Domain) -> Robot {
        let (domain, stop) = (domain.clone(), Stop::new());
        let asked = stop.clone();
        let run = move || {
            let mut publishers: HashMap<String, Publisher> = HashMap::new();
            // The messages of the next lap are the same.
            let lap: Vec<_> = (0..400).map(robot).collect();
            for tick in (0..lap.len()).cycle() {
                if asked.is_asked() {
                    return;
                }
                for (channel, name, data) in &lap[tick] {
                    let made = || publisher(&domain, channel, name);
                    publishers.entry(channel.clone()).or_insert_with(made).publish(data).unwrap();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        Robot(stop, Some(std::thread::spawn(run)))
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        self.0.ask();
        self.1.take().unwrap().join().unwrap();
    }
}

/// A log of 12 s of them.
fn log() -> PathBuf {
    let path = std::env::temp_dir().join(format!("saltus-web-{}.lcmlog", std::process::id()));
    let mut writer = Writer::new(Vec::new(), Format::Lcm, WriterOptions::new()).unwrap();
    for tick in 0..600 {
        for (channel, _, data) in robot(tick) {
            let log_time = 1_700_000_000_000_000_000 + tick as i64 * 20_000_000;
            writer
                .write(&Event { channel: channel.as_bytes(), data: &data, log_time, ..Event::default() })
                .unwrap();
        }
    }
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path
}

#[test]
fn rows_appear_a_tree_opens_plots_and_views_are_drawn_and_the_player_plays() {
    let mut browser = Chromium::start(1920, 1080);
    watching(&mut browser);
    hiding(&mut browser);
    playing(&mut browser);
    assert_eq!(browser.complaints, Vec::<String>::new(), "the page's code has no errors");
}

fn watching(browser: &mut Chromium) {
    let domain = domain();
    let _robot = Robot::start(&domain);
    // Many more than fit on the screen.
    let mut many: Vec<Publisher> =
        (0..150).map(|i| domain.publisher(format!("SENSOR_{i}")).unwrap()).collect();
    let views = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/spy-view");
    let rig = Rig::new("127.0.0.1:0", &domain, Some(views), &[]);
    browser.scheme(true);
    browser.open(&rig.url);
    browser.wait("document.querySelectorAll('.space .row:not([hidden])').length >= 5");
    many.iter_mut().for_each(|one| one.publish(b"hello").unwrap());
    browser.wait("document.querySelector('#totals').textContent.startsWith('155 channels')");
    let lines = browser.eval("document.querySelectorAll('.space .row').length").as_u64().unwrap();
    assert!((10..80).contains(&lines), "only what is on the screen exists: {lines}");
    browser.eval("document.querySelector('.scroller').scrollTop = 1e6");
    browser.wait("[...document.querySelectorAll('.space .row:not([hidden])')].some(row => row.textContent.includes('STATE'))");
    browser.picture("table-dark.png");

    // A filter and a click open the tree, which updates.
    browser.eval("(f => { f.value = '!sensor'; f.oninput() })(document.querySelector('#filter'))");
    browser.wait("document.querySelectorAll('.space .row:not([hidden])').length === 5");
    browser.eval("[...document.querySelectorAll('.space .row')].find(row => row.textContent.includes('STATE')).click()");
    browser.wait("!!document.querySelector('[data-path=\"voltage\"] .value')?.textContent");
    assert_eq!(browser.eval("document.querySelector('[data-path=\"voltage\"] .unit').textContent"), "V");
    let voltage = browser.eval("document.querySelector('[data-path=\"voltage\"] .value').textContent");
    until("the voltage changes", || {
        browser.eval("document.querySelector('[data-path=\"voltage\"] .value').textContent") != voltage
    });
    browser.click("[data-path=\"long_one\"] .name");
    browser.wait("!!document.querySelector('[data-path=\"long_one[100..200]\"]')");
    browser.click("[data-path=\"long_one\"] .name");

    // Numbers can be plotted.
    browser.click("[data-path=\"voltage\"] button");
    browser.wait("!!document.querySelector('.plotted .uplot')");
    browser.eval("document.querySelector('[data-path=\"temperature[2]\"] button').click()");
    browser.wait("document.querySelectorAll('.plotted .legend .entry').length === 2");
    browser.wait(&format!("{DRAWN}(document.querySelector('.plotted canvas'))"));

    // Views are chosen by the shape of a type.
    for (channel, view) in
        [("LASER_FRONT", "laser"), ("POSE", "pose"), ("CAMERA", "image"), ("PHOTO", "image")]
    {
        let row = format!(
            "[...document.querySelectorAll('.space .row')].find(row => row.textContent.includes('{channel}')).click()"
        );
        browser.eval(&row);
        let card = format!("document.querySelector('[data-channel={channel}]')");
        browser.wait(&format!("{card}?.querySelector('.tabs .on')?.dataset.view === '{view}'"));
        browser.wait(&format!("{DRAWN}({card}.querySelector('canvas'))"));
    }
    // The JPEG is shown correctly: red on the left, blue on the right.
    let photo = "document.querySelector('[data-channel=PHOTO]')";
    browser.wait(&format!("{photo}.querySelector('.hint').textContent === '160 × 120, JPEG'"));
    let mut pixel = |x: u32| {
        let script =
            format!("[...{photo}.querySelector('canvas').getContext('2d').getImageData({x}, 1, 1, 1).data]");
        browser.eval(&script).as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect::<Vec<_>>()
    };
    let (left, right) = (pixel(2), pixel(157));
    assert!(left[0] > 190 && left[2] < 90 && right[0] < 90 && right[2] > 190, "{left:?} {right:?}");
    browser.wait("/[0-9]/.test(document.querySelector('.plotted .legend b')?.textContent)");
    browser
        .wait("import('/main.js').then(page => page.cards.plots[0].series.every(one => one.t.length > 150))");
    browser.picture("spy-dark.png");
    browser.scheme(false);
    browser.picture("spy-light.png");
    assert_eq!(browser.eval("getComputedStyle(document.body).backgroundColor"), "rgb(238, 241, 244)");

    // Latencies: a percentile curve, and a heat map.
    let timing = "document.querySelector('[data-channel=STATE]')";
    browser.click("[data-channel=STATE] [data-view=latency]");
    browser.wait(&format!("Number({timing}.querySelector('.timing').dataset.measured) > 100"));
    browser.wait(&format!(
        "[...{timing}.querySelectorAll('canvas')].filter(canvas => !canvas.parentElement.hidden && {DRAWN}(canvas)).length === 2"
    ));
    browser.wait(&format!("{timing}.querySelectorAll('.facts b')[5].textContent !== '–'"));
    browser.scheme(true);
    browser.picture("timing-dark.png");

    // A view from the directory, and the graph of publishers and subscribers.
    browser.click("[data-channel=POSE] [data-view='own:gauge.js']");
    browser.wait(&format!("{DRAWN}(document.querySelector('[data-channel=POSE] canvas'))"));
    browser.scheme(true);
    browser.click("#graph");
    browser.wait("document.querySelectorAll('.graph .channel').length === 5 && !!document.querySelector('.graph .process')");
    browser.picture("graph-dark.png");
    browser.click("#graph");
    let closed = "document.querySelector('[data-channel=CAMERA] [title=Close]').click()";
    browser.eval(closed);
    browser.wait("document.querySelectorAll('[data-channel]').length === 4");
    browser.open("about:blank"); // before the server stops
}

/// The page is hidden after a turn was received and before it is drawn, so no animation frame follows.
fn hiding(browser: &mut Chromium) {
    let domain = domain();
    let _robot = Robot::start(&domain);
    let rig = Rig::new("127.0.0.1:0", &domain, None, &[]);
    browser.open(&rig.url);
    browser.wait("document.querySelectorAll('.space .row:not([hidden])').length === 5");
    browser.eval(
        "import('/main.js').then(({ net }) => { \
         const { socket } = net, { send } = socket; Object.assign(window, { socket, came: 0, took: 0 }); \
         socket.send = (words) => { took += words.includes('took'); send.call(socket, words) }; \
         socket.addEventListener('message', () => came++); \
         window.requestAnimationFrame = () => 0; })",
    );
    browser.wait("came > 0");
    let before = browser.eval("took");
    browser.hidden(|browser| browser.wait(&format!("took > {before}")));
    assert_eq!(browser.eval("import('/main.js').then(({ net }) => net.socket === socket)"), true);
    browser.open("about:blank"); // before the server stops
}

fn playing(browser: &mut Chromium) {
    let path = log();
    let rig = Rig::new("127.0.0.1:0", &domain(), None, std::slice::from_ref(&path));
    browser.scheme(true);
    browser.open(&format!("{}#open=LASER_FRONT,POSE@pose", rig.url));
    browser.wait("document.querySelector('#player .of')?.textContent === '/ 0:12.0'");
    let at =
        "(([m, s]) => m * 60 + Number(s))(document.querySelector('#player .now').textContent.split(':'))";
    browser.click("#player .play");
    browser.wait(&format!("{at} > 0.5"));
    browser.wait(&format!("{DRAWN}(document.querySelector('[data-channel=LASER_FRONT] canvas'))"));
    // Dragging seeks; while paused, it shows the messages at that position.
    browser.click("#player .play");
    browser.wait("document.querySelector('#player .play').textContent === 'Play'");
    browser.click("#player .time canvas");
    browser.wait(&format!("Math.abs({at} - 6) < 0.11"));
    let step =
        "[...document.querySelectorAll('#player button')].find(b => b.textContent === 'Step ▸').click()";
    browser.eval(step);
    browser.wait(&format!("{at} >= 6"));
    // One channel with another name, and one switched off.
    browser.eval(
        "[...document.querySelectorAll('#player button')].find(b => b.textContent === 'Channels').click()",
    );
    let track = |name: &str| {
        format!(
            "[...document.querySelectorAll('.track')].find(t => t.querySelector('.was').textContent === '{name}')"
        )
    };
    browser.eval(&format!(
        "(n => {{ n.value = 'POSE_AGAIN'; n.onchange() }})({}.querySelector('.name'))",
        track("POSE")
    ));
    browser.eval(&format!(
        "(c => {{ c.checked = false; c.onchange() }})({}.querySelector('input'))",
        track("CAMERA")
    ));
    browser.click("#player .play");
    browser.wait("[...document.querySelectorAll('.space .row:not([hidden])')].some(row => row.textContent.includes('POSE_AGAIN'))");
    // Repeats from A to B.
    browser.eval("document.querySelector('#player .play').click()");
    browser.wait("document.querySelector('#player .play').textContent === 'Play'");
    let press = |words: &str| {
        format!(
            "[...document.querySelectorAll('#player button')].find(b => b.textContent === '{words}').click()"
        )
    };
    browser.eval(&press("A ["));
    browser.eval(step);
    browser.eval(&press("] B"));
    browser.wait("[...document.querySelectorAll('#player button')].find(b => b.textContent === 'A–B').classList.contains('on')");
    browser.eval(&press("A–B"));
    browser.eval(&press("Play"));
    browser.wait(&format!("{at} > 8"));
    browser.picture("player-dark.png");
    browser.open("about:blank");
    drop(rig);
    for end in ["", ".saltus-index", ".saltus-bookmarks"] {
        let mut name = path.clone().into_os_string();
        name.push(end);
        let _ = std::fs::remove_file(name);
    }
}
