//! What is measured: one case is one set of conditions, the same for every contender.

use std::fmt;

/// A family of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Scenario {
    /// Lower bounds of the machine itself.
    Floors,
    /// A round trip between two processes; half of it is reported.
    Pingpong,
    /// One way at 1 kHz, driven by a schedule.
    Paced,
    /// The time of the publish call.
    Publish,
    /// System calls of one publish, counted under ptrace.
    Syscalls,
    /// Publishing without a pause; messages received.
    Throughput,
    /// A given publish rate; the messages lost at it.
    Rate,
    /// In and out in one process, next to `memcpy`.
    Copy,
    /// Instructions of one message in and out in one process, counted under ptrace.
    Instructions,
    /// The highest rate at which nothing is lost.
    Lossless,
    /// The number of subscribers that a channel accepts.
    Connections,
    /// The module graph of a walking aid: see `workload`.
    Cwalker,
    /// Through a chain of processes.
    Hops,
    /// To clients that send every message back.
    Echo,
    /// Bytes on the link per message.
    Traffic,
    /// The traffic of a car: see `workload`.
    Urban,
    /// Compares every byte of every message that arrives.
    Whole,
}

impl Scenario {
    /// All of them, in the order in which they run.
    pub const ALL: [Scenario; 17] = [
        Scenario::Whole,
        Scenario::Floors,
        Scenario::Pingpong,
        Scenario::Paced,
        Scenario::Publish,
        Scenario::Syscalls,
        Scenario::Throughput,
        Scenario::Rate,
        Scenario::Copy,
        Scenario::Instructions,
        Scenario::Lossless,
        Scenario::Connections,
        Scenario::Cwalker,
        Scenario::Hops,
        Scenario::Echo,
        Scenario::Traffic,
        Scenario::Urban,
    ];

    /// Whether the scenario offers a load and counts what arrives. There "nothing arrived" is a result.
    pub fn counts_losses(self) -> bool {
        use Scenario::*;
        matches!(self, Rate | Lossless | Cwalker | Hops | Echo | Traffic | Urban | Whole)
    }

    /// The name on the command line, in tables and in files.
    pub fn name(self) -> &'static str {
        match self {
            Scenario::Floors => "floors",
            Scenario::Pingpong => "pingpong",
            Scenario::Paced => "paced",
            Scenario::Publish => "publish",
            Scenario::Syscalls => "syscalls",
            Scenario::Throughput => "throughput",
            Scenario::Rate => "rate",
            Scenario::Copy => "copy",
            Scenario::Instructions => "instructions",
            Scenario::Lossless => "lossless",
            Scenario::Connections => "connections",
            Scenario::Cwalker => "cwalker",
            Scenario::Hops => "hops",
            Scenario::Echo => "echo",
            Scenario::Traffic => "traffic",
            Scenario::Urban => "urban",
            Scenario::Whole => "whole",
        }
    }
}

/// Where the processes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// All processes on the first core: a wake-up costs a context switch and no interrupt.
    OneCore,
    /// The first sender on the first core, the receivers on the others.
    TwoCores,
    /// Wherever the scheduler places them.
    Anywhere,
}

/// The scheduling class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// `SCHED_OTHER`.
    Default,
    /// `SCHED_FIFO`, priority 50.
    Fifo,
}

/// What the readers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// They poll.
    Poll,
    /// They block in the kernel until a message arrives.
    Sleep,
    /// They are attached and stopped (SIGSTOP).
    Stopped,
}

/// One set of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// The family.
    pub scenario: Scenario,
    /// Placement.
    pub place: Place,
    /// Scheduling class.
    pub policy: Policy,
    /// What readers do.
    pub mode: Mode,
    /// Bytes of a message.
    pub size: usize,
    /// How many readers.
    pub readers: usize,
    /// How many writers.
    pub writers: usize,
    /// The offered rate, messages per second; 0 if the case has none.
    pub rate: u32,
    /// Network: both directions in one group, with one domain per process, as LCM's users do.
    pub one_group: bool,
    /// Network: with a receive buffer no larger than a stock kernel permits.
    pub stock: bool,
    /// The number of channels in the relay chain; 0 if the case has none.
    pub hops: usize,
    /// Which part of a workload, where it has several; otherwise empty.
    pub part: &'static str,
}

