use super::*;
use saltus_links::Dice;
use std::net::Ipv4Addr;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

/// A path on a virtual clock: it loses packets longer than `carries`, and of the rest the part `loss` in each
/// direction.
struct World {
    path: Path,
    carries: usize,
    loss: f64,
    down: bool,
    now: u64,
    arrived: u64,
    probes: u32,
    dice: Dice,
    answers: VecDeque<(u64, u32, usize)>,
}

impl World {
    fn new(carries: usize, loss: f64, seed: u64) -> World {
        let path = Path::new(Mtu::Probed, SocketAddr::from((Ipv4Addr::LOCALHOST, 1)), 0);
        let (dice, answers) = (Dice::new(seed), VecDeque::new());
        World { path, carries, loss, down: false, now: 0, arrived: 0, probes: 0, dice, answers }
    }

    /// Advances the time, while other datagrams are sent; 30 ms round trip.
    fn run(&mut self, time: u64) {
        let end = self.now + time;
        while self.now < end {
            self.now += 10 * MS;
            self.arrived += u64::from(!self.down && self.now.is_multiple_of(100 * MS));
            let known = Known { arrived: self.arrived, loss: self.loss, round_trip: Some(30_000) };
            if let Some((number, len)) = self.path.probe(self.now, known) {
                self.probes += 1;
                assert!((508..=1472).contains(&len));
                let lost = (0..2).any(|_| self.dice.part() < self.loss);
                if !lost && !self.down && len <= self.carries {
                    self.answers.push_back((self.now + 30 * MS, number, len));
                }
            }
            while self.answers.front().is_some_and(|(when, ..)| *when <= self.now) {
                let (_, number, len) = self.answers.pop_front().unwrap();
                self.path.answered(number, len, self.now);
            }
        }
    }
    fn found(&self) -> bool {
        let len = self.path.len();
        len <= self.carries && len + STEP >= self.carries.min(1472)
    }
}

#[test]
fn the_longest_that_passes_is_found_whatever_the_loss() {
    for carries in [508, 548, 1199, 1200, 1252, 1372, 1400, 1452, 1472, 8972] {
        for (loss, within) in [(0.0, 6), (0.1, 15), (0.4, 60)] {
            for seed in 0..10 {
                let mut world = World::new(carries, loss, seed);
                world.run(within * SECOND);
                // Random losses may shorten it for a while, never lengthen it.
                let len = world.path.len();
                assert!(len <= carries.max(1200), "{carries} {loss} {seed}: {len}");
                assert!(loss > 0.1 || world.found(), "{carries} {loss} {seed}: {len}");
            }
        }
    }
}

#[test]
fn a_wide_path_costs_two_probes_and_then_one_each_two_seconds() {
    let mut world = World::new(1472, 0.0, 1);
    world.run(90 * MS);
    assert_eq!((world.path.len(), world.probes), (1472, 2));
    world.run(100 * SECOND);
    assert!((45..=52).contains(&world.probes), "{}", world.probes);
}

#[test]
fn a_black_hole_is_noticed_and_left_and_the_way_back_is_found() {
    let mut world = World::new(1472, 0.1, 3);
    world.run(10 * SECOND);
    assert!(world.found());
    world.carries = 1300;
    world.run(10 * SECOND);
    assert!(world.found(), "{}", world.path.len());
    world.carries = 1472;
    // Until it is tried again.
    world.run(20 * SECOND);
    assert!(world.found(), "{}", world.path.len());
}

#[test]
fn a_path_that_was_narrow_is_tried_again_after_ten_minutes() {
    let mut world = World::new(1300, 0.0, 3);
    world.run(10 * SECOND);
    assert!(world.found());
    world.carries = 1472;
    world.run(580 * SECOND);
    assert!(!world.found());
    world.run(30 * SECOND);
    assert!(world.found());
}

#[test]
fn an_outage_makes_nothing_shorter() {
    let mut world = World::new(1472, 0.0, 5);
    world.run(SECOND);
    world.down = true;
    world.run(60 * SECOND);
    world.down = false;
    world.run(SECOND);
    assert_eq!(world.path.len(), 1472);
}

#[test]
fn the_loss_of_a_bad_radio_makes_nothing_shorter_mostly() {
    let short: u32 = (0..20)
        .map(|seed| {
            let mut world = World::new(1472, 0.1, seed);
            world.run(100 * SECOND);
            u32::from(world.path.len() < 1472)
        })
        .sum();
    assert!(short <= 2, "{short} of 20");
}

#[test]
fn unrequested_answers_change_nothing() {
    let mut path = Path::new(Mtu::Probed, SocketAddr::from((Ipv4Addr::LOCALHOST, 1)), 0);
    let (number, len) = path.probe(0, Known::default()).unwrap();
    for (number, len) in [(number + 1, len), (number, len + 1), (number, 65_535), (0, 0)] {
        path.answered(number, len, MS);
    }
    assert!(path.len() == 1200 && !path.confirmed);
    path.answered(number, len, MS);
    assert!(path.confirmed);
    // The answer arrives again.
    path.answered(number, len, MS);
    assert_eq!(path.len(), 1200);
}

#[test]
fn a_fixed_length_is_never_tried_and_never_changes() {
    for peer in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        let peer: SocketAddr = peer.parse().unwrap();
        let mut path = Path::new(Mtu::Fixed(1300), peer, 0);
        let expected = 1300 - if peer.to_string().contains("[::1]") { 48 } else { 28 };
        path.refused(1000, 1);
        path.suspect(2);
        assert_eq!(path.probe(1 << 60, Known::default()), None);
        assert_eq!((path.len(), path.next()), (expected, u64::MAX));
    }
}

#[test]
fn packet_sizes_that_this_machine_refuses_are_abandoned_soon() {
    let mut world = World::new(1472, 0.0, 1);
    world.run(SECOND);
    world.path.refused(1472, world.now);
    assert_eq!(world.path.len(), 508);
    world.carries = 1272;
    world.run(5 * SECOND);
    assert!(world.found());
}

#[test]
fn a_sudden_loss_is_looked_into_at_once() {
    let mut world = World::new(1472, 0.0, 1);
    world.run(3000 * MS);
    let due = world.path.next();
    world.path.suspect(world.now);
    assert!(due > world.now && world.path.next() <= world.now);
}
