//! Two hosts and a router between them, each a network namespace: a narrow link, an address translator.

use saltus_netns::{Space, ip, isolated, join};
use saltus_os::clock;
use saltus_tunnel::{Config, Driver, Event, Key, Order};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const ROBOT: Ipv4Addr = Ipv4Addr::new(10, 1, 0, 1);
const DESK: Ipv4Addr = Ipv4Addr::new(10, 2, 0, 1);
/// The router's addresses, on both sides.
const NEAR_ROBOT: Ipv4Addr = Ipv4Addr::new(10, 1, 0, 9);
const NEAR_DESK: Ipv4Addr = Ipv4Addr::new(10, 2, 0, 9);
const PORT: u16 = 7710;
const PATIENCE: Duration = Duration::from_secs(40);

struct World {
    robot: Space,
    middle: Space,
    desk: Space,
}

fn world() -> World {
    let space = || Space::new().unwrap();
    let world = World { robot: space(), middle: space(), desk: space() };
    join("left", (&world.robot, ROBOT), (&world.middle, NEAR_ROBOT));
    join("right", (&world.desk, DESK), (&world.middle, NEAR_DESK));
    world
}

fn config() -> Config {
    Config { order: Order::All, ..Config::new(Key::from_bytes([6; 32])) }
}

/// Runs both ends in turn until the condition is true; counts the messages from the listener and the connecter.
fn run(
    listener: &mut Driver,
    connecter: &mut Driver,
    came: &mut [u64; 2],
    mut is_done: impl FnMut([u64; 2], &Driver) -> bool,
) {
    let begun = Instant::now();
    while !is_done(*came, connecter) {
        assert!(begun.elapsed() < PATIENCE, "{came:?} {listener:?} {connecter:?}");
        for (end, came) in [&mut *listener, &mut *connecter].into_iter().zip(&mut *came) {
            end.send(b"c", &[9; 20_000], 10_000_000_000).unwrap();
            end.turn(|event| {
                let Event::Message(message) = event else { return };
                assert!(message.payload == [9; 20_000]);
                *came += 1;
            })
            .unwrap();
            end.wait(&[], clock::monotonic() + 2_000_000).unwrap();
        }
    }
}

/// A router between two links, of which the second carries packets of 1,300 bytes.
fn narrow(world: &World) {
    for (space, near, far) in
        [(&world.robot, NEAR_ROBOT, "10.2.0.0/24"), (&world.desk, NEAR_DESK, "10.1.0.0/24")]
    {
        space.run(|| ip(&format!("route add {far} via {near}")));
    }
    world.middle.run(|| {
        std::fs::write("/proc/sys/net/ipv4/ip_forward", "1").unwrap();
        ip("link set right mtu 1300");
    });
}

/// An IP counter of this thread's network.
fn counter(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap();
    let mut lines = text.lines().filter(|line| line.starts_with("Ip: ")).map(str::split_whitespace);
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    names.zip(values).find(|(n, _)| *n == name).unwrap().1.parse().unwrap()
}

#[test]
fn packets_fit_the_narrowest_cable_and_are_never_cut() {
    isolated(|| {
        let world = world();
        narrow(&world);
        let mut listener =
            world.desk.run(|| Driver::listen(config(), &format!("{DESK}:{PORT}"), false)).unwrap();
        let to = format!("{DESK}:{PORT}");
        let mut connecter = world.robot.run(|| Driver::connect(config(), &to, false)).unwrap();
        let mut came = [0; 2];
        // Measured, and some more time after that.
        let mut before = None;
        run(&mut listener, &mut connecter, &mut came, |came, connecter| {
            let mtu = connecter.stats().mtu.unwrap_or(0);
            if before.is_none() && (1290..=1300).contains(&mtu) {
                before = Some(came);
            }
            before.is_some_and(|before| came[0] > before[0] + 50 && came[1] > before[1] + 50)
        });
        for space in [&world.robot, &world.middle, &world.desk] {
            assert_eq!(space.run(|| (counter("FragCreates"), counter("ReasmReqds"))), (0, 0));
        }
    });
}