impl Case {
    /// One writer, one reader, two cores, default scheduling, 64 bytes, polling.
    pub fn new(scenario: Scenario) -> Case {
        Case {
            scenario,
            place: Place::TwoCores,
            policy: Policy::Default,
            mode: Mode::Poll,
            size: 64,
            readers: 1,
            writers: 1,
            rate: 0,
            one_group: false,
            stock: false,
            hops: 0,
            part: "",
        }
    }

    /// Whether one process sends and receives.
    pub fn is_within(&self) -> bool {
        matches!(self.scenario, Scenario::Copy | Scenario::Instructions)
    }

    /// How many messages the channel keeps: the same for every contender. Long messages get fewer, so that
    /// the ring stays within the last-level cache of a usual machine (at most 32 MB).
    pub fn depth(&self) -> usize {
        match (self.scenario, self.size) {
            (Scenario::Copy | Scenario::Instructions, _) => 4,
            (_, ..=0x1_0000) => 64,
            (_, ..=0x10_0000) => 16,
            _ => 8,
        }
    }
}

/// A size as people write it: `64 B`, `1 KB`, `4 MB`, written without the space.
pub fn size_name(size: usize) -> String {
    match size {
        s if s >= 1 << 20 && s % (1 << 20) == 0 => format!("{}MB", s >> 20),
        s if s >= 1 << 10 && s % (1 << 10) == 0 => format!("{}KB", s >> 10),
        s => format!("{s}B"),
    }
}

impl fmt::Display for Case {
    /// No comma and no space, so that it can be a tag in an interval log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::OneCore => "1core",
            Place::TwoCores => "2cores",
            Place::Anywhere => "anywhere",
        };
        let policy = match self.policy {
            Policy::Default => "default",
            Policy::Fifo => "fifo",
        };
        let mode = match self.mode {
            Mode::Poll => "poll",
            Mode::Sleep => "sleep",
            Mode::Stopped => "stopped",
        };
        let (w, r) = (self.writers, self.readers);
        write!(f, "{}/{place}/{policy}/{mode}/{w}w{r}r/{}", self.scenario.name(), size_name(self.size))?;
        if self.rate > 0 {
            write!(f, "/{}Hz", self.rate)?;
        }
        let marks = [(self.one_group, "/one-group"), (self.stock, "/stock-buffer")];
        marks.iter().filter(|(is, _)| *is).try_for_each(|(_, mark)| f.write_str(mark))?;
        if self.hops > 0 {
            write!(f, "/{}hops", self.hops)?;
        }
        if self.part.is_empty() { Ok(()) } else { write!(f, "/{}", self.part) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_a_legal_tag_and_sizes_are_readable() {
        let case = Case { size: 4 << 20, readers: 8, policy: Policy::Fifo, ..Case::new(Scenario::Paced) };
        assert_eq!(case.to_string(), "paced/2cores/fifo/poll/1w8r/4MB");
        let case = Case { hops: 8, part: "brakes", rate: 20, ..Case::new(Scenario::Hops) };
        assert_eq!(case.to_string(), "hops/2cores/default/poll/1w1r/64B/20Hz/8hops/brakes");
        assert_eq!(size_name(64), "64B");
        assert_eq!(size_name(65_536), "64KB");
        assert_eq!(size_name(1_500), "1500B");
    }

    #[test]
    fn the_ring_of_the_reference_never_exceeds_32_megabytes() {
        for size in [64, 1 << 10, 64 << 10, 1 << 20, 4 << 20] {
            let case = Case { size, ..Case::new(Scenario::Pingpong) };
            assert!(case.depth() * size <= 32 << 20, "{size}");
        }
    }
}
