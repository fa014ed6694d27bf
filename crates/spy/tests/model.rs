//! Tests of the model with a virtual clock.

use saltus_domain::{Description, Missed};
use saltus_spy::{ChannelId, Counted, Expand, Kind, Model, Options, Peer, Published, Seen};
use saltus_types::{Record, wire};
use std::sync::Arc;

const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
/// Start of the virtual clock.
const START: u64 = 1000 * SECOND;

const TYPES: &str = "
package robot;
// Where it is.
struct pose_t {
    int64_t utime;      // microseconds
    double position[3]; // [m]
    float speed;        // unit: m/s
    int32_t n;
    float ranges[n];    // metres
    string name;
}";

fn description(types: &str) -> Description {
    let schema = saltus_types::parse("test", types).unwrap();
    let id = schema.find("robot.pose_t").unwrap();
    Description { name: "robot.pose_t".into(), fingerprint: schema.get(id).fingerprint, schema: types.into() }
}

fn pose(types: &str, speed: f32, ranges: usize) -> Vec<u8> {
    let schema = Arc::new(saltus_types::parse("test", types).unwrap());
    let mut record = Record::zero(&schema, schema.find("robot.pose_t").unwrap()).unwrap();
    record.set("speed", speed).unwrap();
    record.set("ranges", saltus_types::value::Items::Float((0..ranges).map(|i| i as f32).collect())).unwrap();
    record.set_sizes();
    wire::encode(&record).unwrap()
}

fn seen(data: &[u8], time: u64) -> Seen<'_> {
    Seen { data, size: data.len(), arrived: time, missed: Missed::Exact(0), ..Seen::default() }
}

/// A model with one channel, `POSE`.
fn model(options: Options) -> (Model, ChannelId) {
    let mut model = Model::new(options);
    model.tick(START);
    let id = model.channel("udpm://", b"POSE").unwrap();
    (model, id)
}

#[test]
fn a_row_shows_rate_period_size_age_and_loss() {
    let (mut model, id) = model(Options::default());
    for i in 1..=400 {
        let now = START + i * 10 * MS;
        let missed = Missed::Exact(u64::from(i == 100));
        model.message(now, id, &Seen { missed, ..seen(&[7; 100], now) });
    }
    model.tick(START + 4 * SECOND + 200 * MS);
    let row = model.row(id).unwrap();
    assert_eq!((row.count, row.missed, row.size, row.stale), (400, Some(1), Some(100), false));
    assert!(!row.missed_by_subscribers, "lost before arrival: {row:?}");
    assert!((row.rate_hz - 100.0).abs() < 0.01 && (row.bytes_per_s - 10_000.0).abs() < 1.0, "{row:?}");
    assert!((row.period_s.unwrap() - 0.01).abs() < 1e-9 && row.jitter_s.unwrap() < 1e-9, "{row:?}");
    assert!((row.age_s.unwrap() - 0.2).abs() < 1e-9, "{row:?}");
    model.tick(START + 60 * SECOND);
    let row = model.row(id).unwrap();
    assert!(row.stale && row.rate_hz == 0.0, "{row:?}");
}

#[test]
fn unknown_counts_are_not_zero() {
    let (mut model, id) = model(Options::default());
    model.message(START, id, &Seen { missed: Missed::Unknown, ..seen(b"x", START) });
    let row = model.row(id).unwrap();
    assert_eq!((row.missed, row.latency_us, row.period_s, &row.type_name), (None, None, None, &None));
    let json = serde_json::to_value(&row).unwrap();
    assert!(json["missed"].is_null() && json["channel"] == "POSE", "{json}");
}

