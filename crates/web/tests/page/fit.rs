//! Tests of the page on screens of all widths, in light and dark mode, with only a keyboard; and of its rates and losses.

use crate::Robot;
use crate::chromium::Chromium;
use crate::rig::{Rig, domain, publisher};
use saltus_domain::{Domain, Options, Pattern, Until};
use std::path::PathBuf;
use std::time::Duration;

/// A description of elements that do not fit; empty if all do.
const MISFITS: &str = "(() => {
  const bad = [];
  const seen = (e) => e.offsetParent && e.getBoundingClientRect().width > 0;
  const all = (what) => [...document.querySelectorAll(what)].filter(seen);
  const name = (e) => `${e.tagName}.${e.className} “${e.textContent.slice(0, 30)}”`;
  const main = document.querySelector('main');
  if (document.documentElement.scrollWidth > innerWidth) bad.push('the page scrolls to the right');
  if (main.scrollWidth > main.clientWidth) bad.push('what is below the head scrolls to the right');
  for (const e of all('header *, .card .top *, .legend *, .facts *, .row .cell, #player .bar *, canvas')) {
    const { left, right } = e.getBoundingClientRect();
    if (right > innerWidth + 1 || left < -1) bad.push(`beyond the edge: ${name(e)}`);
  }
  for (const e of all('.cell.wide, .space .cell.n:not(.rate), .space .cell.rate span, .head button, .facts b, .legend b, button, .brand h1, #totals')) {
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth) bad.push(`cut: ${name(e)}`);
  }
  for (const e of all('.card h2')) {
    if (e.scrollWidth > e.clientWidth + 1 && e.title !== e.textContent) bad.push(`cut without a tooltip: ${name(e)}`);
    if (e.clientWidth < 60) bad.push(`no room: ${name(e)}`);
  }
  for (const e of all('.card .body')) if (e.clientHeight < 100 || e.clientWidth < 250) bad.push(`small: ${e.parentElement.dataset.channel}`);
  // Every line of cards fills the width of its container.
  const place = document.querySelector('#cards');
  const ends = new Map();
  for (const { top, right } of all('.card').map((e) => e.getBoundingClientRect())) {
    ends.set(Math.round(top), Math.max(right, ends.get(Math.round(top)) ?? 0));
  }
  const edge = place.getBoundingClientRect().left + place.clientWidth;
  for (const end of ends.values()) if (Math.abs(end - edge) > 2) bad.push(`a hole of ${edge - end} pixels beside a card`);
  return bad.join('; ');
})()";

#[test]
fn nothing_overflows_or_is_cut_at_1400_900_and_390_pixels_light_and_dark() {
    let mut browser = Chromium::start(1400, 900);
    let domain = domain();
    let _robot = Robot::start(&domain);
    let rig = Rig::new("127.0.0.1:0", &domain, None, &[]);
    let shown = "open=LASER_FRONT,POSE@pose,STATE@fields,STATE@latency,CAMERA&plot=STATE:voltage,STATE:temperature[2],POSE:x";
    for (width, height) in [(1400, 900), (900, 900), (390, 844)] {
        browser.size(width, height);
        for dark in [false, true] {
            browser.scheme(dark);
            browser.open(&format!("{}#{shown}", rig.url));
            browser.wait("document.querySelectorAll('.card').length === 6");
            browser.wait("document.querySelectorAll('.space .row:not([hidden])').length === 5");
            // The newest values with their units, and an axis for each unit.
            browser.wait(
                "[...document.querySelectorAll('.legend .unit')].map(e => e.textContent).join() === 'V,°C,m'",
            );
            browser
                .wait("[...document.querySelectorAll('.legend b')].every(e => /[0-9]/.test(e.textContent))");
            browser.wait("import('/main.js').then(page => page.cards.plots[0].chart?.axes.length === 4)");
            browser.wait("[...document.querySelectorAll('.facts b')].every(e => e.textContent !== '')");
            assert_eq!(browser.eval(MISFITS), "", "{width} pixels");
            browser.picture(&format!("fit-{width}-{}.png", if dark { "dark" } else { "light" }));
        }
    }
    // Of two cards of one channel, each shows its own view.
    let views =
        "[...document.querySelectorAll('[data-channel=STATE] .tabs .on')].map(e => e.dataset.view).join()";
    assert_eq!(browser.eval(views), "fields,latency");
    browser.open("about:blank");
    assert_eq!(browser.complaints, Vec::<String>::new(), "the page's code has no errors");
}

