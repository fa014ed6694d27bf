//! Tests of the meters on machines with known delays, and of a session on this machine.

use super::*;
use std::cell::{Cell, RefCell};

/// A machine that sleeps longer than requested by a known time.
struct Known<'a> {
    now: u64,
    delays: &'a [u64],
    turn: &'a Cell<usize>,
}

impl Known<'_> {
    fn late(&self) -> u64 {
        let turn = self.turn.get();
        self.turn.set(turn + 1);
        // The first cycle only starts the meter.
        turn.checked_sub(1).and_then(|n| self.delays.get(n)).copied().unwrap_or(0)
    }
}

impl Time for Known<'_> {
    fn now(&mut self) -> u64 {
        self.now
    }
    fn sleep_for(&mut self, ns: u64) {
        self.now += ns + self.late();
    }
    fn sleep_until(&mut self, deadline: u64) {
        self.now = self.now.max(deadline) + self.late();
    }
}

const MS: u64 = 1_000_000;

fn settings(kind: Kind, interval: u64) -> Settings {
    let (resolution, spike, poll) = (MS, 5 * MS, 100 * MS);
    Settings { kind, resolution, interval, spike, poll, cpu: None, fifo: None }
}

/// All events of a meter on a machine with these delays.
fn reported(kind: Kind, interval: u64, delays: &[u64]) -> (Vec<Told>, u64) {
    let turn = Cell::new(0);
    let meter = Meter::start(Known { now: 7 * MS, delays, turn: &turn }, kind, MS);
    let (teller, reported) = mpsc::sync_channel(100_000);
    let (empty, emptied) = mpsc::sync_channel(150);
    (0..150).for_each(|_| empty.try_send(times()).expect("room"));
    let first = times();
    let untold =
        measure(meter, &settings(kind, interval), first, &teller, &emptied, || turn.get() > delays.len());
    drop(teller);
    (reported.into_iter().collect(), untold)
}

fn intervals(reported: &[Told]) -> Vec<&Interval> {
    reported.iter().filter_map(|t| if let Told::Interval(i) = t { Some(i) } else { None }).collect()
}

fn merged(reported: &[Told]) -> Histogram<u64> {
    let mut all = times();
    intervals(reported).iter().for_each(|i| all.add(&i.times).expect("the same bounds"));
    all
}

/// Delays of a known distribution: mostly short, with a long tail, in an order without pattern.
fn distribution(count: u64) -> Vec<u64> {
    let mut all: Vec<u64> =
        (0..count).map(|n| 1_000 + (n * n) % 90_000 + if n % 1_000 == 999 { 800_000 } else { 0 }).collect();
    all[0] = 0; // the shortest is first, as the reference for the others
    let len = all.len();
    (1..len).for_each(|n| all.swap(n, 1 + n * 7_919 % (len - 1)));
    all
}

#[test]
fn a_known_distribution_is_reported_right_at_every_percentile() {
    let delays = distribution(50_000);
    let mut sorted = delays.clone();
    sorted.sort_unstable();
    for kind in [Kind::Sleep, Kind::Deadline] {
        let (reported, _) = reported(kind, 5_000 * MS, &delays);
        let all = merged(&reported);
        assert_eq!(all.len(), delays.len() as u64);
        for quantile in (1..=500).map(|n| f64::from(n) / 500.0).chain([0.9995, 0.9999, 0.99998]) {
            let rank = (quantile * sorted.len() as f64).ceil() as usize;
            let (truth, found) = (sorted[rank - 1], all.value_at_quantile(quantile));
            assert!(all.equivalent(truth, found), "{kind:?}, {quantile}: {found} and not {truth}");
        }
        assert!(all.equivalent(all.max(), *sorted.last().expect("some")));
    }
}

#[test]
fn nothing_is_lost_between_intervals() {
    let delays = distribution(10_000);
    let (reported, _) = reported(Kind::Deadline, 100 * MS, &delays);
    let intervals = intervals(&reported);
    assert!(intervals.len() >= 100, "{}", intervals.len());
    assert!(
        intervals.windows(2).all(|pair| pair[0].end == pair[1].start),
        "each begins at the end of the previous one"
    );
    assert_eq!(intervals.iter().map(|i| i.times.len()).sum::<u64>(), 10_000);
}