#[test]
fn publishers_counters_count_once() {
    let (mut model, id) = model(Options::default());
    let counted = |count: u64| Counted {
        published: vec![(0, Published { count, bytes: count * 50, newest: None })],
        publishers: vec![Peer { pid: Some(7), process: Some("imu".into()), ..Peer::default() }],
        latencies: vec![(1000, 90), (2000, 10)],
        ..Counted::default()
    };
    model.counted(START, id, counted(1_000_000));
    for i in 1..=20 {
        let now = START + i * 100 * MS;
        model.message(now, id, &seen(&[0; 50], now));
        model.counted(now, id, counted(1_000_000 + i * 100));
    }
    let row = model.row(id).unwrap();
    assert_eq!(row.count, 1_002_000);
    assert!((row.rate_hz - 1000.0).abs() < 1e-6, "{row:?}");
    assert!(row.missed_by_subscribers, "{row:?}");
    assert_eq!(row.publishers[0].short(), "imu");
    assert_eq!(row.latency_us.unwrap().count, 100);
}

/// Uneven: readings depend on the scheduling of threads.
fn unevenly(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

#[test]
fn rates_are_right_to_one_percent_and_rows_are_stable_between_updates() {
    for hz in [1u64, 50, 1000] {
        let (mut model, id) = model(Options::default());
        let mut look = START;
        for n in 0..100 {
            let count = (look - START) * hz / SECOND;
            let newest = Some(START + count * SECOND / hz);
            let published = vec![(3, Published { count, bytes: count * 50, newest })];
            model.counted(look, id, Counted { published, ..Counted::default() });
            let before = model.row(id).unwrap();
            look += 200 * MS + unevenly(n) % (150 * MS);
            model.tick(look);
            let row = model.row(id).unwrap();
            assert_eq!((row.rate_hz, row.bytes_per_s), (before.rate_hz, before.bytes_per_s), "{hz} Hz");
            assert!(n < 15 || (row.rate_hz / hz as f64 - 1.0).abs() < 0.01, "{hz} Hz: {row:?}");
        }
    }
}

#[test]
fn rates_of_messages_are_right_to_one_percent_whenever_rows_are_made() {
    for hz in [1u64, 50, 1000] {
        let (mut model, id) = model(Options::default());
        let (mut draw, mut drawn) = (START + 5 * SECOND, 0);
        for i in 1..=12 * hz {
            let now = START + i * SECOND / hz;
            while draw < now {
                model.tick(draw);
                let row = model.row(id).unwrap();
                assert!((row.rate_hz / hz as f64 - 1.0).abs() < 0.01, "{hz} Hz: {row:?}");
                assert!((row.rate_hz * row.period_s.unwrap() - 1.0).abs() < 0.01, "{hz} Hz: {row:?}");
                draw += 50 * MS + unevenly(draw) % (100 * MS);
                drawn += 1;
            }
            model.message(now, id, &seen(&[7; 100], now));
        }
        assert!(drawn > 50, "{drawn}");
    }
}

#[test]
fn the_rates_of_publishers_add_up() {
    let (mut model, id) = model(Options::default());
    for look in 0..30u64 {
        let now = START + look * 250 * MS;
        let lane = |hz: u64, after: u64| {
            let count = (now - START + after) * hz / SECOND;
            let newest = Some((START + count * SECOND / hz).saturating_sub(after));
            Published { count, bytes: 0, newest }
        };
        let published = vec![(0, lane(1, 900 * MS)), (1, lane(1, 800 * MS)), (2, lane(50, 0))];
        model.counted(now, id, Counted { published, ..Counted::default() });
        let hz = model.row(id).unwrap().rate_hz;
        assert!(look < 12 || (hz - 52.0).abs() < 0.1, "look {look}: {hz}");
    }
}

#[test]
fn only_opened_channels_are_decoded_and_the_newest_wins() {
    let (mut model, id) = model(Options { decode_hz: 10.0, ..Options::default() });
    model.learn(id, &[description(TYPES)]);
    model.message(START, id, &seen(&pose(TYPES, 1.0, 3), START));
    assert!(model.tree(id).is_none() && !model.wants_whole(id));
    model.open(id);
    for i in 1..=5u64 {
        let now = START + i * MS;
        model.message(now, id, &seen(&pose(TYPES, i as f32, 3), now));
    }
    let speed = |model: &Model| {
        let tree = model.tree(id).unwrap();
        let node = tree.nodes.iter().find(|node| node.name == "speed").unwrap().clone();
        (node.number, node.changed)
    };
    assert_eq!(speed(&model), (Some(1.0), None), "the first is decoded immediately, the others wait");
    model.tick(START + 102 * MS);
    assert_eq!(speed(&model), (Some(5.0), Some(START + 102 * MS)), "then the newest, with its change");
    model.close(id);
    assert!(model.tree(id).is_none());
}

#[test]
fn messages_from_before_opening_are_decoded_and_not_counted_again() {
    let (mut model, id) = model(Options::default());
    model.learn(id, &[description(TYPES)]);
    let data = pose(TYPES, 4.0, 3);
    model.message(START, id, &Seen { data: &data[..8], size: data.len(), ..seen(&data, START) });
    assert!(model.opened_in_vain().is_empty());
    model.open(id);
    assert_eq!(model.opened_in_vain(), [id]);
    model.note_contents(id, &seen(&data, START));
    assert!(model.opened_in_vain().is_empty());
    let tree = model.tree(id).unwrap();
    assert_eq!(
        (tree.nodes.iter().find(|n| n.name == "speed").unwrap().number, tree.time),
        (Some(4.0), START)
    );
    assert_eq!(model.row(id).unwrap().count, 1);
}

#[test]
fn a_tree_has_units_comments_and_folded_arrays() {
    let (mut model, id) = model(Options::default());
    model.learn(id, &[description(TYPES)]);
    model.open(id);
    model.message(START, id, &seen(&pose(TYPES, 1.5, 250), START));
    let tree = model.tree(id).unwrap();
    assert_eq!(
        (tree.type_name.as_deref(), tree.comment.as_str()),
        (Some("robot.pose_t"), " Where it is.".trim())
    );
    let node = |name: &str| tree.nodes.iter().find(|node| node.name == name).unwrap().clone();
    assert_eq!(node("utime").unit.as_deref(), Some("µs"));
    assert_eq!((node("speed").unit.as_deref(), node("speed").text.as_str()), (Some("m/s"), "1.5"));
    let position = node("position");
    assert_eq!((position.children.len(), position.children[2].path.as_str()), (3, "position[2]"));
    assert_eq!(position.children[0].unit.as_deref(), Some("m"));
    let ranges = node("ranges");
    assert_eq!((ranges.kind, ranges.parts, ranges.expanded), (Kind::Array, 250, false));
    assert_eq!((ranges.ty.as_str(), ranges.text.as_str()), ("float[n]", "250, 0 to 249"));

    let mut expand = Expand::new();
    expand.toggle("ranges");
    expand.toggle("ranges[200..250]");
    let tree = model.tree_with(id, &expand).unwrap();
    let ranges = tree.nodes.iter().find(|node| node.name == "ranges").unwrap();
    let names: Vec<&str> = ranges.children.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["[0..100]", "[100..200]", "[200..250]"]);
    assert_eq!(ranges.children[2].children[49].path, "ranges[249]");
    assert_eq!(ranges.children[2].children[49].number, Some(249.0));
}

