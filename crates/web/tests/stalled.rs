//! A page that takes no turns uses bounded memory, and is disconnected.

mod rig;

use rig::{LONG, Rig, publisher, until};
use saltus_domain::Domain;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::time::{Duration, Instant};
use tungstenite::Message;

/// Bytes of a picture.
const PICTURE: usize = 1 << 19;

/// A page that takes no turn for this time is disconnected.
const PATIENCE: Duration = Duration::from_secs(3);

/// Bytes of private memory of this process.
fn used() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
fn a_page_that_does_not_read_is_disconnected_and_its_queue_freed() {
    let folder = format!("/dev/shm/saltus-web-stalled-{}", std::process::id());
    std::fs::create_dir(&folder).unwrap();
    let domain = Domain::open(&format!("shm://{folder}")).unwrap();
    let rig = Rig::patient("127.0.0.1:0", &domain, None, &[], PATIENCE);
    let mut camera = publisher(&domain, "CAMERA", "demo.photo_t");
    let mut picture = rig::message("demo.photo_t", r#"{"format":"raw","data":[]}"#);
    let at = picture.len() - 4;
    picture[at..].copy_from_slice(&(PICTURE as u32).to_be_bytes());
    picture.resize(at + 4 + PICTURE, 7);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Or until the test fails.
            let start = Instant::now();
            while !ended.load(Acquire) && start.elapsed() < LONG {
                camera.publish(&picture).unwrap();
                std::thread::sleep(Duration::from_millis(30));
            }
        });
        let (mut page, _) = tungstenite::client(format!("ws://{}/ws", rig.address), rig.connect()).unwrap();
        let show = r#"{"op":"show","hz":30,"open":[{"channel":"CAMERA","value":true}]}"#;
        page.send(Message::text(show)).unwrap();
        // A page that takes its turns gets everything, repeatedly.
        let mut whole = 0;
        while whole < 3 {
            match page.read().unwrap() {
                Message::Binary(value) => {
                    assert!(value.len() > PICTURE);
                    whole += 1;
                    page.send(Message::text(r#"{"op":"took"}"#)).unwrap();
                }
                Message::Text(text) if text.contains(r#""op":"turn","values":0"#) => {
                    page.send(Message::text(r#"{"op":"took"}"#)).unwrap()
                }
                _ => {}
            }
        }
        // From now on it acknowledges turns that it does not read.
        let (before, start) = (used(), Instant::now());
        let mut most = 0;
        until("it is disconnected", || {
            most = most.max(used().saturating_sub(before));
            page.send(Message::text(r#"{"op":"took"}"#)).is_err()
        });
        assert!(start.elapsed() > PATIENCE / 2 && start.elapsed() < LONG, "{:?}", start.elapsed());
        // At 30 per second, a hundred of them would have been sent.
        assert!(most < 16 * PICTURE, "{most} bytes more");
        ended.store(true, Release);
    });
    std::fs::remove_dir_all(&folder).unwrap();
}
