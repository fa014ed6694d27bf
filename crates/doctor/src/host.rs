//! The view of a machine for checks.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

use saltus_channel::Directory;

use crate::{Tried, cpus};

/// Longest file that is read.
const LONGEST: u64 = 4 << 20;

/// Files below a root directory, and the results of tests.
pub struct Host {
    root: PathBuf,
    /// The results of tests.
    pub tried: Tried,
}

impl Host {
    /// This machine, with the channels of this domain. Runs tests: see [`Tried::here`].
    pub fn here(domain: &Directory) -> Host {
        Host::at("/", Tried::here(domain))
    }

    /// The machine with its files below `root`.
    pub fn at(root: impl Into<PathBuf>, tried: Tried) -> Host {
        Host { root: root.into(), tried }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// The trimmed text of the file; `None` if it is missing, unreadable or not text.
    pub fn read(&self, path: &str) -> Option<String> {
        let text = String::from_utf8(self.bytes(path)?).ok()?;
        Some(text.trim().to_owned())
    }

    /// The file's bytes.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.path(path)).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The number in the file.
    pub fn number(&self, path: &str) -> Option<i64> {
        self.read(path)?.parse().ok()
    }

    /// Whether the file exists.
    pub fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// The names in a directory, sorted; empty if it does not exist.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(directory)) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// The online CPUs.
    pub(crate) fn online(&self) -> Option<BTreeSet<usize>> {
        cpus::list(&self.read("/sys/devices/system/cpu/online")?)
    }

    /// The isolated CPUs, by the boot command line or by a partition of control groups; `None` if that is hidden.
    pub(crate) fn isolated(&self) -> Option<BTreeSet<usize>> {
        let mut all = cpus::list(&self.read("/sys/devices/system/cpu/isolated")?)?;
        all.extend(
            self.read("/sys/fs/cgroup/cpuset.cpus.isolated").and_then(|t| cpus::list(&t)).unwrap_or_default(),
        );
        Some(all)
    }

    /// An option of the boot command line: the value after `name=`, or empty for `name` alone.
    pub(crate) fn boot(&self, name: &str) -> Option<String> {
        let line = self.read("/proc/cmdline")?;
        let mut words = line.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, "")));
        // The last one wins.
        words.rfind(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    }

    /// The value after a name in a table such as `/proc/cpuinfo` or `/proc/self/status`.
    pub(crate) fn field(&self, path: &str, name: &str) -> Option<String> {
        let text = self.read(path)?;
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
    }

    /// Whether this is a virtual machine; `None` if the CPU does not report it.
    pub(crate) fn is_virtual(&self) -> Option<bool> {
        Some(self.field("/proc/cpuinfo", "flags")?.split(' ').any(|flag| flag == "hypervisor"))
    }

    /// Whether a process with one of these names runs; `None` if processes of other users are hidden.
    pub(crate) fn runs(&self, names: &[&str]) -> Option<bool> {
        self.read("/proc/1/comm")?;
        let mut processes = self.names("/proc").into_iter().filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
        Some(processes.any(|id| {
            self.read(&format!("/proc/{id}/comm")).is_some_and(|comm| names.contains(&comm.as_str()))
        }))
    }
}
