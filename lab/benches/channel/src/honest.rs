//! Tests of the harness with known numbers and a virtual clock: its report of a contender with known delays, of a
//! sender that stalls, and of lost messages. No machine's speed is involved.

use crate::case::{Case, Mode, Scenario};
use crate::control::Window;
use crate::json;
use crate::message::{Head, Tally};
use crate::outcome::{Metric, Outcome};
use crate::pace::{Time, arrived, offer};
use crate::rep::Rep;
use crate::results::{Results, Row};
use crate::run::{Measured, merge};
use crate::schedule::Schedule;
use std::cell::Cell;
use std::time::{Duration, SystemTime};

const PERIOD: u64 = 1_000_000;
const MESSAGES: u64 = 100_000;
/// Warm-up, which is not recorded.
const BEFORE: u64 = 100;
/// Histograms have three digits.
const EXACT: f64 = 0.001;
const QUANTILES: [(&str, f64); 6] = [
    ("p50_ns", 0.5),
    ("p90_ns", 0.9),
    ("p99_ns", 0.99),
    ("p99_9_ns", 0.999),
    ("p99_99_ns", 0.9999),
    ("max_ns", 1.0),
];

/// A clock that moves only on request.
struct Virtual(Cell<u64>);

impl Time for Virtual {
    fn now(&self) -> u64 {
        self.0.get()
    }

    fn wait_until(&self, at: u64) {
        self.0.set(self.0.get().max(at));
    }

    fn cpu(&self) -> u64 {
        self.0.get()
    }
}

/// A contender: for message `k` of the window, how long the sender takes and how long delivery takes; `None` if it is
/// lost.
struct Known<C: Fn(u64) -> u64, D: Fn(u64) -> Option<u64>> {
    call: C,
    delay: D,
}

impl<C: Fn(u64) -> u64, D: Fn(u64) -> Option<u64>> Known<C, D> {
    /// One sender, one receiver, as in the scenario `paced`; each outcome goes through the pipe.
    fn run(&self) -> Measured {
        let window = Window { begin: BEFORE * PERIOD, end: (BEFORE + MESSAGES) * PERIOD };
        let (time, mut way) = (Virtual(Cell::new(0)), Vec::new());
        let (mut sent, mut got, mut tally) = (Outcome::default(), Outcome::default(), Tally::default());
        offer(&time, &Schedule::new(0, PERIOD), &window, &mut sent, |head| {
            let k = (head.number - 1).wrapping_sub(BEFORE);
            time.0.set(time.now() + (self.call)(k));
            way.extend((self.delay)(k).map(|delay| (*head, time.now() + delay)));
            Ok(())
        })
        .expect("nothing fails");
        for (head, now) in &way {
            assert!(tally.take(head));
            arrived(&mut got, head, &window, *now);
        }
        (got.missed, got.taken) = (tally.missed, tally.received);
        let home = |outcome: Outcome| {
            Outcome::from_bytes(&outcome.to_bytes().expect("bytes")).expect("the encoded outcome")
        };
        let outcome = merge(vec![home(sent), home(got)]).expect("merged");
        let window = Duration::from_nanos(window.end - window.begin);
        Measured { messages: outcome.sent, outcome, window }
    }

    /// Several repetitions of the same, and the rows that are reported.
    fn report(&self, reps: usize) -> Results {
        let mut results = Results { reference: "known", ..Results::default() };
        let case = Case { mode: Mode::Sleep, ..Case::new(Scenario::Paced) };
        for number in 0..reps {
            let rep = Rep::new(number, SystemTime::UNIX_EPOCH, self.run()).expect("packed");
            results.add(case, "known", rep);
        }
        results
    }
}

fn row(results: &Results, metric: Metric) -> Row<'_> {
    let mut rows = results.rows(Scenario::Paced);
    let at = rows.iter().position(|row| row.metric == metric).expect("measured");
    rows.swap_remove(at)
}

/// The value below which the fraction `q` of these sorted values lies, by definition.
fn exactly(values: &[u64], q: f64) -> f64 {
    let rank = (q * values.len() as f64).ceil().max(1.0) as usize;
    values[rank - 1] as f64
}

fn near(found: f64, expected: f64, what: &str) {
    let off = (found - expected).abs();
    assert!(off <= expected * EXACT + 1.0, "{what}: {found} instead of {expected}");
}

/// Delays from 2 µs to 40 ms: most are short, with a second hump and a long tail, in an order that is independent of
/// their length.
fn delay(k: u64) -> u64 {
    let shuffled = (k % MESSAGES * 48_271) % MESSAGES; // coprime, so every number below comes once
    match shuffled {
        0..90_000 => 2_000 + shuffled / 30,
        90_000..99_000 => 50_000 + (shuffled - 90_000) * 3,
        99_000..99_990 => 300_000 + (shuffled - 99_000) * 1_000,
        _ => 4_000_000 * (shuffled - 99_989).min(10),
    }
}

