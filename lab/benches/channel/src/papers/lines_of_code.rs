//! Lines of code that each contender needs for the same program: its adapter to this harness, which opens a
//! connection, sends and receives. Blank lines, comments and tests do not count. If a C library is used without a
//! crate, the declarations of its functions count. Libraries with a C++ interface have one part in C++, and one in
//! Rust that they share.

use super::figure::Figure;
use crate::diagrams::{Axis, Rows};

macro_rules! sources {
    ($($name:literal: $($file:literal),+;)+) => {
        &[$(($name, &[$(include_str!(concat!("../contenders/", $file))),+])),+]
    };
}

/// Contenders, and the files that only they need.
const SOURCES: &[(&str, &[&str])] = sources! {
    "seqlock": "seqlock.rs", "ring.rs";
    "saltus (three forms)": "saltus.rs";
    "iceoryx2 (two forms)": "iceoryx2.rs";
    "pipe": "pipe.rs";
    "mqueue": "mqueue.rs";
    "eventfd": "eventfd.rs", "ring.rs";
    "unix-stream and tcp": "stream.rs";
    "unix-dgram and udp": "socket.rs";
    "multicast": "net/multicast.rs";
    "seven providers of domains": "net/domain.rs";
    "lcm": "net/lcm.rs";
    "zmq": "net/zmq.rs";
    "nng": "net/nng.rs";
    "cyclonedds": "net/cyclonedds.rs", "net/cyclonedds/ddsc.rs";
    "fastdds, its part in C++": "../../adapters/fastdds.cpp", "../../adapters/adapter.hpp";
    "roscpp, its part in C++": "../../adapters/roscpp.cpp", "../../adapters/adapter.hpp";
    "fastdds and roscpp, their part in Rust": "net/adapter.rs", "net/adapter/compile.rs", "net/adapter/master.rs";
    "zenoh": "net/zenoh.rs";
};

/// Contenders, and their numbers of lines.
fn counted() -> impl Iterator<Item = (&'static str, usize)> {
    SOURCES.iter().map(|(name, files)| (*name, files.iter().map(|file| count(file)).sum()))
}

/// One sentence for each.
pub fn tell() -> Vec<String> {
    counted().map(|(name, lines)| format!("{name}: {lines} lines")).collect()
}

/// These sentences, and a bar chart.
pub fn figure() -> Figure {
    let diagram = Rows {
        title: "Lines of code for the same program; some rows are several forms, or one part".into(),
        x: ("lines".into(), Axis::Even),
        marks: vec!["lines"],
        rows: counted().map(|(name, lines)| (name.to_owned(), vec![lines as f64])).collect(),
    };
    Figure { name: "lines-of-code", rows: vec![diagram], shows: tell(), ..Figure::default() }
}

fn count(source: &str) -> usize {
    let lines = source.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_no_code() {
        assert_eq!(
            count("//! What\n\nfn f() {\n    // why\n    1 // one\n}\n#[cfg(test)]\nmod tests {}\n"),
            3
        );
        let reported = tell();
        assert!(
            reported.len() == SOURCES.len() && reported.iter().all(|line| !line.contains(": 0 ")),
            "{reported:?}"
        );
    }
}