#[test]
fn a_plot_keeps_the_last_values_and_writes_them() {
    let (mut model, id) = model(Options { points: 3, ..Options::default() });
    model.learn(id, &[description(TYPES)]);
    model.open(id);
    model.message(START, id, &seen(&pose(TYPES, 0.0, 0), START));
    let series = model.plot(id, "speed").unwrap();
    assert_eq!(model.plot(id, "speed"), Some(series), "the same series");
    model.close(id);
    for i in 1..=5u64 {
        let now = START + i * 10 * MS;
        model.message(now, id, &seen(&pose(TYPES, i as f32, 0), now));
    }
    let shown = &model.series()[0];
    assert_eq!((shown.name.as_str(), shown.unit.as_deref()), ("POSE:speed", Some("m/s")));
    assert_eq!(shown.points.iter().map(|point| point.value).collect::<Vec<_>>(), [3.0, 4.0, 5.0]);
    let mut csv = Vec::new();
    model.csv(&[series], &mut csv).unwrap();
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "time_s,\"POSE:speed [m/s]\"\n1000.030000000,3\n1000.040000000,4\n1000.050000000,5\n"
    );
    model.unplot(series);
    assert!(model.wants_whole(id), "one of two plots is left");
    model.unplot(series);
    assert!(model.series().is_empty() && !model.wants_whole(id));
}

