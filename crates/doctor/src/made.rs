//! Made-up machines for tests.

#![cfg(test)]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::{Check, Finding, Host, Owners, Publisher, Room, State, Tried};

/// A machine in a temporary directory, removed on drop.
pub struct Made {
    host: Host,
    root: PathBuf,
}

impl Made {
    /// A machine without files.
    pub fn hidden() -> Made {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the number's own uniqueness counts.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("saltus-doctor-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).expect("a directory for a machine");
        Made { host: Host::at(&root, Tried::default()), root }
    }

    /// Adds or replaces a file.
    pub fn with(self, path: &str, text: &str) -> Made {
        let path = self.root.join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("below the root")).expect("directories");
        fs::write(path, text).expect("a file of the machine");
        self
    }

    /// Removes a file.
    pub fn without(self, path: &str) -> Made {
        fs::remove_file(self.root.join(path.trim_start_matches('/'))).expect("removed");
        self
    }

    /// Changes the results of tests.
    pub fn tried(mut self, change: impl FnOnce(&mut Tried)) -> Made {
        change(&mut self.host.tried);
        self
    }

    /// The host for checks.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Asserts that the check finds this state with this text.
    #[track_caller]
    pub fn finds(&self, check: &Check, state: State, words: &str) -> Finding {
        let finding = check.run(&self.host);
        assert_eq!(finding.state, state, "{}: {finding:?}", check.id);
        let all = format!("{} {} {}", finding.found, finding.fix.words, finding.fix.commands.join("\n"));
        assert!(all.contains(words), "{}: no {words:?} in {finding:?}", check.id);
        finding
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A machine configured for control: `PREEMPT_RT`, four CPUs, two of them for real-time threads.
pub fn robot() -> Made {
    let mut made = Made::hidden();
    for (path, text) in [
        ("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian 6.12.9-1 (2025-01-10)"),
        ("/proc/sys/kernel/osrelease", "6.12.9-rt-amd64"),
        ("/sys/kernel/realtime", "1\n"),
        (
            "/proc/cmdline",
            "quiet isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3 irqaffinity=0-1",
        ),
        ("/proc/sys/kernel/sched_rt_runtime_us", "-1"),
        ("/proc/sys/kernel/sched_rt_period_us", "1000000"),
        ("/sys/devices/system/cpu/online", "0-3"),
        ("/sys/devices/system/cpu/isolated", "2-3"),
        ("/sys/devices/system/cpu/nohz_full", "2-3"),
        ("/sys/devices/system/cpu/smt/active", "0"),
        ("/proc/cpuinfo", "processor : 0\nmodel name : A\nflags : fpu tsc constant_tsc\n"),
        ("/proc/uptime", "7200.00 20000.00"),
        ("/proc/irq/24/smp_affinity_list", "0-1"),
        ("/proc/irq/24/effective_affinity_list", "0"),
        ("/sys/devices/virtual/workqueue/cpumask", "3"),
        ("/proc/sys/kernel/watchdog", "0"),
        ("/proc/sys/kernel/timer_migration", "0"),
        ("/proc/sys/vm/stat_interval", "10"),
        ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"),
        ("/sys/kernel/mm/ksm/run", "0"),
        ("/proc/sys/kernel/numa_balancing", "0"),
        ("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n"),
        ("/proc/sys/vm/swappiness", "60"),
        ("/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"),
        ("/proc/self/mounts", "tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n"),
        ("/proc/self/limits", LIMITS),
        ("/proc/self/status", "Name:\tsaltus\nCapEff:\t0000000000000000\n"),
        ("/proc/self/cgroup", "0::/robot\n"),
        ("/sys/fs/cgroup/robot/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\n"),
        ("/proc/stat", "cpu  1000 0 500 90000 10 0 5 0 0 0\n"),
        ("/proc/1/comm", "systemd"),
        ("/proc/300/comm", "systemd-logind"),
        ("/etc/passwd", "root:x:0:0::/root:/bin/sh\nanna:x:1000:1000::/home/anna:/bin/sh\n"),
        ("/etc/systemd/logind.conf", "[Login]\n#RemoveIPC=yes\nRemoveIPC=no\n"),
        ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"),
        ("/proc/sys/net/core/rmem_max", "8388608"),
        ("/proc/sys/net/core/rmem_default", "212992"),
        ("/proc/sys/net/core/netdev_max_backlog", "5000"),
        ("/proc/net/route", ROUTES),
        ("/sys/class/net/lo/flags", "0x1009"),
        ("/proc/sys/vm/max_map_count", "65530"),
    ] {
        made = made.with(path, text);
    }
    for cpu in 0..4 {
        let at = |file: &str| format!("/sys/devices/system/cpu/cpu{cpu}/{file}");
        made = made.with(&at("cpufreq/scaling_governor"), "performance");
        made = made.with(&at("cpuidle/state0/latency"), "0").with(&at("cpuidle/state0/disable"), "0");
        made = made.with(&at("cpuidle/state0/name"), "POLL").with(&at("cpuidle/state1/name"), "C1");
        made = made.with(&at("cpuidle/state1/latency"), "2").with(&at("cpuidle/state1/disable"), "0");
    }
    made.tried(|tried| {
        *tried = Tried {
            user: 1000,
            fifo: Some(Ok(crate::ENOUGH)),
            lock: Some(Ok(())),
            interrupts: Some([INTERRUPTS.into(), INTERRUPTS.into()]),
            shm: Some(Room { size: 8 << 30, free: 7 << 30 }),
            clock_cost: Some(25),
            discipline: None,
            multicast: Some(Ok(Duration::from_micros(80))),
            wake_latency: Some(2_000_000_000),
            smis: Some(0),
            publishers: Ok(Vec::new()),
            dead: Ok(Vec::new()),
            closed: 0,
            owners: Some(Owners {
                url: "shm://".into(),
                path: "/dev/shm/saltus/default".into(),
                root: Some("shared by several users"),
                ..Owners::default()
            }),
        };
    })
}

/// A machine without configuration, with many wrong settings.
pub fn neglected() -> Made {
    let mut made = robot().without("/sys/kernel/realtime");
    for (path, text) in [
        ("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC"),
        ("/boot/config-6.12.9-rt-amd64", "CONFIG_PREEMPT_VOLUNTARY=y\n"),
        ("/proc/sys/kernel/sched_rt_runtime_us", "0"),
        ("/proc/self/limits", "Max open files  32  32  files\nMax locked memory  65536  65536  bytes\n"),
        ("/proc/cmdline", "isolcpus=2-3"),
        ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
        ("/sys/devices/system/cpu/cpu2/cpuidle/state1/latency", "300"),
        ("/sys/devices/system/cpu/nohz_full", ""),
        ("/sys/devices/system/cpu/smt/active", "1"),
        ("/proc/irq/24/effective_affinity_list", "2"),
        ("/sys/devices/virtual/workqueue/cpumask", "f"),
        ("/proc/sys/kernel/watchdog", "1"),
        ("/proc/sys/kernel/timer_migration", "1"),
        ("/proc/sys/vm/stat_interval", "1"),
        ("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
        ("/sys/kernel/mm/ksm/run", "1"),
        ("/proc/sys/kernel/numa_balancing", "1"),
        ("/proc/swaps", "Filename Type Size Used Priority\n/swap file 999996 12 -2\n"),
        ("/etc/systemd/logind.conf", "[Login]\n"),
        ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet"),
        ("/sys/fs/cgroup/robot/cpu.stat", "nr_throttled 9\n"),
        ("/proc/sys/net/core/rmem_max", "212992"),
        ("/proc/net/route", "Iface Destination\n"),
        ("/proc/sys/vm/max_map_count", "1000"),
        ("/proc/9/comm", "it's $(x)\nrm -rf /"),
        (
            "/proc/9/stat",
            "9 (x) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1",
        ),
        ("/proc/9/status", "VmLck:\t0 kB\n"),
    ] {
        made = made.with(path, text);
    }
    made.tried(|tried| {
        tried.fifo = Some(Err("cannot run under SCHED_FIFO 1".into()));
        tried.shm = Some(Room { size: 64 << 20, free: 0 });
        tried.multicast = Some(Err("no route leads there".into()));
        tried.smis = Some(100_000);
        tried.owners = Some(Owners {
            url: "shm:///run/it's".into(),
            path: "/run/it's".into(),
            open_domain: Some(0o777),
            ..Owners::default()
        });
        tried.publishers = Ok(vec![Publisher { pid: 9, process: "it's $(x)\nrm -rf /".into() }]);
    })
}

const INTERRUPTS: &str = "\
           CPU0       CPU1       CPU2       CPU3
 24:         11          0          0          0   PCI-MSIX 0-edge  eth0
LOC:       1000       1000         10         10   Local timer interrupts
";

const LIMITS: &str = "\
Limit                     Soft Limit           Hard Limit           Units     
Max open files            20000                20000                files     
Max locked memory         unlimited            unlimited            bytes     
Max realtime priority     99                   99                             
";

const ROUTES: &str = "\
Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	010200C0	0003	0	0	0	00000000	0	0	0
";