#[test]
fn the_page_works_with_a_keyboard_alone() {
    let mut browser = Chromium::start(1200, 800);
    let domain = domain();
    let _robot = Robot::start(&domain);
    let rig = Rig::new("127.0.0.1:0", &domain, None, &[]);
    browser.open(&rig.url);
    browser.wait("document.querySelectorAll('.space .row:not([hidden])').length === 5");
    browser.press("?");
    browser.wait("document.querySelector('#keys').open");
    assert_eq!(browser.eval("document.querySelectorAll('#keys kbd').length > 8"), true);
    browser.press("Escape");
    browser.wait("!document.querySelector('#keys').open");
    // Rows are tab stops, one after the other.
    browser.eval("document.querySelector('.head button:last-child').focus()");
    browser.press("Tab");
    let focused = "document.activeElement.querySelector('.cell.wide span')?.textContent";
    assert_eq!(browser.eval(focused), "CAMERA");
    browser.press("Tab");
    assert_eq!(browser.eval(focused), "LASER_FRONT");
    for expected in ["PHOTO", "POSE", "STATE"] {
        browser.press("ArrowDown");
        assert_eq!(browser.eval(focused), expected);
    }
    browser.press("Enter");
    browser.wait("!!document.querySelector('[data-channel=STATE] [data-path=long_one]')");
    browser.eval("document.querySelector('[data-path=long_one]').focus()");
    browser.press("Enter");
    browser.wait("!!document.querySelector('[data-path=\"long_one[100..200]\"]')");
    browser.eval("document.querySelector('.row.open').focus()");
    browser.press("Enter");
    browser.wait("!document.querySelector('.card')");
    browser.open("about:blank");
    assert_eq!(browser.complaints, Vec::<String>::new(), "the page's code has no errors");
}

/// A directory that is removed on drop.
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn bytes_of_an_unknown_type_have_offsets_and_characters() {
    let directory =
        Directory(PathBuf::from(format!("/dev/shm/saltus-web-{:016x}", saltus_os::process::random())));
    let domain = Domain::open(&format!("shm://{}", directory.0.display())).unwrap();
    domain.publisher("RAW").unwrap().publish(b"hello saltus, \x00\xff!").unwrap();
    let rig = Rig::new("127.0.0.1:0", &domain, None, &[]);
    let mut browser = Chromium::start(1100, 800);
    browser.open(&format!("{}#open=RAW", rig.url));
    let dump = "00000000  68 65 6c 6c 6f 20 73 61  6c 74 75 73 2c 20 00 ff  |hello saltus, ..|\\n\
                00000010  21                                                |!|";
    browser.wait(&format!("document.querySelector('.tree pre')?.textContent === '{dump}'"));
    browser.wait("document.querySelector('.tree details').open");
    browser.open("about:blank");
    drop(rig);
}

#[test]
fn newest_subscribers_are_not_red_and_all_views_show_the_same_rate() {
    let directory =
        Directory(PathBuf::from(format!("/dev/shm/saltus-web-{:016x}", saltus_os::process::random())));
    let domain = Domain::open(&format!("shm://{}", directory.0.display())).unwrap();
    let mut publisher = publisher(&domain, "POSE", "carmen.pose_t");
    let mut subscriber = domain.subscriber_with(Pattern::name("POSE").unwrap(), Options::newest()).unwrap();
    let rig = Rig::new("127.0.0.1:0", &domain, None, &[]);
    let mut browser = Chromium::start(1300, 800);
    browser.open(&format!("{}#open=POSE@latency", rig.url));
    browser.wait("!!document.querySelector('[data-channel=POSE] .facts b')");
    browser.eval(
        "import('/main.js').then(({ net }) => { window.pairs = []; \
         net.on('rows', ({ rows }) => { window.inTable = rows[0]?.rate_hz }); \
         net.on('row', ({ row }) => { pairs.push([inTable, row.rate_hz]) }); })",
    );
    let pose = crate::rig::message("carmen.pose_t", r#"{"x":1,"y":2,"theta":3}"#);
    while browser.eval("pairs.filter(([table, card]) => table > 0).length >= 10") != true {
        for _ in 0..20 {
            publisher.publish(&pose).unwrap();
        }
        assert!(subscriber.receive(Until::For(Duration::from_secs(10))).unwrap().is_some());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        browser.eval("pairs.every(([table, card]) => table === card)"),
        true,
        "{}",
        browser.eval("pairs")
    );
    browser.wait(
        "Number(document.querySelector('.space .cell.missed span').textContent.replace(/\\D/g, '')) > 100",
    );
    assert_eq!(browser.eval("document.querySelector('.space .row').classList.contains('missing')"), false);
    browser.open("about:blank");
    drop(rig);
}