#[test]
fn packets_become_shorter_when_the_path_becomes_narrow() {
    isolated(|| {
        let world = world();
        narrow(&world);
        world.middle.run(|| ip("link set right mtu 1500"));
        let mut listener =
            world.desk.run(|| Driver::listen(config(), &format!("{DESK}:{PORT}"), false)).unwrap();
        let to = format!("{DESK}:{PORT}");
        let mut connecter = world.robot.run(|| Driver::connect(config(), &to, false)).unwrap();
        let mut came = [0; 2];
        run(&mut listener, &mut connecter, &mut came, |_, connecter| connecter.stats().mtu == Some(1500));
        world.middle.run(|| ip("link set right mtu 1000"));
        let mut before = None;
        run(&mut listener, &mut connecter, &mut came, |came, connecter| {
            let mtu = connecter.stats().mtu.unwrap_or(0);
            if before.is_none() && (900..=1000).contains(&mtu) {
                before = Some(came);
            }
            before.is_some_and(|before| came[0] > before[0] + 50)
        });
        assert_eq!(connecter.stats().sessions, 1);
    });
}

#[test]
fn an_interface_that_is_too_narrow_is_noticed_without_the_other_end() {
    isolated(|| {
        let world = world();
        narrow(&world);
        world.robot.run(|| ip("link set left mtu 700"));
        let mut listener =
            world.desk.run(|| Driver::listen(config(), &format!("{DESK}:{PORT}"), false)).unwrap();
        let to = format!("{DESK}:{PORT}");
        let mut connecter = world.robot.run(|| Driver::connect(config(), &to, false)).unwrap();
        let mut came = [0; 2];
        run(&mut listener, &mut connecter, &mut came, |came, connecter| {
            came[0] > 20 && (690..=700).contains(&connecter.stats().mtu.unwrap_or(0))
        });
        assert!(connecter.trouble().is_none(), "that is no trouble");
    });
}

/// Translates addresses, as a home router does: datagrams from the robot leave from the translator's own port, and
/// from another one whenever `again` is set.
fn translate(world: &World, over: &AtomicBool, again: &AtomicBool) {
    let wait = Some(Duration::from_millis(1));
    let inside = world.middle.run(|| UdpSocket::bind((NEAR_ROBOT, PORT)).unwrap());
    let outside = || {
        let socket = world.middle.run(|| UdpSocket::bind((NEAR_DESK, 0)).unwrap());
        socket.set_read_timeout(wait).unwrap();
        socket
    };
    inside.set_read_timeout(wait).unwrap();
    let (mut out, mut robot, mut bytes) = (outside(), None::<SocketAddr>, vec![0; 1 << 16]);
    while !over.load(Ordering::Relaxed) {
        if again.swap(false, Ordering::Relaxed) {
            out = outside();
        }
        for _ in 0..64 {
            let Ok((len, from)) = inside.recv_from(&mut bytes) else { break };
            robot = Some(from);
            out.send_to(&bytes[..len], (DESK, PORT)).unwrap();
        }
        for _ in 0..64 {
            let Ok(len) = out.recv(&mut bytes) else { break };
            robot.map(|robot| inside.send_to(&bytes[..len], robot).unwrap());
        }
    }
}

#[test]
fn a_session_outlives_a_translator_that_changes_its_mind() {
    isolated(|| {
        let world = world();
        let (over, again) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| translate(&world, &over, &again));
            let ends = || {
                let listener = world.desk.run(|| Driver::listen(config(), &format!("{DESK}:{PORT}"), false));
                let to = format!("{NEAR_ROBOT}:{PORT}");
                let connecter = world.robot.run(|| Driver::connect(config(), &to, false));
                let (mut listener, mut connecter) = (listener.unwrap(), connecter.unwrap());
                let mut came = [0; 2];
                for _ in 0..4 {
                    let before = came;
                    run(&mut listener, &mut connecter, &mut came, |came, _| {
                        came[0] > before[0] + 30 && came[1] > before[1] + 30
                    });
                    again.store(true, Ordering::Relaxed);
                }
                (listener.stats(), connecter.stats())
            };
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(ends));
            over.store(true, Ordering::Relaxed);
            let (listener, connecter) = ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            assert_eq!((listener.sessions, connecter.sessions), (1, 1), "the session went on");
        });
    });
}