#[test]
fn a_plot_that_was_asked_for_before_the_first_message_has_its_unit() {
    let (mut model, id) = model(Options::default());
    model.learn(id, &[description(TYPES)]);
    model.plot(id, "speed").unwrap();
    assert_eq!(model.series()[0].unit, None);
    model.message(START, id, &seen(&pose(TYPES, 1.0, 0), START));
    assert_eq!(model.series()[0].unit.as_deref(), Some("m/s"));
}

#[test]
fn another_type_is_reported_as_a_difference() {
    let other = TYPES.replace("float speed;", "double speed;");
    // Two programs, built from two versions of a type file, on one channel.
    let (mut model, id) = model(Options::default());
    model.learn(id, &[description(TYPES), description(&other)]);
    model.message(START, id, &seen(&pose(TYPES, 1.0, 0), START));
    assert_eq!(model.row(id).unwrap().mismatch, None);
    let schema = saltus_types::parse("test", &other).unwrap();
    let fingerprint = schema.get(schema.find("robot.pose_t").unwrap()).fingerprint.to_be_bytes();
    model.message(START + MS, id, &seen(&fingerprint, START + MS));
    let words = model.row(id).unwrap().mismatch.unwrap();
    assert!(words.contains("field `speed` was float and is now double"), "{words}");

    // A type directory that is older than the publisher.
    let local = vec![Arc::new(saltus_types::parse("test", &other).unwrap())];
    let (mut model, id) = self::model(Options { types: local, ..Options::default() });
    model.learn(id, &[description(TYPES)]);
    model.message(START, id, &seen(&pose(TYPES, 1.0, 0), START));
    let words = model.row(id).unwrap().mismatch.unwrap();
    assert!(words.contains("your type files") && words.contains("speed"), "{words}");
}

#[test]
fn undecodable_messages_are_counted_and_reported() {
    let (mut model, id) = model(Options::default());
    model.learn(id, &[description(TYPES)]);
    model.open(id);
    let whole = pose(TYPES, 1.0, 3);
    let cut = &whole[..whole.len() - 5];
    model.message(START, id, &seen(cut, START));
    assert_eq!(model.row(id).unwrap().undecodable, 1);
    let tree = model.tree(id).unwrap();
    assert!(tree.error.unwrap().contains("robot.pose_t") && tree.hex[0].starts_with("00000000  "));
    model.message(START + SECOND, id, &seen(b"not typed at all\x01", START + SECOND));
    let dump = [
        "00000000  6e 6f 74 20 74 79 70 65  64 20 61 74 20 61 6c 6c  |not typed at all|",
        "00000010  01                                                |.|",
    ];
    assert_eq!(model.tree(id).unwrap().hex, dump, "as `echo` prints them");
    assert!(model.tree(id).unwrap().error.unwrap().contains("-I"));
}

#[test]
fn the_number_of_channels_is_bounded() {
    let mut model = Model::new(Options { channels: 2, ..Options::default() });
    assert!(model.channel("a", b"1").is_some() && model.channel("a", b"2").is_some());
    assert_eq!(model.channel("a", b"3"), None);
    assert_eq!((model.rows().len(), model.overflow()), (2, 1));
    let first = model.find("1").unwrap();
    model.gone(first);
    assert_eq!(model.rows().len(), 1);
    assert_eq!(model.channel("a", b"1"), Some(first), "the same ID again");
}
