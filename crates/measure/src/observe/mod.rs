//! Observation of the kernel's counters: periodic readings, and differences between two of them.
//!
//! A reading only copies files as text; they are parsed only for the two readings around a spike. So the counts cover the time between
//! these two readings, which is longer than the spike. They do not prove its cause.

mod around;
mod counters;
mod sample;

pub use around::{Around, Named, Thread};

use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;

use saltus_os::{cgroup, clock};
use sample::{COMMAND, GROUPS, Sample};

/// Most readings that are kept. For spikes that began before the oldest, counts start there.
const KEPT: usize = 64;

/// A file of the kernel that is read repeatedly.
struct Source {
    path: PathBuf,
    file: Option<File>,
}

/// Reads the counters periodically, and finds the two readings around a spike.
pub struct Observer {
    sources: Vec<Source>,
    first: Sample,
    samples: std::collections::VecDeque<Sample>,
    /// Shortest and longest duration of a reading, in ns.
    cost: (u64, u64),
}

impl Observer {
    /// An observer of the whole machine and of the thread `meter` of this process. Reads once.
    pub fn new(meter: u32) -> Observer {
        let machine = ["interrupts", "softirqs", "stat", "pressure/cpu", "pressure/memory", "pressure/io"];
        let mut paths: Vec<PathBuf> = machine.iter().map(|name| format!("/proc/{name}").into()).collect();
        paths.extend(files_of(format!("/proc/self/task/{meter}")));
        paths.extend([""; 3].map(PathBuf::from));
        paths.extend(cgroup::files("cpu", "cpu.stat"));
        let sources = paths.into_iter().map(|path| Source { file: File::open(&path).ok(), path }).collect();
        let mut observer =
            Observer { sources, first: Sample::default(), samples: Default::default(), cost: (u64::MAX, 0) };
        observer.sample();
        observer.first = observer.samples[0].clone();
        observer
    }

    /// Also observes a command from now on.
    pub fn watch(&mut self, command: u32) {
        for (source, path) in self.sources[COMMAND..].iter_mut().zip(files_of(format!("/proc/{command}"))) {
            *source = Source { file: File::open(&path).ok(), path };
        }
        self.sample();
        let now = self.samples.back().cloned().unwrap_or_default();
        self.first.texts[COMMAND..GROUPS].clone_from_slice(&now.texts[COMMAND..GROUPS]);
    }

    /// Takes a reading of about a dozen small files.
    pub fn sample(&mut self) {
        let mut sample = if self.samples.len() < KEPT {
            Sample::default()
        } else {
            self.samples.pop_front().unwrap_or_default()
        };
        let start = clock::monotonic();
        sample.texts.resize(self.sources.len(), String::new());
        for (source, text) in self.sources.iter_mut().zip(&mut sample.texts) {
            text.clear();
            if let Some(file) = &mut source.file {
                // Unreadable files, such as those of an exited command, are empty.
                let _ = file.rewind().and_then(|()| file.read_to_string(text));
            }
        }
        sample.at = clock::monotonic();
        let cost = sample.at - start;
        self.cost = (self.cost.0.min(cost), self.cost.1.max(cost));
        self.samples.push_back(sample);
    }

    /// The time of the last reading.
    pub fn sampled_at(&self) -> u64 {
        self.samples.back().map_or(0, |sample| sample.at)
    }

    /// The shortest (undisturbed) and longest duration of a reading, in ns.
    pub fn cost(&self) -> (u64, u64) {
        self.cost
    }

    /// The counts around a spike from `from` to `to`, on the CPU on which it was noticed: between the last reading before it and the first
    /// after it.
    pub fn around(&self, from: u64, to: u64, cpu: usize) -> Around {
        let before = self.samples.iter().rev().find(|sample| sample.at <= from).unwrap_or(&self.samples[0]);
        let after = self
            .samples
            .iter()
            .find(|sample| sample.at >= to)
            .unwrap_or(&self.samples[self.samples.len() - 1]);
        Around::between(&self.first, before, after, cpu)
    }

    /// The counts that are unavailable because their file is missing.
    pub fn missing(&self) -> Vec<String> {
        let command = COMMAND..GROUPS;
        let gone = |(n, source): (usize, &Source)| {
            (source.file.is_none() && n < GROUPS && !command.contains(&n))
                .then(|| source.path.display().to_string())
        };
        self.sources.iter().enumerate().filter_map(gone).collect()
    }
}

/// The kernel's files of a thread or process.
fn files_of(place: String) -> [PathBuf; 3] {
    ["status", "stat", "schedstat"].map(|name| format!("{place}/{name}").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_os::process;

    #[test]
    fn it_looks_at_this_machine_and_keeps_no_more_than_it_may() {
        let mut observer = Observer::new(process::thread_id());
        observer.watch(process::id());
        let start = observer.sampled_at();
        (0..2 * KEPT).for_each(|_| observer.sample());
        assert_eq!(observer.samples.len(), KEPT);
        let around = observer.around(observer.sampled_at(), observer.sampled_at(), 0);
        assert_eq!(around.window, 0);
        let words = around.words(|ns| ns.to_string());
        assert!(words.is_empty(), "no difference between a reading and itself: {words:?}");
        let all = observer.around(start, observer.sampled_at(), 0);
        assert!(all.window > 0 && all.meter.is_some() && all.command.is_some(), "{all:?}");
        assert!(observer.cost().0 > 0 && observer.cost().0 <= observer.cost().1);
        assert!(!observer.missing().contains(&"/proc/stat".into()));
    }
}