#[test]
fn known_delays_are_reported_right_at_every_percentile() {
    // Delays longer than the period: messages are not mixed up, since each carries its own timestamps.
    let results = Known { call: |_| 0, delay: |k| Some(delay(k)) }.report(3);
    let mut all: Vec<u64> = (0..MESSAGES).map(delay).collect();
    all.sort_unstable();
    for metric in [Metric::Response, Metric::Service] {
        let row = row(&results, metric);
        assert_eq!(row.times.len(), 3 * MESSAGES, "the warm-up is excluded, and nothing is lost");
        for per_mille in 1..=1_000 {
            let q = f64::from(per_mille) / 1_000.0;
            near(row.times.value_at_quantile(q) as f64, exactly(&all, q), &format!("{metric:?} {q}"));
        }
        let ratio = row.ratio.expect("to itself");
        assert_eq!((ratio.median, ratio.min, ratio.max), (1.0, 1.0, 1.0));
    }
    let document = json::rows(&results);
    let response = document.iter().find(|row| row["metric"] == "response").expect("a row");
    for (name, q) in QUANTILES {
        near(response[name].as_f64().expect("a number"), exactly(&all, q), name);
    }
    let mean = all.iter().sum::<u64>() as f64 / MESSAGES as f64;
    near(response["mean_ns"].as_f64().expect("a number"), mean, "mean");
}

#[test]
fn a_sender_stall_counts_as_latency_of_every_message_due_in_it() {
    const STALL: u64 = 250 * PERIOD;
    // A stall in the call of message 1,000 only; every other message takes 10 µs to arrive and no time in the call.
    let results = Known { call: |k| if k == 1_000 { STALL } else { 0 }, delay: |_| Some(10_000) }.report(1);
    let response = row(&results, Metric::Response);
    // Message 1,000 itself, then 1,001, which waited a period less, and so on: a triangle, not a single spike.
    let late = (0..250).map(|n| STALL - n * PERIOD + 10_000);
    let mut all: Vec<u64> = late.chain((250..MESSAGES).map(|_| 10_000)).collect();
    all.sort_unstable();
    for q in [0.5, 0.9974, 0.9976, 0.998, 0.999, 0.9999, 1.0] {
        near(response.times.value_at_quantile(q) as f64, exactly(&all, q), &format!("response {q}"));
    }
    assert_eq!(response.times.count_between(PERIOD, u64::MAX), 250);
    // Measured from when the sender turned to it, only one message is late.
    assert_eq!(row(&results, Metric::Service).times.count_between(PERIOD, u64::MAX), 1);
}

#[test]
fn a_receiver_that_stalls_is_charged_too() {
    // The receiver checks nothing until message 500 is due, and then finds all that have arrived.
    let results = Known { call: |_| 0, delay: |k| Some(if k < 500 { (500 - k) * PERIOD } else { 5_000 }) };
    let results = results.report(1);
    for metric in [Metric::Response, Metric::Service] {
        let times = row(&results, metric).times;
        assert_eq!(times.count_between(PERIOD, u64::MAX), 500, "{metric:?}");
        near(times.max() as f64, (500 * PERIOD) as f64, "the first");
    }
}

#[test]
fn lost_messages_are_counted_and_have_no_latency() {
    let results = Known { call: |_| 0, delay: |k| (k % 4 != 1).then_some(7_000) }.report(2);
    let row = row(&results, Metric::Response);
    assert_eq!(row.times.len(), 2 * MESSAGES * 3 / 4);
    let missed = row.cell.missed();
    assert!((missed - 0.25).abs() < 0.001, "{missed}");
    near(row.times.max() as f64, 7_000.0, "all that came");
}

#[test]
fn processor_time_is_that_of_the_window_for_each_message() {
    // The clock is the processor's here: it moves by a period for each message.
    let results = Known { call: |_| 0, delay: |_| Some(1) }.report(2);
    let cpu = row(&results, Metric::Response).cell.cpu_per_message().expect("messages");
    near(cpu, PERIOD as f64 * (MESSAGES - 1) as f64 / MESSAGES as f64, "cpu");
}

#[test]
fn a_head_that_is_due_outside_the_window_is_not_counted() {
    let window = Window { begin: 100, end: 200 };
    let mut outcome = Outcome::default();
    for due in [99, 100, 199, 200] {
        arrived(&mut outcome, &Head { due, ..Head::default() }, &window, 5_000);
    }
    assert_eq!((outcome.received, outcome.times(Metric::Response).len()), (2, 2));
}
