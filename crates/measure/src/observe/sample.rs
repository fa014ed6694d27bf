//! One reading of the kernel's files.

/// The contents of the files.
#[derive(Default, Clone)]
pub(super) struct Sample {
    pub at: u64,
    pub texts: Vec<String>,
}

/// The indices of the sources in a reading; those of the control groups follow.
pub(super) const INTERRUPTS: usize = 0;
pub(super) const SOFTIRQS: usize = 1;
pub(super) const STAT: usize = 2;
pub(super) const PRESSURE: usize = 3; // and 4, 5: CPU, memory, disks
pub(super) const METER: usize = 6; // status, stat, schedstat
pub(super) const COMMAND: usize = 9;
pub(super) const GROUPS: usize = 12;
