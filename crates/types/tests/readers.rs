//! Other programs' readers decode our CDR with our schema texts: `rosbags` and `mcap-ros2-support` (Python) for
//! `ros2msg`, Foxglove's packages (Node.js) for `omgidl`. They are fetched once, into the target directory.

mod support;

use saltus_peers::{installed, node, run};
use saltus_types::arbitrary::{Options, Rng, message, schema_text};
use saltus_types::cdr::{self, Dialect, Endian};
use saltus_types::value::{Array, Items, Value};
use saltus_types::{Record, parse};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use support::{ALL, ALL_JSON};

const PYTHON_PACKAGES: [&str; 3] = ["rosbags==0.11.9", "mcap==1.6.0", "mcap-ros2-support==0.6.0"];
const TARGET: &str = env!("CARGO_TARGET_TMPDIR");
const NODE_PACKAGES: [&str; 2] = ["@foxglove/omgidl-parser@1.1.0", "@foxglove/omgidl-serialization@1.0.3"];

/// The output of a program for these lines.
fn ask(command: &mut Command, lines: &str) -> Vec<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let lines = lines.to_owned();
    let feeder = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    feeder.join().expect("no panic").expect("it reads all");
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

/// A record as the scripts print it.
fn printed(record: &Record, dialect: Dialect) -> String {
    let fields: Vec<String> = record.values().iter().map(|v| value(v, dialect)).collect();
    // A struct without fields has one in ROS.
    format!("({})", if fields.is_empty() { "0".into() } else { fields.join(" ") })
}

fn value(v: &Value, dialect: Dialect) -> String {
    match v {
        Value::Float(v) => float(f64::from(*v)),
        Value::Double(v) => float(*v),
        Value::Boolean(v) => u8::from(*v).to_string(),
        Value::String(text) => {
            let hex: String = text.as_bytes().iter().map(|b| format!("{b:02x}")).collect();
            format!("'{hex}'")
        }
        Value::Record(inner) => printed(inner, dialect),
        Value::Array(array) if dialect == Dialect::Ros2Msg => elements(array.items(), dialect),
        Value::Array(array) => rows(array, &mut Vec::new(), dialect),
        integer => integer.as_i64().expect("an integer").to_string(),
    }
}

fn float(v: f64) -> String {
    if v.is_nan() { "nan".into() } else { format!("{:016x}", v.to_bits()) }
}

fn elements(items: &Items, dialect: Dialect) -> String {
    let all: Vec<String> = (0..items.len()).map(|i| value(&items.get(i).expect("within"), dialect)).collect();
    format!("[{}]", all.join(" "))
}

fn rows(array: &Array, indices: &mut Vec<usize>, dialect: Dialect) -> String {
    let mut out = Vec::new();
    for i in 0..array.shape()[indices.len()] {
        indices.push(i);
        let inner = indices.len() < array.shape().len();
        out.push(if inner {
            rows(array, indices, dialect)
        } else {
            value(&array.at(indices).expect("within"), dialect)
        });
        indices.pop();
    }
    format!("[{}]", out.join(" "))
}

/// The messages to decode: one with every feature, and random ones.
fn messages() -> Vec<Record> {
    let mut messages = vec![support::message(ALL, ALL_JSON)];
    let options =
        Options { recursion: false, enums: true, odd_names: true, odd_strings: false, ..Options::default() };
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let schema = Arc::new(parse("random.lcm", &schema_text(&mut rng, &options)).expect("right"));
        messages.extend(schema.ids().map(|id| message(&mut rng, &options, &schema, id)));
    }
    messages
}

/// Compares all messages as the program decodes them with the originals. `readers` are its readers, in order.
fn compare(command: &mut Command, readers: &[&str], dialect: Dialect) {
    let messages = messages();
    let mut lines = String::new();
    for (i, message) in messages.iter().enumerate() {
        let schema = cdr::schema(message.schema(), message.id(), dialect).expect("no recursion");
        let endian = if i % 3 == 0 { Endian::Big } else { Endian::Little };
        let bytes = cdr::encode(message, dialect, endian).expect("it can be encoded");
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        let _ = writeln!(lines, "{}", serde_json::json!([schema.name, schema.text, hex]));
    }
    let answers = ask(command, &lines);
    assert_eq!(answers.len(), messages.len() * readers.len());
    for (i, answer) in answers.iter().enumerate() {
        let message = &messages[i / readers.len()];
        let expected = format!("{} {}", readers[i % readers.len()], printed(message, dialect));
        if *answer != expected {
            let schema = cdr::schema(message.schema(), message.id(), dialect).expect("no recursion");
            panic!("{} {}\nfound    {answer}\nexpected {expected}\n{message}", schema.name, schema.text);
        }
    }
}

#[test]
fn readers_of_ros_2_agree() {
    let dir = installed(TARGET, "readers-python", &PYTHON_PACKAGES, |dir| {
        run(Command::new("python3").args(["-m", "venv"]).arg(dir));
        let pip = dir.join("bin/pip");
        run(Command::new(pip)
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(PYTHON_PACKAGES));
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/ros2.py");
    compare(Command::new(dir.join("bin/python")).arg(script), &["rosbags", "mcap"], Dialect::Ros2Msg);
}

#[test]
fn readers_of_omg_idl_agree() {
    let modules = node(TARGET, "readers-node", &NODE_PACKAGES);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/idl.cjs");
    compare(Command::new("node").arg(script).env("NODE_PATH", modules), &["foxglove"], Dialect::OmgIdl);
}