#[test]
fn a_stall_shows_as_the_latency_that_its_victims_would_have_seen() {
    // One stall of 1 s in 10 s: one value in nine thousand, but every tenth point in time was missed.
    for kind in [Kind::Sleep, Kind::Deadline] {
        let mut delays = vec![0; 9_000];
        delays[4_000] = 1_000 * MS;
        let (reported, _) = reported(kind, 60_000 * MS, &delays);
        let raw = merged(&reported);
        let corrected = crate::corrected(&raw, MS);
        assert!(raw.value_at_quantile(0.9998) == 0, "uncorrected it hides");
        assert!(corrected.len().abs_diff(10_000) <= 2, "{kind:?}: {}", corrected.len());
        let p95 = corrected.value_at_quantile(0.95);
        assert!(p95.abs_diff(500 * MS) <= 2 * MS, "{kind:?}: {p95}");
        assert!(reported.iter().any(|t| matches!(t, Told::Spike { delay, .. } if *delay == 1_000 * MS)));
    }
}

#[test]
fn a_collector_that_is_stuck_costs_no_sample() {
    let delays = vec![0; 3_000];
    let turn = Cell::new(0);
    let meter = Meter::start(Known { now: 0, delays: &delays, turn: &turn }, Kind::Sleep, MS);
    let (teller, reported) = mpsc::sync_channel(2);
    let (empty, emptied) = mpsc::sync_channel(2);
    (0..2).for_each(|_| empty.try_send(times()).expect("room"));
    let collector = std::thread::spawn(move || reported.into_iter().collect::<Vec<Told>>());
    drop(empty);
    measure(meter, &settings(Kind::Sleep, 10 * MS), times(), &teller, &emptied, || turn.get() > delays.len());
    drop(teller);
    let all = collector.join().expect("collected");
    assert_eq!(merged(&all).len(), 3_000);
    assert!(intervals(&all).len() <= 3, "only two empty histograms exist");
}

#[test]
fn intervals_come_again_after_a_collector_was_stuck() {
    let mut delays = vec![0; 100];
    delays[1] = 10 * MS;
    let turn = Cell::new(0);
    let meter = Meter::start(Known { now: 0, delays: &delays, turn: &turn }, Kind::Sleep, MS);
    // The spike fills the queue, so that no interval fits.
    let (teller, reported) = mpsc::sync_channel(1);
    let (empty, emptied) = mpsc::sync_channel(2);
    (0..2).for_each(|_| empty.try_send(times()).expect("room"));
    let all = RefCell::new(Vec::new());
    let collect = || {
        for reported in reported.try_iter() {
            if let Told::Interval(_) = reported {
                let _ = empty.try_send(times());
            }
            all.borrow_mut().push(reported);
        }
    };
    let turned = || {
        if turn.get() > 45 {
            collect();
        }
        turn.get() > delays.len()
    };
    let untold = measure(meter, &settings(Kind::Sleep, 10 * MS), times(), &teller, &emptied, turned);
    drop(teller);
    collect();
    let all = all.into_inner();
    assert_eq!((merged(&all).len(), untold), (100, 0));
    let ends: Vec<u64> = intervals(&all).iter().map(|i| i.end / MS).collect();
    assert_eq!(ends, [61, 71, 81, 91, 101, 111, 111], "every 10 ms again");
}

#[test]
fn pending_spikes_are_reported_before_the_last_interval() {
    let mut settings = settings(Kind::Deadline, 3_600_000 * MS);
    settings.spike = 0; // every cycle
    let mut session = Session::start(&settings).expect("starts");
    let reported = session.reported.recv().expect("a spike");
    session.take(reported);
    let (rest, _) = session.stop();
    let (last, spikes) = rest.split_last().expect("some");
    assert!(matches!(last, Event::Interval(_)));
    assert!(!spikes.is_empty() && spikes.iter().all(|event| matches!(event, Event::Spike(_))));
}

#[test]
fn a_session_reports_spikes_with_the_events_around_them() {
    let mut settings = settings(Kind::Deadline, 50 * MS);
    settings.spike = 0; // every cycle
    settings.fifo = Some(1_000);
    let mut session = Session::start(&settings).expect("starts");
    assert!(session.refused().iter().any(|r| r.contains("SCHED_FIFO 1000")), "{:?}", session.refused());
    session.watch(process::id());
    let patience = clock::monotonic() + 60_000 * MS;
    let (mut spikes, mut intervals) = (0, 0);
    while spikes < 20 || intervals < 3 {
        match session.next(patience).expect("in time") {
            Event::Spike(spike) => {
                spikes += 1;
                assert!(spike.around.window > 0 && spike.around.meter.is_some(), "{spike:?}");
            }
            Event::Interval(interval) => {
                intervals += 1;
                assert!(!interval.times.is_empty());
            }
        }
    }
    let (rest, _) = session.stop();
    assert!(rest.iter().any(|event| matches!(event, Event::Interval(_))), "the last interval is reported");
}
