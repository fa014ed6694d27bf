//! Tests of the player with a virtual clock.

use super::*;

/// Events at these times, of channels 0, 1, 0, 1, ….
struct Events(Vec<i64>, usize);
impl Events {
    fn spot(&self, i: usize) -> Option<Spot> {
        let time = *self.0.get(i)?;
        Some(Spot { log: 0, position: i as u64, channel: i % 2, time })
    }
}
impl Timeline for Events {
    fn span(&mut self) -> Result<Option<(i64, i64)>> {
        Ok(self.0.first().copied().zip(self.0.last().copied()))
    }
    fn seek(&mut self, time: i64) -> Result<()> {
        self.1 = self.0.partition_point(|t| *t < time);
        Ok(())
    }
    fn next(&mut self) -> Result<Option<Spot>> {
        Ok(self.spot(self.1))
    }
    fn previous(&mut self) -> Result<Option<Spot>> {
        Ok(self.1.checked_sub(1).and_then(|i| self.spot(i)))
    }
    fn forward(&mut self) -> Result<()> {
        self.1 = (self.1 + 1).min(self.0.len());
        Ok(())
    }
    fn back(&mut self) -> Result<()> {
        self.1 = self.1.saturating_sub(1);
        Ok(())
    }
}

fn player(speed: f64) -> Player<Events> {
    let mut player = Player::new(Events(vec![100, 200, 300, 400], 0), speed);
    player.play();
    player
}

/// All events published from `now` on, each when it is due: its time in the log, and the clock time.
fn run(player: &mut Player<Events>, mut now: u64, most: usize) -> Vec<(i64, u64)> {
    let mut all = Vec::new();
    while all.len() < most {
        match player.poll(now).unwrap() {
            Todo::Publish(spot, due) => {
                assert!(due <= now);
                all.push((spot.time, now));
            }
            Todo::Wait(until) => now = until,
            Todo::Paused | Todo::Ended => break,
        }
    }
    all
}

#[test]
fn events_keep_their_original_spacing() {
    assert_eq!(run(&mut player(1.0), 1000, 9), [(100, 1000), (200, 1100), (300, 1200), (400, 1300)]);
    assert_eq!(run(&mut player(0.5), 1000, 9), [(100, 1000), (200, 1200), (300, 1400), (400, 1600)]);
    assert_eq!(run(&mut player(0.0), 1000, 9), [(100, 1000), (200, 1000), (300, 1000), (400, 1000)]);
    assert_eq!(run(&mut player(f64::NAN), 7, 9).len(), 4);
}

#[test]
fn an_event_that_is_late_does_not_make_the_next_ones_late() {
    let mut player = player(1.0);
    assert!(matches!(player.poll(0).unwrap(), Todo::Publish(..)));
    assert!(matches!(player.poll(170).unwrap(), Todo::Publish(_, 100)), "late by 70");
    assert_eq!(player.poll(170).unwrap(), Todo::Wait(200));
}

#[test]
fn a_player_stopped_for_long_does_not_rush_to_catch_up() {
    let mut player = player(1.0);
    player.poll(0).unwrap();
    let now = 10 * LATE;
    assert_eq!(run(&mut player, now, 9), [(200, now), (300, now + 100), (400, now + 200)]);
}

#[test]
fn a_pause_takes_no_time_of_the_log() {
    let mut player = player(1.0);
    assert_eq!(run(&mut player, 0, 2), [(100, 0), (200, 100)]);
    player.pause();
    assert_eq!(player.poll(150).unwrap(), Todo::Paused);
    player.play();
    assert_eq!(run(&mut player, 5000, 9), [(300, 5100), (400, 5200)], "the recorded time after 200");
}

#[test]
fn another_speed_counts_from_where_it_is() {
    let mut player = player(1.0);
    assert_eq!(run(&mut player, 0, 2), [(100, 0), (200, 100)]);
    assert_eq!(player.time(150), Some(250));
    player.set_speed(2.0, 150);
    assert_eq!(run(&mut player, 150, 9), [(300, 175), (400, 225)]);
}

#[test]
fn a_loop_repeats_what_lies_between_its_marks_and_an_empty_one_ends() {
    let mut player = player(1.0);
    player.set_repeat(Some((300, 200)));
    let times: Vec<i64> = run(&mut player, 0, 6).iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [100, 200, 300, 200, 300, 200]);
    player.set_repeat(Some((301, 399)));
    assert_eq!(run(&mut player, 0, 6), [(300, 400)], "earlier events are played first");
    player.set_wants(|_, _| false);
    player.set_repeat(Some((100, 400)));
    assert_eq!(run(&mut player, 0, 6), [], "no channel is played");
}

#[test]
fn steps_go_both_ways_by_message_and_by_channel() {
    let mut player = player(1.0);
    let mut step = |direction, channel: Option<usize>| {
        let of = |spot: &Spot| channel.is_none_or(|channel| spot.channel == channel);
        player.step(direction, of).unwrap().map(|spot| spot.time)
    };
    use Direction::{Backward, Forward};
    let order = [
        (Forward, None, Some(100)),
        (Forward, None, Some(200)),
        (Backward, None, Some(100)),
        (Forward, None, Some(200)),
        (Forward, Some(1), Some(400)),
        (Backward, Some(1), Some(200)),
        (Backward, None, Some(100)),
        (Backward, None, None),
        (Forward, None, Some(100)),
    ];
    for (i, (direction, channel, expected)) in order.into_iter().enumerate() {
        assert_eq!(step(direction, channel), expected, "step {i}");
    }
    assert!(!player.is_playing());
}

#[test]
fn one_can_go_anywhere_and_play_from_there() {
    let mut player = player(1.0);
    player.seek(250).unwrap();
    assert_eq!(run(&mut player, 0, 9), [(300, 50), (400, 150)], "from the given time");
    player.seek(i64::MIN).unwrap();
    assert!(
        matches!(player.poll(0).unwrap(), Todo::Wait(until) if until > 1 << 62),
        "starts long after that"
    );
    player.seek(100).unwrap();
    assert_eq!(run(&mut player, 0, 1), [(100, 0)]);
}

#[test]
fn unwanted_channels_are_skipped() {
    let mut player = player(1.0);
    player.set_wants(|_, channel| channel == 1);
    assert_eq!(run(&mut player, 0, 9), [(200, 0), (400, 200)]);
}
